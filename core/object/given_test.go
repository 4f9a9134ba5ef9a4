package object

import (
	"bytes"
	"encoding/json"
	"testing"
)

// What was given as empty is not in the tree, and known.
func TestGiven(t *testing.T) {
	pod := typeOf(t, "/v1/Pod")
	for _, c := range []struct{ text, put string }{
		{`{"metadata":{"name":"a"}}`, `{"metadata":{"name":"a"}}`},
		{`{"metadata":{"labels":{},"finalizers":[],"name":""}}`, `{"metadata":{"finalizers":[],"labels":{}}}`},
		{`{"metadata":{"labels":{},"labels":{"a":"b"}}}`, `{"metadata":{"labels":{"a":"b"}}}`},
		{`{"metadata":{"managedFields":[]}}`, `{"metadata":{"managedFields":[]}}`},
		{`{"metadata":{"labels":null,"finalizers":null}}`, `{"metadata":{}}`},
		{`{"spec":{"containers":[],"volumes":[{"name":"v","configMap":{"items":[]}},{"name":"e","emptyDir":{}}]}}`,
			`{"spec":{"containers":[],"volumes":[{"configMap":{"items":[]},"name":"v"},{"emptyDir":{},"name":"e"}]}}`},
	} {
		var given Given
		obj, _, err := DecodeGiven([]byte(c.text), pod, &given)
		if err != nil {
			t.Fatal(err)
		}
		plain, _, err := Decode([]byte(c.text), pod)
		if err != nil || !Identical(obj, plain) {
			t.Errorf("%s: %v, otherwise %v (%v)", c.text, obj, plain, err)
		}
		copied := DeepCopy(obj)
		given.Put(copied)
		if got := part(t, copied, c.put); got != c.put {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.put)
		}
		if !Equal(copied, obj) || !Equal(obj, copied) || Key(copied) != Key(obj) {
			t.Errorf("%s: what was given makes a difference", c.text)
		}
		if got, want := string(Encode(nil, copied, pod)), string(Encode(nil, obj, pod)); got != want {
			t.Errorf("%s: stored as %s", c.text, got)
		}
		given.Take(copied)
		if !Identical(copied, obj) {
			t.Errorf("%s: %v is left of it", c.text, copied)
		}
	}
}

// part returns the fields of an object that another one has, as JSON.
func part(t *testing.T, obj map[string]any, like string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(like), &fields); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for name, v := range fields {
		got[name] = obj[name]
		if meta, ok := obj[name].(map[string]any); ok && name == "metadata" {
			delete(meta, "creationTimestamp")
		}
		if spec, ok := v.(map[string]any); ok && name == "spec" && len(spec) > 0 {
			some := map[string]any{}
			for key := range spec {
				some[key] = obj[name].(map[string]any)[key]
			}
			got[name] = some
		}
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Put does not replace what has come meanwhile, nor find what is gone.
func TestGivenElsewhere(t *testing.T) {
	var given Given
	if _, _, err := DecodeGiven([]byte(`{"spec":{"volumes":[{"configMap":{"items":[]}}],"nodeSelector":{}}}`),
		typeOf(t, "/v1/Pod"), &given); err != nil {
		t.Fatal(err)
	}
	obj := map[string]any{"spec": map[string]any{"volumes": []any{}, "nodeSelector": map[string]any{"a": "b"}}}
	was := DeepCopy(obj)
	given.Put(obj)
	if !Identical(obj, was) {
		t.Errorf("it puts %v", obj)
	}
	given.Take(obj)
	if !Identical(obj, was) {
		t.Errorf("it takes, and leaves %v", obj)
	}
	(*Given)(nil).Put(obj)
	(*Given)(nil).Take(obj)
}

// JSON of no type keeps the order of its fields, except in schemas, and in the store its spaces.
func TestOrdered(t *testing.T) {
	for _, c := range []struct{ kind, field, text, want string }{
		{"apps/v1/ControllerRevision", "data", `{"b": [2, {"d":1.0,"c":"<"}],` + "\n" + `"a":null}`,
			`{"b":[2,{"d":1.0,"c":"\u003c"}],"a":null}`},
		{"apps/v1/ControllerRevision", "data", `null`, `null`},
		{"apps/v1/ControllerRevision", "data", `"x"`, `"x"`},
	} {
		typ := typeOf(t, c.kind)
		obj, _, err := Decode([]byte(`{"`+c.field+`":`+c.text+`}`), typ)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(EncodeAny(nil, obj[c.field])); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
		kept := Encode(nil, Verbatim(obj), typ)
		if got, want := Compact(kept), Encode(nil, obj, typ); !bytes.Equal(got, want) {
			t.Errorf("%s is answered as %s, want %s", kept, got, want)
		}
		again, _, err := Decode(kept, typ)
		if err != nil || !Identical(again, obj) {
			t.Errorf("%s is read again as %v (%v)", c.text, again, err)
		}
		plain := Unordered(obj)
		if _, is := plain[c.field].(Ordered); is || !Equal(plain, obj) || !Equal(obj, plain) || Key(plain) != Key(obj) {
			t.Errorf("%s: without order it is %v", c.text, plain)
		}
	}
	crd, _, err := Decode([]byte(`{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"default":{"b":1,"a":2}}}}]}}`),
		typeOf(t, "apiextensions.k8s.io/v1/CustomResourceDefinition"))
	if err != nil {
		t.Fatal(err)
	}
	if plain := Unordered(crd); !Identical(plain, crd) {
		t.Error("a schema has JSON that keeps its order")
	}
	for kind, want := range map[string]bool{"apps/v1/ControllerRevision": true, "/v1/Pod": false,
		"apiextensions.k8s.io/v1/CustomResourceDefinition": false, "resource.k8s.io/v1/ResourceClaimTemplate": true} {
		if got := HasOrdered(typeOf(t, kind)); got != want {
			t.Errorf("%s has JSON that keeps its order: %v", kind, got)
		}
	}
}
