package cluster_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

func TestAsk(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []int{0, http.StatusTeapot} {
		a := cluster.Ask(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", "b")
			if code != 0 {
				w.WriteHeader(code)
			}
			_, _ = io.WriteString(w, "one ")
			_, _ = io.WriteString(w, "two")
		}), r)
		want := code
		if want == 0 {
			want = http.StatusOK
		}
		if a.Code != want || a.Body.String() != "one two" || a.Header().Get("A") != "b" {
			t.Errorf("%d: %d %q %v", code, a.Code, a.Body.String(), a.Header())
		}
	}
}
