package workloads

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
)

// file has the list.
const file = "testdata/specs.txt"

// passes is the heading of the specs that pass, unknown that of those of which nobody has said why they do not.
const passes, unknown = "passes", "not known yet"

// A list says of each spec whether it passes, and else why not. In the file a line that is indented names a spec; the
// line above it that is not indented says it of all that follow.
type list struct {
	headings []string
	specs    map[string]string // by name, the heading
}

func read(t *testing.T) *list {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l := &list{specs: map[string]string{}}
	for line := range strings.Lines(string(text)) {
		name, indented := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "  ")
		switch {
		case name == "":
		case !indented:
			l.headings = append(l.headings, name)
		case l.specs[name] != "":
			t.Errorf("it is there twice: %s", name)
		default:
			l.specs[name] = l.headings[len(l.headings)-1]
		}
	}
	return l
}

// failing are the names of the specs that do not pass.
func (l *list) failing() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name, heading := range l.specs {
			if heading != passes && !yield(name) {
				return
			}
		}
	}
}

// compare compares how the specs ended with the list.
func (l *list) compare(t *testing.T, found []result) {
	t.Helper()
	there := map[string]bool{}
	for _, r := range found {
		heading := l.specs[r.name]
		there[r.name] = true
		switch passed := r.ran && r.why == ""; {
		case !r.ran && (heading == "" || heading == passes):
			t.Errorf("it did not run: %s", r.name)
		case r.ran && passed != (heading == passes):
			t.Errorf("%s: the list says %q, but it says %q", r.name, heading, r.why)
			if l.specs[r.name] = unknown; passed {
				l.specs[r.name] = passes
			}
		}
	}
	for name := range l.specs {
		if !there[name] {
			t.Errorf("there is no such spec: %s", name)
			delete(l.specs, name)
		}
	}
	if *write {
		if err := os.WriteFile(file, []byte(l.String()), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// String returns the file's text.
func (l *list) String() string {
	var text strings.Builder
	for _, heading := range append(slices.Clone(l.headings), unknown) {
		if names := l.below(heading); len(names) > 0 {
			fmt.Fprintf(&text, "%s\n  %s\n\n", heading, strings.Join(names, "\n  "))
		}
	}
	return text.String()
}

// below returns the specs below a heading, in order.
func (l *list) below(heading string) []string {
	var names []string
	for name, under := range l.specs {
		if under == heading {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestTable wants the table in README.md of wasm/controllers to say how many specs are below each heading.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../../../../wasm/controllers/README.md")
	if err != nil {
		t.Fatal(err)
	}
	l := read(t)
	for _, heading := range l.headings {
		row := fmt.Sprintf("\n| %s | %d |\n", heading, len(l.below(heading)))
		if !strings.Contains(string(text), row) {
			t.Errorf("it has not the row %s", row)
		}
	}
}
