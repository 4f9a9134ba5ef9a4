package verdict

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lessons"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// wroteAs is a source that says which revisions were made.
func wroteAs(rule string, spans ...source.Span) *tap.Source {
	return &tap.Source{From: "etcd", Head: 30, Rule: rule, Wrote: spans}
}

func status(reason, message string) string {
	return `{"kind":"Status","reason":"` + reason + `","message":"` + message + `"}`
}

// lost returns a request whose answer is lost, and that has made these revisions all the same.
func lost(end tap.Type, aborted bool, revs ...int64) *tap.Exchange {
	var l tap.Log
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "POST", URL: maps})
	for _, rev := range revs {
		l.Wrote(1, rev)
	}
	if end != "" {
		l.Add(tap.Event{Type: end, ID: 1, Err: "gone", Aborted: aborted})
	}
	return l.Get(1)
}

// A madeUp is an exchange that a cluster does not have on its own, with the row that judges it.
type madeUp struct {
	row         string
	e           *tap.Exchange
	title, tone string
}

func madeUps() []madeUp {
	const object = `{"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"28"}}`
	return []madeUp{
		{"waiting", made("GET", pods, 0, nil, "", ""), "Waiting for the answer", ""},
		{"waiting", lost("", false, 31), "Waiting for the answer", ""},
		{"lost and stored", lost(tap.Fail, false, 31), "There was no answer, but it is stored, at 31.", "bad"},
		{"lost and stored", lost(tap.Fail, true, 31), "There was no answer, but it is stored, at 31.", "bad"},
		{"no answer", lost(tap.Fail, false), "There was no answer.", "bad"},
		{"aborted", lost(tap.Fail, true), "Aborted before it was answered.", ""},
		{"refused and stored", made("DELETE", maps, 500, wroteAs(semantics.WriteStored, source.Span{First: 30, Last: 31}),
			status("InternalError", "x"), tap.End), "500, and yet 2 revisions were made, up to 31.", "bad"},
		{"webhook", made("POST", pods, 403, nil, status("Forbidden", `admission webhook \"a.b.c\" denied the request: no`),
			tap.End),
			"Refused by the webhook a.b.c.", "bad"},
		{"policy", made("POST", maps, 422, nil, status("Invalid", `configmaps \"a\" is forbidden: `+
			`ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`), tap.End),
			"422: the policy p, bound by b, refuses it.", "bad"},
		{"policy", made("POST", maps, 403, nil, status("Forbidden", `policy \"p\" denied request: `+
			"failed to configure policy: x"), tap.End), "403: the policy p refuses it.", "bad"},
		{"who asks", made("GET", pods, 401, nil, status("Unauthorized", "Unauthorized"), tap.End),
			"401: the server does not know who asks.", "bad"},
		{"quota", made("POST", pods, 403, nil, status("Forbidden", "pods is forbidden: exceeded quota: a"), tap.End),
			"403: the quota would be exceeded.", "bad"},
		{"quota of a room", made("POST", pods, 403, nil, status("Forbidden", "x is forbidden: exceeded quota of the room: y"),
			tap.End),
			"403: the quota would be exceeded.", "bad"},
		{"conflict", made("PUT", pods+"/a", 409, nil, status("Conflict", "x"), tap.End),
			"409: that does not go with what is there.", "bad"},
		{"too long", made("POST", pods, 413, nil, status("RequestEntityTooLarge", "x"), tap.End),
			"413: the body is too long.",
			"bad"},
		{"budget", made("POST", pods+"/a/eviction", 429, nil, `{"kind":"Status","reason":"TooManyRequests","message":"x",`+
			`"details":{"causes":[{"reason":"DisruptionBudget"}]}}`, tap.End),
			"429: a disruption budget forbids it for now.", "bad"},
		{"too many", made("GET", pods, 429, nil, status("TooManyRequests", "x"), tap.End),
			"429: too many requests at once. Try again.", "bad"},
		{"try again", made("GET", pods, 504, nil, status("Timeout", "x"), tap.End), "504: it took too long. Try again.",
			"bad"},
		{"error", made("GET", pods, 503, nil, "", tap.End), "503: service unavailable.", "bad"},
		{"gone", made("GET", pods+"?limit=5&continue=t", 410, nil, status("Expired", "too old"), tap.End),
			"410: the continue token has expired.", "bad"},
		{"closed watch", made("GET", pods+"?watch=1", 200, nil, "", tap.Fail), "Closed by its client, after 0 events.", ""},
		{"broken watch", broken(), "Broken off, after 0 events.", "warn"},
		{"get in bytes", inBytes(), "In protobuf: 2 B.", ""},
		{"not there", made("GET", maps+"/a?resourceVersion=0", 404, &tap.Source{Rule: semantics.GetAny, From: "cache",
			Revision: 26, Head: 28}, `{"kind":"Status","reason":"NotFound","details":{"name":"a","kind":"configmaps"}}`,
			tap.End),
			"404: there is no configmaps/a.", "bad"},
		{"get of something else", made("GET", "/apis/x.io/v1/things/a", 200, nil, "text", tap.End), "", ""},
		{"passed on", made("POST", pods+"/web/proxy/hello", 200, nil, "hi", tap.End),
			"Passed on: this is not the API server’s own answer.", ""},
		{"snapshot", made("PUT", "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/snapshot", 200, nil, "{}", tap.End),
			"The cluster is the one of the snapshot.", "good"},
		{"act", made("GET", "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/windows", 200, nil, "{}", tap.End), "",
			""},
		// A server that does not say what it has committed.
		{"created", made("POST", maps, 201, nil, object, tap.End), "Created.", "good"},
		{"deleted", made("DELETE", maps+"/a", 200, nil, status("", ""), tap.End), "Deleted.", "good"},
		{"dry run", made("POST", maps+"?dryRun=All", 201, nil, object, tap.End),
			"A dry run: it would be created. Nothing is stored.", ""},
		{"carried out", made("PATCH", maps+"/a", 200, nil, "", tap.End), "Carried out.", ""},
		// One that says it, of commits that have not come yet.
		{"stored", made("PATCH", maps+"/a", 200, wroteAs(semantics.WriteStored, source.Span{First: 29, Last: 29}), "",
			tap.End),
			"Stored at 29.", "good"},
		{"created", made("POST", maps, 201, wroteAs(semantics.WriteStored, source.Span{First: 27, Last: 28}), object,
			tap.End),
			"Created at 28.", "good"},
		{"collection", made("DELETE", maps, 200, wroteAs(semantics.WriteStored, source.Span{First: 27, Last: 28}), "{}",
			tap.End),
			"2 revisions, from 27 to 28.", "good"},
		{"", made("GET", "/version", 200, nil, `{}`, tap.End), "", ""},
	}
}

// broken returns a watch whose connection broke off.
func broken() *tap.Exchange {
	var l tap.Log
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: maps + "?watch=1"})
	l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 200})
	l.Add(tap.Event{Type: tap.Fail, ID: 1, Err: "gone"})
	return l.Get(1)
}

// inBytes returns an answer in protobuf that cannot be read.
func inBytes() *tap.Exchange {
	var l tap.Log
	l.Add(tap.Event{Type: tap.Request, ID: 1, Method: "GET", URL: maps + "/a"})
	l.Add(tap.Event{Type: tap.Head, ID: 1, Status: 200, Header: []tap.Field{{Name: "Content-Type",
		Value: "application/vnd.kubernetes.protobuf"}}})
	l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: "6b"})
	l.Add(tap.Event{Type: tap.End, ID: 1})
	return l.Get(1)
}

func TestMadeUp(t *testing.T) {
	for _, tc := range madeUps() {
		v := Of(Facts{Exchange: tc.e})
		if row := rowOf(Facts{Exchange: tc.e}); row != tc.row || v.Title != tc.title || string(v.Tone) != tc.tone {
			t.Errorf("%s %s:\ngot  %s %q %q\nwant %s %q %q", tc.e.Method, tc.e.URL, row, v.Title, v.Tone, tc.row, tc.title,
				tc.tone)
		}
	}
}

// TestWhyGone wants a 410 to name its cause, and the version that was asked for, whether it is a status or an event of
// a watch.
func TestWhyGone(t *testing.T) {
	const (
		old     = "The provided continue parameter is too old."
		token   = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjIsInN0YXJ0IjoiYVx1MDAwMCJ9" // rv 22
		refusal = `{"kind":"Status","reason":"Expired","code":410,"message":"` + old + `"}`
		event   = `{"type":"ERROR","object":` + refusal + "}\n"
	)
	titles := map[string]bool{}
	for _, gone := range horizon.Causes() {
		src := &tap.Source{From: "cache", Head: 30, Rule: semantics.WatchFrom, Gone: string(gone)}
		for name, e := range map[string]*tap.Exchange{
			"watch": made("GET", pods+"?watch=1&resourceVersion=22", 200, src, event, tap.End),
			"list":  made("GET", pods+"?limit=1&resourceVersion=22", 410, src, refusal, tap.End),
			"token": made("GET", pods+"?limit=1&continue="+token, 410, src, refusal, tap.End),
		} {
			sentence := gone.Sentence()
			want := strings.ToUpper(sentence[:1]) + sentence[1:] + "."
			v := Of(Facts{Exchange: e})
			if !strings.Contains(v.Words, want) || strings.Contains(v.Words, old) || strings.Contains(v.Words, "..") ||
				!strings.HasPrefix(v.Title, "410: ") || !strings.Contains(v.Title, "22") {
				t.Errorf("%s, %s: %s %s, want %s", gone, name, v.Title, v.Words, want)
			}
			titles[v.Title] = true
		}
	}
	if len(titles) != len(horizon.Causes()) {
		t.Errorf("%v", titles)
	}
	// A server that does not report the cause.
	for name, e := range map[string]*tap.Exchange{
		"watch": made("GET", pods+"?watch=1&resourceVersion=22", 200, nil, event, tap.End),
		"list":  made("GET", pods+"?limit=1&resourceVersion=22", 410, nil, refusal, tap.End),
	} {
		if v := Of(Facts{Exchange: e}); !strings.Contains(v.Words, old) || strings.Contains(v.Words, "..") {
			t.Errorf("%s: %s", name, v.Words)
		}
	}
}

// TestWaiting wants a request that is not answered yet to say what for: a version, whatever it has to match.
func TestWaiting(t *testing.T) {
	for query, want := range map[string]string{
		"":                     "Without a version",
		"?resourceVersion=0":   "Without a version",
		"?resourceVersion=999": "has revision 999, for 3 seconds",
		"?resourceVersion=999&resourceVersionMatch=Exact":        "has revision 999, for 3 seconds",
		"?resourceVersion=999&resourceVersionMatch=NotOlderThan": "has revision 999, for 3 seconds",
	} {
		if v := Of(Facts{Exchange: made("GET", maps+query, 0, nil, "", "")}); !strings.Contains(v.Words, want) {
			t.Errorf("%s: %s", query, v.Words)
		}
	}
}

func TestMeantPath(t *testing.T) {
	e := made("GET", "/api/v1/pod", 404, nil, status("NotFound", "nothing"), tap.End)
	v := Of(Facts{Exchange: e, Meant: func(string) string { return "/api/v1/pods" }})
	if v.Next == nil || v.Next.Path != "/api/v1/pods" || !strings.Contains(v.Words, "/api/v1/pods") {
		t.Errorf("%+v", v)
	}
	if v := Of(Facts{Exchange: e, Meant: func(string) string { return "" }}); v.Next != nil || v.Words != "nothing" {
		t.Errorf("%+v", v)
	}
}

func TestBadge(t *testing.T) {
	e := made("GET", "/api/v1/pods?resourceVersion=0", 200, &tap.Source{Server: 2, From: "cache", Revision: 38, Head: 46,
		Rule: semantics.ListAny, Waited: 1500e6}, "{}", tap.End)
	b := Of(Facts{Exchange: e, State: revisions.State{Caches: []int64{1, 2, 3}}}).Badge
	if b == nil || b.Server != "C2" || b.From != "its watch cache" || b.Revision != 38 || b.Head != 46 ||
		b.Waited != "1.5s" || b.Rule == "" || b.Link == "" {
		t.Errorf("%+v", b)
	}
	if b := Of(Facts{Exchange: made("GET", "/version", 200, nil, "{}", tap.End)}).Badge; b != nil {
		t.Errorf("what reads nothing has %+v", b)
	}
	// What refuses an object is not read from etcd.
	e = made("POST", maps, 422, &tap.Source{From: "etcd", Head: 46, Rule: semantics.WriteRefused}, status("Invalid",
		"x"), tap.End)
	if b := Of(Facts{Exchange: e}).Badge; b == nil || b.From != "" || b.Rule == "" {
		t.Errorf("%+v", b)
	}
}

// TestSteps wants each row to lead to a step that the course has.
func TestSteps(t *testing.T) {
	course, err := lessons.All()
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, r := range rows {
		if _, ok := steps[r.step]; !ok && r.step != "" {
			t.Errorf("%s: there is no step %q", r.name, r.step)
		}
		used[r.step] = true
	}
	for name, s := range steps {
		if !slices.ContainsFunc(course, func(l *format.Lesson) bool {
			return l.ID == s.Lesson && slices.ContainsFunc(l.Steps, func(is format.Step) bool { return is.ID == s.ID })
		}) {
			t.Errorf("%s: the course has no %+v", name, s)
		}
	}
}

func TestWarnings(t *testing.T) {
	for header, want := range map[string][]string{
		"":                              nil,
		`299 - "a"`:                     {"a"},
		`299 - "a", 299 - "b \"c\", d"`: {"a", `b "c", d`},
		`299 - "a" "Sun, 06 Nov 1994 08:49:37 GMT", 299 - "b"`: {"a", "b"},
		`214 - "x",299 kube "y"`:                               {"y"},
		`299 - "open`:                                          {"open"},
		`299 -`:                                                nil,
	} {
		if got := warnings(header); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
}

// Each resource type has a separate cache. The verdict names the one that is behind, since others may be further.
func TestStaleNamesItsCache(t *testing.T) {
	e := made("GET", maps+"/a?resourceVersion=0", 200, &tap.Source{From: source.Cache, Revision: 61, Head: 63,
		Rule: semantics.GetAny}, `{"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"61"}}`, tap.End)
	if v := Of(Facts{Exchange: e}); !strings.HasPrefix(v.Words, "The server’s cache of configmaps is at 61, etcd at 63") {
		t.Errorf("%s %s", v.Title, v.Words)
	}
}
