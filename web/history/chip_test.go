package history

import (
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

func TestChip(t *testing.T) {
	const compact = wellknown.ControlPlane + "/compact"
	for name, c := range map[string]struct {
		method, url  string
		status       int
		source       tap.Source
		code         int
		horizon      int64
		lane, waits  string
		want         string
		kind         ChipKind
		wantRevision int64
	}{
		"wrote": {method: "PATCH", url: "/api/v1/namespaces/a/pods/p", status: 200,
			source: tap.Source{Wrote: []Span{{First: 28, Last: 28}}, Revision: 28}, want: "→ 28", kind: Wrote, wantRevision: 28},
		"wrote two": {method: "DELETE", url: "/api/v1/namespaces/a/pods/p", status: 200,
			source: tap.Source{Wrote: []Span{{First: 30, Last: 31}}}, want: "→ 30, 31", kind: Wrote, wantRevision: 30},
		"wrote many": {method: "DELETE", url: "/api/v1/namespaces/a/pods", status: 200,
			source: tap.Source{Wrote: []Span{{First: 30, Last: 95}, {First: 97, Last: 97}, {First: 99, Last: 99},
				{First: 101, Last: 102}}}, want: "→ 30–95, 97, 99, …", kind: Wrote,
			wantRevision: 30},
		"wrote nothing": {method: "PATCH", url: "/api/v1/namespaces/a/pods/p", status: 200, source: tap.Source{Revision: 28}},
		"read": {method: "GET", url: "/api/v1/pods", status: 200, source: tap.Source{Revision: 26}, want: "as of 26",
			kind: Read, wantRevision: 26},
		"refused":  {method: "GET", url: "/api/v1/pods", status: 404, source: tap.Source{Revision: 26}},
		"not said": {method: "GET", url: "/api/v1/pods", status: 200},
		"watch": {method: "GET", url: "/api/v1/pods?watch=1", status: 200, lane: "w3", source: tap.Source{Revision: 5},
			want: "w3", kind: Watched},
		"watch, no lane": {method: "GET", url: "/api/v1/pods?watch=1", status: 200, want: "watch", kind: Watched},
		"watch, 410": {method: "GET", url: "/api/v1/pods?watch=1", status: 200, code: 410, lane: "w3", want: "w3 · 410",
			kind: Lost},
		"compaction": {method: "POST", url: compact, status: 201, horizon: 26, want: "history from 26", kind: Compacts,
			wantRevision: 26},
		"waits": {method: "GET", url: "/api/v1/pods", waits: "waiting for the cache", want: "waiting for the cache",
			kind: Waits},
	} {
		e := &tap.Exchange{Method: c.method, URL: c.url, Info: tap.Classify(c.method, c.url), Status: c.status,
			Phase: tap.Done, Source: c.source, ErrorCode: c.code, HistoryFrom: c.horizon}
		if c.status == 0 {
			e.Phase = tap.Pending
		}
		if got := ChipOf(e, c.lane, c.waits); got != (Chip{Kind: c.kind, Text: c.want, Revision: c.wantRevision}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCompacted(t *testing.T) {
	const compact = wellknown.ControlPlane + "/compact"
	var l tap.Log
	ask := func(id int, body string, status int) {
		l.Add(tap.Event{Type: tap.Request, ID: id, Method: "POST", URL: compact, Body: body, Time: at(id)})
		if status > 0 {
			l.Add(tap.Event{Type: tap.Head, ID: id, Status: status, Time: at(id)})
			l.Add(tap.Event{Type: tap.End, ID: id, Time: at(id)})
		}
	}
	ask(1, "", 201)
	if e := Compacted(&l, "", 20, at(1).Add(time.Minute)); e != nil {
		t.Errorf("a minute later it is the retention's doing, not request %d's", e.ID)
	}
	ask(2, `{"revision":30}`, 201)
	ask(3, "", 409)
	if e := Compacted(&l, "", 29, at(3)); e != nil {
		t.Errorf("request %d asked for another revision", e.ID)
	}
	if e := Compacted(&l, "", 30, at(3)); e == nil || e.ID != 2 || e.HistoryFrom != 30 {
		t.Errorf("got %+v", e)
	}
	if e := Compacted(&l, "", 31, at(3)); e != nil {
		t.Error("one request compacts once")
	}
	ask(4, "{}", 0)
	if e := Compacted(&l, "", 32, at(4000)); e == nil || e.ID != 4 {
		t.Error("the revision may be known before the answer")
	}
}

func TestWaits(t *testing.T) {
	behind := Positions{Head: 40, Caches: []int64{40, 30}}
	for _, c := range []struct {
		positions Positions
		url       string
		replica   string
		want      string
	}{
		{Positions{Loading: true, Head: 40}, "/api/v1/pods", "", "waiting for the API server"},
		{Positions{Head: 40, Caches: []int64{40}}, "/api/v1/pods", "", "waiting"},
		{behind, "/api/v1/pods", "", "waiting for the cache"},
		{behind, "/api/v1/pods", "1", "waiting for the cache"},
		{behind, "/api/v1/pods", "0", "waiting"},
		{behind, "/api/v1/pods?limit=5", "", "waiting for the cache"},
		{behind, "/api/v1/pods?limit=5&continue=x", "", "waiting"},
		{behind, "/api/v1/pods?resourceVersion=0", "", "waiting"},
		{behind, "/api/v1/pods?resourceVersion=30", "", "waiting"},
		{behind, "/api/v1/pods?resourceVersion=31", "", "waiting for the cache"},
		{behind, "/api/v1/namespaces/a/pods/p", "", "waiting"},
		{behind, "/api/v1/namespaces/a/pods/p?resourceVersion=41", "0", "waiting for the cache"},
		{behind, "/api/v1/pods?watch=1", "", "waiting for the cache"},
		{behind, "/api/v1/pods?watch=1&resourceVersion=35", "", "waiting"},
		{behind, "/api/v1/pods?watch=1&resourceVersion=35&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "",
			"waiting for the cache"},
		{behind, "/api/v1/pods?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "", "waiting"},
		{behind, "/api/v1/watch/namespaces/a/pods", "", "waiting"},
		{behind, "/api/v1/events", "", "waiting"},
		{behind, "/version", "", "waiting"},
		{behind, "/api/v1/pods?resourceVersion=x", "", "waiting"},
	} {
		e := &tap.Exchange{URL: c.url, Info: tap.Classify("GET", c.url)}
		if c.replica != "" {
			e.Header = []tap.Field{{Name: "tabernetes-replica", Value: c.replica}}
		}
		if got := c.positions.Waits(e); got != c.want {
			t.Errorf("%s at %q: %s", c.url, c.replica, got)
		}
	}
	if got := behind.Waits(&tap.Exchange{Method: "POST", URL: "/api/v1/pods",
		Info: tap.Classify("POST", "/api/v1/pods")}); got != "waiting" {
		t.Errorf("a write: %s", got)
	}
}

func TestPrefix(t *testing.T) {
	for url, want := range map[string]string{
		"/api/v1/namespaces/a/pods?watch=1":            "pods?watch=1",
		"/api/v1/pods":                                 "pods",
		"/api/v1/namespaces/pods/pods/pods":            "pods/pods",
		"/apis/events.k8s.io/v1/namespaces/a/events/e": "events/e",
		"/api/v1/namespaces/a":                         "namespaces/a",
		"/api/v1/watch/namespaces/a/pods":              "pods",
		wellknown.ControlPlane + "/compact":            "controlplanes/default/compact",
		"/version":                                     "/version",
		"/api/v1/namespaces/%2Fx/pods":                 "pods",
	} {
		e := &tap.Exchange{URL: url, Info: tap.Classify("GET", url)}
		if got := short(e); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}
