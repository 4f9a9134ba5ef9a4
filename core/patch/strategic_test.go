package patch

import (
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

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
		`{"spec":{"containers":[{"image":"z"}]}}`:                                       "map: map[image:z] does not contain declared merge key: name",
		`{"spec":{"containers":[{"name":"a","$patch":"x"}]}}`:                           "unknown patch type: x in map: map[$patch:x name:a]",
		`{"spec":{"$setElementOrder/volumes":[{"name":"v"}],"volumes":[{"name":"w"}]}}`: "The order in patch list:\n[map[name:w]]\n doesn't match $setElementOrder list:\n[map[name:v]]\n",
		`{"spec":{"$retainKeys":["volumes"],"containers":[]}}`:                          "invalid patch format of retainKeys",
	} {
		if _, err := Strategic(tree(t, doc), tree(t, patch), pod); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", patch, err, want)
		}
	}
}

func FuzzStrategic(f *testing.F) {
	pod := schema.TypeOf("", "v1", "Pod")
	doc := `{"metadata":{"finalizers":["a"]},"spec":{"containers":[{"name":"a","ports":[{"containerPort":1}]}],"volumes":[{"name":"v"}]}}`
	f.Add(`{"spec":{"containers":[{"name":"a","$patch":"delete"}],"$setElementOrder/volumes":[{"name":"v"}]}}`)
	f.Add(`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]},"spec":{"$retainKeys":["volumes"]}}`)
	f.Add(`{"spec":{"containers":[1,[2],{"name":[]}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		change, _, err := object.Decode([]byte(text), nil)
		if err != nil {
			return
		}
		merged, err := Strategic(tree(t, doc), change, pod)
		if err == nil && !json.Valid(object.EncodeAny(nil, merged)) {
			t.Errorf("%s makes no JSON", text)
		}
	})
}

func tree(t testing.TB, text string) map[string]any {
	t.Helper()
	obj, _, err := object.Decode([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return obj
}
