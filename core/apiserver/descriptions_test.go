package apiserver

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// TestDescriptions loads the descriptions when the first document is requested, and again after a
// failure, which clients must not cache.
func TestDescriptions(t *testing.T) {
	loads, fails := 0, true
	s := &Server{Table: schema.Builtin(), Registry: &registry.Registry{Clock: clock.NewManual(time.Unix(0, 0))}}
	s.Descriptions = func(context.Context) ([]byte, error) {
		loads++
		if fails {
			return nil, errors.New("offline")
		}
		return []byte("# test\nio.k8s.api.apps.v1.Deployment Deployment enables.\n spec What is wanted.\n"), nil
	}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w
	}
	const apps = "/openapi/v3/apis/apps/v1"
	if get("/openapi/v3"); loads != 0 {
		t.Errorf("the list loads them: %d", loads)
	}
	without := get(apps)
	if without.Code != 200 || strings.Contains(without.Body.String(), "Deployment enables.") {
		t.Fatalf("%d: %s", without.Code, without.Body)
	}
	fails = false
	with := get(apps)
	if body := with.Body.String(); !strings.Contains(body, "Deployment enables.") ||
		!strings.Contains(body, "What is wanted.") {
		t.Errorf("%d, without descriptions: %.200s", with.Code, body)
	}
	if with.Header().Get("Etag") == without.Header().Get("Etag") {
		t.Error("they count as the same document")
	}
	if get(apps); loads != 2 {
		t.Errorf("loaded %d times", loads)
	}
}
