package tables

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
)

// The texts of cells for missing values.
const (
	none    = "<none>"
	unset   = "<unset>"
	unknown = "<unknown>"
)

// A view is an object at an instant. A field that the object does not have, or with another type,
// is the type's zero value.
type view struct {
	obj map[string]any
	now time.Time
}

func (v view) name() string                       { return object.Name(v.obj) }
func (v view) text(path ...string) string         { return object.GetString(v.obj, path...) }
func (v view) is(path ...string) bool             { return object.GetBool(v.obj, path...) }
func (v view) list(path ...string) []any          { return object.GetList(v.obj, path...) }
func (v view) tree(path ...string) map[string]any { return object.GetMap(v.obj, path...) }
func (v view) has(path ...string) bool            { return has(v.obj, path...) }
func (v view) deleted() bool                      { return object.DeletionTimestamp(v.obj) != "" }

func (v view) number(path ...string) int64 {
	n, _ := object.GetInt(v.obj, path...)
	return n
}

// has reports whether there is a value at a path.
func has(tree map[string]any, path ...string) bool {
	value, _ := object.Get(tree, path...)
	return value != nil
}

// textOr returns the text at a path, or the text for a missing one.
func (v view) textOr(absent string, path ...string) string {
	if text := v.text(path...); text != "" {
		return text
	}
	return absent
}

// value returns the text, number or quantity at a path as text.
func (v view) value(absent string, path ...string) string { return value(v.obj, absent, path...) }

func value(tree map[string]any, absent string, path ...string) string {
	value, _ := object.Get(tree, path...)
	if value == nil {
		return absent
	}
	return fmt.Sprint(value)
}

// age returns the age of the object.
func (v view) age() string { return v.since("metadata", "creationTimestamp") }

// since returns how long ago the time at a path was.
func (v view) since(path ...string) string { return v.ago(v.time(path...)) }

func (v view) ago(t time.Time) string {
	if t.IsZero() {
		return unknown
	}
	return duration(v.now.Sub(t))
}

func (v view) time(path ...string) time.Time { return parseTime(v.text(path...)) }

// parseTime parses a time of an object; an invalid one is zero.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// each returns the objects of the list at a path.
func (v view) each(path ...string) iter.Seq[map[string]any] { return trees(v.list(path...)) }

func trees(list []any) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, e := range list {
			tree, _ := e.(map[string]any)
			if !yield(tree) {
				return
			}
		}
	}
}

// condition returns the condition of a type in status, or nil.
func (v view) condition(kind string) map[string]any {
	for c := range v.each("status", "conditions") {
		if c["type"] == kind {
			return c
		}
	}
	return nil
}

// isTrue reports whether the condition of a type is True.
func (v view) isTrue(kind string) bool { return v.condition(kind)["status"] == "True" }

// texts returns the strings of the list at a path.
func (v view) texts(path ...string) []string { return object.GetStrings(v.obj, path...) }

// joined returns the values of a field of the objects of the list at a path.
func joined(list []any, field string) string {
	var all []string
	for tree := range trees(list) {
		all = append(all, object.GetString(tree, field))
	}
	return strings.Join(all, ",")
}

// containers returns the cells with the names and the images of containers.
func (v view) containers(path ...string) []any {
	list := v.list(append(path, "containers")...)
	return []any{joined(list, "name"), joined(list, "image")}
}

// labels returns a cell with a map of labels, sorted.
func (v view) labels(path ...string) string {
	labels := v.tree(path...)
	if len(labels) == 0 {
		return none
	}
	pairs := make([]string, 0, len(labels))
	for key, value := range labels {
		pairs = append(pairs, fmt.Sprint(key, "=", value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// selector returns a cell with a LabelSelector.
func (v view) selector(path ...string) string {
	text, err := v.selectorText(path...)
	switch {
	case err != nil:
		return "<error>"
	case text == "":
		return none
	}
	return text
}

func (v view) selectorText(path ...string) (string, error) {
	labels, _, err := selector.FromLabelSelector(v.tree(path...))
	return labels.String(), err
}

// annotated reports whether an annotation is "true".
func (v view) annotated(name string) bool { return v.text("metadata", "annotations", name) == "true" }

// shown is the number of parts of a long list that a cell shows.
const shown = 3

// some joins the first parts of a list of count.
func some(parts []string, most, count int, separator string) string {
	text := strings.Join(parts[:min(most, len(parts))], separator)
	if count > most {
		return fmt.Sprintf("%s + %d more...", text, count-most)
	}
	return text
}

// or returns text, or the text for a missing value if it is empty.
func or(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}
