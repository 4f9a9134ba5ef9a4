package apiserver

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestOpenAPIContentType(t *testing.T) {
	now := clock.NewManual(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	s := &Server{Table: schema.Builtin(), Version: NewVersion("test"), Registry: &registry.Registry{Clock: now}}
	hash := s.openAPIHash(s.Table.GroupVersion("apps", "v1"))
	const apps, protobuf = "/openapi/v3/apis/apps/v1", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
	for _, test := range []struct {
		method, path, accept, known string
		code                        int
		media, caching              string
	}{
		{"GET", "/openapi/v3", "", "", 200, "text/plain; charset=utf-8", "no-cache, private"},
		{"GET", "/openapi/v3", "application/json", "", 200, "text/plain; charset=utf-8", "no-cache, private"},
		{"GET", "/openapi/v3", "image/png", "", 200, "text/plain; charset=utf-8", "no-cache, private"},
		{"POST", "/openapi/v3", "", "", 200, "text/plain; charset=utf-8", "no-cache, private"},
		{"GET", "/openapi/v2", "", "", 200, "application/json", "no-cache, private"},
		{"GET", "/openapi/v2", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "", 200, mediaOpenAPIv2,
			"no-cache, private"},
		{"GET", apps, "", "", 200, "application/json", "no-cache, private"},
		{"GET", apps, "application/json;v=2", "", 200, "application/json", "no-cache, private"},
		{"GET", apps, "application/*", "", 200, "application/json", "no-cache, private"},
		{"GET", apps, protobuf + ", */*", "", 200, "application/json", "no-cache, private"},
		{"GET", apps, protobuf, "", 406, "", "no-cache, private"},
		{"GET", apps, "application/yaml", "", 406, "", "no-cache, private"},
		{"GET", apps + "?hash=" + hash, "", "", 200, "application/json", "public, immutable"},
		{"GET", apps + "?hash=OLD", "", "", 301, "", "no-cache, private"},
		{"GET", apps, "", `"` + hash + `"`, 304, "", "no-cache, private"},
		{"GET", apps, "", `"OLD"`, 200, "application/json", "no-cache, private"},
	} {
		r, w := httptest.NewRequest(test.method, test.path, nil), httptest.NewRecorder()
		r.Header.Set("Accept", test.accept)
		r.Header.Set("If-None-Match", test.known)
		s.ServeHTTP(w, r)
		header := w.Header()
		if w.Code != test.code || header.Get("Content-Type") != test.media || header.Get("Cache-Control") != test.caching {
			t.Errorf("%s %s, Accept %s: %d %v", test.method, test.path, test.accept, w.Code, header)
		}
		if strings.HasPrefix(test.path, apps) && header.Get("Vary") != "Accept" {
			t.Errorf("%s: %v", test.path, header)
		}
		switch location := header.Get("Location"); {
		case w.Code == 301 && location != apps+"?hash="+hash:
			t.Errorf("%s leads to %s", test.path, location)
		case test.caching == "public, immutable" && header.Get("Expires") != "Sat, 20 Nov 2027 12:00:00 UTC":
			t.Errorf("%s expires %s", test.path, header.Get("Expires"))
		case (w.Code != 200) != (w.Body.Len() == 0):
			t.Errorf("%s: %d with %d bytes", test.path, w.Code, w.Body.Len())
		}
	}
}
