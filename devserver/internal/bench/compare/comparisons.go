package compare

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// comparisons have the bounds that the project has set itself.
var comparisons = []comparison{
	{"get", 0.5, func(a *fixture) (func() error, func() error, error) { return reading(a, 1, pods+"/p000000") }},
	{"page of 500", 0.7, func(a *fixture) (func() error, func() error,
		error) {
		return reading(a, 1000, pods+"?limit=500")
	}},
	{"50 of 5,000 by a label", 0.5, func(a *fixture) (func() error, func() error, error) {
		return reading(a, 5000, pods+"?labelSelector=tier%3Dchosen")
	}},
	{"list of 10,000", 0.8, func(a *fixture) (func() error, func() error, error) { return reading(a, 10_000, pods) }},
	{"create", 0.3, creating},
	{"update that 100 watchers receive", 0.5, fanningOut},
}

const pods = "/api/v1/namespaces/default/pods"

// pod returns a manifest that is stored in about 2 KB, as real pods are.
func pod(name, note string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"web","tier":"frontend"},"annotations":{"note":%q}},
"spec":{"containers":[{"name":"web","image":"registry.k8s.io/nginx:1.27","ports":[{"containerPort":80}],
"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"env":[{"name":"GET_HOSTS_FROM","value":"dns"}]}]}}`,
		name, note+strings.Repeat("x", 1000))
}

// numbered returns the manifest of a pod by its number. Of a hundred one has the label tier=chosen.
func numbered(n int) string {
	text := pod(fmt.Sprintf("p%06d", n), "")
	if n%100 == 0 {
		text = strings.Replace(text, "frontend", "chosen", 1)
	}
	return text
}

// fill creates n pods, without going through loopback.
func (a *fixture) fill(n int) error {
	for i := range n {
		w := httptest.NewRecorder()
		a.cluster.ServeHTTP(w, httptest.NewRequest("POST", pods, strings.NewReader(numbered(i))))
		if w.Code != http.StatusCreated {
			return fmt.Errorf("creating a pod: %d %s", w.Code, w.Body)
		}
	}
	return nil
}

// do makes a request and reads the whole answer.
func (a *fixture) do(method, url, body string, want int) error {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != want {
		return fmt.Errorf("%s %s: %s", method, url, answer.Status)
	}
	return nil
}

// reading gets a path of a cluster of n pods, and the same headers and bytes of a bare handler.
func reading(a *fixture, n int, path string) (ours, bare func() error, err error) {
	if err := a.fill(n); err != nil {
		return nil, nil, err
	}
	w := httptest.NewRecorder()
	a.cluster.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	same := w.Result().Header
	body := w.Body.Bytes()
	least := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), same)
		w.Write(body)
	})
	there, other := a.serve(a.cluster)+path, a.serve(least)
	return func() error { return a.do("GET", there, "", 200) }, func() error { return a.do("GET", other, "", 200) }, nil
}

// creating creates pods; the bare handler reads as many bytes, and answers the same.
func creating(a *fixture) (ours, bare func() error, err error) {
	w := httptest.NewRecorder()
	a.cluster.ServeHTTP(w, httptest.NewRequest("POST", pods, strings.NewReader(pod("first", ""))))
	same := w.Result().Header
	body := w.Body.Bytes()
	least := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
		maps.Copy(w.Header(), same)
		w.WriteHeader(http.StatusCreated)
		w.Write(body)
	})
	there, other := a.serve(a.cluster)+pods, a.serve(least)
	n := 0
	next := func(url string) error {
		n++
		return a.do("POST", url, pod(fmt.Sprintf("c%d", n), ""), 201)
	}
	return func() error { return next(there) }, func() error { return next(other) }, nil
}

// fanningOut changes a pod that 100 clients watch; the bare handler passes the body that it was sent to as many
// streams.
func fanningOut(a *fixture) (ours, bare func() error, err error) {
	const watchers = 100
	if err := a.fill(1); err != nil {
		return nil, nil, err
	}
	var broadcaster broadcaster
	side := func(url, watch, object string) (func() error, error) {
		var received sync.WaitGroup
		for range watchers {
			if err := a.follow(url+watch, received.Done); err != nil {
				return nil, err
			}
		}
		n := 0
		return func() error {
			n++
			received.Add(watchers)
			err := a.do("PUT", url+object, pod("p000000", fmt.Sprint(n)), 200)
			if err == nil {
				received.Wait()
			}
			return err
		}, nil
	}
	w := httptest.NewRecorder()
	a.cluster.ServeHTTP(w, httptest.NewRequest("GET", pods, nil))
	_, version, _ := strings.Cut(w.Body.String(), `"resourceVersion":"`)
	version, _, _ = strings.Cut(version, `"`)
	if ours, err = side(a.serve(a.cluster), pods+"?watch=1&resourceVersion="+version, pods+"/p000000"); err != nil {
		return nil, nil, err
	}
	stored := httptest.NewRecorder()
	a.cluster.ServeHTTP(stored, httptest.NewRequest("GET", pods+"/p000000", nil))
	broadcaster.header, broadcaster.answer = stored.Result().Header, bytes.TrimSpace(stored.Body.Bytes())
	broadcaster.header.Del("Content-Length") // a watch has none
	bare, err = side(a.serve(&broadcaster), "/watch", "/object")
	return ours, bare, err
}

// follow opens a stream and calls got for each line, until the server ends it.
func (a *fixture) follow(url string, got func()) error {
	r, err := http.NewRequestWithContext(context.Background(), "GET", url, nil)
	if err != nil {
		return err
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return err
	}
	go func() {
		defer answer.Body.Close()
		lines := bufio.NewReaderSize(answer.Body, 8<<10)
		for {
			if _, err := lines.ReadSlice('\n'); err != nil {
				return
			}
			got()
		}
	}()
	return nil
}

// A broadcaster is the least code that passes what it is sent to its streams.
type broadcaster struct {
	header http.Header
	answer []byte

	mu      sync.Mutex
	streams []chan []byte
}

func (h *broadcaster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), h.header)
	if r.Method == http.MethodGet {
		c := make(chan []byte, 16)
		h.mu.Lock()
		h.streams = append(h.streams, c)
		h.mu.Unlock()
		control := http.NewResponseController(w)
		for control.Flush() == nil {
			select {
			case frame := <-c:
				w.Write(frame)
			case <-r.Context().Done():
				return
			}
		}
		return
	}
	if _, err := io.ReadAll(r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	frame := bytes.Join([][]byte{[]byte(`{"type":"MODIFIED","object":`), h.answer, []byte("}\n")}, nil)
	h.mu.Lock()
	for _, c := range h.streams {
		c <- frame
	}
	h.mu.Unlock()
	w.Write(h.answer)
}
