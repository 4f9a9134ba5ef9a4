package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/settings"
)

// withFront returns the small lesson with lines of front matter before it.
func withFront(lines string) string { return "---\n" + lines + "---\n" + small }

func TestFrontMatter(t *testing.T) {
	all := []string{"# a comment", "minutes: 10", "requires:", "  servers: 2", "  lag: 0", "  frozen: true",
		"  retention: 1h",
		"  bookmarks: 90s", "  clock: paused", "  chaos: on", "  match: ignored", ""}
	l, err := Parse("1-a.md", withFront(strings.Join(all, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{servers 2} {lag 0} {frozen true} {retention 3600} {bookmarks 90} {clock true} {chaos true} {match ` +
		`"Ignore"}]`
	var said []string
	for _, r := range l.Requires {
		if !r.Usual {
			said = append(said, fmt.Sprintf("{%s %s}", r.Key, r.Value))
		}
	}
	if got := "[" + strings.Join(said, " ") + "]"; l.Minutes != 10 || got != want {
		t.Errorf("%d minutes, %s", l.Minutes, got)
	}
	if l.Steps[0].Line != 18 {
		t.Errorf("the first step is on line %d", l.Steps[0].Line)
	}
	if l, err := Parse("1-a.md", small); err != nil || l.Minutes != 0 || len(l.Requires) == 0 || !l.Requires[0].Usual {
		t.Errorf("without front matter: %+v, %v", l, err)
	}
	for lines, want := range map[string]string{
		"minutes: 0\n":                            `1-a.md:2: minutes: a number from 1 to 120`,
		"minutes: soon\n":                         `1-a.md:2: minutes:`,
		"\nauthor: me\n":                          `1-a.md:3: unknown "author"`,
		"minutes\n":                               `1-a.md:2: "minutes" is not of the form`,
		"  servers: 1\n":                          `1-a.md:2: "servers: 1" is indented`,
		"requires: much\n":                        `1-a.md:2: unknown "requires"`,
		"requires:\n  cats: 1\n":                  `1-a.md:3: unknown requirement "cats"`,
		"requires:\n  servers: 4\n":               `1-a.md:3: servers: a number from 1 to 3`,
		"requires:\n  lag: -1s\n":                 `1-a.md:3: lag: a span`,
		"requires:\n  lag: 1.5s\n":                `1-a.md:3: lag: a span`,
		"requires:\n  retention: 0\n":             `1-a.md:3: retention: a span`,
		"requires:\n  capacity: 8\n":              `1-a.md:3: capacity: two numbers of events`,
		"requires:\n  capacity: 8-4\n":            `1-a.md:3: capacity: two numbers of events`,
		"requires:\n  capacity: 0-4\n":            `1-a.md:3: capacity: two numbers of events`,
		"requires:\n  frozen: maybe\n":            `1-a.md:3: frozen: false or true`,
		"requires:\n  lag: 0\n  lag: 1s\n":        `1-a.md:4: lag is required twice`,
		"requires:\nminutes: 5\n  servers: 1\n":   `1-a.md:4: "servers: 1" is indented`,
		strings.Repeat("minutes: 5\n", 2) + "x\n": `1-a.md:4: "x" is not`,
	} {
		if _, err := Parse("1-a.md", withFront(lines)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s…", lines, err, want)
		}
	}
	_, err = Parse("1-a.md", "---\nminutes: 5\n")
	if err == nil || !strings.HasPrefix(err.Error(), "1-a.md:1: the front matter is not closed") {
		t.Errorf("not closed: %v", err)
	}
}

// with returns the usual settings with others in their place.
func with(t *testing.T, spec string) Settings {
	t.Helper()
	s, err := ParseSettings(`{"spec": ` + spec + `}`)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParseSettings(t *testing.T) {
	usual := with(t, "{}")
	for _, same := range []string{`{}`, `{"spec": {"cache": {}}}`, `{"spec": {"unknown": [1]}}`,
		`{"spec": {"compatibility": {}}}`,
		`{"spec": {"cache": {"replicas": [{"lagSeconds": 0, "frozen": false}]}, "history": {"retentionSeconds": 300}}}`} {
		if got, err := ParseSettings(same); err != nil || !got.Equal(usual) {
			t.Errorf("%s: %v, %v", same, got, err)
		}
	}
	for path, want := range map[string]string{
		"cache.replicas": `[{"lagSeconds":5},{"frozen":true}]`, "history.retentionSeconds": "7", "watch.bookmarkSeconds": "8",
		"cache.progressSeconds": "9", "cache.capacity": `{"least":4,"most":8}`,
		"clock.paused": "true", "chaos.enabled": "true", "compatibility.resourceVersionMatch": `"Ignore"`,
		"authorization.mode":  `"RBAC"`,
		"controllers.enabled": "false",
	} {
		spec := map[string]any{}
		settings.Put(spec, path, json.RawMessage(want))
		b, err := json.Marshal(map[string]any{"spec": spec})
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseSettings(string(b))
		if err != nil || got[path] != want || got.Equal(usual) {
			t.Errorf("%s: %q, %v", path, got[path], err)
		}
	}
	for _, bad := range []string{"", "x", "[]", `{"spec": {"cache": {"replicas": 3}}}`} {
		if _, err := ParseSettings(bad); !errors.Is(err, ErrSettings) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestChanges(t *testing.T) {
	usual, frozen := with(t, "{}"), with(t, `{"cache": {"replicas": [{}, {"frozen": true}]}}`)
	one := []Requirement{{"servers", "1", false}, {"lag", "0", false}, {"frozen", "false", false}}
	for _, test := range []struct {
		name        string
		now, before Settings
		requires    []Requirement
		patch, said string
	}{
		{"nothing to do", usual, usual, one, "", ""},
		{"nothing required", frozen, frozen, nil, "", ""},
		{"fewer servers", frozen, frozen, one, `{"spec":{"cache":{"replicas":[{}]}}}`,
			"Settings changed: one API server."},
		{"given back", usual, frozen, nil, `{"spec":{"cache":{"replicas":[{},{"frozen":true}]}}}`,
			"Reset: 2 API servers, the cache of C1 is frozen."},
		{"the cache follows", with(t, `{"cache": {"replicas": [{"frozen": true}]}}`), usual, one,
			`{"spec":{"cache":{"replicas":[{}]}}}`, "Settings changed: the cache keeps up."},
		{"more servers, then late", usual, usual, []Requirement{{"lag", "90", false}, {"servers", "2", false}},
			`{"spec":{"cache":{"replicas":[{"lagSeconds":90},{"lagSeconds":90}]}}}`,
			"Settings changed: 2 API servers, the cache of C0 is 90 seconds late, the cache of C1 is 90 seconds late."},
		{"both", with(t, `{"history": {"retentionSeconds": 3600}, "watch": {"bookmarkSeconds": 1}, "clock": {"paused": true},
			"compatibility": {"resourceVersionMatch": "Ignore"}}`), usual,
			[]Requirement{{"clock", "false", false}, {"match", `"Honor"`, false}},
			`{"spec":{"clock":{"paused":false},"compatibility":{"resourceVersionMatch":"Honor"},` +
				`"history":{"retentionSeconds":300},` +
				`"watch":{"bookmarkSeconds":60}}}`,
			"Settings changed: the clock runs, resourceVersionMatch is honoured. " +
				"Reset: etcd is compacted every 5 minutes, a bookmark comes every 1 minute."},
		{"not worth a word", usual, usual, []Requirement{{"retention", "3600", true}},
			`{"spec":{"history":{"retentionSeconds":3600}}}`, ""},
		{"not noted by an older visit", with(t, `{"cache": {"progressSeconds": 1}}`), Settings{}, nil, "", ""},
		{"progress", usual, usual, []Requirement{{"progress", "1", false}}, `{"spec":{"cache":{"progressSeconds":1}}}`,
			"Settings changed: etcd reports its progress to the caches every 1 second."},
		{"capacity", with(t, `{"cache": {"capacity": {"most": 8, "least": 4}}}`), usual, nil,
			`{"spec":{"cache":{"capacity":{"least":100,"most":102400}}}}`,
			"Reset: a cache has room for 100 to 102,400 events of a type."},
		{"odd ones", usual, usual, []Requirement{{"clock", "true", false}, {"limit", `"Ignore"`, false},
			{"bookmarks", "0", false}},
			`{"spec":{"clock":{"paused":true},"compatibility":{"limit":"Ignore"},"watch":{"bookmarkSeconds":0}}}`,
			"Settings changed: no bookmarks come, the clock is paused, limit is ignored."},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Changes(test.now, test.before, test.requires)
			if c.Patch != test.patch {
				t.Errorf("patch %s, want %s", c.Patch, test.patch)
			}
			if got := c.Words(); got != test.said {
				t.Errorf("said %q, want %q", got, test.said)
			}
		})
	}
	if before := maps.Clone(frozen); !frozen.With(one).Equal(usual) || !frozen.Equal(before) {
		t.Errorf("With made %v of %v", frozen.With(one), frozen)
	}
}

func FuzzParseSettings(f *testing.F) {
	f.Add(`{"spec": {"cache": {"replicas": [{"lagSeconds": 5}, {"frozen": true}]}, "clock": {"paused": true}}}`)
	f.Add(`{"spec": null}`)
	f.Fuzz(func(t *testing.T, object string) {
		s, err := ParseSettings(object)
		if err != nil {
			if !errors.Is(err, ErrSettings) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if c := Changes(s, s, nil); c.Patch != "" {
			t.Fatalf("as it is, and yet %s", c.Patch)
		}
	})
}
