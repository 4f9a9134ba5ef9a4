package tap

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func answered(l *Log, id int, origin, method, url string, status int, text string) {
	l.Add(Event{Type: Request, ID: id, Method: method, URL: url, Origin: origin, Time: at(id)})
	l.Add(Event{Type: Head, ID: id, Status: status, Time: at(id + 1)})
	l.Add(Event{Type: Chunk, ID: id, Text: text})
	l.Add(Event{Type: End, ID: id, Time: at(id + 2)})
}

// everything is what Drop is asked to forget.
func everything(*Exchange) bool { return true }

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

func TestClassify(t *testing.T) {
	for _, c := range []struct{ method, url, want string }{
		{"GET", "/api/v1/pods", "list pods"},
		{"GET", "/api/v1/pods?watch=1", "watch pods"},
		{"GET", "/api/v1/pods?watch=false", "list pods"},
		{"GET", "/api/v1/pods?watch", "watch pods"},
		{"GET", "/api/v1/namespaces", "list namespaces"},
		{"GET", "/api/v1/namespaces/a", "get namespaces a"},
		{"PUT", "/api/v1/namespaces/a/finalize", "update namespaces/finalize a"},
		{"GET", "/api/v1/namespaces/a/pods", "list a pods"},
		{"DELETE", "/api/v1/namespaces/a/pods", "deletecollection a pods"},
		{"DELETE", "/api/v1/namespaces/a/pods/p", "delete a pods p"},
		{"POST", "/api/v1/namespaces/a/pods/p/eviction", "create a pods/eviction p"},
		{"PATCH", "/apis/apps/v1/namespaces/a/deployments/d", "patch a deployments.apps d"},
		{"GET", "/api/v1/watch/namespaces/a/pods/p", "watch a pods p"},
		{"POST", wellknown.ControlPlane + "/compact", "create controlplanes.sandbox.tabernetes.dev/compact default"},
		{"GET", "/version", "get"},
		{"GET", "/apis/apps/v1", "get"},
		{"GET", "/api/v1", "get"},
		{"GET", "/api", "get"},
		{"GET", "/api//", "get"},
		{"GET", "%zz", "get"},
	} {
		i := Classify(c.method, c.url)
		got := i.Verb
		if i.Namespace != "" {
			got += " " + i.Namespace
		}
		if i.Resource != "" {
			got += " " + i.GroupResource()
		}
		if i.Subresource != "" {
			got += "/" + i.Subresource
		}
		if i.Name != "" {
			got += " " + i.Name
		}
		if got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.method, c.url, got, c.want)
		}
	}
}

func TestLogFollowsARequest(t *testing.T) {
	var l Log
	l.Add(Event{Type: Request, ID: 1, Time: at(0), Method: "GET", URL: "/api/v1/pods?watch=1"})
	e := l.Get(1)
	if e.Phase != Pending || !e.Live() || e.Duration(at(7)) != 7*time.Millisecond {
		t.Errorf("made: %+v", e)
	}
	l.Add(Event{Type: Head, ID: 1, Time: at(3), Status: 200,
		Header: []Field{{Name: "Content-Type", Value: "application/json"}}})
	l.Add(Event{Type: Chunk, ID: 1, Time: at(4), Text: "{}\n{"})
	l.Add(Event{Type: Chunk, ID: 1, Time: at(5), Text: "}\n"})
	if e.Phase != Streaming || e.Events != 2 || e.Size != 6 || e.Text() != "{}\n{}\n" ||
		e.Get("content-type") != "application/json" {
		t.Errorf("streaming: %+v", e)
	}
	l.Add(Event{Type: Fail, ID: 1, Time: at(9), Aborted: true})
	if e.Phase != Aborted || e.Live() || e.Duration(at(50)) != 9*time.Millisecond {
		t.Errorf("aborted: %+v", e)
	}
	if l.Add(Event{Type: Chunk, ID: 1, Text: "late"}) != nil || l.Add(Event{Type: End, ID: 2}) != nil {
		t.Error("events of no living request changed something")
	}
}

func TestLogForgetsLargeBodiesOfRequests(t *testing.T) {
	var l Log
	big, small := strings.Repeat("x", 1<<20), strings.Repeat("y", smallBody)
	for id := 1; id <= 100; id++ {
		body := big
		if id%2 == 0 {
			body = small
		}
		l.Add(Event{Type: Request, ID: id, Method: "POST", URL: "/api/v1/namespaces/a/configmaps", Body: body})
		l.Add(Event{Type: Chunk, ID: id, Text: small})
		l.Add(Event{Type: End, ID: id})
	}
	if l.bytes > MaxBytes {
		t.Errorf("%d bytes kept", l.bytes)
	}
	if e := l.Get(1); e.Body != "" || !e.Bodyless {
		t.Errorf("the oldest body has %d bytes", len(e.Body))
	}
	if e := l.Get(2); e.Body != small || e.Bodyless {
		t.Errorf("a small body has %d bytes", len(e.Body))
	}
	if e := l.Get(99); e.Body != big || e.Bodyless || e.Text() != small {
		t.Errorf("one of the newest has %d and %d bytes", len(e.Body), len(e.Text()))
	}
	l.Add(Event{Type: Request, ID: 101, Method: "PUT", URL: "/x", Body: strings.Repeat("x", MaxBytes+1)})
	for range MaxBytes>>20 + 1 {
		l.Add(Event{Type: Chunk, ID: 101, Text: big})
	}
	l.Add(Event{Type: End, ID: 101})
	if e := l.Get(101); !e.Bodyless || !e.Trimmed || e.Text() != "" || e.Size != MaxBytes+1<<20 {
		t.Errorf("what is too large by itself is kept: %d and %d bytes", len(e.Body), len(e.Text()))
	}
	l.Drop(everything)
	if l.bytes != 0 {
		t.Errorf("after Drop: %d bytes", l.bytes)
	}
}

func TestLogIsBounded(t *testing.T) {
	var l Log
	big := strings.Repeat("x", 3<<20)
	l.Add(Event{Type: Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
	l.Add(Event{Type: Head, ID: 1, Status: 200})
	for id := 2; id < maxEntries+100; id++ {
		l.Add(Event{Type: Request, ID: id, Method: "GET", URL: "/api/v1/pods"})
		if id%100 == 0 {
			l.Add(Event{Type: Chunk, ID: id, Text: big})
		}
		l.Add(Event{Type: End, ID: id})
	}
	if l.Len() != maxEntries || l.Get(1) == nil || l.Get(2) != nil {
		t.Errorf("%d entries, first %v", l.Len(), l.All()[0])
	}
	if l.bytes > MaxBytes {
		t.Errorf("%d bytes kept", l.bytes)
	}
	last, first := l.Get(2000), l.Get(200)
	if last.Text() != big || !first.Trimmed || first.Text() != "" || first.Size != len(big) {
		t.Error("the newest body must be kept, the oldest not")
	}
	line := strings.Repeat("y", 1023) + "\n"
	for range 3 * maxStream / len(line) {
		l.Add(Event{Type: Chunk, ID: 1, Text: line})
	}
	w := l.Get(1)
	if !w.Trimmed || len(w.Text()) > maxStream || len(w.Text())%len(line) != 0 || w.Events != 3*maxStream/len(line) {
		t.Errorf("stream keeps %d bytes of %d", len(w.Text()), w.Size)
	}
	l.Drop(everything)
	if l.Len() != 1 || l.Get(1) == nil || l.bytes != w.cost() {
		t.Errorf("after Drop: %d entries, %d bytes", l.Len(), l.bytes)
	}
}

// TestWrote wants an entry to have the revisions that its request made, whether they or the tap come first, and the
// answer's word for them once there is one.
func TestWrote(t *testing.T) {
	var l Log
	request := func(id int) { l.Add(Event{Type: Request, ID: id, Method: "POST", URL: "/api/v1/pods"}) }
	made := func(id int) string {
		var out []string
		for _, s := range l.Get(id).Source.Wrote {
			for rev := s.First; rev <= s.Last; rev++ {
				out = append(out, strconv.FormatInt(rev, 10))
			}
		}
		return strings.Join(out, ", ")
	}
	request(1)
	if e := l.Wrote(1, 30); e == nil || e.ID != 1 || made(1) != "30" {
		t.Errorf("%+v", e)
	}
	if l.Wrote(2, 31) != nil || l.Wrote(2, 32) != nil {
		t.Error("it is not known yet")
	}
	request(2)
	l.Add(Event{Type: Fail, ID: 2, Err: "lost"})
	l.Wrote(2, 34)
	if made(2) != "31, 32, 34" {
		t.Error(made(2))
	}
	// The answer says it all.
	l.Add(Event{Type: Head, ID: 1, Status: 201, Source: &Source{Rule: "write", Wrote: []source.Span{{First: 30,
		Last: 30}}}})
	if l.Wrote(1, 30) != nil || made(1) != "30" {
		t.Error(made(1))
	}
	request(3)
	l.Wrote(3, 40)
	l.Add(Event{Type: Head, ID: 3, Status: 201})
	if made(3) != "40" {
		t.Errorf("the server says nothing of it: %s", made(3))
	}
	if l.Wrote(-5, 41) != nil {
		t.Error("a request of another page")
	}
}

func TestErrorCode(t *testing.T) {
	for text, want := range map[string]int{
		"": 0,
		`{"type":"ADDED","object":{"code":410}}` + "\n":                                         0,
		`{"type":"ERROR","object":{"kind":"Status","code":410}}` + "\n":                         410,
		`{"object":{"code":504,"reason":"\"ERROR\""},"type":"ERROR"}`:                           504,
		`{"type":"ADDED"}` + "\n" + `{"type":"ERROR","object":{"code":410}}`:                    410,
		`{"type":"ERROR","object":{"code":410}}` + "\n" + `{"type":"ADDED","object":{}}` + "\n": 0,
		`{"type":"ERROR","object":{"code":`:                                                     0,
		`{"type":"ERROR"}`:                                                                      0,
	} {
		var l Log
		answered(&l, 1, "", "GET", "/api/v1/pods?watch=1", 200, text)
		if got := l.Get(1).ErrorCode; got != want || l.Get(1).Text() != text {
			t.Errorf("%s: %d", text, got)
		}
	}
}

// The log takes the code from the last of what came, cut anywhere.
func TestLogSeesTheError(t *testing.T) {
	var l Log
	l.Add(Event{Type: Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
	l.Add(Event{Type: Head, ID: 1, Status: 200, Header: []Field{{Name: wellknown.ReplicaHeader, Value: "2"}}})
	for _, piece := range []string{`{"type":"ADDED","object":{}}` + "\n" + `{"type":"ER`, `ROR","object":{"code":4`,
		"10}}\n"} {
		l.Add(Event{Type: Chunk, ID: 1, Text: piece})
	}
	e := l.Get(1)
	if e.ErrorCode != 0 {
		t.Error("it is not over yet")
	}
	l.Add(Event{Type: End, ID: 1})
	if e.ErrorCode != 410 || e.Source.Server != 2 {
		t.Errorf("code %d from server %d", e.ErrorCode, e.Source.Server)
	}
}

// What continues and what something needs is kept when the log is full, and both bounds hold all the same.
func TestLogKeepsWhatIsNeeded(t *testing.T) {
	l := Log{}
	for i := 1; i <= 3*maxEntries; i++ {
		x := l.Add(Event{Type: Request, ID: i, Method: "GET", URL: "/x"})
		if i == 6 || i > 100 && i%50 == 0 { // what a step of a lesson looks at
			x.Hold()
		}
		if i != 5 { // one that is still open
			l.Add(Event{Type: Chunk, ID: i, Text: "held"})
			l.Add(Event{Type: End, ID: i})
		}
	}
	if n := l.Len(); n != maxEntries || n != len(l.byID) {
		t.Errorf("%d exchanges kept, %d by id", n, len(l.byID))
	}
	if l.Get(5) == nil || l.Get(6) == nil || l.Get(7) != nil || l.Get(100) != nil || l.Get(150) == nil {
		t.Error("what is open or held was dropped, or what is not was kept")
	}
	big := strings.Repeat("x", MaxBytes/10)
	for i := 1; i <= 40; i++ {
		id := 100000 + i
		l.Add(Event{Type: Request, ID: id, Method: "GET", URL: "/x"})
		l.Add(Event{Type: Chunk, ID: id, Text: big})
		l.Add(Event{Type: End, ID: id})
	}
	if x := l.Get(6); l.Size() > MaxBytes || x.Text() != "held" {
		t.Errorf("%d bytes kept, of what is held %q", l.Size(), x.Text())
	}
	l.Get(6).Release()
	for i := 1; i <= 40; i++ { // all held: the oldest go
		id := 200000 + i
		l.Add(Event{Type: Request, ID: id, Method: "GET", URL: "/x"}).Hold()
		l.Add(Event{Type: Chunk, ID: id, Text: big})
		l.Add(Event{Type: End, ID: id})
	}
	if x := l.Get(150); l.Get(6) != nil || l.Size() > MaxBytes || x.Text() != "" || !x.Trimmed ||
		l.Get(200001).Len() != 0 || l.Get(200040).Len() != len(big) {
		t.Errorf("%d bytes kept, of what is held longest %q", l.Size(), x.Text())
	}
}

// A watch with 100,000 events costs memory within the bound; its lines are read as they come, and are not lost where
// pieces cut them.
func TestALongWatchIsBounded(t *testing.T) {
	const events = 100_000
	var l Log
	l.Add(Event{Type: Request, ID: 1, Method: "GET", URL: "/api/v1/pods?watch=1"})
	l.Add(Event{Type: Head, ID: 1, Status: 200})
	x, rest, most := l.Get(1), "", 0
	seen := 0
	for rev := 1; rev <= events; rev++ {
		rest += eventLine(rev)
		cut := len(rest) * (rev % 8) / 8
		l.Add(Event{Type: Chunk, ID: 1, Text: rest[:cut]})
		rest = rest[cut:]
		for _, line := range x.LinesAfter(seen) {
			if seen++; line.Num != seen || line.Rev != int64(seen) || line.Type != "MODIFIED" {
				t.Fatalf("line %d: %+v", seen, line)
			}
		}
		most = max(most, l.Size())
	}
	l.Add(Event{Type: Chunk, ID: 1, Text: rest})
	l.Add(Event{Type: End, ID: 1})
	if x.Events != events || x.Lines[len(x.Lines)-1].Rev != events || !x.Trimmed || x.Size < MaxBytes {
		t.Errorf("%d events, the last %+v, in %d bytes", x.Events, x.Lines[len(x.Lines)-1], x.Size)
	}
	if most > maxStream+2000 || x.cost() != l.Size() {
		t.Errorf("at most %d bytes were kept, now %d of %d", most, x.cost(), l.Size())
	}
	end := eventLine(events-1) + eventLine(events)
	if text := x.After(x.Size - 1000); !strings.HasSuffix(end, text) || len(text) != 1000 {
		t.Errorf("the end is %q", text)
	}
}

// The first bytes of an answer are those of its lines and pieces, in their order, as far as there are any.
func TestHead(t *testing.T) {
	var l Log
	l.Add(Event{Type: Request, ID: 1, Method: "GET", URL: "/api/v1/pods"})
	l.Add(Event{Type: Request, ID: 2, Method: "GET", URL: "/api/v1/pods?watch=1"})
	for id := 1; id <= 2; id++ {
		l.Add(Event{Type: Head, ID: id, Status: 200})
		for _, piece := range []string{"abc\nd", "ef", "\nghi"} {
			l.Add(Event{Type: Chunk, ID: id, Text: piece})
		}
		const whole = "abc\ndef\nghi"
		for n := range len(whole) + 3 {
			if got, want := l.Get(id).Head(n), whole[:min(n, len(whole))]; got != want {
				t.Errorf("%d: the first %d bytes are %q, want %q", id, n, got, want)
			}
		}
	}
}
