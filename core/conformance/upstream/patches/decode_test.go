package patches

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	kjson "sigs.k8s.io/json"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/schema/schematest"
)

// spoil puts values of the wrong type, unknown fields and duplicates into an object.
func (g gen) spoil(m map[string]any, often int) {
	for _, key := range schematest.Keys(m) {
		switch v := m[key].(type) {
		case map[string]any:
			g.spoil(v, often)
		case []any:
			for i, item := range v {
				if m, ok := item.(map[string]any); ok {
					g.spoil(m, often)
				}
				if g.OneIn(often) {
					v[i] = g.anything()
				}
			}
		}
		if g.OneIn(often) {
			m[key] = g.anything()
		}
	}
	if g.OneIn(often) {
		m["unknown"] = g.anything()
	}
}

// twice writes a field of an object a second time, with another value.
func (g gen) twice(text []byte, t *schema.Type) []byte {
	f := &t.Fields[g.IntN(len(t.Fields))]
	if f.Name == "kind" || f.Name == "apiVersion" {
		return text
	}
	value, _ := json.Marshal(g.Value(f.Type, 1))
	again := fmt.Sprintf(`{%q:%s,`, f.Name, value)
	if bytes.Equal(text, []byte("{}")) {
		again = again[:len(again)-1]
	}
	return append([]byte(again), text[1:]...)
}

// TestDecode reads random texts as objects of a type.
func TestDecode(t *testing.T) {
	for _, typ := range types {
		t.Run(typ.kind, func(t *testing.T) {
			g := newGen(3)
			known := schema.TypeOf(typ.group, "v1", typ.kind)
			failed, refused := 0, 0
			for round := range *rounds {
				tree := g.Object(known, 0)
				if often := []int{0, 400, 60}[round%3]; often > 0 {
					g.spoil(tree, often)
				}
				text, _ := json.Marshal(tree)
				// A list that occurs three times gets longer again than the second one was: Go then finds old
				// values in the spare capacity, which is not modelled here.
				if g.OneIn(3) {
					text = g.twice(text, known)
				}
				got, want := oursRead(text, known), theirsRead(text, typ.object)
				if want.err != "" {
					refused++
				}
				if !same(got, want) {
					t.Errorf("%s\nis\n%+v\nwant\n%+v", text, got, want)
					if failed++; failed == 5 {
						t.FailNow()
					}
				}
			}
			t.Logf("%d of %d texts were refused", refused, *rounds)
		})
	}
}

func oursRead(text []byte, t *schema.Type) outcome {
	obj, problems, err := object.Decode(text, t)
	if err != nil {
		return outcome{err: err.Error()}
	}
	return outcome{object: string(object.Encode(nil, obj, t)), problems: fmt.Sprint(problems)}
}

func theirsRead(text []byte, object func() any) outcome {
	obj := object()
	strict, err := kjson.UnmarshalStrict(text, obj)
	if err == nil {
		obj, err = stored(obj, object())
	}
	if err != nil {
		return outcome{err: err.Error()}
	}
	written, _ := json.Marshal(obj)
	return outcome{object: string(written), problems: fmt.Sprint(strict)}
}
