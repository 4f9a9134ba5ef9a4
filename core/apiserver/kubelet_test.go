package apiserver

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
)

// kubelets answers in the place of all kubelets.
type kubelets func(*http.Request) (*http.Response, error)

func (k kubelets) RoundTrip(r *http.Request) (*http.Response, error) { return k(r) }

// withPod returns a server with the pod "p" on a node, whose kubelet is what answers.
func withPod(t *testing.T, k kubelets) *Server {
	t.Helper()
	s := newServer(t)
	setUp(t, s,
		exchange{method: "POST", path: podsPath,
			body: `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"x:1"}]}}`},
		exchange{method: "POST", path: "/api/v1/nodes", body: `{"metadata":{"name":"n"}}`},
		exchange{method: "PATCH", path: "/api/v1/nodes/n/status", header: mergePatch,
			body: `{"status":{"addresses":[{"type":"Hostname","address":"n"}],` +
				`"daemonEndpoints":{"kubeletEndpoint":{"Port":10260}}}}`},
	)
	s.Kubelets = k
	return s
}

func said(code int, text string, header ...string) *http.Response {
	r := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// TestKubeletRequests wants the requests that the real server makes of a kubelet.
func TestKubeletRequests(t *testing.T) {
	var got string
	s := withPod(t, func(r *http.Request) (*http.Response, error) {
		got = r.Method + " " + r.URL.String()
		return said(501, "no"), nil
	})
	const upgrade = "Connection: Upgrade\nUpgrade: SPDY/3.1"
	for _, test := range []struct{ method, path, header, want string }{
		{"GET", "log", "", "GET https://n:10260/containerLogs/default/p/c"},
		{"GET", "log?insecureSkipTLSVerifyBackend=true&follow=0&previous=False&timestamps=false", "",
			"GET https://n:10260/containerLogs/default/p/c"},
		{"GET", "log?tailLines=02&container=c&timestamps&limitBytes=10&previous=1&follow=true&sinceSeconds=5", "",
			"GET https://n:10260/containerLogs/default/p/c?" +
				"follow=true&limitBytes=10&previous=true&sinceSeconds=5&tailLines=2&timestamps=true"},
		{"GET", "log?sinceTime=2026-01-01T02:00:00%2B02:00", "",
			"GET https://n:10260/containerLogs/default/p/c?sinceTime=2026-01-01T00%3A00%3A00Z"},
		{"GET", "log?sinceTime=null", "",
			"GET https://n:10260/containerLogs/default/p/c?sinceTime=0001-01-01T00%3A00%3A00Z"},
		{"POST", "exec?command=ls&command=-l&stdout=true&stdin=false&tty=1", upgrade,
			"POST https://n:10260/exec/default/p/c?command=ls&command=-l&output=1&tty=1"},
		{"GET", "attach?stdin=true&stderr=true&command=x", upgrade,
			"GET https://n:10260/attach/default/p/c?error=1&input=1"},
		{"POST", "portforward", upgrade, "POST https://n:10260/portForward/default/p"},
		{"POST", "portforward?ports=80,081&ports=82", upgrade,
			"POST https://n:10260/portForward/default/p?port=80%2C81%2C82"},
	} {
		got = ""
		exchange{method: test.method, path: podsPath + "/p/" + test.path, header: test.header}.do(s)
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.path, got, test.want)
		}
	}
}

// TestKubeletAnswers wants the real server's answers to those of a kubelet.
func TestKubeletAnswers(t *testing.T) {
	var answer *http.Response
	s := withPod(t, func(*http.Request) (*http.Response, error) {
		if answer == nil {
			return nil, fmt.Errorf("here: %w", ErrNoKubelet)
		}
		return answer, nil
	})
	const about = `"details":{"name":"p","kind":"pods/log"},"code":`
	for _, test := range []struct {
		answer *http.Response
		code   int
		want   string
	}{
		{said(200, "one\ntwo\n"), 200, "one\ntwo\n"},
		{said(206, ""), 200, ""},
		{said(400, "is waiting"), 400, `"message":"is waiting","reason":"BadRequest","code":400`},
		{said(500, "oh"), 500, `"message":"Internal error occurred: oh","reason":"InternalError",` +
			`"details":{"causes":[{"message":"oh"}]},"code":500`},
		{said(404, "none"), 404, `"message":"the server could not find the requested resource ( pods/log p)",` +
			`"reason":"NotFound",` + about + "404"},
		{said(401, "x"), 401, `"message":"the server has asked for the client to provide credentials ( pods/log p)",` +
			`"reason":"Unauthorized",` + about + "401"},
		{said(403, "not you"), 403, `"message":"not you ( pods/log p)","reason":"Forbidden",` + about + "403"},
		{said(501, "not here"), 501, `"message":"an error on the server (\"not here\") has prevented the request from ` +
			`succeeding ( pods/log p)","reason":"InternalError",` + about + "501"},
		{said(503, "x"), 503, `"message":"the server is currently unable to handle the request ( pods/log p)",` +
			`"reason":"ServiceUnavailable",` + about + "503"},
		{said(304, ""), 304, `"message":"the server responded with the status code 304 but did not return more ` +
			`information ( pods/log p)",` + about + "304"},
		{said(302, "", "Location", "/there"), 500, `"message":"Get \"/there\": redirects forbidden","code":500`},
		{said(500, strings.Repeat("x", mostSaid+1)), 500, `: ` + strings.Repeat("x", mostSaid) + `"`},
		{nil, 500, `"message":"Get \"https://n:10260/containerLogs/default/p/c\": dial tcp: lookup n: no such host"`},
	} {
		answer = test.answer
		w := exchange{method: "GET", path: podsPath + "/p/log"}.do(s)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body, test.code, test.want)
		}
		if w.Code == 200 && (w.Body.String() != test.want || w.Header().Get("Content-Type") != "text/plain") {
			t.Errorf("%v %q", w.Header(), w.Body)
		}
	}
	run(t, s, []exchange{
		{method: "POST", path: podsPath + "/none/portforward?ports=", code: 400,
			want: `cannot convert to []int32: strconv.ParseUint: parsing \"\": invalid syntax`},
		{method: "POST", path: podsPath + "/p/portforward?ports=1,65536", code: 400, want: "value out of range"},
	})
	for _, test := range []struct {
		answer *http.Response
		code   int
		want   string
	}{
		{said(501, "nothing runs\n", "Content-Type", "text/plain"), 501, "nothing runs\n"},
		{said(404, "pod does not exist"), 404, "pod does not exist"},
		{said(200, "x"), 500, "invalid upgrade response: status code 200"},
		{said(101, ""), 500, "request connection cannot be hijacked: "},
		{nil, 500, "error dialing backend: dial tcp: lookup n: no such host"},
	} {
		answer = test.answer
		w := exchange{method: "POST", path: podsPath + "/p/exec?command=ls", header: "Connection: Upgrade"}.do(s)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body, test.code, test.want)
		}
		if w.Code == 501 && (w.Body.String() != test.want || len(w.Header()) != 1) {
			t.Errorf("the kubelet's answer becomes %v %q", w.Header(), w.Body)
		}
	}
}

// TestKubeletHeaders wants a kubelet to get a client's headers without its credentials.
func TestKubeletHeaders(t *testing.T) {
	var got http.Header
	s := withPod(t, func(r *http.Request) (*http.Response, error) {
		got = r.Header
		return said(501, ""), nil
	})
	exchange{method: "POST", path: podsPath + "/p/portforward", header: "Connection: Upgrade\nUpgrade: SPDY/3.1\n" +
		"Authorization: Bearer x\nImpersonate-User: jane\nX-Stream-Protocol-Version: portforward.k8s.io"}.do(s)
	want := map[string]string{"Connection": "Upgrade", "Upgrade": "SPDY/3.1",
		"X-Stream-Protocol-Version": "portforward.k8s.io", "X-Forwarded-For": "192.0.2.1"}
	for name, value := range want {
		if got.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.Get(name), value)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}

// following is a client's end of a log: what was flushed.
type following struct {
	*httptest.ResponseRecorder
	flushed string
}

func (f *following) Flush() { f.flushed = f.Body.String() }

// TestFollow wants lines to be sent as they come, and a log to end with the client, the kubelet or the cluster.
func TestFollow(t *testing.T) {
	for _, who := range []string{"client", "kubelet", "cluster"} {
		t.Run(who, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lines, write := io.Pipe()
				var asked context.Context
				s := withPod(t, func(r *http.Request) (*http.Response, error) {
					asked = r.Context()
					context.AfterFunc(asked, func() { lines.CloseWithError(asked.Err()) })
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: lines}, nil
				})
				closing := make(chan struct{})
				s.Registry.Closing = closing
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				w, ended := &following{ResponseRecorder: httptest.NewRecorder()}, make(chan struct{})
				go func() {
					defer close(ended)
					s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", podsPath+"/p/log?follow=true", nil))
				}()
				synctest.Wait()
				if w.Code != 200 || w.Header().Get("Content-Type") != "text/plain" {
					t.Fatalf("%d before the first line", w.Code)
				}
				for _, line := range []string{"one\n", "two\n"} {
					if _, err := io.WriteString(write, line); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if !strings.HasSuffix(w.flushed, line) {
						t.Errorf("%q is not sent", line)
					}
				}
				switch who {
				case "client":
					leave()
				case "kubelet":
					_ = write.Close()
				case "cluster":
					close(closing)
				}
				<-ended
				synctest.Wait()
				if asked.Err() == nil {
					t.Error("the request to the kubelet has not ended")
				}
			})
		})
	}
}
