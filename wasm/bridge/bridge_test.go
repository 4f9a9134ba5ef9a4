//go:build js && wasm

package bridge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall/js"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/bridge/reply"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// host is the JavaScript around the bridge, as far as these tests need one: it
// writes down what the sink gets, and calls back when a reply has ended.
const host = `(serve, method, url, headers, body, act, ended) => {
  const log = [];
  const later = (what) => setTimeout(() => sink.over || act(sink, what), 0);
  const over = () => { sink.over = true; setTimeout(() => ended(log.join("|")), 0); };
  const decode = (b) => new TextDecoder().decode(b);
  const text = (b) => b.length <= 40 ? decode(b)
    : b.length + " bytes: " + decode(b.slice(0, 4)) + "…" + decode(b.slice(-4));
  const sink = {
    whole(status, headers, bytes) { log.push("whole " + status + " " + headers + text(bytes)); over(); },
    head(status, headers) { log.push("head " + status + " " + headers); later("head"); },
    chunk(bytes) { log.push("chunk " + text(bytes)); later("chunk"); },
    end() { log.push("end"); over(); },
    fail(message) { log.push("fail " + message); over(); },
  };
  serve(method, url, headers, body === null ? null : new TextEncoder().encode(body), sink);
  if (!sink.pull || !sink.cancel) ended("serve returned without pull and cancel");
  if (!sink.over) act(sink, "start");
}`

// served returns serve of ../host/bridge.js, for h.
func served(t testing.TB, h http.HandlerFunc) js.Value {
	t.Helper()
	module, err := jsvalue.Await(t.Context(),
		js.Global().Call("eval", `import("file://" + process.cwd() + "/../host/bridge.js")`))
	if err != nil {
		t.Fatal(err)
	}
	half := module.Get("Bridge").New()
	b := New(half.Get("host"))
	serve, control := b.Serve(context.Background(), h), b.Control()
	t.Cleanup(func() {
		if len(b.open) > 0 {
			t.Errorf("%d requests are open", len(b.open))
		}
		serve.Release()
		control.Release()
	})
	return half.Call("api", map[string]any{"serve": serve, "resume": serve, "control": control}).Get("serve")
}

// ask sends one request through JavaScript and returns what the sink got.
// act is called as things happen, with the sink, and may pull or cancel.
func ask(
	t *testing.T, h http.HandlerFunc, method, url, headers string, body any, act func(sink js.Value, what string),
) string {
	t.Helper()
	serve := served(t, h)
	ended := make(chan string, 1)
	onEnd := js.FuncOf(func(_ js.Value, args []js.Value) any {
		ended <- args[0].String()
		return nil
	})
	defer onEnd.Release()
	onAct := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if act != nil {
			act(args[0], args[1].String())
		}
		return nil
	})
	js.Global().Call("eval", host).Invoke(serve, method, url, headers, body, onAct, onEnd)
	defer onAct.Release()
	return <-ended
}

func TestServe(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		asked := fmt.Sprintf("%s %s %s %q %d", r.Method, r.Host, r.RequestURI, r.Header["A"], r.ContentLength)
		w.Header().Set("X-Asked", asked)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(201)
		w.Write(b)
	}
	got := ask(t, echo, "POST", "http://tab.example/api/v1?x=%E2%82%AC", "a: 1\na: 2\n", "héllo", nil)
	want := "whole 201 Content-Length: 6\nContent-Type: text/plain\n" +
		"X-Asked: POST tab.example /api/v1?x=%E2%82%AC [\"1\" \"2\"] 6\nhéllo"
	if got != want {
		t.Errorf("the sink was told\n%q, want\n%q", got, want)
	}
	big := strings.Repeat("0123456789", copyLimit)
	same := func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		fmt.Fprint(w, string(b) == big, r.ContentLength == int64(len(big)), err, r.Body.Close())
		_, err = r.Body.Read(make([]byte, 1))
		fmt.Fprint(w, err)
	}
	if got := ask(t, same, "POST", "/api", "", big, nil); !strings.HasSuffix(got, "\ntrue true <nil> <nil>EOF") {
		t.Errorf("a large body: %q", got)
	}
	// What does not fit into the buffers crosses as well: a long head with a short body, and its answer.
	long := strings.Repeat("long", copyLimit)
	got = ask(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("X-Long", r.Header.Get("x-long"))
		fmt.Fprint(w, len(r.URL.RawQuery), string(body))
	}, "PUT", "/api?"+long, "x-long: "+long+"\n", "short", nil)
	if want := "whole 200 Content-Length: 11\nContent-Type: text/plain\nX-Long: " + long + "\n131072short"; got != want {
		t.Errorf("a long head: %d bytes, want %d", len(got), len(want))
	}
	if got := ask(t, echo, "GET", "/api", "", nil, nil); !strings.HasPrefix(got, "whole 201 Content-Length: 0\n") {
		t.Errorf("without a body: %q", got)
	}
	if got := ask(t, echo, "GET", "/api/%zz", "", nil, nil); !strings.HasPrefix(got, "whole 400 ") {
		t.Errorf("a URL that is none: %q", got)
	}
	got = ask(t, func(http.ResponseWriter, *http.Request) { panic("ouch") }, "GET", "/", "", nil, nil)
	if got != "fail the server panicked: ouch" {
		t.Errorf("a panic: %q", got)
	}
}

// TestBuffersAreFull has requests and replies of all lengths around that of the buffers.
func TestBuffersAreFull(t *testing.T) {
	const size = 16 << 10
	var body []byte
	h := func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("X-Url", r.RequestURI)
		w.Write(body)
	}
	text := strings.Repeat("0123456789", 2*size/10)
	for n := size - 120; n < size+20; n += 3 {
		want := fmt.Sprintf("whole 200 Content-Length: %d\nContent-Type: text/plain; charset=utf-8\n"+
			"X-Url: /\n%d bytes: 0123…%s", n, n, text[n-4:n])
		if got := ask(t, h, "PUT", "/", "", text[:n], nil); got != want || string(body) != text[:n] {
			t.Errorf("a body of %d bytes: %q", n, got)
		}
		head := fmt.Sprintf("whole 200 Content-Length: 2\nContent-Type: text/plain; charset=utf-8\n"+
			"X-Url: /%s\n{}", text[:n])
		if got := ask(t, h, "PUT", "/"+text[:n], "", "{}", nil); got != head {
			t.Errorf("a URL of %d bytes: %d bytes, want %d", n+1, len(got), len(head))
		}
	}
}

func TestStream(t *testing.T) {
	next := make(chan struct{}, 1)
	h := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		<-next // the head has arrived
		for i := range 3 {
			fmt.Fprint(w, i)
			w.(http.Flusher).Flush()
		}
	}
	got := ask(t, h, "GET", "/", "", nil, func(_ js.Value, what string) {
		if what == "head" {
			next <- struct{}{}
		}
	})
	// Three flushes in a row leave together.
	if got != "head 200 Content-Type: text/plain\n|chunk 012|end" {
		t.Errorf("the sink was told %q", got)
	}
}

func TestPull(t *testing.T) {
	total := 3 * reply.Window
	got := ask(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		w.Write(make([]byte, total))
	}, "GET", "/", "", nil, func(sink js.Value, what string) {
		if what == "chunk" {
			sink.Call("pull", 1<<16)
		}
	})
	if !strings.HasSuffix(got, "|end") || strings.Count(got, "chunk") < 12 {
		t.Errorf("the sink was told %q", got)
	}
}

func TestCancel(t *testing.T) {
	var cause error
	h := func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		cause = context.Cause(r.Context())
	}
	for _, when := range []string{"start", "head"} {
		cancelled := false
		got := ask(t, h, "GET", "/", "", nil, func(sink js.Value, what string) {
			if what == when && !cancelled {
				cancelled = true
				sink.Call("cancel")
			}
		})
		if !strings.HasSuffix(got, "fail "+reply.ErrCanceled.Error()) || cause != reply.ErrCanceled {
			t.Errorf("cancelled at %s, the sink was told %q and the handler %v", when, got, cause)
		}
	}
}

func BenchmarkServe(b *testing.B) {
	body := make([]byte, 2048)
	serve := served(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(body)
	})
	done := make(chan struct{})
	onDone := js.FuncOf(func(js.Value, []js.Value) any { close(done); return nil })
	defer onDone.Release()
	// Requests come from the event loop, as they do in a worker.
	js.Global().Call("eval", `(serve, n, done) => {
  const next = () => {
    if (n-- === 0) return done();
    const sink = { whole: () => setImmediate(next) };
    serve("GET", "http://tab.example/api/v1/pods", "accept: application/json\n", null, sink);
  };
  setImmediate(next);
}`).Invoke(serve, b.N, onDone)
	<-done
}

// TestShares has equal chunks in a row cross once, if the host leaves them as they are.
func TestShares(t *testing.T) {
	host := js.Global().Call("eval", `({ told: [], requests: new Uint8Array(4), replies: new Uint8Array(4),
  chunk(id, bytes) { this.told.push(id + ":" + (bytes.length ? bytes.length + " bytes" : bytes)); } })`)
	host.Set("chunk", host.Get("chunk").Call("bind", host))
	for _, tt := range []struct {
		shares bool
		want   string
	}{
		{true, "1:3 2:0 2:3 1:9 bytes 2:0 3:0"},
		{false, "1:3 2:3 2:3 1:9 bytes 2:9 bytes 3:9 bytes"},
	} {
		b := New(host)
		b.Shares = tt.shares
		host.Get("told").Set("length", 0)
		text := []byte("one")
		sink{b, 1}.Chunk(text)
		sink{b, 2}.Chunk([]byte("one"))
		text[0] = 'O'
		sink{b, 2}.Chunk(text)
		for id := range 3 {
			sink{b, id + 1}.Chunk([]byte("it is long"[:9]))
		}
		if got := host.Get("told").Call("join", " ").String(); got != tt.want {
			t.Errorf("shares %t: the host was told %q, want %q", tt.shares, got, tt.want)
		}
	}
}
