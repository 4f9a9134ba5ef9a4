package develop

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// ask asks for a path, and returns the status and whether to ask again.
func ask(h http.Handler, path string) (status int, again bool) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Header().Get("Retry-After") != ""
}

func TestOnDemand(t *testing.T) {
	files := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for name, want := range map[string]struct {
		err    error
		status int
	}{
		"built":  {nil, http.StatusTeapot},
		"failed": {errors.New("it does not compile"), http.StatusInternalServerError},
	} {
		t.Run(name, func(t *testing.T) {
			asked, finish := make(chan struct{}), make(chan struct{})
			k := NewOnDemand("kubectl", func(context.Context) (string, error) {
				close(asked)
				<-finish
				return "", want.err
			})
			root, err := site.Root()
			if err != nil {
				t.Fatal(err)
			}
			builder, err := site.New(site.Options{Root: root, Out: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			h := k.Serve(files)
			shown, done := 0, make(chan struct{})
			go func() {
				k.Run(t.Context(), builder, func(*site.Index) { shown++ })
				close(done)
			}()
			if status, _ := ask(h, "/app.js"); status != http.StatusTeapot {
				t.Errorf("another file: %d", status)
			}
			select {
			case <-asked:
				t.Error("it was built before a page asked")
			default:
			}
			for range 2 {
				if status, again := ask(h, site.NestedList("kubectl")); status != http.StatusServiceUnavailable || !again {
					t.Errorf("while it is built: %d, again %t", status, again)
				}
			}
			<-asked
			close(finish)
			<-done
			if status, again := ask(h, site.NestedList("kubectl")); status != want.status || again {
				t.Errorf("then: %d, again %t", status, again)
			}
			if (shown == 1) != (want.err == nil) {
				t.Errorf("shown %d times", shown)
			}
		})
	}
}

func TestKubectlNotAsked(t *testing.T) {
	k := NewOnDemand("kubectl", func(context.Context) (string, error) {
		t.Error("built")
		return "", nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ctx, nil, nil)
}
