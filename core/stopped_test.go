package core

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNoWorkForWhoHasGone has a client disconnect between any two parts of its request's work: nothing of the rest is
// done.
func TestNoWorkForWhoHasGone(t *testing.T) {
	const data = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"v":"2"}}`
	for _, c := range []struct{ name, method, path, media, accept, body string }{
		{"create", "POST", configMaps, asJSON, "", strings.ReplaceAll(data, `"x"`, `"new"`)},
		{"update", "PUT", configMaps + "/x", asJSON, "", data},
		{"merge patch", "PATCH", configMaps + "/x", asMerge, "", data},
		{"JSON patch", "PATCH", configMaps + "/x", asPatch, "", `[{"op":"add","path":"/data/v","value":"2"}]`},
		{"strategic merge patch", "PATCH", configMaps + "/x", asStrategic, "", data},
		{"apply", "PATCH", configMaps + "/x?fieldManager=m&force=true", asApply, "", data},
		{"apply that creates", "PATCH", configMaps + "/new?fieldManager=m", asApply, "",
			strings.ReplaceAll(data, `"x"`, `"new"`)},
		{"deletecollection", "DELETE", configMaps, asJSON, "", ""},
		{"list as a table", "GET", configMaps, "", "application/json;as=Table;v=v1;g=meta.k8s.io", ""},
		{"list of metadata", "GET", configMaps, "", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for gone, more := 1, true; more; gone++ {
				parts, stop := 0, func() {}
				s, _ := newCluster(t, Options{Yield: func() {
					if parts++; parts == gone {
						stop()
					}
				}})
				for _, name := range []string{"x", "y", "z"} {
					must(t, s, 201, "POST", configMaps, configMap(name, "1"))
				}
				before := must(t, s, 200, "GET", configMaps, "")
				var ctx context.Context
				ctx, stop = context.WithCancel(t.Context())
				defer stop()
				parts = 0
				r := httptest.NewRequestWithContext(ctx, c.method, c.path, strings.NewReader(c.body))
				r.Header.Set("Content-Type", c.media)
				r.Header.Set("Accept", c.accept)
				func() {
					defer func() {
						if err := recover(); err != nil && err != http.ErrAbortHandler {
							panic(err)
						}
					}()
					s.ServeHTTP(httptest.NewRecorder(), r)
				}()
				if more = parts >= gone; !more && gone < 3 {
					t.Errorf("the work has %d parts", parts)
				}
				if parts > gone {
					t.Errorf("%d parts of the work were done after the client had gone, before part %d", parts-gone, gone)
				}
				if after := must(t, s, 200, "GET", configMaps, ""); more && c.method != http.MethodDelete &&
					versionOf(after) != versionOf(before) {
					t.Errorf("something was written although the client had gone before part %d", gone)
				}
			}
		})
	}
}
