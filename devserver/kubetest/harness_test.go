package kubetest

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
)

const configMaps = "/api/v1/namespaces/default/configmaps"

//go:embed testdata
var files embed.FS

func configMap(name string) string { return fmt.Sprintf(`{"metadata":{"name":%q}}`, name) }

// want makes a request that has to be answered with a code, and returns the body.
func want(t testing.TB, c *Client, code int, method, path, body string) string {
	t.Helper()
	got, text, err := c.Do(method, path, body)
	if err != nil || got != code {
		t.Fatalf("%s %s: %d %v, want %d: %s", method, path, got, err, code, text)
	}
	return text
}

// version returns the resourceVersion of the answer to a list.
func version(t testing.TB, c *Client) string {
	t.Helper()
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal([]byte(want(t, c, 200, "GET", configMaps, "")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Metadata.ResourceVersion
}

// httpsClient returns a client of the server's socket, which has no credentials.
func httpsClient(t testing.TB, s *Server) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CA()) {
		t.Fatal("no certificate")
	}
	client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{RootCAs: roots}}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// A stream is a watch; its lines are events.
type stream struct {
	*bufio.Scanner
	body io.Closer
}

func watch(t testing.TB, ctx context.Context, c *Client, path string) stream {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", Host+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := c.HTTP().Do(r)
	if err != nil || w.StatusCode != 200 {
		t.Fatalf("%s: %v, %v", path, w, err)
	}
	return stream{bufio.NewScanner(w.Body), w.Body}
}

// next returns type and name of the next event; "" at the end.
func (s stream) next() string {
	if !s.Scan() {
		return ""
	}
	var e struct {
		Type   string
		Object struct {
			Metadata struct{ Name string }
			Code     int
		}
	}
	if err := json.Unmarshal(s.Bytes(), &e); err != nil {
		return err.Error()
	}
	if e.Object.Code > 0 {
		return fmt.Sprint(e.Type, " ", e.Object.Code)
	}
	return e.Type + " " + e.Object.Metadata.Name
}

// fake is a TB that notes what is reported to it, and runs its cleanups when asked to.
type fake struct {
	mu                    sync.Mutex
	cleanups              []func()
	logged, failed, fatal []string
}

func (f *fake) Helper()           {}
func (f *fake) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }
func (f *fake) note(to *[]string, format string, args []any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*to = append(*to, fmt.Sprintf(format, args...))
}
func (f *fake) Logf(format string, args ...any)   { f.note(&f.logged, format, args) }
func (f *fake) Errorf(format string, args ...any) { f.note(&f.failed, format, args) }
func (f *fake) Fatalf(format string, args ...any) {
	f.note(&f.fatal, format, args)
	runtime.Goexit()
}

func (f *fake) end() {
	for len(f.cleanups) > 0 {
		last := len(f.cleanups) - 1
		clean := f.cleanups[last]
		f.cleanups = f.cleanups[:last]
		clean()
	}
}

// run runs f, which may end by Fatalf.
func (f *fake) run(fn func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		fn()
	}()
	<-done
}
