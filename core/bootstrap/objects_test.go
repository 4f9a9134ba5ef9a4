package bootstrap

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/selector"
)

// TestPlaced checks that the placed objects are written as the store encodes objects of their types, and that none has
// a field that can be selected, or of which place knows nothing.
func TestPlaced(t *testing.T) {
	table, lines := schema.Builtin(), 0
	for line := range strings.Lines(placed) {
		lines++
		line = strings.TrimSpace(line)
		for _, one := range []string{"$uid", "$rev"} {
			if strings.Count(line, one) != 1 {
				t.Errorf("not one %s: %s", one, line)
			}
		}
		text := strings.NewReplacer("$uid", "0-1", "$rev", "7", "$now", "2026-11-25T12:00:00Z").Replace(line)
		group, version := object.SplitGroupVersion(between(line, `"apiVersion":"`, `"`))
		row := table.ByKind(group, version, between(line, `"kind":"`, `"`))
		obj, problems, err := object.Decode([]byte(text), row.Type())
		if err != nil || len(problems) > 0 {
			t.Fatalf("%v %v: %s", err, problems, line)
		}
		if again := string(object.Encode(nil, obj, row.Type())); again != text {
			t.Errorf("encoded as\n%s\nwritten\n%s", again, text)
		}
		if name := between(line, `"name":"`, `"`); name != object.Name(obj) {
			t.Errorf("the name %s is read as %s", object.Name(obj), name)
		}
		for field, value := range selector.FieldsOf(row.Group, row.Kind).Attributes(obj) {
			if value != "" {
				t.Errorf("%s %s has the field %s", row.Kind, object.Name(obj), field)
			}
		}
		if row.Storage() != row {
			t.Errorf("%s is stored in another version", row.Kind)
		}
	}
	if lines != 41 {
		t.Errorf("%d lines", lines)
	}
}
