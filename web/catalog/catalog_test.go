package catalog

import (
	"strings"
	"testing"
)

func sample(t *testing.T) *Catalog {
	t.Helper()
	var c Catalog
	for _, body := range []string{
		`{"kind":"APIVersions","versions":["v1"]}`,
		`{"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}]},` +
			`{"name":"autoscaling","versions":[{"version":"v2"},{"version":"v1"}]}]}`,
	} {
		if _, err := c.AddVersions(body); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []string{
		`{"groupVersion":"v1","resources":[{"name":"namespaces","kind":"Namespace","namespaced":false,"verbs":["list",` +
			`"get"]},{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list","create"],"shortNames":["po"]},` +
			`{"name":"pods/status","kind":"Pod","namespaced":true,"verbs":["get"]},{"name":"podtemplates",` +
			`"kind":"PodTemplate","namespaced":true,"verbs":["list"]},{"name":"bindings","kind":"Binding","namespaced":true,` +
			`"verbs":["create"]}]}`,
		`{"groupVersion":"apps/v1","resources":[{"name":"deployments","kind":"Deployment","namespaced":true,` +
			`"verbs":["list"]}]}`,
		`{"groupVersion":"autoscaling/v1","resources":[{"name":"horizontalpodautoscalers",` +
			`"kind":"HorizontalPodAutoscaler","namespaced":true,"verbs":["list"]}]}`,
		`{"groupVersion":"autoscaling/v2","resources":[{"name":"horizontalpodautoscalers",` +
			`"kind":"HorizontalPodAutoscaler","namespaced":true,"verbs":["list"]}]}`,
	} {
		if err := c.AddResources(body); err != nil {
			t.Fatal(err)
		}
		if err := c.AddResources(body); err != nil { // again: nothing doubles
			t.Fatal(err)
		}
	}
	return &c
}

func TestCatalog(t *testing.T) {
	c := sample(t)
	var ids []string
	for _, r := range c.Preferred() {
		ids = append(ids, r.ID()+"@"+r.Version)
	}
	if got := strings.Join(ids, " "); got != "namespaces@v1 pods@v1 podtemplates@v1 deployments.apps@v1 "+
		"horizontalpodautoscalers.autoscaling@v2" {
		t.Errorf("Preferred: %s", got)
	}
	d := c.Kind("apps/v1", "Deployment")
	if got := d.Object("a b", "x"); got != "/apis/apps/v1/namespaces/a%20b/deployments/x" {
		t.Error(got)
	}
	if got := c.ByID("pods").Collection(""); got != "/api/v1/pods" {
		t.Error(got)
	}
	if got := c.ByID("namespaces").Object("ignored", "x"); got != "/api/v1/namespaces/x" {
		t.Error(got)
	}
	if c.Kind("v1", "Deployment") != nil || c.ByID("bindings") != nil {
		t.Error("found what is not there")
	}
	if err := c.AddResources("<"); err == nil {
		t.Error("took nonsense")
	}
}

func TestComplete(t *testing.T) {
	c := sample(t)
	k := Known{
		Namespaces: []string{"default", "dev"}, Revision: "40", Token: "abc",
		Names: func(r, ns string) []string { return []string{r + "-" + ns + "-1"} },
	}
	for _, x := range []struct{ method, path, want string }{
		{"GET", "", "/api/v1 /apis"},
		{"GET", "/", "api/v1/ apis/ version healthz livez readyz"},
		{"GET", "/api/", "v1"},
		{"GET", "/api/v1/", "namespaces/ namespaces pods podtemplates bindings"},
		{"GET", "/api/v1/po", "pods podtemplates"},
		{"GET", "/api/v1/pods", ""},
		{"GET", "/api/v1/temp", "podtemplates"},
		{"GET", "/api/v1/namespaces/", "default/ dev/"},
		{"GET", "/api/v1/namespaces/de", "default/ dev/"},
		{"GET", "/api/v1/namespaces/dev/pod", "pods podtemplates"},
		{"GET", "/api/v1/namespaces/dev/pods/", "pods-dev-1"},
		{"GET", "/api/v1/namespaces/dev/pods/x/", "status"},
		{"GET", "/apis/", "apps/v1/ autoscaling/v2/"},
		{"GET", "/apis/autoscaling/", "v2 v1"},
		{"GET", "/apis/apps/v1/d", "deployments"},
		{"GET", "/api/v1/pods?l", "limit=500 labelSelector= resourceVersionMatch=NotOlderThan allowWatchBookmarks=true " +
			"sendInitialEvents=true fieldSelector="},
		{"GET", "/api/v1/pods?limit=5&li", ""},
		{"GET", "/api/v1/pods?limit=5&resourceVersion=", "40"},
		{"GET", "/api/v1/pods?continue=", "abc"},
		{"POST", "/api/v1/pods?dry", "dryRun=All"},
		{"PATCH", "/api/v1/namespaces/dev/pods/x?fo", "force=true"},
		{"PUT", "/api/v1/namespaces/dev/pods/x?fo", ""},
		{"DELETE", "/api/v1/pods?prop", "propagationPolicy=Background propagationPolicy=Foreground propagationPolicy=Orphan"},
		{"GET", "/nowhere/", ""},
	} {
		var got []string
		for _, o := range c.Complete(x.method, x.path, k) {
			got = append(got, o.Label)
			if !strings.HasSuffix(o.Value, o.Label) {
				t.Errorf("%s: value %q does not end in %q", x.path, o.Value, o.Label)
			}
		}
		if g := strings.Join(got, " "); g != x.want {
			t.Errorf("%s %q: got %q, want %q", x.method, x.path, g, x.want)
		}
	}
}

func FuzzComplete(f *testing.F) {
	f.Add("/apis///?&=")
	f.Fuzz(func(t *testing.T, path string) {
		var c Catalog
		c.AddVersions(`{"versions":["v1"],"groups":[{"name":"a","versions":[{"version":"v1"}]}]}`)
		c.Complete("GET", path, Known{})
	})
}
