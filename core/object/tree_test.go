package object

import (
	"slices"
	"testing"
)

func TestNested(t *testing.T) {
	obj := map[string]any{"spec": map[string]any{"replicas": int64(3), "paused": true, "list": []any{"a"}, "text": "x"}}
	if n, ok := GetInt(obj, "spec", "replicas"); n != 3 || !ok {
		t.Error("replicas", n, ok)
	}
	if _, ok := GetInt(obj, "spec", "text"); ok {
		t.Error("a string is an int")
	}
	if !GetBool(obj, "spec", "paused") || GetString(obj, "spec", "text") != "x" ||
		len(GetList(obj, "spec", "list")) != 1 || GetMap(obj, "spec", "list") != nil {
		t.Error("getters")
	}
	if _, ok := Get(obj, "spec", "text", "deeper"); ok {
		t.Error("found something below a string")
	}
	SetNested(obj, "v", "metadata", "labels", "a")
	SetNested(obj, int64(1), "spec", "text", "deeper")
	if GetString(obj, "metadata", "labels", "a") != "v" {
		t.Error("SetNested")
	}
	if n, _ := GetInt(obj, "spec", "text", "deeper"); n != 1 {
		t.Error("SetNested over a string")
	}
	RemoveNested(obj, "metadata", "labels")
	RemoveNested(obj, "nothing", "here")
	if _, ok := Get(obj, "metadata", "labels"); ok {
		t.Error("RemoveNested")
	}
}

func TestDeepCopyAndEqual(t *testing.T) {
	obj := map[string]any{"a": []any{map[string]any{"b": nil, "n": int64(1)}, 1.5, true}, "empty": []any(nil)}
	c := DeepCopy(obj)
	if !Equal(obj, c) {
		t.Error("a copy differs")
	}
	SetNested(c["a"].([]any)[0].(map[string]any), "new", "b")
	if Equal(obj, c) || obj["a"].([]any)[0].(map[string]any)["b"] != nil {
		t.Error("the copy shares a map")
	}
	for _, p := range [][2]any{{int64(1), 1.0}, {map[string]any{}, []any{}}, {nil, map[string]any{"a": "b"}},
		{[]any{"a"}, []any{"a", "b"}}, {"a", []any{}},
		{map[string]any{"a": nil}, map[string]any{"b": nil}}} {
		if Equal(p[0], p[1]) || Equal(p[1], p[0]) {
			t.Errorf("%v equals %v", p[0], p[1])
		}
	}
	if !Equal(nil, []any{}) || !Equal(map[string]any{"a": nil}, map[string]any{"a": map[string]any{}}) {
		t.Error("nothing differs from null")
	}
	if DeepCopy[any](nil) != nil || DeepCopy(map[string]any(nil)) != nil {
		t.Error("a copy of nothing is something")
	}
}

func TestMetadata(t *testing.T) {
	obj, err := DecodeAny([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{
		"name":"a","generateName":"g-","namespace":"n","uid":"u","resourceVersion":"7","generation":3,
		"labels":{"x":"y"},"annotations":{"k":"v"},"finalizers":["f","g"],
		"creationTimestamp":"2020-01-02T03:04:05Z"}}`))
	if err != nil {
		t.Fatal(err)
	}
	pod := obj.(map[string]any)
	if Kind(pod) != "Pod" || APIVersion(pod) != "v1" || Name(pod) != "a" || GenerateName(pod) != "g-" ||
		Namespace(pod) != "n" || UID(pod) != "u" ||
		ResourceVersion(pod) != "7" || Generation(pod) != 3 || Labels(pod)["x"] != "y" || Annotations(pod)["k"] != "v" ||
		CreationTimestamp(pod) != "2020-01-02T03:04:05Z" || DeletionTimestamp(pod) != "" ||
		!slices.Equal(Finalizers(pod), []string{"f", "g"}) {
		t.Error("an accessor is wrong")
	}
	SetFinalizers(pod, nil)
	if _, ok := Get(pod, "metadata", "finalizers"); ok {
		t.Error("no finalizers leave a field")
	}
	SetFinalizers(pod, []string{"z"})
	if !slices.Equal(Finalizers(pod), []string{"z"}) {
		t.Error("SetFinalizers")
	}
	bare := map[string]any{}
	Meta(bare)["name"] = "b"
	SetTypeMeta(bare, "v1", "ConfigMap")
	if Name(bare) != "b" || Kind(bare) != "ConfigMap" || Generation(bare) != 0 {
		t.Error("Meta did not make the metadata")
	}
}
