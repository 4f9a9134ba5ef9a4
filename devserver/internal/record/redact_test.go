package record

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func rulesOf(t testing.TB, resource string, named ...string) []rule {
	t.Helper()
	o := Options{Redact: named}
	rules, err := o.rules()
	if err != nil {
		t.Fatal(err)
	}
	return newRedactor(rules).rulesOf(resource)
}

// placeholder is what takes the place of a text, and in base64.
var placeholder = regexp.MustCompile(`"redacted-[0-9a-f]{8}"`)
var placeholder64 = regexp.MustCompile(`"cmVkYWN0ZWQt[A-Za-z0-9+/]*=*"`)

// TestRedaction redacts objects: what is named is replaced, wherever it is, and all else has the bytes that it had. In
// want, * stands for what takes the place of a text.
func TestRedaction(t *testing.T) {
	tests := map[string]struct {
		resource string
		rules    []string
		in, want string
	}{
		"a Secret": {resource: "secrets", in: `{"kind":"Secret","metadata":{"name":"a","annotations":{"x":"deep",` +
			`"kubernetes.io/service-account.name":"sa","` + lastApplied +
			`":"{\"data\":{\"p\":\"ZGVlcA==\"}}"},"managedFields":` +
			`[{"fieldsV1":{"f:data":{".":{},"f:p":{}}}}]},"data":{"p":"ZGVlcA==","q":"","r":null},"type":"Opaque"}`,
			want: `{"kind":"Secret","metadata":{"name":"a","annotations":{"x":"*","kubernetes.io/service-account.name":"sa","` +
				lastApplied + `":"*"},"managedFields":[{"fieldsV1":{"f:data":{".":{},"f:p":{}}}}]},"data":{"p":"64*","q":"","r":` +
				`null},"type":"Opaque"}`},
		"others are left alone": {resource: "configmaps", in: `{ "data" : {"a":"b<\u003c"} }`,
			want: `{ "data" : {"a":"b<\u003c"} }`},
		"a field of lists": {resource: "pods", rules: []string{"pods:spec.containers.env.value"},
			in: `{"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"deep"},{"name":"B",` +
				`"value":"deep"}]}],"value":"v"}}`,
			want: `{"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"*"},{"name":"B","value":"*"}` +
				`]}],"value":"v"}}`},
		"all below, of every kind": {resource: "widgets.example.com", rules: []string{"widgets.example.com:spec"},
			in:   `{"spec":{"a":[1,-2.5e3,true,null,"deep",{"b":"deep"},[]]},"status":{"a":1}}`,
			want: `{"spec":{"a":[0,0,false,null,"*",{"b":"*"},[]]},"status":{"a":1}}`},
		"any field": {resource: "a", rules: []string{"a:data.*.x"}, in: `{"data":{"p":{"x":"deep","y":"1"},"q":{"x":2}}}`,
			want: `{"data":{"p":{"x":"*","y":"1"},"q":{"x":0}}}`},
		"any type, a quoted field": {resource: "a", rules: []string{`*:metadata.annotations["example.com/token"]`},
			in:   `{"metadata":{"annotations":{"example.com/token":"deep","b":"c","` + lastApplied + `":"deep"}}}`,
			want: `{"metadata":{"annotations":{"example.com/token":"*","b":"c","` + lastApplied + `":"*"}}}`},
		"the field twice": {resource: "a", rules: []string{"a:data"}, in: `{"data":{"x":"deep"},"data":{"x":"deep"}}`,
			want: `{"data":{"x":"*"},"data":{"x":"*"}}`},
		"an escaped name": {resource: "a", rules: []string{"a:data"}, in: `{"d\u0061ta":{"x":"deep"}}`,
			want: `{"d\u0061ta":{"x":"*"}}`},
		"values among the names of fields": {resource: "a", rules: []string{"a:spec.list.name"},
			in: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:list":{"k:{\"name\":\"deep\"}` +
				`":{".":{}}},"f:x":{}}}}]},` +
				`"spec":{"list":[{"name":"deep"}]}}`,
			want: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:list":{},"f:x":{}}}}]},"spec":{` +
				`"list":[{"name":"*"}]}}`},
		"values of a set": {resource: "a", rules: []string{"a:spec.set"},
			in: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:set":{"v:\"deep\"":{}},"f:y":{"v:1":{}}}}}]},` +
				`"spec":{"set":["deep"]}}`,
			want: `{"metadata":{"managedFields":[{"fieldsV1":{"f:spec":{"f:set":{},"f:y":{"v:1":{}}}}}]},"spec":{"set":["*"]}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRedactor(nil)
			got, err := r.redact([]byte(test.in), rulesOf(t, test.resource, test.rules...), "id")
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(got, []byte("deep")) || bytes.Contains(got, []byte("ZGVlcA==")) {
				t.Errorf("it shows what was redacted: %s", got)
			}
			plain := placeholder64.ReplaceAllString(placeholder.ReplaceAllString(string(got), `"*"`), `"64*"`)
			if plain != test.want {
				t.Errorf("got  %s\nwant %s", plain, test.want)
			}
			again, err := r.redact([]byte(test.in), rulesOf(t, test.resource, test.rules...), "id")
			if err != nil || !bytes.Equal(got, again) {
				t.Errorf("not the same again: %s %v", again, err)
			}
		})
	}
}

// TestRedactedChanges checks that one sees that a value has changed, and nothing by comparing others.
func TestRedactedChanges(t *testing.T) {
	r := newRedactor(nil)
	rules := rulesOf(t, "secrets")
	data := func(id, text string) string {
		got, err := r.redact([]byte(text), rules, id)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	a := data("a", `{"data":{"p":"YQ==","q":"YQ=="}}`)
	var values struct{ Data map[string]string }
	if err := json.Unmarshal([]byte(a), &values); err != nil || values.Data["p"] == values.Data["q"] {
		t.Errorf("two fields with one value are seen to be equal: %s, %v", a, err)
	}
	if a == data("b", `{"data":{"p":"YQ==","q":"YQ=="}}`) {
		t.Error("two Secrets are seen to be equal")
	}
	if a == data("a", `{"data":{"p":"Yg==","q":"YQ=="}}`) {
		t.Error("a change is not seen")
	}
}

func TestWrongRules(t *testing.T) {
	for _, text := range []string{"", "configmaps", "configmaps:", ":data", "a:b.", "a:.b", "a:b..c", `a:b["c`, "a:b[c]",
		"a:metadata", "a:metadata.name", "a:metadata.resourceVersion", "a:kind"} {
		if r, err := parseRule(text); err == nil {
			t.Errorf("%q is taken as %+v", text, r)
		}
	}
}

// FuzzRedact redacts texts: what is no JSON object is refused, and of others the result is JSON, has none of
// the texts at
// the path, and all that is elsewhere.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"data":{"a":"secret","b":[1,{"c":"secret"}]},"x":{"data":"secret"}}`))
	f.Add([]byte(`{"metadata":{"managedFields":[{"fieldsV1":{"f:data":{"k:{\"a\":1}":{}}}}]}}`))
	f.Add([]byte("{\"data\":\"\\ud800\", \"data\" :\n[ \"x\" , true ]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rules := rulesOf(t, "a", "a:data")
		got, err := newRedactor(nil).redact(text, rules, "id")
		var before, after map[string]any
		if json.Unmarshal(text, &before) != nil || before == nil {
			if err == nil && json.Valid(text) != json.Valid(got) {
				t.Errorf("%q became %q", text, got)
			}
			return
		}
		if err != nil {
			if errTooDeepOrSo(text) {
				return
			}
			t.Fatalf("%q: %v", text, err)
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		var check func(v any)
		check = func(v any) {
			switch v := v.(type) {
			case string:
				if v != "" && !strings.HasPrefix(v, "redacted-") {
					t.Errorf("%q shows %q", got, v)
				}
			case float64:
				if v != 0 {
					t.Errorf("%q shows %v", got, v)
				}
			case []any:
				for _, e := range v {
					check(e)
				}
			case map[string]any:
				for _, e := range v {
					check(e)
				}
			}
		}
		check(after["data"])
		delete(before, "data")
		delete(after, "data")
		delete(before, "metadata") // of which annotations and names of fields are redacted
		delete(after, "metadata")
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// errTooDeepOrSo reports whether a text nests so deep that it is not recorded.
func errTooDeepOrSo(text []byte) bool { return bytes.Count(text, []byte("{")) > maxDepth }
