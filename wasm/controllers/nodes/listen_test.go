//go:build !js

package nodes

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestListen wants the kubelets to answer on this machine, those who have the token, until the context ends.
func TestListen(t *testing.T) {
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	ctx, end := context.WithCancel(t.Context())
	defer end()
	for _, bad := range []struct{ addr, token, want string }{
		{"127.0.0.1:0", "", "no token in KUBELETS_TOKEN"},
		{"0.0.0.0:0", "x", "is not on the loopback interface"}, {":0", "x", "is not on the loopback interface"},
		{"nowhere", "x", "missing port in address"},
	} {
		if at, err := listen(ctx, bad.addr, bad.token, hello); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%+v: %v, %v", bad, at, err)
		}
	}
	at, err := listen(ctx, "127.0.0.1:0", "secret", hello)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(authorization string) (string, error) {
		r, err := http.NewRequest(http.MethodGet, "http://"+at.String()+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		answer, err := new(http.Transport).RoundTrip(r)
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return string(text), err
	}
	for authorization, want := range map[string]string{
		"Bearer secret": "hello", "Bearer other": "Unauthorized", "secret": "Unauthorized", "": "Unauthorized",
	} {
		if text, err := ask(authorization); text != want || err != nil {
			t.Errorf("%q: %q, %v", authorization, text, err)
		}
	}
	end()
	for err = nil; err == nil; _, err = ask("Bearer secret") { // until the listener is closed
	}
}
