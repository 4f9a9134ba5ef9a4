package answer

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/tap"
)

// exchange returns a request and its answer, as the log has it.
func exchange(method, url string, status int, src *tap.Source, body string, end tap.Type) *history.Entry {
	var l history.Log
	at := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	e := l.Add(tap.Event{Type: tap.Request, ID: 1, Method: method, URL: url, Time: at})
	if status > 0 {
		l.Add(tap.Event{Type: tap.Head, ID: 1, Status: status, Source: src, Time: at})
		l.Add(tap.Event{Type: tap.Chunk, ID: 1, Text: body, Time: at})
	}
	if end != "" {
		l.Add(tap.Event{Type: end, ID: 1, Time: at, Err: "gone", Aborted: end == tap.Fail && status > 0})
	}
	return e
}

func TestVerdicts(t *testing.T) {
	const (
		pods = "/api/v1/namespaces/default/pods"
		two  = `{"metadata":{"resourceVersion":"26"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`
		one  = `{"metadata":{"resourceVersion":"26"},"items":[{"metadata":{"name":"a"}}]}`
		none = `{"metadata":{"resourceVersion":"26"},"items":[]}`
		page = `{"metadata":{"resourceVersion":"26","continue":"t","remainingItemCount":753},` +
			`"items":[{"metadata":{"name":"a"}}]}`
		pod     = `{"metadata":{"name":"web","resourceVersion":"28"}}`
		expired = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}` + "\n"
	)
	status := func(reason, message string) string {
		return `{"kind":"Status","reason":"` + reason + `","message":"` + message + `"}`
	}
	wrote := func(rule string, spans ...source.Span) *tap.Source {
		return &tap.Source{From: "etcd", Head: 30, Rule: rule, Wrote: spans}
	}
	for name, tc := range map[string]struct {
		e               *history.Entry
		tone, title, do string
	}{
		"list":         {exchange("GET", pods, 200, nil, two, tap.End), "good", "2 pods.", ""},
		"list of one":  {exchange("GET", pods, 200, nil, one, tap.End), "good", "1 pod.", ""},
		"list of none": {exchange("GET", pods, 200, nil, none, tap.End), "good", "No pods.", ""},
		"page": {exchange("GET", pods+"?limit=500", 200, nil, page, tap.End), "good", "1 pod, 753 remain.", pods +
			"?limit=500&continue=t"},
		"last page": {exchange("GET", pods+"?limit=500&continue=t", 200, nil, two, tap.End), "good",
			"The last page: 2 pods.", ""},
		"loose page": {exchange("GET", pods+"?limit=5&continue=t", 200,
			&tap.Source{Rule: semantics.ListContinueInconsistent, From: "etcd", Revision: 26, Head: 26}, two, tap.End), "warn",
			"Half of an old list, half of a new one.", pods + "?limit=5"},
		"stale list": {exchange("GET", pods+"?resourceVersion=0", 200,
			&tap.Source{Rule: semantics.ListAny, From: "cache", Revision: 26, Head: 28}, two, tap.End), "warn",
			"As the cache has it: 2 revisions old.", pods + "?resourceVersion=28"},
		"expired token": {exchange("GET", pods+"?limit=5&continue=t", 410, nil, status("Expired", "too old"), tap.End), "bad",
			"410: the continue token has expired.", pods + "?limit=5"},
		"watch open": {exchange("GET", pods+"?watch=1", 200, nil, `{"type":"ADDED","object":{}}`+"\n", ""), "good",
			"Open: 1 event so far.", ""},
		"watch silent": {exchange("GET", pods+"?watch=1", 200, nil, "", ""), "", "Open: nothing has happened yet.", ""},
		"watch gone": {exchange("GET", pods+"?watch=1&resourceVersion=22", 200, nil, expired, tap.End), "bad",
			"410 inside a 200: list again.", pods},
		"watch closed": {exchange("GET", pods+"?watch=1", 200, nil, "", tap.Fail), "",
			"Closed by its client, after 0 events.", ""},
		"watch ended": {exchange("GET", pods+"?watch=1", 200, nil, "", tap.End), "", "Ended by the server, after 0 events.",
			""},
		"get": {exchange("GET", pods+"/web", 200, nil, pod, tap.End), "good", "pods/web, last written at 28.", ""},
		"create": {exchange("POST", pods, 201, wrote(semantics.WriteStored, source.Span{First: 28, Last: 28}), pod,
			tap.End), "good", "Created pods/web: revision 28.", ""},
		"delete twice": {exchange("DELETE", pods+"/web", 200, wrote(semantics.WriteStored, source.Span{First: 29, Last: 30}),
			pod, tap.End), "good", "Deleted pods/web: 2 revisions, 29 to 30.", ""},
		"no change": {exchange("PATCH", pods+"/web", 200, wrote(semantics.WriteUnchanged), pod, tap.End), "",
			"Nothing changed: no new revision.", ""},
		"dry run": {exchange("POST", pods+"?dryRun=All", 201, wrote(semantics.WriteDryRun), pod, tap.End), "",
			"A dry run: nothing was stored.", ""},
		"taken": {exchange("POST", pods, 409, nil, status("AlreadyExists", "there"), tap.End), "bad",
			"409: the name is taken.", ""},
		"conflict": {exchange("PUT", pods+"/web", 409, nil, status("Conflict", "the object has been modified"), tap.End),
			"bad", "409: somebody else was faster.", ""},
		"not there": {exchange("GET", pods+"/web", 404, nil, status("NotFound", "none"), tap.End), "bad",
			"404: it is not there.", ""},
		"too large": {exchange("GET", pods+"?resourceVersion=99", 504, nil, status("Timeout", "Too large resource version"),
			tap.End), "bad", "504: the cache has not come that far.", ""},
		"no answer": {exchange("GET", pods, 0, nil, "", tap.Fail), "bad", "There was no answer.", ""},
		"waiting":   {exchange("GET", pods, 0, nil, "", ""), "", "Waiting for the answer", ""},
		"compaction": {exchange("POST", wellknown.ControlPlane+"/compact", 201, nil, `{}`, tap.End),
			"good", "Compacted: older revisions are gone, in etcd and in the API servers’ caches.", ""},
		"restart": {exchange("POST", wellknown.ControlPlane+"/restart", 201, nil, `{}`, tap.End),
			"good", "The API server was restarted: its watch caches begin anew.", ""},
		"no resource": {exchange("GET", "/version", 200, nil, `{}`, tap.End), "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			v := verdict(tc.e, 1)
			if v.Tone != tc.tone || v.Title != tc.title || v.Do != tc.do {
				t.Errorf("got %q %q %q\nwant %q %q %q", v.Tone, v.Title, v.Do, tc.tone, tc.title, tc.do)
			}
		})
	}
}

// TestWhyGone wants the words about a 410 to be those about its cause, whether it is a status or an event of a watch.
func TestWhyGone(t *testing.T) {
	const (
		pods    = "/api/v1/namespaces/default/pods"
		old     = "The provided continue parameter is too old."
		refusal = `{"kind":"Status","reason":"Expired","code":410,"message":"` + old + `"}`
		event   = `{"type":"ERROR","object":` + refusal + "}\n"
	)
	for _, gone := range semantics.Causes() {
		src := &tap.Source{From: "cache", Head: 30, Rule: semantics.WatchFrom, Gone: gone.ID}
		for name, e := range map[string]*history.Entry{
			"watch": exchange("GET", pods+"?watch=1&resourceVersion=22", 200, src, event, tap.End),
			"list":  exchange("GET", pods+"?limit=1&resourceVersion=22", 410, src, refusal, tap.End),
			"token": exchange("GET", pods+"?limit=1&continue=t", 410, src, refusal, tap.End),
		} {
			want := strings.ToUpper(gone.Sentence[:1]) + gone.Sentence[1:] + "."
			if v := verdict(e, 1); !strings.Contains(v.Words, want) || strings.Contains(v.Words, old) {
				t.Errorf("%s, %s: %s, want %s", gone.ID, name, v.Words, want)
			}
		}
	}
	// A server that does not tell the cause.
	for name, e := range map[string]*history.Entry{
		"watch": exchange("GET", pods+"?watch=1&resourceVersion=22", 200, nil, event, tap.End),
		"list":  exchange("GET", pods+"?limit=1&resourceVersion=22", 410, nil, refusal, tap.End),
	} {
		if v := verdict(e, 1); !strings.Contains(v.Words, old) || strings.Contains(v.Words, "..") {
			t.Errorf("%s: %s", name, v.Words)
		}
	}
}

// TestCompacted wants the verdict on a compaction to say what has forgotten.
func TestCompacted(t *testing.T) {
	titles := map[string]bool{}
	for _, body := range []string{`{}`, `{"forgets":"both"}`, "", `{"forgets":"etcd"}`, `{"forgets":"caches"}`} {
		e := exchange("POST", wellknown.ControlPlane+"/compact", 201, nil, `{}`, tap.End)
		e.Body = body
		titles[verdict(e, 1).Title] = true
	}
	if len(titles) != 3 {
		t.Errorf("%v, want three", titles)
	}
}

func TestBadge(t *testing.T) {
	e := exchange("GET", "/api/v1/pods?resourceVersion=0", 200,
		&tap.Source{Server: 2, From: "cache", Revision: 38, Head: 46, Rule: semantics.ListAny,
			Waited: 1500 * time.Millisecond}, "{}", tap.End)
	b := verdict(e, 3).Badge
	if b == nil || b.Server != "C2" || b.From != "its watch cache" || b.Revision != 38 || b.Head != 46 ||
		b.Waited != "1.5s" || b.Rule == "" || b.Link == "" {
		t.Errorf("%+v", b)
	}
	if b := verdict(e, 1).Badge; b.Server != "" {
		t.Errorf("one server is called %s", b.Server)
	}
	if b := verdict(exchange("GET", "/version", 200, nil, "{}", tap.End), 1).Badge; b != nil {
		t.Errorf("what reads nothing has %+v", b)
	}
}
