package core

import (
	"strings"
	"testing"
)

// TestWhatIsLeftOfANamespace removes a namespace but not what is in it: that can be read and deleted, and not changed.
func TestWhatIsLeftOfANamespace(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	const left = "/api/v1/namespaces/shop/configmaps"
	must(t, c, 201, "POST", left, `{"metadata":{"name":"left","finalizers":["example.com/hold"]}}`)
	must(t, c, 200, "DELETE", "/api/v1/namespaces/shop", "")
	must(t, c, 200, "PUT", "/api/v1/namespaces/shop/finalize", `{"metadata":{"name":"shop"},"spec":{"finalizers":[]}}`)
	must(t, c, 404, "GET", "/api/v1/namespaces/shop", "")
	must(t, c, 200, "GET", left+"/left", "")
	for method, body := range map[string]string{"PATCH": `{"metadata":{"finalizers":null}}`,
		"PUT": `{"metadata":{"name":"left"},"data":{"a":"1"}}`} {
		code, text := call(t, c, method, left+"/left", body)
		if code != 404 || !strings.Contains(text, `namespaces \"shop\" not found`) {
			t.Errorf("%s: %d %s", method, code, text)
		}
	}
	must(t, c, 404, "PATCH", left+"/none", `{"data":{"a":"1"}}`)
	must(t, c, 200, "DELETE", left+"/left", "")
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"shop"}}`)
	must(t, c, 200, "PATCH", left+"/left", `{"metadata":{"finalizers":null}}`)
	must(t, c, 404, "GET", left+"/left", "")
}
