package core

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
)

// TestMalformed sends the corpus to clusters, byte for byte. No request makes the server fail,
// refused ones change nothing, the refusals can be decoded, and none takes more memory than its
// size explains.
func TestMalformed(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("it takes half a minute here, and no other way than natively")
	}
	total := 0
	corpus := readCorpus(t)
	for _, class := range slices.Sorted(maps.Keys(corpus)) {
		requests := corpus[class]
		total += len(requests)
		t.Run(class, func(t *testing.T) {
			v := newTestServer(t)
			for _, m := range requests {
				v.try(t, m)
				if m.taken {
					v.close()
					v = newTestServer(t)
				}
			}
			v.close()
		})
	}
	if total < 700 {
		t.Errorf("the corpus has %d requests", total)
	}
}

// A testServer is a cluster behind a listener, with an object of each kind that the corpus names.
type testServer struct {
	cluster *Cluster
	server  *httptest.Server
	state   []byte
}

func newTestServer(t *testing.T) *testServer {
	t.Helper()
	c, _ := newCluster(t, Options{
		OnPanic: func(r *http.Request, value any, stack []byte) {
			t.Errorf("a panic in %s %.200s: %v\n%s", r.Method, r.URL, value, stack)
		},
	})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	must(t, c, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"},`+
		`"spec":{"a":1}}`)
	must(t, c, 201, "POST", configMaps, configMap("c", "1"))
	must(t, c, 201, "POST", "/api/v1/namespaces/default/pods",
		`{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"a","image":"a"},{"name":"b","image":"b"}]}}`)
	must(t, c, 201, "POST", "/api/v1/nodes",
		`{"metadata":{"name":"n"},"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.7"}]}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/default/services",
		`{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}`)
	must(t, c, 201, "POST", "/apis/apps/v1/namespaces/default/deployments",
		`{"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}}}}`)
	v := &testServer{cluster: c, server: httptest.NewUnstartedServer(c)}
	v.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	v.server.Start()
	v.state = v.snapshot()
	return v
}

func (v *testServer) close() { v.server.Close() }

// snapshot returns the cluster's whole state.
func (v *testServer) snapshot() []byte {
	var all bytes.Buffer
	i := v.cluster.current.Load()
	if err := journal.Snapshot(&all, i.header.Encode(), i.store); err != nil {
		panic(err) // a buffer takes everything
	}
	return all.Bytes()
}

// What a request may allocate: perByte for each of its bytes and of its answer's, and besides for
// small trees and for the server itself.
const (
	perByte    = 64
	fixedBytes = 32 << 20
)

func (v *testServer) try(t *testing.T, m malformed) {
	t.Helper()
	raw := m.raw(v.server.Listener.Addr().String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, kind, body, err := v.send(raw, m.method)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Errorf("%s: %v", m.name, err)
		return
	}
	if taken, most := after.TotalAlloc-before.TotalAlloc, uint64((len(raw)+len(body))*perByte+fixedBytes); taken > most {
		t.Errorf("%s: %d bytes were allocated for a request of %d and an answer of %d", m.name, taken, len(raw), len(body))
	}
	changed := !m.taken && !bytes.Equal(v.snapshot(), v.state)
	switch {
	case changed:
		t.Errorf("%s: it changed something: %d %.300s", m.name, code, body)
		v.state = v.snapshot()
	case m.taken && code >= 400:
		t.Errorf("%s: it was refused: %d %.300s", m.name, code, body)
	case m.taken:
	case m.code != 0 && code != m.code, m.code == 0 && (code < 400 || code >= 500):
		t.Errorf("%s: %d %.300s", m.name, code, body)
	case m.method == "HEAD":
	case !decodes(code, kind, body):
		t.Errorf("%s: no error that clients can read: %d %s %.300q", m.name, code, kind, body)
	}
}

// send returns the answer to a request; for one that is accepted, which may be a stream, only the
// code.
func (v *testServer) send(raw []byte, method string) (code int, kind string, body []byte, err error) {
	conn, err := net.Dial("tcp", v.server.Listener.Addr().String())
	if err != nil {
		return 0, "", nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, "", nil, err
	}
	go func() { _, _ = conn.Write(raw) }() // which fails if the answer does not wait for all of it
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return 0, "", nil, err
	}
	if res.StatusCode < 400 {
		return res.StatusCode, "", nil, nil
	}
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("Content-Type"), body, err
}

// decodes reports whether an error is one that clients understand: a Status with that code, or a
// text where the real server answers with one.
func decodes(code int, kind string, body []byte) bool {
	if strings.HasPrefix(kind, "text/plain") {
		return textErrors[string(bytes.TrimSuffix(body, []byte("\n")))]
	}
	if code == http.StatusNotFound && len(body) == 0 {
		return true // an OpenAPI document that does not exist
	}
	var s struct {
		Kind, APIVersion, Status, Message string
		Code                              int
	}
	switch {
	case strings.HasPrefix(kind, "application/json"):
		return json.Unmarshal(body, &s) == nil && s.Kind == "Status" && s.APIVersion == "v1" && s.Status == "Failure" &&
			s.Code == code
	case kind == "application/vnd.kubernetes.protobuf":
		return bytes.HasPrefix(body, []byte("k8s\x00\n\x0c\n\x02v1\x12\x06Status"))
	case kind == "application/yaml":
		return bytes.Contains(body, []byte("kind: Status\n"))
	}
	return false
}

// textErrors are the errors that are plain text: those of the real server, and those of the HTTP
// server that it is built on.
var textErrors = map[string]bool{
	"404 page not found":                                           true,
	"400 Bad Request":                                              true,
	"400 Bad Request: malformed Host header":                       true,
	"400 Bad Request: missing required Host header":                true,
	"400 Bad Request: too many Host headers":                       true,
	"400 Bad Request: invalid header name":                         true,
	"400 Bad Request: invalid header value":                        true,
	"431 Request Header Fields Too Large":                          true,
	"501 Not Implemented: unsupported transfer encoding":           true,
	"Unsupported transfer encoding":                                true,
	"505 HTTP Version Not Supported: unsupported protocol version": true,
}
