package http_test

import (
	"context"
	"errors"
	"io"
	standard "net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/http"
)

func TestHeader(t *testing.T) {
	type header interface {
		Add(key, value string)
		Set(key, value string)
		Get(key string) string
		Values(key string) []string
		Del(key string)
	}
	ours, theirs := http.Header{"raw": {"1"}, "None": nil}, standard.Header{"raw": {"1"}, "None": nil}
	for _, h := range []header{ours, theirs} {
		h.Add("accept", "a")
		h.Add("ACCEPT", "b")
		h.Set("content-type", "old")
		h.Set("Content-Type", "new")
		h.Set("x-gone", "1")
		h.Del("X-Gone")
		if h.Get("aCCept") != "a" || !slices.Equal(h.Values("accept"), []string{"a", "b"}) ||
			h.Get("none") != "" || h.Get("raw") != "" {
			t.Errorf("%T: %v", h, h)
		}
	}
	if !reflect.DeepEqual(map[string][]string(ours), map[string][]string(theirs)) {
		t.Errorf("%v, the standard's is %v", ours, theirs)
	}
	clone := ours.Clone()
	if !reflect.DeepEqual(clone, ours) || http.Header(nil).Clone() != nil {
		t.Errorf("the clone is %v", clone)
	}
	clone["Accept"][0] = "changed"
	if ours.Get("Accept") != "a" {
		t.Error("a clone shares its values")
	}
}

func FuzzCanonicalHeaderKey(f *testing.F) {
	for _, s := range []string{
		"accept", "Content-Type", "x-b3-traceID", "a b", "", "-", "ü", "X_y", "a--b", "1a", "sec-CH-ua",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := http.CanonicalHeaderKey(name), standard.CanonicalHeaderKey(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	})
}

// recorder makes the standard's recorder a ResponseWriter of ours.
type recorder struct{ *httptest.ResponseRecorder }

func (r recorder) Header() http.Header { return http.Header(r.ResponseRecorder.Header()) }

func TestError(t *testing.T) {
	ours, theirs := httptest.NewRecorder(), httptest.NewRecorder()
	for _, r := range []*httptest.ResponseRecorder{ours, theirs} {
		r.Header().Set("Content-Length", "5")
		r.Header().Set("Content-Type", "image/png")
		r.Header().Set("X-Kept", "1")
	}
	http.NotFound(recorder{ours}, nil)
	standard.NotFound(theirs, nil)
	if ours.Code != theirs.Code || ours.Body.String() != theirs.Body.String() ||
		!reflect.DeepEqual(ours.Header(), theirs.Header()) {
		t.Errorf("%d %v %q, the standard's is %d %v %q",
			ours.Code, ours.Header(), ours.Body, theirs.Code, theirs.Header(), theirs.Body)
	}
	for ours, theirs := range map[error]error{
		http.ErrAbortHandler: standard.ErrAbortHandler, http.ErrBodyNotAllowed: standard.ErrBodyNotAllowed,
		http.ErrContentLength: standard.ErrContentLength, http.ErrNotSupported: standard.ErrNotSupported,
	} {
		if ours.Error() != theirs.Error() {
			t.Errorf("%q, the standard's is %q", ours, theirs)
		}
	}
}

// plain cannot be flushed, wrapper by way of what it wraps, failing not without an error.
type (
	plain   struct{ http.ResponseWriter }
	wrapper struct{ http.ResponseWriter }
	failing struct{ http.ResponseWriter }
)

var errFlush = errors.New("cannot")

func (w wrapper) Unwrap() http.ResponseWriter { return w.ResponseWriter }
func (failing) FlushError() error             { return errFlush }

func TestResponseController(t *testing.T) {
	r := httptest.NewRecorder()
	if err := http.NewResponseController(wrapper{wrapper{recorder{r}}}).Flush(); err != nil || !r.Flushed {
		t.Errorf("flushed: %t, %v", r.Flushed, err)
	}
	if err := http.NewResponseController(wrapper{plain{recorder{r}}}).Flush(); !errors.Is(err, http.ErrNotSupported) {
		t.Errorf("what cannot be flushed: %v", err)
	}
	if err := http.NewResponseController(wrapper{failing{}}).Flush(); err != errFlush {
		t.Errorf("what fails: %v", err)
	}
}

func TestRequest(t *testing.T) {
	r := &http.Request{Method: "GET", Body: http.NoBody}
	if r.Context() != context.Background() {
		t.Error("a request without a context has none")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if s := r.WithContext(ctx); s == r || s.Context() != ctx || s.Method != "GET" || r.Context() == ctx {
		t.Errorf("%+v of %+v", s, r)
	}
	if body, err := io.ReadAll(r.Body); len(body) != 0 || err != nil || r.Body.Close() != nil {
		t.Errorf("no body: %q, %v", body, err)
	}
	called := false
	http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }).ServeHTTP(nil, r)
	if !called {
		t.Error("the function was not called")
	}
}
