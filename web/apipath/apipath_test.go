package apipath

import "testing"

func TestParse(t *testing.T) {
	for path, want := range map[string]Path{
		"/api/v1/pods":         {Version: "v1", Resource: "pods", Before: 2},
		"/api/v1/watch/pods":   {Version: "v1", Resource: "pods", Before: 3, Watch: true},
		"/api/v1/namespaces/a": {Version: "v1", Resource: "namespaces", Name: "a", Before: 2},
		"/api/v1/namespaces/a/status": {Version: "v1", Resource: "namespaces", Name: "a", Subresource: "status",
			Before: 2},
		"/api/v1/nodes/a/status":      {Version: "v1", Resource: "nodes", Name: "a", Subresource: "status", Before: 2},
		"/api/v1/namespaces/a/pods/":  {Version: "v1", Namespace: "a", Resource: "pods", Before: 4},
		"/apis/apps/v1/deployments/d": {Group: "apps", Version: "v1", Resource: "deployments", Name: "d", Before: 3},
		"/api/v1//x":                  {Version: "v1", Name: "x", Before: 2},
		"/api/v1":                     {},
		"/apis/apps/v1":               {},
		"/version":                    {},
		"":                            {},
	} {
		if got, ok := Parse(path); got != want || ok != (want != Path{}) {
			t.Errorf("%s: %+v, %v", path, got, ok)
		}
	}
}
