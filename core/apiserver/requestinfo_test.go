package apiserver

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

func TestResolve(t *testing.T) {
	table := schema.Builtin()
	for _, test := range []struct{ method, group, path, want string }{
		{"GET", "", "pods", "list pods"},
		{"GET", "", "pods?watch=1", "watch pods"},
		{"GET", "", "pods?watch=false", "list pods"},
		{"GET", "", "namespaces/ns/pods", "list ns pods"},
		{"POST", "", "namespaces/ns/pods", "create ns pods"},
		{"DELETE", "", "namespaces/ns/pods", "deletecollection ns pods"},
		{"GET", "", "namespaces/ns/pods/a", "get ns pods a"},
		{"GET", "", "namespaces/ns/pods/a?watch=1", "get ns pods a"}, // ignored on a name
		{"PATCH", "", "namespaces/ns/pods/a", "patch ns pods a"},
		{"PUT", "", "namespaces/ns/pods/a/status", "update ns pods a status"},
		{"POST", "", "namespaces/ns/pods/a/binding", "create ns pods a binding"},
		{"GET", "", "namespaces/ns", "get namespaces ns"},
		{"GET", "", "namespaces/ns/status", "get namespaces ns status"},
		{"PUT", "", "namespaces/ns/finalize", "update namespaces ns finalize"},
		{"GET", "", "watch/pods", "watch pods"},
		{"GET", "", "watch/namespaces/ns/pods/a", "watch ns pods a"},
		{"GET", "apps", "namespaces/ns/deployments/a/scale", "get ns deployments a scale"},

		{"GET", "", "widgets", "404"},
		{"GET", "", "namespaces/ns/nodes", "404"}, // not namespaced
		{"GET", "", "pods/a", "404"},              // no namespace
		{"GET", "", "namespaces/ns/pods/a/nope", "404"},
		{"GET", "", "namespaces/ns/pods/a/status/more", "404"},
		{"GET", "apps", "namespaces/ns/pods", "404"},
		{"GET", "", "watch/widgets", "404"},

		{"GET", "", "/pods", "404"},
		{"GET", "", "pods//", "list pods"},
		{"GET", "", "namespaces//pods", "list pods"},
		{"GET", "", "namespaces/ns//pods/a", "404"},
		{"GET", "", "namespaces/ns/pods//a", "404"},
		{"DELETE", "", "namespaces/ns/pods//status", "405"},

		{"GET", "", "namespaces/ns/pods/..", "400"},
		{"PUT", "", "namespaces/ns/pods/.", "400"},
		{"PATCH", "", "namespaces/ns/pods/a%b/status", "400"},
		{"DELETE", "", "namespaces/..", "400"},
		{"GET", "", "watch/namespaces/ns/pods/..", "watch ns pods .."},
		{"POST", "", "namespaces/ns/pods/..", "405"},

		{"POST", "", "pods", "405"},
		{"DELETE", "", "pods", "405"},
		{"PUT", "", "namespaces/ns/pods", "405"},
		{"POST", "", "namespaces/ns/pods/a", "405"},
		{"DELETE", "", "namespaces", "405"},
		{"HEAD", "", "namespaces/ns/pods/a", "405"},
		{"FOO", "", "namespaces/ns/pods/a", "405"},
		{"POST", "", "watch/pods", "405"},
		{"GET", "", "namespaces/ns/pods/a/binding", "405"},
	} {
		r := httptest.NewRequest(test.method, "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut("/"+test.path, "?")
		i, err := resolve(table, test.group, "v1", split(nil, r.URL.Path), r)
		got := ""
		if err != nil {
			got = fmt.Sprint(status.From(err).Status.Code)
		} else {
			for _, part := range []string{i.verb, i.Namespace, i.Plural, i.Name, i.Subresource} {
				if part != "" {
					got += " " + part
				}
			}
			got = got[1:]
		}
		if got != test.want {
			t.Errorf("%s %s: %s, want %s", test.method, test.path, got, test.want)
		}
	}
}

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]mediaType{
		"":                                 mediaJSON,
		"*/*":                              mediaJSON,
		"application/json":                 mediaJSON,
		"application/yaml":                 mediaYAML,
		"text/html, */*;q=0.1":             mediaJSON,
		"application/json;q=0.1,text/html": mediaJSON,
		"application/json;q=0.1,application/yaml":                       mediaYAML,
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json": mediaJSON,
		"application/vnd.kubernetes.protobuf,application/json":          mediaProtobuf,
		"application/*":    mediaJSON,
		"*":                mediaJSON,
		"a/b/c":            "",
		"application/JSON": "",
		"application/yaml;q=x,application/*;q=.1": mediaJSON,
		"text/html":                               "",
		"garbage":                                 "",
		"application/json;v=v1;g=meta.k8s.io":     "",
		"application/json;stream=watch;sv=v1":     mediaJSON,
		"application/json;stream=foo":             "",
		"application/json;sv=v2,application/yaml": mediaYAML,
		"application/yaml;stream=watch":           "",
		"*/*;stream=watch":                        mediaJSON,
		"*/*, application/yaml":                   mediaYAML,
		"*/*, application/yaml;q=0.1":             mediaYAML,
		"application/yaml;q=0.1, */*":             mediaJSON,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		a := &answer{request: r}
		err := a.choose(served, true)
		got := a.media
		if err != nil {
			got = ""
		}
		if got != want || (err == nil) != (want != "") || err != nil && !status.Is(err, status.NotAcceptable) {
			t.Errorf("Accept: %s: %q, %v; want %q", accept, got, err, want)
		}
	}
}

func TestWarning(t *testing.T) {
	if got, want := warning(`unknown field "a\b"`), `299 - "unknown field \"a\\b\""`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
