package bootstrap

import (
	"maps"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/selector"
)

// TestPlaced checks that the placed objects are written as the store encodes objects of their types.
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
		group, version := object.SplitGroupVersion(between(line, `"apiVersion":"`))
		row := table.ByKind(group, version, between(line, `"kind":"`))
		obj, problems, err := object.Decode([]byte(text), row.Type())
		if err != nil || len(problems) > 0 {
			t.Fatalf("%v %v: %s", err, problems, line)
		}
		if again := string(object.Encode(nil, obj, row.Type())); again != text {
			t.Errorf("encoded as\n%s\nwritten\n%s", again, text)
		}
		if name := between(line, `"name":"`); name != object.Name(obj) {
			t.Errorf("the name %s is read as %s", object.Name(obj), name)
		}
		selected, err := selectedOf(line)
		if err != nil || !maps.Equal(object.Labels(selected), object.Labels(obj)) {
			t.Errorf("%s has the labels %v, %v", object.Name(obj), object.Labels(selected), err)
		}
		seen := maps.Collect(selector.FieldsOf(row.Group, row.Kind).Attributes(selected))
		if is := maps.Collect(selector.FieldsOf(row.Group, row.Kind).Attributes(obj)); !maps.Equal(seen, is) {
			t.Errorf("selectors see %v of %s, which has %v", seen, object.Name(obj), is)
		}
		if row.Storage() != row {
			t.Errorf("%s is stored in another version", row.Kind)
		}
	}
	if lines != 47 {
		t.Errorf("%d lines", lines)
	}
}
