package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// schemaSeeds are schemas that take much more than their text in one way or another.
func schemaSeeds() []string {
	nested := func(open, inner, end string, times int) string {
		return strings.Repeat(open, times) + inner + strings.Repeat(end, times)
	}
	list := func(n int, item func(i int) string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = item(i)
		}
		return strings.Join(all, ",")
	}
	long := strings.Repeat("n", 20_000)
	const leaf = `{"type":"string"}`
	return []string{
		leaf, `{}`, `null`, `[]`, `{"properties":{"":{}}}`,
		nested(`{"type":"object","properties":{"a":`, leaf, `}}`, structural.MaxDepth-1),
		nested(`{"type":"object","properties":{"`+long+`":`, leaf, `}}`, structural.MaxDepth-1),
		nested(`{"type":"object","properties":{"a":`, leaf, `}}`, 90),
		nested(`{"type":"array","items":`, leaf, `}`, structural.MaxDepth-1),
		nested(`{"type":"object","additionalProperties":`, leaf, `}`, structural.MaxDepth-1),
		nested(`{"allOf":[`, `{}`, `]}`, 90), nested(`{"anyOf":[{},`, `{}`, `]}`, 90),
		nested(`{"oneOf":[`, `{}`, `,{"not":{}}]}`, 90), nested(`{"not":`, `{}`, `}`, 90),
		nested(`{"type":"object","x-kubernetes-embedded-resource":true,"required":["a"],"properties":{"a":`, leaf, `}}`, 60),
		nested(`{"type":"object","default":{"a":{"a":{}}},"properties":{"a":`, leaf, `}}`, 60),
		`{"type":"object","properties":{` + list(2000, func(i int) string { return fmt.Sprintf(`"f%d":{}`, i) }) + `}}`,
		`{"type":"object","properties":{"` + long + `":{"type":"object","properties":{` +
			list(500, func(i int) string { return fmt.Sprintf(`"f%d":{"title":"x"}`, i) }) + `}}}`,
		`{"type":"string","enum":[` + list(5000, func(i int) string { return fmt.Sprint(i) }) + `]}`,
		`{"type":"string","pattern":"` + strings.Repeat("(a{1000}){1000}", 100) + `"}`,
		`{"type":"string","pattern":"` + strings.Repeat("(a)", 30_000) + `"}`,
		`{"type":"object","required":[` + list(5000, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `]}`,
		`{"type":"object","x-kubernetes-validations":[` +
			list(300, func(int) string { return `{"rule":"self.a","fieldPath":".x"}` }) + `]}`,
		`{"type":"object","x-kubernetes-validations":[{"rule":"` + strings.Repeat("self.a==1||", 450) + `true"}]}`,
		`{"type":"object","x-kubernetes-validations":[{"rule":"` + strings.Repeat("self.a==1||", 9000) + `true"}]}`,
		`{"type":"object","x-kubernetes-validations":[` + list(20, func(i int) string {
			return `{"rule":"true","messageExpression":"` + strings.Repeat("[],", 100*i) + `"}`
		}) + `]}`,
		nested(`{"type":"object","x-kubernetes-validations":[{"rule":"has(self.a)"}],"properties":{"a":`, leaf, `}}`, 60),
		nested(`{"x-kubernetes-validations":[{"rule":"`+strings.Repeat("(", 300)+`"}],"allOf":[`, `{}`, `]}`, 60),
		`{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}`,
		`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"pattern":"("}}}}}`,
		`{"items":[{},{}],"definitions":{"a":{}},"$ref":"#/a","additionalItems":false}`,
	}
}

// within fails if f allocates more than a number of bytes that grows with the length of a text: nothing may cost
// more than that, or 64 times a level.
func within(t *testing.T, what string, length int, times int64, f func()) {
	t.Helper()
	const least = 4 << 20
	if got, most := apitest.Allocated(f), least+times*int64(length); got > most {
		t.Errorf("%s: %d bytes were allocated for %d, more than %d", what, got, length, most)
	}
}

// FuzzSchema reads and checks any schema, applies it to a value, and makes its OpenAPI documents: none of that
// panics, and it allocates in proportion to the schema's length.
func FuzzSchema(f *testing.F) {
	for _, text := range schemaSeeds() {
		f.Add(text, `{"a":{"a":[{"a":1},null]},"x":"y"}`)
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text)+len(value) > 4<<20 || object.Check([]byte(text)) != nil ||
			object.Check([]byte(value)) != nil {
			return // as the server refuses
		}
		tree, _, err := object.Decode([]byte(text), nil)
		if err != nil {
			return
		}
		const at = field.Path("spec.validation.openAPIV3Schema")
		length := len(text)
		within(t, "measuring", length, 100, func() {
			structural.Memory(tree)
			structural.RuleWork(tree)
		})
		refused := structural.Oversized(tree) != "" || structural.TooManyRules(tree) != ""
		var s *structural.Schema
		within(t, "parsing", length, 2000, func() { s = structural.Parse(tree) })
		within(t, "checking", length, 6000, func() {
			refused = len(structural.Check(s, at)) > 0 || refused
			refused = len(structural.CheckOpenAPI(s, at)) > 0 || refused
			refused = structural.Unsupported(s) != "" || refused
			structural.HasDefaults(s)
			structural.UnknownFormats(s)
			structural.Unevaluated{}.Check(t.Context(), s, at, nil)
		})
		if obj, _, err := object.Decode([]byte(value), nil); err == nil {
			within(t, "validating", len(value)+length, 6000, func() {
				structural.Validate(obj, s, "")
				structural.ValidateLists(obj, s)
				structural.ValidateUpdate(obj, obj, s, "")
				structural.Prune(obj, s)
			})
			structural.Default(obj, s) // which may have many defaults in it
		}
		if refused { // and so never served
			return
		}
		row := &schema.Resource{Group: "stable.example.com", Version: "v1", Plural: "things", Kind: "Thing",
			ListKind: "ThingList", Namespaced: true, Verbs: []string{"get", "list", "create"},
			Custom: &schema.Custom{Schema: s}}
		before := Fingerprint(row)
		var v3, v2 []byte
		within(t, "OpenAPI v3", length, 1000, func() { v3, err = json.Marshal(documentOf(row)) })
		if err != nil || !json.Valid(v3) {
			t.Errorf("v3: %v", err)
		}
		for _, protobuf := range []bool{false, true} {
			within(t, "OpenAPI v2", length, 4000, func() {
				var text Text
				text, err = V2(slices.Values([]map[string]any{documentOf(row)}), "v1", protobuf)
				v2 = text.Bytes()
			})
			if err != nil || len(v2) == 0 {
				t.Errorf("v2: %v", err)
			}
		}
		row.Custom = &schema.Custom{Schema: s}
		if Fingerprint(row) != before {
			t.Error("making documents changed the schema")
		}
	})
}

func documentOf(row *schema.Resource) map[string]any {
	return Document(row.Group, row.Version, "v1", []*schema.Resource{row})
}
