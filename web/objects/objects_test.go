package objects

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func keys(s *Store) string {
	var out []string
	for _, o := range s.Rows() {
		out = append(out, fmt.Sprintf("%s@%d", o.Key(), o.Revision))
	}
	return strings.Join(out, " ")
}

func object(ns, name string, rv int) string {
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":%q,"namespace":%q,"uid":"u-%s","resourceVersion":"%d",`+
		`"creationTimestamp":"2026-01-02T03:04:05Z"},"spec":{"a":["}",{"metadata":1}]}}`, name, ns, name, rv)
}

func TestStoreFollowsACollection(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC)
	var s Store
	page := func(token string, items ...string) string {
		return `{"kind":"PodList","metadata":{"resourceVersion":"10","continue":"` + token + `"},"items":[` +
			strings.Join(items, ",") + `]}`
	}
	if err := s.List(page("next", object("b", "x", 3), object("a", "y", 4)), true); err != nil || s.Continue != "next" {
		t.Fatal(err, s.Continue)
	}
	if err := s.List(page("", object("a-b", "z", 5)), false); err != nil {
		t.Fatal(err)
	}
	if got := keys(&s); got != "a/y@4 a-b/z@5 b/x@3" || s.Revision != 10 {
		t.Errorf("listed %s at %d", got, s.Revision)
	}
	for _, e := range []struct{ line, want string }{
		{`{"type":"ADDED","object":` + object("a", "a", 11) + `}`, "a/a@11 a/y@4 a-b/z@5 b/x@3"},
		{`{"type":"MODIFIED","object":` + object("b", "x", 12) + `}`, "a/a@11 a/y@4 a-b/z@5 b/x@12"},
		{`{"type":"DELETED","object":` + object("a", "y", 13) + `}`, "a/a@11 a-b/z@5 b/x@12"},
		{`{"type":"DELETED","object":` + object("a", "unknown", 14) + `}`, "a/a@11 a-b/z@5 b/x@12"},
		{`{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"20","creationTimestamp":null}}}`,
			"a/a@11 a-b/z@5 b/x@12"},
	} {
		if _, err := s.Event(e.line, now); err != nil {
			t.Fatalf("%s: %v", e.line, err)
		}
		if got := keys(&s); got != e.want {
			t.Errorf("after %s: %s", e.line, got)
		}
	}
	if s.Revision != 20 {
		t.Errorf("revision %d", s.Revision)
	}
	o := s.Get("b", "x")
	if o == nil || o.Verb != "MODIFIED" || !o.At.Equal(now) || o.UID != "u-x" || now.Sub(o.Created) != time.Minute ||
		o.JSON != object("b", "x", 12) {
		t.Errorf("%+v", o)
	}
	if _, err := s.Event(`{"type":"ERROR","object":{"kind":"Status","code":410}}`, now); !errors.Is(err, ErrGone) {
		t.Errorf("ERROR gave %v", err)
	}
	before := keys(&s)
	for _, bad := range []string{"", "{", `{"type":"ADDED"}`, `{"items":[1]}`, "[]"} {
		if _, err := s.Event(bad, now); err == nil && bad != "" && keys(&s) != before {
			t.Errorf("%q changed the store", bad)
		}
	}
	if err := s.List(`{"items":[`, true); err == nil || keys(&s) != before {
		t.Error("a broken list must change nothing")
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 119 * time.Second: "119s", 125 * time.Second: "2m5s", 180 * time.Second: "3m",
		2 * time.Hour: "120m", 5*time.Hour + 3*time.Minute: "5h3m", 20 * time.Hour: "20h", 50 * time.Hour: "2d2h",
		400 * 24 * time.Hour: "400d", 3 * 365 * 24 * time.Hour: "3y",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%v) = %s, want %s", d, got, want)
		}
	}
}

func BenchmarkList1253(b *testing.B) {
	var items []string
	for i := range 1253 {
		items = append(items, object("paging", fmt.Sprintf("pod-%04d", i), i+1))
	}
	body := `{"metadata":{"resourceVersion":"9999"},"items":[` + strings.Join(items, ",") + `]}`
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		var s Store
		if err := s.List(body, true); err != nil {
			b.Fatal(err)
		}
	}
}
