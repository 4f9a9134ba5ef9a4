package patch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
)

const doc = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","annotations":{"x.io/y":"s"},` +
	`"finalizers":["example.com/a"]},"data":{"k":"1","n":"2"}}`

// The results are those that kube-apiserver had when it was recorded, or that its library has.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"add", `[{"op":"add","path":"/data/m","value":"3"}]`, `data {"k":"1","m":"3","n":"2"}`},
		{"replace", `[{"op":"replace","path":"/data/k","value":"9"}]`, `data {"k":"9","n":"2"}`},
		{"replace a missing key", `[{"op":"replace","path":"/data/zz","value":"1"}]`, `data {"k":"1","n":"2","zz":"1"}`},
		{"move", `[{"op":"move","from":"/data/n","path":"/data/m"}]`, `data {"k":"1","m":"2"}`},
		{"copy and test", `[{"op":"test","path":"/data/n","value":"2"},{"op":"copy","from":"/data/n","path":"/data/c"}]`,
			`data {"c":"2","k":"1","n":"2"}`},
		{"copy a missing key", `[{"op":"copy","from":"/data/never","path":"/data/q"}]`, `data {"k":"1","n":"2","q":null}`},
		{"add without a value", `[{"op":"add","path":"/data/q"}]`, `data {"k":"1","n":"2","q":null}`},
		{"escapes", `[{"op":"replace","path":"/metadata/annotations/x.io~1y","value":"t"},{"op":"add",` +
			`"path":"/metadata/annotations/a~0b","value":"u"}]`, `metadata.annotations {"a~b":"u","x.io/y":"t"}`},
		{"test of a missing key for null", `[{"op":"test","path":"/metadata/annotations/x~0y","value":null}]`,
			`data {"k":"1","n":"2"}`},
		{"lists", `[{"op":"add","path":"/metadata/finalizers/0","value":"first"},{"op":"add",` +
			`"path":"/metadata/finalizers/-","value":"last"}]`, `metadata.finalizers ["first","example.com/a","last"]`},
		{"an index from behind", `[{"op":"add","path":"/metadata/finalizers/-1","value":"z"},{"op":"remove",` +
			`"path":"/metadata/finalizers/-2"}]`, `metadata.finalizers ["z"]`},
		{"remove", `[{"op":"remove","path":"/metadata/finalizers"}]`, `metadata.finalizers null`},
		{"the whole document", `[{"op":"replace","path":"","value":{"data":{"b":"1","a":"2"}}}]`, `data {"b":"1","a":"2"}`},
		{"nothing", `[]`, `data {"k":"1","n":"2"}`},

		{"test fails", `[{"op":"test","path":"/data/k","value":"2"}]`, "rejected: testing value /data/k failed: test failed"},
		{"test of a missing key", `[{"op":"test","path":"/data/zz","value":"2"}]`,
			"rejected: testing value /data/zz failed: test failed"},
		{"test of another type", `[{"op":"test","path":"/data","value":"2"}]`,
			"rejected: testing value /data failed: test failed"},
		{"remove a missing key", `[{"op":"remove","path":"/data/zz"}]`,
			"rejected: error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value"},
		{"no parent", `[{"op":"add","path":"/metadata/labels/a","value":"1"}]`,
			`rejected: add operation does not apply: doc is missing path: "/metadata/labels/a": missing value`},
		{"through a text", `[{"op":"add","path":"/kind/a/b","value":"1"}]`,
			`rejected: add operation does not apply: doc is missing path: "/kind/a/b": missing value`},
		{"unknown operation", `[{"op":"merge","path":"/data/k","value":"1"}]`, "rejected: Unexpected kind: merge"},
		{"no operation", `[{"path":"/data/k","value":"1"}]`, "rejected: Unexpected kind: unknown"},
		{"no path", `[{"op":"add","value":"1"}]`, "rejected: add operation failed to decode path: missing value"},
		{"no from", `[{"op":"move","path":"/data/k"}]`,
			"rejected: move operation failed to decode from: operation, missing from field: missing value"},
		{"an index too far", `[{"op":"add","path":"/metadata/finalizers/7","value":"x"}]`,
			"rejected: error in add for path: " +
				"'/metadata/finalizers/7': Unable to access invalid index: 7: invalid index referenced"},
		{"no index", `[{"op":"add","path":"/metadata/finalizers/x","value":"x"}]`,
			"rejected: error in add for path: '/metadata/finalizers/x': value was not a proper array index: 'x': " +
				"strconv.Atoi: parsing \"x\": invalid syntax"},
		{"the document by a text", `[{"op":"replace","path":"","value":"x"}]`,
			"rejected: replace operation value must be object or array: %!w(<nil>)"},
		{"nowhere", `[{"op":"add","path":"","value":{}}]`,
			`rejected: add operation does not apply: doc is missing path: "": missing value`},

		{"an object", `{"op":"add"}`, "bad request: error decoding patch: json: cannot unmarshal object into Go value of " +
			"type []handlers.jsonPatchOp"},
		{"an operation that is a number", `[1]`,
			"bad request: error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
		{"a path that is a number", `[{"op":"add","path":1}]`,
			"bad request: error decoding patch: " +
				"json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string"},
		{"a source that is missing, and no path", `[{"op":"move","from":"/data/zz"}]`,
			"rejected: error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value"},
		{"cut off", `[{`, "bad request: error decoding patch: unexpected end of JSON input"},
		{"empty", ``, "bad request: error decoding patch: unexpected end of JSON input"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := patch.JSON([]byte(doc), []byte(c.patch), true)
			if problems != nil {
				t.Errorf("problems %q", problems)
			}
			compare(t, got, err, c.want)
		})
	}
}

func compare(t *testing.T, got []byte, err error, want string) {
	t.Helper()
	var e *patch.Error
	if errors.As(err, &e) {
		words := map[patch.Reason]string{patch.BadRequest: "bad request", patch.TooLarge: "too large",
			patch.Rejected: "rejected"}
		if text := words[e.Reason] + ": " + e.Message; text != want {
			t.Errorf("got  %s\nwant %s", text, want)
		}
		return
	}
	path, want, _ := strings.Cut(want, " ")
	var v any
	if json.Unmarshal(got, &v) != nil {
		t.Fatalf("not JSON: %s", got)
	}
	for _, name := range strings.Split(path, ".") {
		v = v.(map[string]any)[name]
	}
	var w any
	if json.Unmarshal([]byte(want), &w) != nil {
		t.Fatalf("unexpected success: %s", got)
	}
	if !reflect.DeepEqual(v, w) {
		t.Errorf("%s is %v, want %s", path, v, want)
	}
}

// Only what the patch went through is written with sorted keys.
func TestOrder(t *testing.T) {
	got, _, err := patch.JSON([]byte(`{"b":{"z":1,"y":2},"a":{"z":1,"y":2}}`),
		[]byte(`[{"op":"add","path":"/b/x","value":3}]`), true)
	if want := `{"a":{"z":1,"y":2},"b":{"x":3,"y":2,"z":1}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	got, _, err = patch.Merge([]byte(`{"b":{"z":1,"y":2},"a":{"z":1,"y":2}}`), []byte(`{"b":{"x":3}}`), true)
	if want := `{"a":{"z":1,"y":2},"b":{"x":3,"y":2,"z":1}}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, patch, want string }{
		{"add and remove", `{"data":{"k":null,"m":"3","never":null}}`, `data {"m":"3","n":"2"}`},
		{"a map", `{"metadata":{"labels":{"a":"1","b":null}}}`, `metadata.labels {"a":"1"}`},
		{"a list replaces", `{"metadata":{"finalizers":["b"]}}`, `metadata.finalizers ["b"]`},
		{"nulls in new lists are dropped", `{"spec":{"l":[{"a":null,"b":1},null]}}`, `spec.l [{"b":1},null]`},
		{"a text for a map", `{"data":"x"}`, `data "x"`},
		{"a map for a text", `{"kind":{"a":{"b":null}}}`, `kind {"a":{}}`},
		{"nothing", `{}`, `data {"k":"1","n":"2"}`},
		{"null", `null`, "bad request: Invalid JSON Patch"},
		{"a list", `[1]`, "bad request: error decoding patch: json: cannot unmarshal array into Go value of type " +
			"map[string]interface {}"},
		{"cut off", `{`, "bad request: error decoding patch: unexpected end of JSON input"},
		{"YAML", "metadata:\n  labels:\n",
			"bad request: error decoding patch: invalid character 'm' looking for beginning of value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, err := patch.Merge([]byte(doc), []byte(c.patch), true)
			compare(t, got, err, c.want)
		})
	}
}

// Without field validation the patch is not read strictly, and errors have the texts of the
// library.
func TestUnchecked(t *testing.T) {
	_, _, err := patch.JSON([]byte(doc), []byte(`{}`), false)
	compare(t, nil, err, "bad request: json: cannot unmarshal object into Go value of type jsonpatch.Patch")
	_, _, err = patch.Merge([]byte(doc), []byte(`{`), false)
	compare(t, nil, err, "bad request: Invalid JSON Patch")
	got, _, err := patch.Merge([]byte(doc), []byte(`[{"a":null}]`), false)
	if err != nil || string(got) != "[{}]" {
		t.Errorf("a list for the document: %s, %v", got, err)
	}
	if _, problems, _ := patch.JSON([]byte(doc), []byte(`[{"op":"test","path":"/data/k","value":"1","x":1}]`),
		false); problems != nil {
		t.Errorf("problems %q", problems)
	}
}

func TestProblems(t *testing.T) {
	_, problems, err := patch.JSON([]byte(doc),
		[]byte(`[{"op":"add","path":"/data/a","value":{"foo":1,"foo":2},"foo":"bar"},{"op":"test","path":"/data/k",`+
			`"value":"1","path":"/data/k","From":""}]`), true)
	want := []string{`json patch duplicate field "[0].value.foo"`, `json patch unknown field "[0].foo"`,
		`json patch duplicate field "[1].path"`, `json patch unknown field "[1].From"`}
	if err != nil || !reflect.DeepEqual(problems, want) {
		t.Errorf("got %q, %v", problems, err)
	}
	_, problems, err = patch.Merge([]byte(doc), []byte(`{"spec":{"replicas":1,"replicas":2},"l":[{"a":1,"a":1,"a":1}]}`),
		true)
	want = []string{`duplicate field "spec.replicas"`, `duplicate field "l[0].a"`}
	if err != nil || !reflect.DeepEqual(problems, want) {
		t.Errorf("got %q, %v", problems, err)
	}
}

func TestLimits(t *testing.T) {
	ops := strings.Repeat(`{"op":"test","path":"/kind","value":"ConfigMap"},`, patch.MaxOperations)
	if _, _, err := patch.JSON([]byte(doc), []byte("["+ops[:len(ops)-1]+"]"), true); err != nil {
		t.Errorf("as many as allowed: %v", err)
	}
	_, _, err := patch.JSON([]byte(doc), []byte("["+ops+`{"op":"remove","path":"/kind"}]`), true)
	compare(t, nil, err, "too large: The allowed maximum operations in a JSON patch is 10000, got 10001")

	// Doubling the document 30 times would make it a gigabyte.
	var double []string
	for i := range 30 {
		double = append(double, fmt.Sprintf(`{"op":"copy","from":"/data","path":"/data/x%d"}`, i))
	}
	_, _, err = patch.JSON([]byte(doc), []byte("["+strings.Join(double, ",")+"]"), true)
	compare(t, nil, err, "rejected: Unable to complete the copy, the accumulated size increase of copy is 6029428, "+
		"exceeding the limit 3145728")
}

// The cost of a deep patch is linear. Deeper ones are refused before anything calls itself for each level: this also
// runs in js/wasm, where the program ends if not.
func TestDeep(t *testing.T) {
	deep := func(levels int, open, closed string) []byte {
		return []byte(strings.Repeat(open, levels) + `"` + strings.Repeat("x", 1<<17) + `"` + strings.Repeat(closed, levels))
	}
	if _, _, err := patch.Merge([]byte(`{}`), deep(object.MaxDepth, `{"a":`, "}"), false); err != nil {
		t.Error(err)
	}
	for _, levels := range []int{object.MaxDepth + 1, 5000, 9000} {
		for _, check := range []bool{false, true} {
			_, _, merge := patch.Merge([]byte(`{}`), deep(levels, `{"a":`, "}"), check)
			value := slices.Concat([]byte(`[{"op":"add","path":"/a","value":`), deep(levels, "[", "]"), []byte(`}]`))
			_, _, jsonPatch := patch.JSON([]byte(`{}`), value, check)
			for _, err := range []error{merge, jsonPatch} {
				var refused *patch.Error
				if !errors.As(err, &refused) || refused.Reason != patch.BadRequest || err.Error() != object.ErrTooDeep.Error() {
					t.Errorf("%d levels: %v", levels, err)
				}
			}
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, op := range []string{"add", "remove", "replace", "test", "move", "copy"} {
		f.Add([]byte(doc), []byte(fmt.Sprintf(`[{"op":%q,"path":"/data/k","from":"/metadata/finalizers/0",`+
			`"value":{"a":null}}]`, op)))
	}
	f.Add([]byte(`[1,[2,{"a":3}]]`), []byte(`[{"op":"move","from":"/1/1/a","path":"/-"}]`))
	f.Fuzz(func(t *testing.T, doc, p []byte) {
		if !json.Valid(doc) {
			return
		}
		before := string(doc)
		got, _, err := patch.JSON(doc, p, true)
		if err != nil && !errors.As(err, new(*patch.Error)) {
			t.Errorf("an error of no type: %v", err)
		}
		if err == nil && !json.Valid(got) {
			t.Errorf("not JSON: %s", got)
		}
		if string(doc) != before {
			t.Errorf("the document was changed")
		}
		if err != nil && got != nil {
			t.Errorf("half a result: %s", got)
		}
	})
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(doc), []byte(`{"data":{"k":null,"m":[{"a":null}]},"metadata":{"name":{"x":{}}}}`))
	f.Add([]byte(`{}`), []byte(`{"a":{"b":null},"c":[null]}`))
	f.Fuzz(func(t *testing.T, doc, p []byte) {
		if !json.Valid(doc) {
			return
		}
		got, _, err := patch.Merge(doc, p, true)
		if err != nil {
			return
		}
		if !json.Valid(got) {
			t.Fatalf("not JSON: %s", got)
		}
		// Applying the same patch again changes nothing.
		again, _, err := patch.Merge(got, p, true)
		if err != nil || !sameJSON(got, again) {
			t.Errorf("%s\ntwice gives %s\nonce gives  %s", p, again, got)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// TestDepthOfPatches has operations move values into each other, deeper than a stack may be: each is short.
func TestDepthOfPatches(t *testing.T) {
	nest := func(levels int, last string) []byte {
		var ops strings.Builder
		ops.WriteString(`[{"op":"add","path":"/a","value":{}}`)
		for range levels - 2 {
			ops.WriteString(`,{"op":"add","path":"/b","value":{}},{"op":"move","from":"/a","path":"/b/c"},` +
				`{"op":"move","from":"/b","path":"/a"}`)
		}
		return []byte(ops.String() + last + "]")
	}
	const copies, compares = `,{"op":"copy","from":"/a","path":"/d"}`, `,{"op":"test","path":"/a","value":{}}`
	for _, test := range []struct {
		levels int
		last   string
		ok     bool
	}{
		{3, "", true}, {object.MaxDepth, "", true}, {object.MaxDepth + 2, "", false}, {3000, "", false},
		{3000, copies, false}, {3000, `,{"op":"remove","path":"/a"}`, true},
	} {
		got, _, err := patch.JSON([]byte(`{}`), nest(test.levels, test.last), true)
		var refused *patch.Error
		if (err == nil) != test.ok || err != nil && (!errors.As(err, &refused) || refused.Reason != patch.BadRequest) {
			t.Errorf("%d levels%s: %.40s, %v", test.levels, test.last, got, err)
		}
	}
	deep := []byte(`{"x":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + `}`)
	if _, _, err := patch.JSON(deep, []byte(`[`+compares[1:]+`]`), false); err == nil {
		t.Error("a comparison of nothing")
	}
}
