package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// builtin returns the documents of all built-in types.
func builtin() (list []map[string]any) {
	table := schema.Builtin()
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			list = append(list, Document(g.Name, version, "v1", table.GroupVersion(g.Name, version)))
		}
	}
	for _, root := range Roots(table) {
		list = append(list, root.Document("v1"))
	}
	return list
}

// parse parses the result of V2.
func parse(t *testing.T, documents []map[string]any) (document tree) {
	t.Helper()
	text, err := V2(slices.Values(documents), "v1", false)
	if err == nil {
		err = json.Unmarshal(text.Bytes(), &document)
	}
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// TestV2References checks that the document has all types that it refers to, and no keywords that
// v2 does not have.
func TestV2References(t *testing.T) {
	document := parse(t, builtin())
	definitions := document["definitions"].(tree)
	for _, ref := range references(document) {
		if name, ok := strings.CutPrefix(ref, "#/definitions/"); !ok || definitions[name] == nil {
			t.Errorf("%s is missing", ref)
		}
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{`"allOf":[`, `"oneOf":[`, `"anyOf":[`, `"nullable":true`, `"requestBody":`, `"content":`,
		`"components":`} {
		if strings.Contains(string(text), word) {
			t.Errorf("it has %s", word)
		}
	}
}

// TestV2JoinsKinds checks that a type to which documents give different kinds gets all of them.
func TestV2JoinsKinds(t *testing.T) {
	var documents []map[string]any
	for _, kind := range []tree{gvk("a", "v1", "X"), gvk("b", "v1", "X"), gvk("a", "v1", "X")} {
		documents = append(documents, tree{"paths": tree{},
			"components": tree{"schemas": tree{"x": tree{kindsKey: []any{kind}}}}})
	}
	if got := parse(t, documents)["definitions"].(tree)["x"].(tree)[kindsKey].([]any); len(got) != 2 {
		t.Errorf("%v", got)
	}
}

func TestOlderSchema(t *testing.T) {
	for _, c := range []struct{ from, want string }{
		{`{"allOf":[{"$ref":"#/components/schemas/a.B"}],"description":"d","default":{}}`,
			`{"$ref":"#/definitions/a.B","description":"d"}`},
		{`{"format":"int-or-string","oneOf":[{"type":"integer"},{"type":"string"}]}`,
			`{"format":"int-or-string","type":"string"}`},
		{`{"type":"object","properties":{"default":{"type":"string","default":"x"}}}`,
			`{"properties":{"default":{"type":"string"}},"type":"object"}`},
		{`{"type":"array","items":{"$ref":"#/components/schemas/a.B"},"minItems":2}`,
			`{"items":{"$ref":"#/definitions/a.B"},"minItems":2,"type":"array"}`},
		{`{"type":"object","additionalProperties":true}`, `{"additionalProperties":true,"type":"object"}`},
		{`{"type":"string","nullable":true,"description":"d"}`, `{"description":"d"}`},
		{`{"type":"object","properties":{"a":{}},"x-kubernetes-preserve-unknown-fields":true}`,
			`{"x-kubernetes-preserve-unknown-fields":true}`},
		{`{"type":"object","required":["a","b"],"properties":{"a":{"nullable":true}}}`,
			`{"properties":{"a":{}},"required":["b"],"type":"object"}`},
		{`{"type":"array","nullable":false}`, `{}`},
		{`{"anyOf":[{"type":"integer"}],"x-kubernetes-int-or-string":true}`, `{"x-kubernetes-int-or-string":true}`},
	} {
		var s tree
		if err := json.Unmarshal([]byte(c.from), &s); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(v2Schema(s)); err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s, %v", c.from, got, c.want, err)
		}
	}
}

// TestV2OfUnknownFields checks that a kind with unknown fields is an object of which nothing is said.
func TestV2OfUnknownFields(t *testing.T) {
	row := customRow(t, `{"type":"object","description":"d","properties":{"a":{"type":"string"}},`+
		`"x-kubernetes-preserve-unknown-fields":true}`)
	document := parse(t, []map[string]any{Document(row.Group, row.Version, "v1", []*schema.Resource{row})})
	got, err := json.Marshal(document["definitions"].(tree)["com.example.stable.v1.CronTab"])
	const want = `{"type":"object",` +
		`"x-kubernetes-group-version-kind":[{"group":"stable.example.com","kind":"CronTab","version":"v1"}],` +
		`"x-kubernetes-selectable-fields":[{"fieldPath":"spec.a"}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}

// encodeV2 encodes a document with these definitions.
func encodeV2(document tree) ([]byte, error) {
	e := newV2encoder()
	part := tree{"paths": tree{}, "components": tree{"schemas": document["definitions"]}}
	delete(document, "definitions")
	text, err := e.join(join(v2message{e}, slices.Values([]map[string]any{part})), document)
	return text.Bytes(), err
}

// TestEncodeV2 compares bytes; core/conformance/upstream reads whole documents by the real code.
func TestEncodeV2(t *testing.T) {
	got, err := encodeV2(tree{
		"swagger": "2.0", "info": tree{"title": "T", "version": "v"},
		"definitions": tree{"a": tree{"type": "object", "required": []string{"b"}, "x-y": 1}},
	})
	want := "\n\x032.0" + "\x12\x06\n\x01T\x12\x01v" + "J#\n!\n\x01a\x12\x1c" + "\x9a\x01\x01b" +
		"\xb2\x01\x08\n\x06object" + "\xfa\x01\x0a\n\x03x-y\x12\x03\x12\x011"
	if err != nil || string(got) != want {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
	if _, err := encodeV2(tree{"definitions": tree{"a": tree{"x-y": func() {}}}}); err == nil {
		t.Error("what is no JSON was written")
	}
}
