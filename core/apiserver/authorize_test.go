package apiserver

import (
	"net/http/httptest"
	"testing"

	"github.com/tabernetes/tabernetes/core/auth"
)

func TestAttributesOf(t *testing.T) {
	resource := func(verb, group, resource, sub, namespace, name string) auth.Attributes {
		return auth.Attributes{IsResource: true, Verb: verb, Group: group, Resource: resource, Subresource: sub,
			Namespace: namespace, Name: name}
	}
	for _, c := range []struct {
		method, url string
		want        auth.Attributes
	}{
		{"GET", "/", auth.Attributes{Verb: "get"}},
		{"HEAD", "/metrics", auth.Attributes{Verb: "head"}},
		{"POST", "/api/v1", auth.Attributes{Verb: "post"}},
		{"GET", "/apis/apps/v1", auth.Attributes{Verb: "get"}},
		{"GET", "/api/v1/pods", resource("list", "", "pods", "", "", "")},
		{"GET", "/api/v1/namespaces/n/pods/", resource("list", "", "pods", "", "n", "")},
		{"HEAD", "/api/v1/namespaces/n/pods/p", resource("get", "", "pods", "", "n", "p")},
		{"GET", "/api/v1/pods?watch=1", resource("watch", "", "pods", "", "", "")},
		{"GET", "/api/v1/pods?watch=false", resource("list", "", "pods", "", "", "")},
		{"GET", "/api/v1/watch/namespaces/n/pods/p", resource("watch", "", "pods", "", "n", "p")},
		{"GET", "/api/v1/namespaces/n/pods/p?watch=1", resource("get", "", "pods", "", "n", "p")},
		{"GET", "/api/v1/namespaces", resource("list", "", "namespaces", "", "", "")},
		{"GET", "/api/v1/namespaces/n", resource("get", "", "namespaces", "", "n", "n")},
		{"PUT", "/api/v1/namespaces/n/finalize", resource("update", "", "namespaces", "finalize", "n", "n")},
		{"PATCH", "/apis/apps/v1/namespaces/n/deployments/d/scale",
			resource("patch", "apps", "deployments", "scale", "n", "d")},
		{"DELETE", "/apis/nope/v9/things", resource("deletecollection", "nope", "things", "", "", "")},
		{"DELETE", "/apis/nope/v9/things/x", resource("delete", "nope", "things", "", "", "x")},
		{"POST", "/api/v1/namespaces/n/pods", resource("create", "", "pods", "", "n", "")},
		{"OPTIONS", "/api/v1/pods", resource("", "", "pods", "", "", "")},
		{"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx,spec.nodeName%3Dy", resource("list", "", "pods", "", "", "x")},
		{"GET", "/api/v1/pods?watch=1&fieldSelector=metadata.name==x", resource("watch", "", "pods", "", "", "x")},
		{"GET", "/api/v1/pods?fieldSelector=metadata.name!%3Dx", resource("list", "", "pods", "", "", "")},
		{"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx&limit=many", resource("list", "", "pods", "", "", "")},
		{"DELETE", "/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Dx",
			resource("deletecollection", "", "pods", "", "n", "")},
	} {
		r := httptest.NewRequest(c.method, c.url, nil)
		c.want.Path = r.URL.Path
		if got := attributesOf(r); got != c.want {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", c.method, c.url, got, c.want)
		}
	}
}
