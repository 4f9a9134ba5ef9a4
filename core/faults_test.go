package core

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// asks makes a request as a program and a user, and returns the answer's code and message.
func asks(t *testing.T, h http.Handler, program, server, method, path, body string) (string, http.Header) {
	t.Helper()
	w := apitest.Do(h, method, path, body, "User-Agent", program, "Tabernetes-Replica", server)
	if w.Code < 400 {
		return fmt.Sprint(w.Code), w.Header()
	}
	obj := parsed(t, w.Body.String())
	return fmt.Sprint(w.Code, " ", obj["reason"], ": ", obj["message"], " ", at(obj, "details.retryAfterSeconds")),
		w.Header()
}

func TestFaultsAnswerWithAStatus(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"cache":{"replicas":[{},{}]},"faults":[
		{"userAgent":"limited/","verbs":["list"],"status":429,"retryAfterSeconds":7,"times":2},
		{"userAgent":"limited/","verbs":["list"],"status":429,"times":1},
		{"userAgent":"limited/","resources":["pods"],"verbs":["create"],"status":500},
		{"userAgent":"limited/","resources":["secrets"],"status":503,"retryAfterSeconds":1},
		{"userAgent":"limited/","server":1,"status":504},
		{"userAgent":"gone","status":503},
		{"user":"jane","resources":["*"],"status":500,"times":1}]}`)
	const asked = "spec.faults[%d] of the ControlPlane asks for this answer"
	said := func(text string, row int) string { return fmt.Sprintf(text, fmt.Sprintf(asked, row)) }
	const pods = "/api/v1/namespaces/default/pods"
	for _, test := range []struct{ program, server, method, path, want, retry string }{
		{"limited/1", "0", "GET", configMaps, said("429 TooManyRequests: Too many requests, please try again later: %s 7", 0),
			"7"},
		{"limit", "0", "GET", configMaps, "200", ""},
		{"other limited/1", "0", "GET", configMaps, "200", ""},
		{"limited/1", "0", "GET", "/api/v1/nodes",
			said("429 TooManyRequests: Too many requests, please try again later: %s 7", 0), "7"},
		{"limited/1", "0", "GET", "/api/v1/nodes",
			said("429 TooManyRequests: Too many requests, please try again later: %s <nil>", 1), ""},
		{"limited/1", "0", "GET", "/api/v1/nodes", "200", ""},
		{"limited/1", "0", "POST", pods, said("500 InternalError: Internal error occurred: %s <nil>", 2), ""},
		{"limited/1", "0", "GET", "/api/v1/namespaces/default/secrets/x", said("503 ServiceUnavailable: %s 1", 3), "1"},
		{"limited/1", "1", "GET", configMaps, said("504 Timeout: Timeout: %s <nil>", 4), ""},
		{"limited/1", "1", "GET", "/version", "200", ""},
		{"gone/2", "", "GET", "/version", said("503 ServiceUnavailable: %s <nil>", 5), ""},
		{"gone/2", "", "GET", "/api/v1", said("503 ServiceUnavailable: %s <nil>", 5), ""},
		{"gone/2", "", "GET", plane, "200", ""},
		{"gone/2", "", "POST", plane + "/disconnect", "201", ""},
		{"gone/2", "", "PATCH", plane, "200", ""},
	} {
		body := ""
		if test.method == "PATCH" {
			body = "{}"
		}
		got, head := asks(t, c, test.program, test.server, test.method, test.path, body)
		if got != test.want || head.Get("Retry-After") != test.retry {
			t.Errorf("%s %s by %q: %s, again after %q, want %s", test.method, test.path, test.program, got,
				head.Get("Retry-After"), test.want)
		}
		if name := head.Get("Tabernetes-Replica"); test.server != "" && strings.HasPrefix(test.want, "504") &&
			name != test.server {
			t.Errorf("the fault of server %s is answered by %q", test.server, name)
		}
	}
	if w := apitest.Do(c, "GET", configMaps, "", "Impersonate-User", "jane"); w.Code != 500 {
		t.Errorf("jane gets %d", w.Code)
	}
	applied := func() string { return fmt.Sprint(at(must(t, c, 200, "GET", plane, ""), "status.faults")) }
	counted := func(counts ...int) string {
		var rows []any
		for _, n := range counts {
			rows = append(rows, map[string]any{"applied": n})
		}
		return fmt.Sprint(rows)
	}
	if got, want := applied(), counted(2, 1, 1, 1, 1, 2, 1); got != want {
		t.Errorf("applied %s, want %s", got, want)
	}
	setSpec(t, c, `{"watch":{"bookmarkSeconds":30}}`)
	if got, want := applied(), counted(2, 1, 1, 1, 1, 2, 1); got != want {
		t.Errorf("after a change of something else: %s, want %s", got, want)
	}
	setSpec(t, c, `{"faults":[{"userAgent":"gone","status":503,"times":1}]}`)
	if got, want := applied(), counted(0); got != want {
		t.Errorf("after a change: %s, want %s", got, want)
	}
	setSpec(t, c, `{"faults":null}`)
	if got := applied(); got != "<nil>" {
		t.Errorf("without rows: %s", got)
	}
	must(t, c, 200, "GET", configMaps, "")
}

// TestFaultsTakeTurns checks that a fault which names a server only affects that one.
func TestFaultsTakeTurns(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"cache":{"replicas":[{},{}]},"faults":[{"server":1,"status":503}]}`)
	codes := map[string]int{}
	for range 6 {
		got, head := asks(t, c, "x", "", "GET", configMaps, "")
		codes[got[:3]+" from "+head.Get("Tabernetes-Replica")]++
	}
	if codes["200 from 0"] != 3 || codes["503 from 1"] != 3 {
		t.Errorf("answers %v", codes)
	}
}

// TestFaultsBreakConnections uses a real connection.
func TestFaultsBreakConnections(t *testing.T) {
	c, _ := newCluster(t, Options{})
	server := httptest.NewServer(c)
	defer server.Close()
	for _, name := range []string{"a", "b"} {
		must(t, c, 201, "POST", configMaps, configMap(name, "ééé"))
	}
	_, whole := call(t, c, "GET", configMaps+"/a", "")
	at := int64(strings.Index(whole, "é") + 1) // in the middle of a character
	read := func(path string) (string, error) {
		t.Helper()
		answer, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return string(body), err
	}
	for _, test := range []struct {
		name, row, path string
		want            string // the body
		broken          bool
	}{
		{"in a character", fmt.Sprintf(`"cutAfterBytes":%d`, at), configMaps + "/a", whole[:at], true},
		{"at once", `"cutAfterBytes":0`, configMaps + "/a", "", true},
		{"beyond the end", `"cutAfterBytes":100000`, configMaps + "/a", whole, false},
		{"an error, too", `"cutAfterBytes":8`, configMaps + "/zz", `{"kind":`, true},
		{"other verbs", `"verbs":["list"],"cutAfterBytes":8`, configMaps + "/a", whole, false},
		{"a list", `"cutAfterBytes":8`, configMaps, `{"kind":`, true},
		{"a watch in a line", `"cutAfterBytes":16`, configMaps + "?watch=1", `{"type":"ADDED",`, true},
		{"before the first event", `"cutAfterEvents":0`, configMaps + "?watch=1", "", true},
		{"no watch", `"cutAfterEvents":0`, configMaps + "/a", whole, false},
		{"in pieces", `"chunkBytes":1`, configMaps + "/a", whole, false},
	} {
		setSpec(t, c, `{"faults":[{`+test.row+`}]}`)
		got, err := read(test.path)
		if broken := err != nil; got != test.want || broken != test.broken || broken && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
	for k, want := range []string{"", "ADDED a", "ADDED a, ADDED b", "ADDED a, ADDED b, BOOKMARK <nil>"} {
		setSpec(t, c, fmt.Sprintf(`{"faults":[{"cutAfterEvents":%d}]}`, k))
		got, err := read(configMaps + "?watch=1&allowWatchBookmarks=1")
		var events []string
		for line := range strings.Lines(got) {
			e := parsed(t, line)
			object, _ := e["object"].(map[string]any)
			meta, _ := object["metadata"].(map[string]any)
			events = append(events, fmt.Sprint(e["type"], " ", meta["name"]))
		}
		if text := strings.Join(events, ", "); text != want || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d events: %s, %v; want %s", k, text, err, want)
		}
	}
}

// TestFaultsCutAWatchLater checks that the last event is delivered before the watch ends.
func TestFaultsCutAWatchLater(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"faults":[{"cutAfterEvents":2,"times":1}]}`)
	w := follow(t, c, configMaps+"?watch=1")
	for _, name := range []string{"a", "b", "c"} {
		must(t, c, 201, "POST", configMaps, configMap(name, "1"))
	}
	for _, want := range []any{"a", "b", nil} {
		if e := w.Next(); at(e, "object.metadata.name") != want {
			t.Errorf("%v, want %v", e, want)
		}
	}
	again := follow(t, c, configMaps+"?watch=1")
	for _, want := range []any{"a", "b", "c"} {
		if e := again.Next(); at(e, "object.metadata.name") != want {
			t.Errorf("%v, want %v", e, want)
		}
	}
}

func TestFaultsDelay(t *testing.T) {
	c, clock := newCluster(t, Options{})
	timers := func() { clock.AwaitTimers(2) } // that of the history, and the delay
	setSpec(t, c, `{"faults":[{"userAgent":"slow","delaySeconds":5}]}`)
	ask := func(ctx context.Context, method, path, body string) <-chan string {
		done := make(chan string, 1)
		r := httptest.NewRequest(method, path, strings.NewReader(body)).WithContext(ctx)
		r.Header.Set("User-Agent", "slow")
		go func() {
			defer func() {
				if p := recover(); p != nil {
					done <- fmt.Sprint(p)
				}
			}()
			w := httptest.NewRecorder()
			c.ServeHTTP(w, r)
			done <- fmt.Sprint(w.Code)
		}()
		return done
	}
	late := func(what string, done <-chan string, want string) {
		t.Helper()
		timers()
		clock.Advance(4 * time.Second)
		select {
		case got := <-done:
			t.Errorf("%s: %s too early", what, got)
		default:
		}
		clock.Advance(time.Second)
		if got := <-done; got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	late("a creation", ask(context.Background(), "POST", configMaps, configMap("a", "1")), "201")
	late("an error", ask(context.Background(), "GET", configMaps+"/zz", ""), "404")

	// If the client does not wait, its request is carried out all the same.
	ctx, cancel := context.WithCancel(context.Background())
	done := ask(ctx, "POST", configMaps, configMap("b", "1"))
	timers()
	cancel()
	if got := <-done; got != http.ErrAbortHandler.Error() {
		t.Errorf("a client that leaves: %s", got)
	}
	must(t, c, 200, "GET", configMaps+"/b", "")

	// While the clock is paused a delay does not end, unless the cluster does.
	setSpec(t, c, `{"clock":{"paused":true}}`)
	done = ask(context.Background(), "GET", configMaps, "")
	for fmt.Sprint(at(must(t, c, 200, "GET", plane, ""), "status.faults")) != "[map[applied:4]]" {
		runtime.Gosched()
	}
	clock.Advance(time.Hour)
	select {
	case got := <-done:
		t.Errorf("while the clock stands: %s", got)
	default:
	}
	must(t, c, 201, "POST", plane+"/reset", "")
	if got := <-done; got != "200" {
		t.Errorf("as the cluster ends: %s", got)
	}
}

// TestFaultsChunk counts the bytes that arrive at once.
func TestFaultsChunk(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	setSpec(t, c, `{"faults":[{"verbs":["watch"],"chunkBytes":10}]}`)
	ctx, cancel := context.WithCancel(context.Background())
	answer := apitest.Open(c, httptest.NewRequest("GET", configMaps+"?watch=1", nil).WithContext(ctx))
	b := make([]byte, 1000)
	n, err := bufio.NewReaderSize(answer.Body, 16).Read(b[:]) // a large read returns what was written at once
	if err != nil || string(b[:n]) != `{"type":"A` {
		t.Errorf("first %q, %v", b[:n], err)
	}
	cancel()
	answer.Body.Close()
	<-answer.Ended
}

func TestFaultsAreValidated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	const one = `must have exactly one of [status delaySeconds cutAfterEvents cutAfterBytes chunkBytes]`
	for rows, want := range map[string]string{
		`{}`:                              `: Invalid value: {}: must be a list`,
		`[1]`:                             `[0]: Invalid value: 1: must be an object`,
		`[{}]`:                            `[0]: Invalid value: null: ` + one,
		`[{"verbs":["get"]}]`:             `[0]: Invalid value: null: ` + one,
		`[{"status":500,"chunkBytes":1}]`: `[0]: Invalid value: ["status","chunkBytes"]: ` + one,
		`[` + strings.Repeat(`{"status":500},`, 20) + `{"status":500}]`: `: Invalid value: `,

		`[{"status":500},{"status":404}]`: `[1].status: Invalid value: 404: must be one of [429 500 503 504]`,
		`[{"status":"500"}]`:              `[0].status: Invalid value: "500": must be one of [429 500 503 504]`,
		`[{"status":429,"retryAfterSeconds":0}]`: `[0].retryAfterSeconds: Invalid value: 0: must be between 1 and ` +
			`86400, inclusive`,
		`[{"delaySeconds":1,"retryAfterSeconds":1}]`: `[0].retryAfterSeconds: Forbidden: only a status can have it`,
		`[{"delaySeconds":0}]`: `[0].delaySeconds: Invalid value: 0: must be between 1 and 86400, ` +
			`inclusive`,
		`[{"delaySeconds":1.5}]`: `[0].delaySeconds: Invalid value: 1.5: must be a whole number of ` +
			`seconds`,
		`[{"cutAfterEvents":-1}]`: `[0].cutAfterEvents: Invalid value: -1: must be between 0 and ` +
			`9007199254740991, inclusive`,
		`[{"cutAfterBytes":"1"}]`: `[0].cutAfterBytes: Invalid value: "1": must be a whole number`,
		`[{"chunkBytes":0}]`: `[0].chunkBytes: Invalid value: 0: must be between 1 and ` +
			`9007199254740991, inclusive`,
		`[{"chunkBytes":1,"times":0}]`: `[0].times: Invalid value: 0: must be between 1 and ` +
			`9007199254740991, inclusive`,
		`[{"chunkBytes":1,"server":3}]`:    `[0].server: Invalid value: 3: must be between 0 and 2, inclusive`,
		`[{"chunkBytes":1,"userAgent":1}]`: `[0].userAgent: Invalid value: 1: must be a string`,
		`[{"chunkBytes":1,"user":[]}]`:     `[0].user: Invalid value: []: must be a string`,
		`[{"chunkBytes":1,"verbs":["GET"]}]`: `[0].verbs[0]: Unsupported value: "GET": supported values: "get", ` +
			`"list", "watch", `,
		`[{"chunkBytes":1,"verbs":[]}]`:              `[0].verbs: Invalid value: []: must not be empty: leave it out for any`,
		`[{"chunkBytes":1,"verbs":"get"}]`:           `[0].verbs: Invalid value: "get": must be a list of strings`,
		`[{"chunkBytes":1,"resources":["pods",""]}]`: `[0].resources[1]: Required value`,
		`[{"chunkBytes":1,"resources":[1]}]`:         `[0].resources: Invalid value: [1]: must be a list of strings`,
		`[{"chunkBytes":1,"useragent":"x"}]`: `[0]: Unsupported value: "useragent": supported values: ` +
			`"userAgent", "user", `,
	} {
		got := must(t, c, 422, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"faults":`+rows+`}}`)
		if message := got["message"].(string); !strings.Contains(message, "spec.faults"+want) {
			t.Errorf("%s: %s, want %s", rows, message, want)
		}
	}
	must(t, c, 200, "GET", configMaps, "")
}
