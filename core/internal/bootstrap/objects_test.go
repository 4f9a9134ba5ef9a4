package bootstrap

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestPlaced checks that the placed objects are written as the store encodes objects of their types.
func TestPlaced(t *testing.T) {
	lines := 0
	for p := range all(schema.Builtin()) {
		lines++
		line := p.Text
		for _, one := range []string{"$uid", "$rev"} {
			if strings.Count(line, one) != 1 {
				t.Errorf("not one %s: %s", one, line)
			}
		}
		text := strings.NewReplacer("$uid", "0-1", "$rev", "7", "$now", "2026-11-25T12:00:00Z").Replace(line)
		row := p.Resource
		obj, problems, err := object.Decode([]byte(text), row.Type())
		if err != nil || len(problems) > 0 {
			t.Fatalf("%v %v: %s", err, problems, line)
		}
		if again := string(object.Encode(nil, obj, row.Type())); again != text {
			t.Errorf("encoded as\n%s\nwritten\n%s", again, text)
		}
		if p.Name != object.Name(obj) {
			t.Errorf("the name %s is read as %s", object.Name(obj), p.Name)
		}
		if !slices.Equal(p.Labels, registry.Labels(object.Labels(obj))) {
			t.Errorf("%s has the labels %v", p.Name, p.Labels)
		}
		for field, value := range selector.FieldsOf(row.Group, row.Kind).Attributes(obj) {
			if field != "status.phase" || value != p.Phase {
				t.Errorf("%s has the field %s: %s", p.Name, field, value)
			}
		}
		if row.Storage() != row {
			t.Errorf("%s is stored in another version", row.Kind)
		}
	}
	if lines != 47 {
		t.Errorf("%d lines", lines)
	}
}
