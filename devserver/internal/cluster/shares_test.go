package cluster

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/extension"
)

// TestShares has clients of networks send bodies that do not arrive: each network holds three times as many seats as
// are free, and the next one is still answered.
func TestShares(t *testing.T) {
	const writes = 20
	c, err := Open(Options{Limits: &apiserver.Limits{Reads: 4, Writes: writes},
		Extensions: []extension.Extension{new(Shares)}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ask := func(method, from string, body io.Reader) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, configMaps, body)
		r.RemoteAddr = from + ":1"
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		return w
	}
	arrive, late := io.Pipe()
	held := make(chan *httptest.ResponseRecorder)
	beyond := func(from string, seats int) {
		t.Helper()
		for range seats + 3 {
			go func() { held <- ask("POST", from, arrive) }()
		}
		for range 3 {
			if w := <-held; w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" ||
				w.Body.String() != "Too many requests, please try again later.\n" {
				t.Fatalf("%s: %d %s", from, w.Code, w.Body)
			}
		}
	}
	code := func(method, from string, name int) int {
		return ask(method, from, strings.NewReader(configMap(fmt.Sprint("a", name), ""))).Code
	}
	beyond("192.0.2.1", 15)
	for i, from := range []string{"192.0.2.2", "[2001:db8::1]"} {
		if got := code("POST", from, i); got != http.StatusCreated {
			t.Errorf("%s: %d", from, got)
		}
	}
	if got := code("GET", "192.0.2.1", 0); got != http.StatusOK {
		t.Errorf("a read of the one that writes too much: %d", got)
	}
	beyond("[2001:db8::1]", 4) // of the 5 that are left
	if got := code("POST", "[2001:db8::2]", 9); got != http.StatusTooManyRequests {
		t.Errorf("another address of the same network: %d", got)
	}
	if got := code("POST", "192.0.2.2", 2); got != http.StatusCreated {
		t.Errorf("the next one: %d", got)
	}
	late.CloseWithError(io.ErrUnexpectedEOF)
	for range 15 + 4 {
		<-held
	}
	if got := code("POST", "192.0.2.1", 3); got != http.StatusCreated {
		t.Errorf("when they are gone: %d", got)
	}
}
