package tap

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for _, tc := range []struct {
		url, collection, short, name string
		watch                        bool
	}{
		{"/api/v1/pods", "/api/v1/pods", "pods", "", false},
		{"/api/v1/namespaces/default/pods?watch=1", "/api/v1/namespaces/default/pods", "default/pods", "", true},
		{"http://127.0.0.1:8080/api/v1/pods?watch=true&limit=5", "/api/v1/pods", "pods", "", true},
		{"/api/v1/pods?watch=0", "/api/v1/pods", "pods", "", false},
		{"/api/v1/pods?watch=False", "/api/v1/pods", "pods", "", false},
		{"/api/v1/pods?watch", "/api/v1/pods", "pods", "", true},
		{"/api/v1/watch/namespaces/default/pods", "/api/v1/namespaces/default/pods", "default/pods", "", true},
		{"/api/v1/watch/nodes", "/api/v1/nodes", "nodes", "", true},
		{"/api/v1/namespaces/default/pods/a?watch=1", "/api/v1/namespaces/default/pods", "default/pods/a", "a", false},
		{"/api/v1/namespaces/default", "/api/v1/namespaces", "namespaces/default", "default", false},
		{"/api/v1/namespaces/default/status", "/api/v1/namespaces", "namespaces/default", "default", false},
		{"/api/v1/namespaces?watch=1", "/api/v1/namespaces", "namespaces", "", true},
		{"/apis/apps/v1/namespaces/x/deployments/d/scale", "/apis/apps/v1/namespaces/x/deployments", "x/deployments/d", "d",
			false},
	} {
		got, ok := ParseTarget(tc.url)
		if !ok || got.Collection() != tc.collection || got.Short() != tc.short || got.Name != tc.name ||
			(got.Verb == "watch") != tc.watch {
			t.Errorf("%s: %v %q %q %q %s", tc.url, ok, got.Collection(), got.Short(), got.Name, got.Verb)
		}
	}
	for _, url := range []string{"", "/", "/api", "/api/v1", "/apis/apps/v1", "/version", "/openapi/v3", "::"} {
		if got, ok := ParseTarget(url); ok {
			t.Errorf("%q is no resource, but gives %+v", url, got)
		}
	}
}

func TestWithKeepsSelectors(t *testing.T) {
	got, _ := ParseTarget("/api/v1/pods?labelSelector=a%3Db&limit=5&continue=x")
	if u := got.With("watch", "1", "continue", ""); u != "/api/v1/pods?labelSelector=a%3Db&watch=1" {
		t.Error(u)
	}
	if u := got.Selectors(); u != "a=b" {
		t.Error(u)
	}
}

func TestHolds(t *testing.T) {
	all, _ := ParseTarget("/api/v1/pods")
	one, _ := ParseTarget("/api/v1/namespaces/x/pods")
	if !all.Holds("", "pods", "x", "a") || !all.Holds("", "pods", "y", "a") || !one.Holds("", "pods", "x", "a") ||
		one.Holds("", "pods", "y", "a") || all.Holds("metrics.k8s.io", "pods", "x", "") {
		t.Error("a collection does not know what it holds")
	}
}

var watchLines = []struct {
	line string
	want WatchEvent
}{
	{`{"type":"ADDED","object":{"apiVersion":"v1","data":{"v":"2"},"kind":"ConfigMap",` +
		`"metadata":{"creationTimestamp":"2026-11-20T22:20:44Z","name":"a","namespace":"n","resourceVersion":"11081",` +
		`"uid":"u"}}}`,
		WatchEvent{Type: "ADDED", Rev: 11081, Namespace: "n", Name: "a"}},
	{`{"type":"BOOKMARK","object":{"apiVersion":"v1","kind":"ConfigMap",` +
		`"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"11081"}}}`,
		WatchEvent{Type: "BOOKMARK", Rev: 11081, InitialEnd: true}},
	{`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12","annotations":{"other":"x"}}}}`,
		WatchEvent{Type: "BOOKMARK", Rev: 12}},
	{`{"type":"ERROR","object":{"apiVersion":"v1","code":410,"kind":"Status","message":"too old resource version: ` +
		`11100 (11104)","metadata":{},"reason":"Expired","status":"Failure"}}`,
		WatchEvent{Type: "ERROR", Code: 410, Reason: "Expired", Message: "too old resource version: 11100 (11104)"}},
	{`{"object":{"kind":"Table","metadata":{"resourceVersion":""},"columnDefinitions":null,"rows":[{"cells":["a",1],` +
		`"object":{"kind":"PartialObjectMetadata","metadata":{"name":"a","namespace":"n","resourceVersion":"7"}}}]},` +
		`"type":"MODIFIED"}`,
		WatchEvent{Type: "MODIFIED", Rev: 7, Namespace: "n", Name: "a"}},
	{`{"type":"ADDED","object":{"metadata":{"name":"w","resourceVersion":"3"},"code":{"not":"a status"},"message":5}}`,
		WatchEvent{Type: "ADDED", Rev: 3, Name: "w"}},
}

func TestParseWatchEvent(t *testing.T) {
	for _, tc := range watchLines {
		got, err := ParseWatchEvent(tc.line)
		if err != nil || got != tc.want {
			t.Errorf("%s:\n got %+v, %v", tc.line, got, err)
		}
	}
	for _, line := range []string{``, `{`, `{}`, `[]`, `{"type":"ADDED"} x`, `{"type":5}`,
		`{"type":"ADDED","object":{"metadata":{"resourceVersion":"x"}}}`} {
		if got, err := ParseWatchEvent(line); err == nil {
			t.Errorf("%q: got %+v", line, got)
		}
	}
}

func FuzzParseWatchEvent(f *testing.F) {
	for _, tc := range watchLines {
		f.Add(tc.line)
		f.Add(tc.line[:len(tc.line)/2])
	}
	f.Fuzz(func(t *testing.T, line string) {
		e, err := ParseWatchEvent(line)
		if err != nil && e != (WatchEvent{}) {
			t.Fatalf("an error and an event: %+v", e)
		}
		if err == nil && e.Type == "" {
			t.Fatal("an event without a type")
		}
	})
}

// tokens as a real API server wrote them, and others.
var tokens = []struct {
	token string
	want  Token
}{
	{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTk3MCwic3RhcnQiOiIvYlx1MDAwMCJ9",
		Token{Version: "meta.k8s.io/v1", Rev: 9970, Start: "/b\x00"}},
	{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYlx1MDAwMCJ9",
		Token{Version: "meta.k8s.io/v1", Rev: -1, Start: "b\x00"}},
	{"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJucy9hXHUwMDAwIn0=",
		Token{Version: "meta.k8s.io/v1", Rev: 5, Start: "ns/a\x00"}},
}

func TestDecodeToken(t *testing.T) {
	for _, tc := range tokens {
		got, err := DecodeToken(tc.token)
		if err != nil || got.Version != tc.want.Version || got.Rev != tc.want.Rev || got.Start != tc.want.Start {
			t.Errorf("%s: got %+v, %v", tc.token, got, err)
		}
		if got.Inconsistent() != (tc.want.Rev == -1) || !strings.HasPrefix(got.JSON, "{") {
			t.Errorf("%+v", got)
		}
	}
	for _, s := range []string{"", "x", "not base64!", "e30",
		base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":"x"}`)),
		base64.RawURLEncoding.EncodeToString([]byte(`[1]`))} {
		if got, err := DecodeToken(s); err == nil {
			t.Errorf("%q: got %+v", s, got)
		}
	}
}

func FuzzDecodeToken(f *testing.F) {
	for _, tc := range tokens {
		f.Add(tc.token)
	}
	f.Add("e30")
	f.Add("eyJ2IjoiXHVkODAwIn0")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := DecodeToken(s)
		if err != nil && got != (Token{}) {
			t.Fatalf("an error and a token: %+v", got)
		}
	})
}

func TestParseList(t *testing.T) {
	for _, tc := range []struct {
		body string
		want ListAnswer
	}{
		{`{"kind":"PodList","metadata":{"resourceVersion":"9970","continue":"tok","remainingItemCount":2},` +
			`"items":[{"metadata":{"name":"b","namespace":"n"}},{"spec":{},"metadata":{"namespace":"n","name":"c"}}]}`,
			ListAnswer{Rev: 9970, Continue: "tok", Remaining: 2, Count: 2, First: "n/b", Last: "n/c"}},
		{`{"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":null}`, ListAnswer{Rev: 1, Remaining: -1}},
		{`{"kind":"Table","metadata":{"resourceVersion":"4"},"rows":[{"cells":[1],"object":{"metadata":{"name":"n1"}}}]}`,
			ListAnswer{Rev: 4, Remaining: -1, Count: 1, First: "n1", Last: "n1"}},
		{`{"kind":"Status","code":410,"reason":"Expired","message":"gone","metadata":{"continue":"fresh"}}`,
			ListAnswer{Remaining: -1, Continue: "fresh", Reason: "Expired", Message: "gone"}},
	} {
		got, err := ParseList(tc.body)
		if err != nil || got != tc.want {
			t.Errorf("%s:\n got %+v, %v", tc.body, got, err)
		}
	}
	for _, body := range []string{"", "k8s\x00binary", `{"items":5}`, `{"metadata":{"remainingItemCount":"many"}}`} {
		if got, err := ParseList(body); err == nil {
			t.Errorf("%q: got %+v", body, got)
		}
	}
}

func TestParseLongListPauses(t *testing.T) {
	body := `{"items":[` + strings.Repeat(`{"metadata":{"name":"a"}},`, 10*pauseAfter) + `{}]}`
	calls := 0
	a, err := ParseLongList(body, func() { calls++ })
	if err != nil || calls != 10 || a.Count != 10*pauseAfter+1 {
		t.Errorf("%d pauses in %d items: %v", calls, a.Count, err)
	}
}

func FuzzParseList(f *testing.F) {
	f.Add(`{"metadata":{"resourceVersion":"1","continue":"x","remainingItemCount":2},"items":[{"metadata":{"name":"a"}}]}`)
	f.Add(`{"rows":[{"object":{"metadata":{"name":"a"}}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		if got, err := ParseList(body); err == nil && got.Count < 0 {
			t.Fatalf("%+v", got)
		}
	})
}
