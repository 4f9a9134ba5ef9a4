package schema

import (
	_ "embed"
	"strings"
	"sync"
)

// A Column is a column of the tables in which objects of a custom resource are
// shown, besides that of their names.
type Column struct {
	Name, Type, Format, Description string
	// JSONPath is where in an object the cell is, as in ".spec.size".
	JSONPath string
	// Priority is 0 for what is always shown, and more for what only wide tables show.
	Priority int32
}

// What the columns of all kinds say of themselves, see gen: lines "=name<TAB>text" of
// texts that are mentioned as "=name", lines of kinds, and below each of these lines
// " column<TAB>text".
//
//go:embed columns.txt
var columnsText string

// columns are read when they are first asked for. A program that reads only types is
// linked without their text: no variable's initial value mentions it.
var columns struct {
	sync.Once
	all map[[2]string]string
}

func columnDescriptions() map[[2]string]string {
	columns.Do(func() { columns.all = readColumns() })
	return columns.all
}

func readColumns() map[[2]string]string {
	all, kind := map[[2]string]string{}, ""
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n")
	for line := range strings.Lines(columnsText) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch line[0] {
		case '#':
		case '=':
			all[[2]string{"", name}] = unescape.Replace(text)
		case ' ':
			if strings.HasPrefix(text, "=") {
				text = all[[2]string{"", text}]
			} else {
				text = unescape.Replace(text)
			}
			all[[2]string{kind, name[1:]}] = text
		default:
			kind = name
		}
	}
	return all
}

// ColumnDescription returns what the column of a built-in kind's table says of itself.
func ColumnDescription(kind, column string) string {
	return columnDescriptions()[[2]string{kind, column}]
}

// NameDescription returns the description of the column of names, which all tables have.
func NameDescription() string { return columnDescriptions()[[2]string{"", "=name"}] }

// CreationDescription returns the description of the column Age, which most tables have.
func CreationDescription() string { return columnDescriptions()[[2]string{"", "=creationTimestamp"}] }
