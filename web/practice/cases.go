//go:build !js

package practice

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/web/course"
)

// A template may have its cases in itself, in place of a Generator: tables, of each of which a situation has one row,
// and texts that go with them. See web/lessons/README.md.

// cases are a template's tables and texts.
type cases struct {
	tables []table
	texts  []caseText

	once sync.Once
	list []Values // all cases, in the order of the seeds
}

// A table has a value of each row for each of its columns.
type table struct {
	names []string
	rows  []caseRow
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

// conditions are such as need=own, old!=red and old!=$new, which compares two columns; all of them have to hold.
type conditions []string

var (
	caseBlock = regexp.MustCompile("(?ms)^```(cases|text [^\n]*)\n(.*?)^```\n")
	// unescaped are the bars between cells.
	unescaped = regexp.MustCompile(`(?:^|[^\\])\|`)
)

// whenColumn is the name of the column with a row's conditions.
const whenColumn = "when"

// readCases takes the cases out of a template's source; nil if it has none.
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
			t, err := readTable(part)
			if err != nil {
				return "", nil, err
			}
			c.tables = append(c.tables, t)
		}
	}
	return caseBlock.ReplaceAllString(src, ""), c, nil
}

func readTable(text string) (table, error) {
	var t table
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
		name, value, differs := strings.Cut(one, "!=")
		if !differs {
			name, value, _ = strings.Cut(one, "=")
		}
		if other, is := strings.CutPrefix(value, "$"); is {
			value = v[other]
		}
		if (v[name] == value) == differs {
			return false
		}
	}
	return true
}

// all returns the values of all cases, in the order of the tables.
func (c *cases) all() []Values {
	all := []Values{{}}
	for _, t := range c.tables {
		var more []Values
		for _, v := range all {
			for _, row := range t.rows {
				next := Values{}
				for name, value := range v {
					next[name] = value
				}
				for i, name := range t.names {
					if name != whenColumn {
						next[name] = row.cells[i]
					}
				}
				if row.when.hold(next) {
					more = append(more, next)
				}
			}
		}
		all = more
	}
	for _, v := range all {
		for _, t := range c.texts {
			if t.when.hold(v) {
				v[t.name] = t.text
			} else if _, known := v[t.name]; !known {
				v[t.name] = ""
			}
		}
	}
	return all
}

// values returns a seed's case of a template, of the many that there are: no two seeds have the same as long as there
// are others. Only what the template shows is returned.
func (c *cases) values(id, source string, seed int) (Values, error) {
	c.once.Do(func() {
		c.list = c.all()
		r := rand.New(rand.NewPCG(1, hash(id)))
		r.Shuffle(len(c.list), func(i, j int) { c.list[i], c.list[j] = c.list[j], c.list[i] })
	})
	if len(c.list) == 0 {
		return nil, fmt.Errorf("%s: no case fulfils all conditions", id)
	}
	v := c.list[(seed-1)%len(c.list)]
	shown := Values{}
	for name, value := range v {
		if !strings.Contains(source, "{{$"+name+"}}") {
			continue
		}
		// Values may be made of others.
		for deep := 0; strings.Contains(value, "{{$"); deep++ {
			filled, err := course.Fill(value, v)
			if err != nil || deep > 4 {
				return nil, fmt.Errorf("%s, %s: %w", id, name, err)
			}
			value = filled
		}
		shown[name] = value
	}
	return shown, nil
}
