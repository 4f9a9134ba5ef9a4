package schema

import (
	_ "embed"
	"strings"
	"sync"
)

// A Column is a column in the tables of a custom resource, besides that of the names.
type Column struct {
	Name, Type, Format, Description string
	// JSONPath is the path of the cell's value in an object, such as ".spec.size".
	JSONPath string
	// Priority is 0 for columns that are always shown, and more for those of wide tables only.
	Priority int32
}

// The descriptions of the columns of all kinds, see core/internal/generate: lines "=name<TAB>text" of texts
// that are referred to as "=name", lines of kinds, and below each of these, indented by a space,
// lines "column<TAB>text".
//
//go:embed columns.txt
var columnsText string

// columns are parsed when they are first needed. A program that reads only types is linked without
// their text: no variable's initial value refers to it.
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

// ColumnDescription returns the description of a column in a built-in kind's table.
func ColumnDescription(kind, column string) string {
	return columnDescriptions()[[2]string{kind, column}]
}

// NameDescription returns the description of the Name column, which all tables have.
func NameDescription() string { return columnDescriptions()[[2]string{"", "=name"}] }

// CreationDescription returns the description of the Age column, which most tables have.
func CreationDescription() string { return columnDescriptions()[[2]string{"", "=creationTimestamp"}] }
