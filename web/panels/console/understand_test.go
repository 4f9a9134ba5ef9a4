package console

import (
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func types(t *testing.T) *catalog.Catalog {
	t.Helper()
	c := &catalog.Catalog{}
	for _, doc := range []string{
		`{"groupVersion":"v1","resources":[{"name":"pods","kind":"Pod","namespaced":true,"verbs":["list","get"],` +
			`"shortNames":["po"]},{"name":"nodes","kind":"Node","verbs":["list"]}]}`,
		`{"groupVersion":"apps/v1","resources":[{"name":"deployments","kind":"Deployment","namespaced":true,` +
			`"verbs":["list"],"shortNames":["deploy"]}]}`,
	} {
		if err := c.AddResources(doc); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestUnderstand(t *testing.T) {
	const example = "GET /api/v1/namespaces/default/pods" // what is offered where nothing better is known
	c := types(t)
	for typed, want := range map[string]struct{ path, offer string }{
		" /api/v1/pods ":                       {path: "/api/v1/pods"},
		"api/v1/pods?limit=5":                  {path: "/api/v1/pods?limit=5"},
		"/version":                             {path: "/version"},
		"":                                     {offer: example},
		"nope":                                 {offer: example},
		"/apix/v1":                             {offer: example},
		"https://kubernetes.io/docs":           {offer: example},
		"http://10.0.0.1:6443/api/v1/pods?a=b": {offer: "GET /api/v1/pods?a=b"},
		"pods":                                 {offer: "GET /api/v1/namespaces/default/pods"},
		"po?watch=1":                           {offer: "GET /api/v1/namespaces/default/pods?watch=1"},
		"kubectl get pods":                     {offer: "GET /api/v1/namespaces/default/pods"},
		"kubectl get po -A -w":                 {offer: "GET /api/v1/pods?watch=1"},
		"k get deploy web -n dev -o yaml":      {offer: "GET /apis/apps/v1/namespaces/dev/deployments/web"},
		"kubectl get pod web -w": {offer: "GET /api/v1/namespaces/default/pods?" +
			"fieldSelector=metadata.name%3Dweb&watch=1"},
		"kubectl get pods -l app=web":          {offer: "GET /api/v1/namespaces/default/pods?labelSelector=app%3Dweb"},
		"kubectl delete pod/web --namespace=a": {offer: "DELETE /api/v1/namespaces/a/pods/web"},
		"kubectl delete pods":                  {offer: example},
		"kubectl get nodes":                    {offer: "GET /api/v1/nodes"},
		"kubectl version":                      {offer: "GET /version"},
		"kubectl exec -it web -- sh":           {offer: example},
		"kubectl":                              {offer: example},
	} {
		path, words, offer := understand(typed, c)
		got := ""
		if offer != nil {
			got = offer.Method + " " + offer.Path
		}
		if path != want.path || got != want.offer || (words == "") != (path != "") {
			t.Errorf("%q: path %q, offer %q, %q; want path %q, offer %q", typed, path, got, words, want.path, want.offer)
		}
	}
}

func FuzzUnderstand(f *testing.F) {
	for _, s := range []string{"kubectl get pods -n", "http://", "?", "kubectl delete", "//"} {
		f.Add(s)
	}
	c := &catalog.Catalog{}
	f.Fuzz(func(t *testing.T, typed string) {
		if path, words, _ := understand(typed, c); (path == "") == (words == "") {
			t.Errorf("%q is the path %q and the problem %q", typed, path, words)
		}
	})
}

func TestGolden(t *testing.T) {
	golden.Test(t, map[string]templ.Component{
		"skeleton":       Skeleton(),
		"problem/none":   Problem("", ""),
		"problem/offer":  Problem("This console sends requests.", "GET /api/v1/pods?a=<b>"),
		"problem/no-way": Problem("Type a path.", ""),
	})
}
