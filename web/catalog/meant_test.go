package catalog

import "testing"

func TestMeant(t *testing.T) {
	c := sample(t)
	for path, want := range map[string]string{
		"/api/v1/pod":                              "/api/v1/pods",
		"/api/v1/Pods?limit=1":                     "/api/v1/pods?limit=1",
		"/api/v1/po":                               "/api/v1/pods",
		"/api/v1/namespaces/default/pod/web":       "/api/v1/namespaces/default/pods/web",
		"/api/v1/namespace/default/pods":           "/api/v1/namespaces/default/pods",
		"/api/v1/deployments":                      "/apis/apps/v1/deployments",
		"/api/v1/namespaces/a/deploymnets/web":     "/apis/apps/v1/namespaces/a/deployments/web",
		"/api/v1/namespaces/a/pod/web/status":      "/api/v1/namespaces/a/pods/web/status",
		"/apis/apps/v1/pods":                       "/api/v1/pods",
		"/apis/v1/pods":                            "/api/v1/pods",
		"/api/pods":                                "/api/v1/pods",
		"/api/v1/namespaces/default/pods/web/nope": "/api/v1/namespaces/default/pods/web",
		"/api/v1/namespace":                        "/api/v1/namespaces",
		// as it is, or nothing like it
		"/api/v1/pods":     "",
		"/api/v1/whatever": "",
		"/api/v1":          "",
		"/":                "",
		"":                 "",
	} {
		if got := c.Meant(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
