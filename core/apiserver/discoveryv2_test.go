package apiserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

func TestAggregatedDiscovery(t *testing.T) {
	const v2 = "application/json" + aggregatedParams
	table := schema.Builtin()
	table.Add(&schema.Resource{
		Group: "stable.example.com", Version: "v1", Plural: "crontabs", Singular: "crontab", Kind: "CronTab",
		Namespaced: true,
		Verbs:      []string{"get", "list"}, Custom: &schema.Custom{},
		Subresources: []schema.Subresource{{Name: "scale", Group: "autoscaling", Version: "v1", Kind: "Scale",
			Verbs: []string{"get"}}},
	})
	server := &Server{Table: table}
	ask := func(path, accept, known string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept", accept)
		if known != "" {
			r.Header.Set("If-None-Match", known)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w
	}
	for _, tt := range []struct {
		path, accept, media, has string
		code                     int
	}{
		{"/api", v2, v2, `{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"bindings",` +
			`"responseKind":{"group":"","version":"","kind":"Binding"},`, 200},
		{"/apis", v2, v2, `{"resource":"crontabs","responseKind":{"group":"stable.example.com","version":"v1",` +
			`"kind":"CronTab"},"scope":"Namespaced","singularResource":"crontab",`, 200},
		{"/apis", v2, v2, `"subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1",` +
			`"kind":"Scale"},"verbs":["get"]}]}],"freshness":"Current"}]}]}`, 200},
		{"/apis", "application/json," + v2, v2, `"kind":"APIGroupDiscoveryList"`, 200},
		{"/apis", "*/*" + aggregatedParams, v2, `"kind":"APIGroupDiscoveryList"`, 200},
		{"/apis", "application/yaml" + aggregatedParams, "application/yaml" + aggregatedParams, "kind: APIGroupDiscoveryList",
			200},
		{"/apis", "application/vnd.kubernetes.protobuf" + aggregatedParams, "application/vnd.kubernetes.protobuf" +
			aggregatedParams, "crontabs", 200},
		{"/apis", strings.Replace(v2, "v=v2", "v=v2beta1", 1) + ",application/json", "application/json",
			`"kind":"APIGroupList"`, 200},
		{"/apis", strings.Replace(v2, "v=v2", "v=v2beta1", 1), "application/json", `"reason": "NotAcceptable"`, 406},
		{"/apis/apps", v2 + ",application/json", "application/json", `"kind":"APIGroup"`, 200},
	} {
		w := ask(tt.path, tt.accept, "")
		if media := w.Header().Get("Content-Type"); w.Code != tt.code || media != tt.media ||
			!strings.Contains(w.Body.String(), tt.has) {
			t.Errorf("%s %s: %d %s, without %s", tt.path, tt.accept, w.Code, media, tt.has)
		}
	}
	tag := ask("/apis", v2, "").Header().Get("Etag")
	if w := ask("/apis", v2, tag); tag == "" || w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("known as %q: %d", tag, w.Code)
	}
	table.Remove(table.Resource("stable.example.com", "v1", "crontabs"))
	if w := ask("/apis", v2, tag); w.Code != http.StatusOK {
		t.Errorf("a change, known before: %d", w.Code)
	}
}
