package conformance

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"steps":[{"id":"a","do":"dance"}]}`:                         `"dance" is no kind of step`,
		`{"steps":[{"id":"a","do":"request"}]}`:                       "lacks its request",
		`{"steps":[{"id":"a","do":"watch-read","watch":"w"}]}`:        `no watch "w" was opened`,
		`{"steps":[{"id":"a","do":"sleep"},{"id":"a","do":"sleep"}]}`: `two steps are called "a"`,
		`{"steps":[]} {}`: "more after",
		`{"steps":[{"id":"a","do":"request","request":{"headers":{"A":1}}}]}`:         "cannot unmarshal",
		`{"steps":[{"id":"a","do":"request","request":{"bodyBase64":"!"}}]}`:          "base64",
		`{"steps":[{"id":"w","do":"watch-close","watch":"w","request":{"path":""}}]}`: `no watch "w"`,
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want an error with %q, got %v", text, want, err)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"", "a.b[0].c", "a[*].b", "a[name=pods].b", `a["k.with/dots"]`, "[", `["`, "a..b", "a[-1]",
		"[0][0]", "a[=]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		doc, err := decode([]byte(`{"a":{"b":[{"c":1,"name":"pods"}],"k.with/dots":null}}`))
		if err != nil {
			t.Fatal(err)
		}
		before := literal(doc)
		v, found := lookup(doc, path)
		if literal(doc) != before {
			t.Fatalf("looking up %q changed the document", path)
		}
		places, err := parsePath(path)
		if err != nil && found {
			t.Fatalf("%q is no path, and yet leads to %v", path, v)
		}
		after := literal(without(doc, path))
		if err == nil && len(places) == 0 && after != before {
			t.Fatalf("%q took something away", path)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","steps":[{"id":"r","do":"request","request":{"method":"GET","path":"/"},"response":{"status":200,` +
			`"headers":{"Warning":["299"]},"body":{"metadata":{"name":"a","resourceVersion":"7"}}}}]}`,
		`{"steps":[{"id":"w","do":"watch-open","request":{"headers":{"A":["b"]}},"response":{"bodyText":"ok"}},{"id":"r",` +
			`"do":"watch-eof","watch":"w","events":[{"message":"resourceVersion 7"},1]}]}`,
		`{"steps":[{"id":"c","do":"compact"},{"id":"s","do":"sleep","forMillis":-1,"captured":{"a":"1"}}]}`,
		`{"steps":[{"id":"r","do":"request","compare":{"only":["a.continue"]},"request":{"bodyBase64":"azhz"},` +
			`"response":{"bodyBase64":"azhzAAoJCgJ2MRIDUG9k","selected":{"a.continue":"x"}}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse(b)
		if err != nil {
			return
		}
		got := make([]Outcome, len(s.Steps))
		for i, st := range s.Steps {
			got[i] = st.Outcome
		}
		if d := Compare(s, got); len(d) > 0 {
			t.Errorf("differs from itself: %v", d)
		}
	})
}
