package core

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/journal"
)

// createContent creates a namespace with objects of several types, some of which have finalizers, and
// returns the paths of all.
func createContent(t *testing.T, c *Cluster, name string) (paths []string) {
	t.Helper()
	in := func(base, body string) {
		t.Helper()
		obj := must(t, c, 201, "POST", base, body)
		paths = append(paths, base+"/"+at(obj, "metadata.name").(string))
	}
	in("/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":%q,"finalizers":["example.com/hold"]}}`, name))
	core := "/api/v1/namespaces/" + name
	in(core+"/configmaps", `{"metadata":{"name":"a","finalizers":["example.com/hold"]}}`)
	in(core+"/configmaps", configMap("b", "1"))
	in(core+"/services", `{"metadata":{"name":"s"},"spec":{"type":"NodePort","clusterIP":"10.96.7.7",`+
		`"ports":[{"port":80,"nodePort":30777}]}}`)
	in(core+"/pods", `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a","image":"a"}]}}`)
	in("/apis/stable.example.com/v1/namespaces/"+name+"/crontabs",
		`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"t","finalizers":["example.com/hold"]}}`)
	return paths
}

func TestPurgeRemovesNamespacesWithTheirContent(t *testing.T) {
	for what, o := range map[string]Options{
		"in memory":        {},
		"with a storage":   {Storage: journal.NewMemory(nil)},
		"with controllers": {Controllers: true},
	} {
		t.Run(what, func(t *testing.T) {
			c, _ := newCluster(t, o)
			must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
			condition(t, c, "crontabs", "Established", "True")
			gone := append(createContent(t, c, "one"), ipAddresses+"/10.96.7.7", "/api/v1/namespaces/two")
			must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"two"}}`)
			must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"one-more"}}`)
			must(t, c, 201, "POST", "/api/v1/namespaces/one-more/configmaps", configMap("a", "1"))
			must(t, c, 200, "DELETE", "/api/v1/namespaces/one", "") // those with finalizers
			setSpec(t, c, `{"clock":{"paused":true}}`)
			watch := follow(t, c, "/api/v1/namespaces/one/configmaps?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt&"+
				"resourceVersion="+
				fmt.Sprint(revision(t, c)))
			custom := follow(t, c, "/apis/stable.example.com/v1/crontabs?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
			before := revision(t, c)

			must(t, c, 201, "POST", plane+"/purge?dryRun=All", `{"namespaces":["one","two"]}`)
			if after := revision(t, c); after != before && !o.Controllers {
				t.Errorf("a dry run took %d revisions", after-before)
			}
			must(t, c, 201, "POST", plane+"/purge", `{"namespaces":["one","missing","two","one"]}`)
			if after := revision(t, c); after != before+int64(len(gone)) && !o.Controllers {
				t.Errorf("%d revisions, want one for each of %v", after-before, gone)
			}
			for _, path := range gone {
				must(t, c, 404, "GET", path, "")
			}
			for _, name := range []string{"a", "b"} {
				e := watch.Next()
				if e["type"] != "DELETED" || at(e, "object.metadata.name") != name || at(e, "object.kind") != "ConfigMap" {
					t.Fatalf("event %v, want the deletion of %s", e, name)
				}
				var rev int64
				if fmt.Sscan(at(e, "object.metadata.resourceVersion").(string), &rev); rev <= before {
					t.Errorf("the deletion of %s is at %d, want one of its own above %d", name, rev, before)
				}
			}
			if e := custom.Next(); e["type"] != "DELETED" || at(e, "object.apiVersion") != "stable.example.com/v1" {
				t.Errorf("event %v, want the deletion of the custom resource", e)
			}
			must(t, c, 200, "GET", "/api/v1/namespaces/one-more/configmaps/a", "")
			must(t, c, 201, "POST", "/api/v1/namespaces/one-more/services",
				`{"metadata":{"name":"s"},"spec":{"type":"NodePort","clusterIP":"10.96.7.7","ports":[{"port":80,`+
					`"nodePort":30777}]}}`)
			must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"one"}}`)
			if list := must(t, c, 200, "GET", "/api/v1/namespaces/one/pods", ""); len(list["items"].([]any)) != 0 {
				t.Errorf("the new namespace begins with %v", list["items"])
			}
		})
	}
}

func TestPurgeIsDurable(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"one","finalizers":["example.com/hold"]}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/one/configmaps", configMap("a", "1"))
	must(t, c, 201, "POST", plane+"/purge", `{"namespaces":["one"]}`)
	again, _ := newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes())})
	must(t, again, 404, "GET", "/api/v1/namespaces/one", "")
	must(t, again, 404, "GET", "/api/v1/namespaces/one/configmaps/a", "")
}

func TestPurgeRefuses(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"one"}}`)
	before := revision(t, c)
	for body, want := range map[string]string{
		``:                     "400 namespaces: has to be a list of 1 to 1000 names",
		`{}`:                   "400 namespaces: has to be a list of 1 to 1000 names",
		`{"namespaces":[]}`:    "400 namespaces: has to be a list of 1 to 1000 names",
		`{"namespaces":"one"}`: "400 namespaces: has to be a list of 1 to 1000 names",
		`{"namespace":"one"}`:  `400 the body is not what this act takes: unknown field "namespace"`,

		`{"namespaces":["one",1]}`:     "400 namespaces[1]: 1 cannot be the name of a namespace",
		`{"namespaces":["one",""]}`:    "400 namespaces[1]:  cannot be the name of a namespace",
		`{"namespaces":["one","a/b"]}`: "400 namespaces[1]: a/b cannot be the name of a namespace",

		`{"namespaces":["one","default"]}`: `403 namespaces "default" is forbidden: ` +
			`a namespace of the system may not be purged`,
		`{"namespaces":["one","kube-system"]}`: `403 namespaces "kube-system" is forbidden: ` +
			`a namespace of the system may not be purged`,
		`{"namespaces":["kube-other","one"]}`: `403 namespaces "kube-other" is forbidden: ` +
			`a namespace of the system may not be purged`,
	} {
		code, text := call(t, c, "POST", plane+"/purge", body)
		if got := fmt.Sprint(code, " ", at(parsed(t, text), "message")); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	if now := revision(t, c); now != before {
		t.Errorf("what is refused took %d revisions", now-before)
	}
	must(t, c, 404, "POST", strings.TrimSuffix(plane, "default")+"other/purge", `{"namespaces":["one"]}`)
	must(t, c, 405, "GET", plane+"/purge", "")
}
