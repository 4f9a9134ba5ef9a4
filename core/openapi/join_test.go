package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/schema"
)

// customTable returns a table with the built-in types and custom ones, in their own groups or in one. Each has a
// schema of a few properties.
func customTable(types, groups int) *schema.Table {
	table := schema.Builtin()
	rows := make([]*schema.Resource, types)
	for i := range rows {
		rows[i] = someCustomRow(fmt.Sprintf("g%d.example.com", i%groups), fmt.Sprint("Thing", i))
		rows[i].Namespaced = i%3 > 0
	}
	table.Add(rows...)
	return table
}

func someCustomRow(group, kind string) *schema.Resource {
	plural := fmt.Sprintf("%ss", bytes.ToLower([]byte(kind)))
	r := &schema.Resource{
		Group: group, Version: "v1", Plural: plural, Kind: kind, ListKind: kind + "List",
		Verbs: []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"},
		Subresources: []schema.Subresource{
			{Name: "status", Group: group, Version: "v1", Kind: kind, Verbs: []string{"get", "patch", "update"}},
			{Name: "scale", Group: "autoscaling", Version: "v1", Kind: "Scale", Verbs: []string{"get", "patch", "update"}},
		},
		Custom: &schema.Custom{Selectable: []string{"spec.a"}},
	}
	text := func() any { return map[string]any{"type": "string", "description": "of " + kind + " <&>"} }
	r.Custom.Schema = structural.Parse(map[string]any{"type": "object", "properties": map[string]any{
		"spec": map[string]any{"type": "object", "required": []any{"a"}, "properties": map[string]any{
			"a": text(), "b": text(), "c": map[string]any{"type": "array", "items": text()},
			"d": map[string]any{"type": "object", "x-kubernetes-embedded-resource": true}}}}})
	return r
}

// partsOf returns the parts of all documents of a table.
func partsOf(table *schema.Table) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, root := range Roots(table) {
			if !yield(root.Document("v1")) {
				return
			}
		}
		for _, g := range table.Groups() {
			for _, version := range g.Versions {
				for part := range Parts(g.Name, version, "v1", table.GroupVersion(g.Name, version)) {
					if !yield(part) {
						return
					}
				}
			}
		}
	}
}

// documentsOf returns all documents of a table, each in one piece.
func documentsOf(table *schema.Table) (all []map[string]any) {
	for _, root := range Roots(table) {
		all = append(all, root.Document("v1"))
	}
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			all = append(all, Document(g.Name, version, "v1", table.GroupVersion(g.Name, version)))
		}
	}
	return all
}

// TestParts checks that the parts of documents make the documents, to the byte.
func TestParts(t *testing.T) {
	table := customTable(20, 3)
	mixed := append(slices.Clone(table.GroupVersion("apps", "v1")), someCustomRow("apps", "Mixed"),
		someCustomRow("apps", "Also"))
	mixed[1], mixed[len(mixed)-1] = mixed[len(mixed)-1], mixed[1]
	check := func(group, version string, rows []*schema.Resource) {
		t.Helper()
		want, err := json.Marshal(Document(group, version, "v1", rows))
		if err != nil {
			t.Fatal(err)
		}
		got, err := V3(Parts(group, version, "v1", rows), "v1")
		if err != nil || !bytes.Equal(got.Bytes(), want) || got.Len() != len(want) {
			t.Errorf("%s/%s: %d bytes, want %d, %v", group, version, got.Len(), len(want), err)
		}
	}
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			check(g.Name, version, table.GroupVersion(g.Name, version))
		}
	}
	check("apps", "v1", mixed)
	check("none.example.com", "v1", nil)
	for _, protobuf := range []bool{false, true} {
		want, err := V2(slices.Values(documentsOf(table)), "v1", protobuf)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := V2(partsOf(table), "v1", protobuf); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("v2, protobuf %t: %d bytes, want %d, %v", protobuf, got.Len(), want.Len(), err)
		}
	}
}

// TestPartsAreSmall checks that each custom resource has its own part, which repeats nothing, and that its
// length is known before.
func TestPartsAreSmall(t *testing.T) {
	table := customTable(10, 1)
	rows := table.GroupVersion("g0.example.com", "v1")
	parts := slices.Collect(Parts("g0.example.com", "v1", "v1", rows))
	if len(parts) != len(rows)+1 {
		t.Fatalf("%d parts", len(parts))
	}
	seen := map[string]bool{}
	for i, part := range parts {
		for name, s := range part["components"].(tree)["schemas"].(tree) {
			if len(s.(tree)) > 1 && seen[name] {
				t.Errorf("part %d has %s again", i, name)
			}
			seen[name] = true
		}
		if i == 0 {
			continue
		}
		text, err := json.Marshal(part)
		if said := Length(rows[i-1]); err != nil || int64(len(text)) > said || int64(len(text)) < said/3 {
			t.Errorf("part %d: %d bytes, not about %d; %v", i, len(text), said, err)
		}
	}
	for part := range Parts("g0.example.com", "v1", "v1", rows) { // no more are made than are asked for
		if len(part) == 0 {
			t.Error("an empty part")
		}
		break
	}
	if Length(schema.Builtin().Resource("", "v1", "pods")) != 0 {
		t.Error("a built-in type has a length")
	}
}

// TestText checks that a text has the bytes that it was given, in pieces without space to spare.
func TestText(t *testing.T) {
	var text Text
	var want []byte
	for i := range 400 {
		b := bytes.Repeat([]byte{byte(i)}, i*7)
		text.add(b, []byte("x"))
		want = append(append(want, b...), 'x')
	}
	text = text.end()
	if !bytes.Equal(text.Bytes(), want) || text.Len() != len(want) || len(text) != len(want)/pieceLength+1 {
		t.Errorf("%d pieces of %d bytes, want %d", len(text), text.Len(), len(want))
	}
	if last := text[len(text)-1]; cap(last)-len(last) > 4096 {
		t.Errorf("%d bytes are left in the last piece", cap(last)-len(last))
	}
	if none := Text(nil).end(); none.Len() != 0 || len(none.Bytes()) != 0 {
		t.Error(none)
	}
}

// TestJoinKeepsKinds checks where the kinds of a type come, among its other keywords.
func TestJoinKeepsKinds(t *testing.T) {
	part := func(s tree) map[string]any { return tree{"paths": tree{}, "components": tree{"schemas": tree{"x": s}}} }
	kind := []any{gvk("a", "v1", "X")}
	const text = `[{"group":"a","kind":"X","version":"v1"}]`
	for want, s := range map[string]tree{
		`{}`:                                {},
		`{"` + kindsKey + `":` + text + `}`: {kindsKey: kind},
		`{"type":"object","` + kindsKey + `":` + text + `}`:    {"type": "object", kindsKey: kind},
		`{"` + kindsKey + `":` + text + `,"x-kubernetes-z":1}`: {kindsKey: kind, "x-kubernetes-z": 1},
		`{"type":"object","` + kindsKey + `":` + text + `,"x-kubernetes-z":true}`: {"type": "object", kindsKey: kind,
			"x-kubernetes-z": true},
	} {
		got, err := V3(slices.Values([]map[string]any{part(maps.Clone(s)), part(tree{kindsKey: s[kindsKey]})}), "v1")
		whole := `{"components":{"schemas":{"x":` + want + `}},"info":{"title":"Kubernetes","version":"v1"},` +
			`"openapi":"3.0.0","paths":{}}`
		if err != nil || string(got.Bytes()) != whole {
			t.Errorf("%s, %v\nwant %s", got.Bytes(), err, whole)
		}
	}
}

// BenchmarkDocuments makes the documents of 2000 types: in one group version, or each in its own.
func BenchmarkDocuments(b *testing.B) {
	for _, groups := range []int{1, 2000} {
		table := customTable(2000, groups)
		rows := table.GroupVersion("g0.example.com", "v1")
		for name, make := range map[string]func() (Text, error){
			"v3":             func() (Text, error) { return V3(Parts("g0.example.com", "v1", "v1", rows), "v1") },
			"v2":             func() (Text, error) { return V2(partsOf(table), "v1", false) },
			"v2 in protobuf": func() (Text, error) { return V2(partsOf(table), "v1", true) },
		} {
			b.Run(fmt.Sprintf("%s of %d groups", name, groups), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					text, err := make()
					if err != nil {
						b.Fatal(err)
					}
					b.SetBytes(int64(text.Len()))
				}
			})
		}
	}
}
