//go:build !js

package practice

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/web/course"
)

// A template may have its cases in itself, in place of a Generator: tables, of each of which a situation has one row or
// several, and texts that go with them. See web/lessons/README.md.

// cases are a template's tables and texts.
type cases struct {
	tables []table
	texts  []caseText

	once sync.Once
	list []Values // the cases, in the order of the seeds
	err  error
}

// A table has a value of each row for each of its columns. If a situation has several of its rows, these differ in the
// first column, and their values are numbered: name1, name2.
type table struct {
	names []string
	rows  []caseRow
	many  int // how many rows; 0 for one whose values are not numbered
}

type caseRow struct {
	cells []string
	when  conditions
}

// A caseText is a value of several lines, where its conditions hold.
type caseText struct {
	name, text string
	when       conditions
}

// conditions are such as need=own,any, old!=red and old!=$new, which compares two columns; all of them have to hold.
type conditions []string

var (
	caseBlock = regexp.MustCompile("(?ms)^```(cases|text [^\n]*)\n(.*?)^```\n")
	// unescaped are the bars between cells.
	unescaped = regexp.MustCompile(`(?:^|[^\\])\|`)
)

const (
	// whenColumn is the name of the column with a row's conditions.
	whenColumn = "when"
	// choicesText is the name of the text with the choices of a question.
	choicesText = "choices"
	// maxCases is how many cases are looked at: of more, some are drawn.
	maxCases = 2000
)

// readCases takes the cases out of a template's source; nil if it has none. A line "use NAME" between its tables adds
// those of templates/shared/NAME.md.
func readCases(src string) (rest string, c *cases, err error) {
	for _, m := range caseBlock.FindAllStringSubmatch(src, -1) {
		if c == nil {
			c = &cases{}
		}
		if head, ok := strings.CutPrefix(m[1], "text "); ok {
			words := strings.Fields(head)
			c.texts = append(c.texts, caseText{words[0], strings.TrimSuffix(m[2], "\n"), words[1:]})
			continue
		}
		for _, part := range strings.Split(strings.TrimSpace(m[2]), "\n\n") {
			if name, is := strings.CutPrefix(part, "use "); is {
				if err := c.use(name); err != nil {
					return "", nil, err
				}
				continue
			}
			t, err := readTable(part)
			if err != nil {
				return "", nil, err
			}
			c.tables = append(c.tables, t)
		}
	}
	return caseBlock.ReplaceAllString(src, ""), c, nil
}

// use adds the tables and texts of a file that templates share.
func (c *cases) use(name string) error {
	src, err := files.ReadFile("templates/shared/" + name + ".md")
	if err != nil {
		return err
	}
	_, shared, err := readCases(string(src))
	if err != nil || shared == nil {
		return fmt.Errorf("%s has no cases: %w", name, err)
	}
	c.tables, c.texts = append(c.tables, shared.tables...), append(c.texts, shared.texts...)
	return nil
}

// readTable reads a table, before which a line "3 rows" may say how many of them a situation has.
func readTable(text string) (table, error) {
	var t table
	head, rest, _ := strings.Cut(text, "\n")
	if head == "values" {
		return readValues(rest)
	}
	if strings.HasSuffix(head, " rows") {
		if _, err := fmt.Sscanf(head, "%d rows", &t.many); err != nil || t.many < 1 {
			return t, fmt.Errorf("%q is no number of rows", head)
		}
		text = rest
	}
	for i, line := range strings.Split(text, "\n") {
		cells := splitCells(line)
		switch {
		case cells == nil:
			return t, fmt.Errorf("%q is no row of a table", line)
		case i == 0:
			t.names = cells
			continue
		case i == 1 && strings.Trim(line, "|-: ") == "":
			continue
		case len(cells) != len(t.names):
			return t, fmt.Errorf("%q has %d cells, and the table %d columns", line, len(cells), len(t.names))
		}
		row := caseRow{cells: cells}
		for j, name := range t.names {
			if name == whenColumn {
				row.when = strings.Fields(cells[j])
			}
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) == 0 {
		return t, fmt.Errorf("a table without rows: %q", text)
	}
	return t, nil
}

// readValues reads a table of one row that is written with a name and its value in each line.
func readValues(text string) (table, error) {
	t := table{rows: make([]caseRow, 1)}
	for line := range strings.SplitSeq(text, "\n") {
		cells := splitCells(line)
		if len(cells) != 2 {
			return t, fmt.Errorf("%q is not a name and a value", line)
		}
		t.names, t.rows[0].cells = append(t.names, cells[0]), append(t.rows[0].cells, cells[1])
	}
	return t, nil
}

// splitCells returns the cells of a line of a table, in which \n is a new line and \| a bar.
func splitCells(line string) []string {
	line = strings.TrimSpace(line)
	if len(line) < 2 || line[0] != '|' || line[len(line)-1] != '|' {
		return nil
	}
	line = line[1:]
	var cells []string
	for line != "" {
		at := unescaped.FindStringIndex(line)
		if at == nil {
			return nil
		}
		cell := strings.NewReplacer(`\n`, "\n", `\|`, "|").Replace(strings.TrimSpace(line[:at[1]-1]))
		cells, line = append(cells, cell), line[at[1]:]
	}
	return cells
}

// hold reports whether all conditions hold.
func (c conditions) hold(v Values) bool {
	for _, one := range c {
		name, list, differs := strings.Cut(one, "!=")
		if !differs {
			name, list, _ = strings.Cut(one, "=")
		}
		is := slices.ContainsFunc(strings.Split(list, ","), func(value string) bool {
			if other, column := strings.CutPrefix(value, "$"); column {
				value = v[other]
			}
			return v[name] == value
		})
		if is == differs {
			return false
		}
	}
	return true
}

// extend returns a case with each row of the table that goes with it, as the nth of the rows that it has.
func (t table) extend(v Values, n int) []Values {
	number := ""
	if t.many > 0 {
		number = strconv.Itoa(n)
	}
	var out []Values
	for _, row := range t.rows {
		next, again := maps.Clone(v), false
		for i, name := range t.names {
			if name != whenColumn {
				next[name+number] = row.cells[i]
			}
		}
		for before := 1; before < n; before++ {
			again = again || v[t.names[0]+strconv.Itoa(before)] == row.cells[0]
		}
		if !again && row.when.hold(next) {
			out = append(out, next)
		}
	}
	return out
}

// all returns the values of all cases in any order, or of maxCases of them.
func (c *cases) all(r *rand.Rand) ([]Values, error) {
	all := []Values{{}}
	for _, t := range c.tables {
		for n := 1; n <= max(t.many, 1); n++ {
			var more []Values
			for _, v := range all {
				more = append(more, t.extend(v, n)...)
			}
			r.Shuffle(len(more), func(i, j int) { more[i], more[j] = more[j], more[i] })
			all = more[:min(len(more), maxCases)]
		}
	}
	var good []Values
	for _, v := range all {
		for _, t := range c.texts {
			if t.when.hold(v) {
				v[t.name] = t.text
			} else if _, known := v[t.name]; !known {
				v[t.name] = ""
			}
		}
		if v[choicesText] != "" {
			text, err := v.filled(choicesText)
			if err != nil {
				return nil, err
			}
			n := 0
			if v[choicesText], n = differentChoices(text); n < leastChoices {
				continue
			}
		}
		good = append(good, v)
	}
	return good, nil
}

// leastChoices is how many different choices a case needs.
const leastChoices = 3

// differentChoices leaves out the choices that have the text of an earlier one, and returns how many are left.
func differentChoices(text string) (string, int) {
	var lines []string
	seen, again := map[string]bool{}, false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "- ") {
			again, seen[line] = seen[line], true
		}
		if !again && strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), len(seen)
}

// filled returns a value, filled in with the values that it is made of.
func (v Values) filled(name string) (string, error) {
	value := v[name]
	for deep := 0; strings.Contains(value, "{{$"); deep++ {
		text, err := course.Fill(value, v)
		if err != nil || deep > 4 {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		value = text
	}
	return value, nil
}

// shown fills in the values that a template shows.
func (v Values) shown(source string) (Values, error) {
	out := Values{}
	for name := range v {
		if !strings.Contains(source, "{{$"+name+"}}") {
			continue
		}
		value, err := v.filled(name)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// different returns what a template shows of its cases, as many different ones as there are seeds, or all.
func (c *cases) different(t Template) ([]Values, error) {
	all, err := c.all(rand.New(rand.NewPCG(1, hash(t.first()))))
	if err != nil {
		return nil, err
	}
	var out []Values
	seen := map[string]bool{}
	for _, v := range all {
		shown, err := v.shown(t.Source)
		if err != nil {
			return nil, err
		}
		if key := fmt.Sprint(shown); !seen[key] {
			seen[key], out = true, append(out, shown)
		}
		if len(out) == Seeds {
			break
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no case fulfils all conditions")
	}
	return out, nil
}

// values returns a seed's case of a template: no two seeds have the same as long as there are others.
func (c *cases) values(t Template, seed int) (Values, error) {
	c.once.Do(func() { c.list, c.err = c.different(t) })
	if c.err != nil {
		return nil, fmt.Errorf("%s, %w", t.ID, c.err)
	}
	return maps.Clone(c.list[(seed-1)%len(c.list)]), nil
}
