package patch

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

// tree reads an object in JSON.
var tree = objecttest.Parse

func TestStrategic(t *testing.T) {
	pod := schema.TypeOf("", "v1", "Pod")
	for _, test := range []struct {
		name, doc, patch, want string
	}{
		{"a list merges by its key, new items first",
			`{"spec":{"containers":[{"name":"a","image":"x:1"},{"name":"b","image":"y:1"}]}}`,
			`{"spec":{"containers":[{"name":"c","image":"z:1"},{"name":"b","image":"y:2"}]}}`,
			`{"spec":{"containers":[{"name":"c","image":"z:1"},{"name":"a","image":"x:1"},{"name":"b","image":"y:2"}]}}`},
		{"an atomic list is replaced",
			`{"spec":{"containers":[{"name":"a","args":["1","2"]}]}}`,
			`{"spec":{"containers":[{"name":"a","args":["3"]}]}}`,
			`{"spec":{"containers":[{"name":"a","args":["3"]}]}}`},
		{"an item is deleted by its key",
			`{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`,
			`{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`,
			`{"spec":{"containers":[{"name":"b"}]}}`},
		{"a list is replaced on request",
			`{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`,
			`{"spec":{"containers":[{"$patch":"replace"},{"name":"c"}]}}`,
			`{"spec":{"containers":[{"name":"c"}]}}`},
		{"a map is replaced on request",
			`{"metadata":{"labels":{"a":"1","b":"2"}}}`,
			`{"metadata":{"labels":{"$patch":"replace","c":"3"}}}`,
			`{"metadata":{"labels":{"c":"3"}}}`},
		{"null deletes, and is dropped from what is new",
			`{"metadata":{"labels":{"a":"1"}}}`,
			`{"metadata":{"labels":{"a":null,"b":null},"annotations":{"c":null,"d":"1"}}}`,
			`{"metadata":{"labels":{},"annotations":{"d":"1"}}}`},
		{"the order of a list is set",
			`{"spec":{"volumes":[{"name":"v"},{"name":"w"}]}}`,
			`{"spec":{"$setElementOrder/volumes":[{"name":"w"},{"name":"v"}],"volumes":[{"name":"w"}]}}`,
			`{"spec":{"volumes":[{"name":"w"},{"name":"v"}]}}`},
		{"only the retained keys stay",
			`{"spec":{"volumes":[{"name":"v","emptyDir":{}}]}}`,
			`{"spec":{"volumes":[{"name":"v","$retainKeys":["name","configMap"],"configMap":{"name":"c"}}]}}`,
			`{"spec":{"volumes":[{"name":"v","configMap":{"name":"c"}}]}}`},
		{"scalars are a set where the type says so",
			`{"metadata":{"finalizers":["a","b"]}}`,
			`{"metadata":{"finalizers":["b","c"]}}`,
			`{"metadata":{"finalizers":["a","b","c"]}}`},
		{"scalars are deleted from a list",
			`{"metadata":{"finalizers":["a","b"]}}`,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}}`,
			`{"metadata":{"finalizers":["b"]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Strategic(tree(t, test.doc), tree(t, test.patch), pod)
			if err != nil {
				t.Fatal(err)
			}
			if want := tree(t, test.want); !object.Equal(got, want) {
				text, _ := json.Marshal(got)
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
		})
	}
}

func TestStrategicRefuses(t *testing.T) {
	pod := schema.TypeOf("", "v1", "Pod")
	doc := `{"spec":{"containers":[{"name":"a"}],"volumes":[{"name":"v"}]}}`
	for patch, want := range map[string]string{
		`{"spec":{"containers":[{"image":"z"}]}}`: "map: map[image:z] does not " +
			"contain declared merge key: name",
		`{"spec":{"containers":[{"name":"a","$patch":"x"}]}}`: "unknown patch type: x in map: " +
			"map[$patch:x name:a]",
		`{"spec":{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"name":"w"}]}}`: "The order in patch list:\n" +
			"[map[name:w]]\n doesn't match $setElementOrder list:\n[map[name:v]]\n",
		`{"spec":{"$retainKeys":["volumes"],"containers":[]}}`: "invalid patch format of retainKeys",
		`{"spec":{"containers":[{"name":"a","$patch":1}]}}`: "unknown patch type: %!s(int64=1) in map: " +
			"map[$patch:1 name:a]",
		`{"spec":{"containers":[{"name":"a","$patch":"merge"}]}}`: "merging lists cannot yet be " +
			"specified in the patch",
		`{"spec":{"containers":["a"]}}`: "list element types are not identical: " +
			"[[map[name:a]] [a]]",
		`{"spec":{"containers":[["a"]]}}`: "list element types are not identical: " +
			"[[map[name:a]] [[a]]]",
		`{"spec":{"$setElementOrder/volumes":"v"}}`: "expected a []interface {}, but received " +
			"a string",
		`{"spec":{"$setElementOrder":[]}}`: "invalid patch format of setElementOrder list",
		`{"spec":{"$setElementOrder/nope":[]}}`: `unable to find api field in struct ` +
			`PodSpec for the json field "nope"`,
		`{"spec":{"$setElementOrder/hostNetwork":[]}}`: "expected slice or array type, but got: " +
			"struct",
		`{"spec":{"$setElementOrder/tolerations":["x"],"tolerations":[]}}`: "no elements in any of the given slices",
		`{"$deleteFromPrimitiveList":[]}`:                                  "invalid patch format of primitive list",
		`{"spec":{"volumes":[{"name":"v"}],"$setElementOrder/volumes":["v"]}}`: "expected a map[string]interface {}, but " +
			"received a string",
	} {
		if _, err := Strategic(tree(t, doc), tree(t, patch), pod); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", patch, err, want)
		}
	}
}

// Malformed patches are client errors; other bad ones are answered as server errors.
func TestStrategicReasons(t *testing.T) {
	pod := schema.TypeOf("", "v1", "Pod")
	for patch, want := range map[string]error{
		`{"$retainKeys":"x"}`: &Error{BadRequest,
			"invalid patch format of retainKeys"},
		`{"$setElementOrder":[]}`: &Error{BadRequest,
			"invalid patch format of setElementOrder list"},
		`{"metadata":{"$deleteFromPrimitiveList":["x"]}}`: &Error{BadRequest,
			"invalid patch format of primitive list"},
		`{"metadata":{"finalizers":[["x"]],"$setElementOrder/finalizers":[]}}`: &Error{Rejected,
			"lists of lists are not supported"},
	} {
		_, err := Strategic(map[string]any{"metadata": map[string]any{}}, tree(t, patch), pod)
		if e, ok := err.(*Error); !ok || *e != *want.(*Error) {
			t.Errorf("%s: %#v", patch, err)
		}
	}
}

// The result of a patch can be encoded, and applying a patch without directives and new lists again
// changes nothing.
func FuzzStrategic(f *testing.F) {
	const doc = `{"metadata":{"finalizers":["a","b"],"labels":{"a":"b"}},"spec":{"containers":[{"name":"a",` +
		`"env":[{"name":"e"}]},{"name":"b"}],"volumes":[{"name":"v"}]}}`
	for _, p := range []string{
		`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"],"labels":{"$patch":"replace","c":"d"}}}`,
		`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"b","$patch":"delete"},` +
			`{"name":"c"}]}}`,
		`{"spec":{"volumes":[{"name":"v","$retainKeys":["name","emptyDir"],"emptyDir":{}}],` +
			`"containers":[{"$patch":"replace"}]}}`,
		`{"spec":{"$patch":"delete"},"metadata":null}`,
		`{"spec":{"containers":[{"name":{}},{"name":[]}],"$setElementOrder/containers":[{"name":{}}]}}`,
	} {
		f.Add([]byte(doc), []byte(p))
	}
	pod := schema.TypeOf("", "v1", "Pod")
	f.Fuzz(func(t *testing.T, doc, p []byte) {
		if len(doc)+len(p) > 1<<12 {
			return // small inputs show as much
		}
		before, _, err := object.Decode(doc, pod)
		if err != nil {
			return
		}
		apply := func(doc map[string]any) map[string]any {
			change, _, err := object.Decode(p, nil)
			if err != nil {
				return nil
			}
			merged, err := Strategic(object.DeepCopy(doc), change, pod)
			if err != nil {
				return nil
			}
			obj, _, err := object.Convert(merged, pod, nil)
			if err != nil {
				return nil
			}
			return obj
		}
		once := apply(before)
		if once == nil {
			return
		}
		if _, problems, err := object.Normalize(once, pod); err != nil || len(problems) > 0 {
			t.Errorf("%v, %q", err, problems)
		}
		if bytes.ContainsAny(p, "$[\\") {
			return
		}
		if twice := apply(once); !object.Equal(once, twice) {
			t.Errorf("%s\ntwice gives %v\nonce gives  %v", p, twice, once)
		}
	})
}
