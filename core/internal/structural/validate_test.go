package structural_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		schema, value string
		want          []string
	}{
		{`{"type":"integer"}`, `"x"`, []string{`a: Invalid value: "string": a in body must be of type integer: "string"`}},
		{`{"type":"integer"}`, `2.0`, []string{}},
		{`{"type":"string"}`, `null`, []string{`a: Invalid value: "null": a in body must be of type string: "null"`}},
		{`{"type":"string","nullable":true}`, `null`, []string{}},
		{`{"x-kubernetes-int-or-string":true}`, `true`,
			[]string{`a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"`}},
		{`{"type":"string","enum":["x","y"]}`, `"z"`, []string{`a: Unsupported value: "z": supported values: "x", "y"`}},
		{`{"type":"string","format":"date"}`, `"x"`, []string{`a: Invalid value: "x": a in body must be of type date: "x"`}},
		{`{"type":"string","format":"nobody-knows"}`, `"x"`, []string{}},
		{`{"type":"string","maxLength":1}`, `"xy"`, []string{"a: Too long: may not be more than 1 byte"}},
		{`{"type":"string","minLength":3}`, `"é"`,
			[]string{`a: Invalid value: "é": a in body should be at least 3 chars long`}},
		{`{"type":"string","pattern":"^x"}`, `"y"`, []string{`a: Invalid value: "y": a in body should match '^x'`}},
		{`{"type":"integer","minimum":2}`, `1`,
			[]string{"a: Invalid value: 1: a in body should be greater than or equal to 2"}},
		{`{"type":"integer","maximum":2,"exclusiveMaximum":true}`, `2`,
			[]string{"a: Invalid value: 2: a in body should be less than 2"}},
		{`{"type":"number","multipleOf":0.1}`, `0.3`, []string{}},
		{`{"type":"integer","format":"int32"}`, `4294967296`,
			[]string{"<nil>: Invalid value: \"\": Checked value must be of type integer with format int32 in a"}},
		{`{"type":"array","items":{"type":"string"},"maxItems":1}`, `["x",1]`, []string{
			`a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"`,
			"a: Too many: 2: must have at most 1 item"}},
		{`{"type":"object","required":["x"],"additionalProperties":{"type":"string"}}`, `{"y":1}`, []string{
			`a.y: Invalid value: "integer": a.y in body must be of type string: "integer"`, "a.x: Required value"}},
		{`{"type":"object","minProperties":1}`, `{}`,
			[]string{"a: Invalid value: 0: a in body should have at least 1 properties"}},
		{`{"type":"integer","anyOf":[{"minimum":5},{"maximum":1}]}`, `3`, []string{
			`<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)`,
			"a: Invalid value: 3: a in body should be greater than or equal to 5"}},
		{`{"type":"integer","oneOf":[{"minimum":1},{"maximum":5}]}`, `3`, []string{
			`<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives`}},
		{`{"type":"integer","not":{"minimum":1}}`, `3`,
			[]string{`<nil>: Invalid value: "": "a" must not validate the schema (not)`}},
	} {
		s := structural.Parse(tree(t, `{"type":"object","properties":{"a":`+test.schema+`}}`))
		if got := structural.Validate(tree(t, `{"a":`+test.value+`}`), s, "").Texts(); !slices.Equal(got, test.want) {
			t.Errorf("%s of %s\n got %q\nwant %q", test.value, test.schema, got, test.want)
		}
	}
}

// TestValidateUpdate checks that old violations are accepted, except in unspecified values, which
// count as changed.
func TestValidateUpdate(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object","properties":{
		"a":{"type":"string","enum":["x"]},
		"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object",
			"properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":1}}}},
		"o":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"maxProperties":0}}}`))
	for _, test := range []struct {
		obj, old string
		want     []string
	}{
		{`{"a":"y"}`, `{"a":"y"}`, []string{}},
		{`{"a":"y"}`, `{"a":"z"}`, []string{`a: Unsupported value: "y": supported values: "x"`}},
		{`{"l":[{"k":"new"},{"k":"a","v":5}]}`, `{"l":[{"k":"a","v":5}]}`, []string{}},
		{`{"l":[{"k":"b","v":5}]}`, `{"l":[{"k":"a","v":5}]}`,
			[]string{"l[0].v: Invalid value: 5: l[0].v in body should be less than or equal to 1"}},
		{`{"o":{"x":1}}`, `{"o":{"x":1}}`, []string{"o: Too many: 1: must have at most 0 items"}},
	} {
		if got := structural.ValidateUpdate(tree(t, test.obj), tree(t, test.old), s, "").Texts(); !slices.Equal(got,
			test.want) {
			t.Errorf("%s after %s\n got %q\nwant %q", test.obj, test.old, got, test.want)
		}
	}
}

func TestValidateLists(t *testing.T) {
	s := structural.Parse(tree(t, `{"properties":{"s":{"type":"array","x-kubernetes-list-type":"set"},
		"m":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","l"]}}}`))
	got := structural.ValidateLists(tree(t,
		`{"s":["a","b","a","a",1,1.0],"m":[{"k":1},{"k":1,"l":2},{"k":1,"v":3}]}`), s).Texts()
	want := []string{`m[2]: Duplicate value: {"k":1}`, `s[2]: Duplicate value: "a"`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestPruneAndDefault(t *testing.T) {
	s := structural.Parse(tree(t, `{"type":"object","properties":{
		"a":{"type":"object","properties":{"b":{"type":"integer","default":1}}},
		"d":{"type":"object","default":{},"properties":{"e":{"type":"string","default":"x"}}},
		"n":{"type":"string"},"z":{"type":"string","default":"y"},"nn":{"type":"string","nullable":true,"default":"y"},
		"p":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"q":{"type":"object"}}}}}`))
	obj := tree(t, `{"apiVersion":"v1","metadata":{"x":1},"a":{"c":1},"o":2,"n":null,"z":null,"nn":null,`+
		`"p":{"r":{"s":1},"q":{"t":1}}}`)
	if dropped := structural.Prune(obj, s); !slices.Equal(dropped, []string{"a.c", "o", "p.q.t"}) {
		t.Errorf("dropped %q", dropped)
	}
	structural.Default(obj, s)
	const want = `{"a":{"b":1},"apiVersion":"v1","d":{"e":"x"},"metadata":{"x":1},"nn":null,"p":{"q":{},"r":{"s":1}},` +
		`"z":"y"}`
	if got, err := json.Marshal(obj); err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
}
