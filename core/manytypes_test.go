package core

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// manyTypes returns a server with many types of custom resources, in so many groups.
func manyTypes(t testing.TB, types, groups int) *apiserver.Server {
	table := schema.Builtin()
	var rows []*schema.Resource
	for i := range types {
		group, kind := fmt.Sprintf("g%d.example.com", i%groups), fmt.Sprint("Thing", i)
		names := map[string]any{"plural": fmt.Sprintf("thing%ds", i), "kind": kind, "listKind": kind + "List"}
		rows = append(rows, customresource.New(map[string]any{
			"spec": map[string]any{"group": group, "scope": "Namespaced", "versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{
					"spec": map[string]any{"type": "object", "properties": map[string]any{
						"size": map[string]any{"type": "integer"}}}}}}}}},
			"status": map[string]any{"acceptedNames": names},
		}, 1).Served...)
	}
	table.Add(rows...)
	return &apiserver.Server{Table: table, Version: apiserver.NewVersion(fmt.Sprint(t.Name(), types, "-", groups)),
		Registry: &registry.Registry{Clock: clock.NewManual(start)}, OpenAPIv2: openapi.V2}
}

// A sink is the client of a long answer, which it does not keep.
type sink struct {
	header       http.Header
	code, length int
	written      func()
}

func (s *sink) Header() http.Header  { return s.header }
func (s *sink) WriteHeader(code int) { s.code = code }
func (s *sink) Write(b []byte) (int, error) {
	s.length += len(b)
	s.written()
	return len(b), nil
}

// A gauge knows by how much what is in use of the heap has grown at most, in bytes, when it was looked at. What the
// collector has not come to yet, which depends on the machine, does not count beyond allowed.
type gauge struct{ before, allowed, most int64 }

func (g *gauge) look() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	grown := int64(sample[0].Value.Uint64()) - g.before
	if grown > g.allowed {
		grown = apitest.InUse() - g.before
	}
	g.most = max(g.most, grown)
}

// TestManyTypes makes the OpenAPI documents of 500 types, all in one group version or each in its own. Besides the
// answer that takes little: the heap is looked at after each part that is made, and as the answer is written.
func TestManyTypes(t *testing.T) {
	const more = 24 << 20
	types := 500
	if runtime.GOARCH == "wasm" {
		types = 100 // it takes a minute to create more there
	}
	const json, protobuf = "application/json", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	for _, groups := range []int{1, types} {
		s := manyTypes(t, types, groups)
		for _, asked := range [][2]string{{"/openapi/v3", json}, {"/openapi/v3/apis/g0.example.com/v1", json},
			{"/openapi/v2", json}, {"/openapi/v2", protobuf}} {
			g := gauge{before: apitest.InUse(), allowed: more}
			s.Registry.Yield = g.look
			w := &sink{header: http.Header{}, written: g.look}
			r := httptest.NewRequest("GET", asked[0], nil)
			r.Header.Set("Accept", asked[1])
			s.ServeHTTP(w, r)
			t.Logf("%d groups, %s: %d KiB, and the heap grows by %d KiB", groups, asked, w.length>>10, g.most>>10)
			if w.code != 200 || fmt.Sprint(w.length) != w.header.Get("Content-Length") {
				t.Errorf("%s: %d, %d bytes of %s", asked, w.code, w.length, w.header.Get("Content-Length"))
			}
			if g.most > int64(w.length)+more {
				t.Errorf("%s: %d MiB for an answer of %d MiB", asked, g.most>>20, w.length>>20)
			}
		}
	}
}
