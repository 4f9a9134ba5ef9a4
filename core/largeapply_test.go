package core

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// queues have lists of all types in their spec.
const queues = `{"metadata":{"name":"queues.stable.example.com"},"spec":{"group":"stable.example.com",
	"scope":"Namespaced","names":{"plural":"queues","kind":"Queue"},"versions":[{"name":"v1","served":true,"storage":true,
	"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
	"jobs":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object",
		"required":["name"],"properties":{"name":{"type":"string"},"n":{"type":"integer","default":7}}}},
	"names":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
	"steps":{"type":"array","items":{"type":"string"}}}}}}}}]}}`

// Applying an object with a long list makes what creating it does, and keeps the order of all its lists: when it is
// applied again, which changes nothing, when somebody else applies an item, and when the first removes one.
func TestLargeApply(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, http.StatusCreated, "POST", definitions, queues)
	condition(t, c, "queues", "Established", "True")
	const (
		deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},
			"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{
			"initContainers":[{"name":"z","image":"i"},{"name":"a","image":"i"},{"name":"m","image":"i"}],
			"containers":[{"name":"y","image":"i"},{"name":"c","image":"i","ports":[{"containerPort":9},{"containerPort":8}],
				"env":[LIST]}]}}}}`
		pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{"initContainers":[LIST],
			"containers":[{"name":"c","image":"i"}]}}`
		queue = `{"apiVersion":"stable.example.com/v1","kind":"Queue","metadata":{"name":"x"},"spec":{"jobs":[LIST],
			"names":["z","a","m"],"steps":["2","1"]}}`
		config = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","finalizers":[LIST]},"data":{"a":"b"}}`
		pods   = "/api/v1/namespaces/default/pods"
	)
	for _, test := range []struct{ path, body, item, list string }{
		{deploymentsPath, deployment, `{"name":"E#","value":"v"}`, "spec.template.spec.containers.env"},
		{"/apis/stable.example.com/v1/namespaces/default/queues", queue, `{"name":"j#"}`, "spec.jobs"},
		{"/apis/stable.example.com/v1/namespaces/default/queues", strings.NewReplacer("LIST", `{"name":"z"},{"name":"a"}`,
			`"z","a","m"`, "LIST").Replace(queue), `"n#"`, "spec.names"},
		{configMaps, config, `"a.b/f#"`, "metadata.finalizers"},
		{pods, pod, `{"name":"c#","image":"i"}`, "spec.initContainers"},
	} {
		for _, n := range []int{10, 999, 1000, 2000} {
			items := strings.Split(many(n, test.item+"\n"), "\n,")
			body := func(items ...string) string { return strings.Replace(test.body, "LIST", strings.Join(items, ","), 1) }
			apply := func(manager, body string) map[string]any {
				t.Helper()
				return must(t, c, http.StatusOK, "PATCH", test.path+"/x?fieldManager="+manager, body, "Content-Type", asApply)
			}
			without := func(obj map[string]any) map[string]any {
				obj = object.DeepCopy(obj)
				for _, name := range []string{"managedFields", "uid", "resourceVersion", "creationTimestamp"} {
					delete(object.Meta(obj), name)
				}
				return obj
			}
			list := func(obj map[string]any) []any {
				var v any = obj
				for name := range strings.SplitSeq(test.list, ".") {
					if l, ok := v.([]any); ok {
						v = l[len(l)-1]
					}
					v = at(v, name)
				}
				l, _ := v.([]any)
				return l
			}
			created := must(t, c, http.StatusCreated, "POST", test.path+"?dryRun=All", body(items...))
			live := must(t, c, http.StatusCreated, "PATCH", test.path+"/x?fieldManager=m", body(items...),
				"Content-Type", asApply)
			was := list(live)
			if got, want := without(live), without(created); !reflect.DeepEqual(got, want) || len(was) != n {
				t.Errorf("%s, %d items: applied\n%v\ncreated\n%v", test.list, n, got, want)
			}
			if again := apply("m", body(items...)); !reflect.DeepEqual(again, live) {
				t.Errorf("%s, %d items: applied again\n%v\nnot\n%v", test.list, n, again, live)
			}
			if test.path != pods { // whose containers are never others
				apply("other", body(strings.ReplaceAll(test.item, "#", "-new")))
				less := list(apply("m", body(slices.Delete(items, n/2, n/2+1)...)))
				added := func(item any) bool { return strings.Contains(fmt.Sprint(item), "-new") }
				if want := slices.Delete(slices.Clone(was), n/2, n/2+1); len(less) != n ||
					!reflect.DeepEqual(slices.DeleteFunc(slices.Clone(less), added), want) {
					t.Errorf("%s, %d items: with one more and one less\n%v\nafter\n%v", test.list, n, less, was)
				}
			}
			must(t, c, http.StatusOK, "PATCH", test.path+"/x", `{"metadata":{"finalizers":null}}`)
			must(t, c, http.StatusOK, "DELETE", test.path+"/x?gracePeriodSeconds=0", "")
		}
	}
}
