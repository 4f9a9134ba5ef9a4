package lesson

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// withFront is the small lesson with lines of front matter before it.
func withFront(lines string) string { return "---\n" + lines + "---\n" + small }

func TestFrontMatter(t *testing.T) {
	all := []string{"# a comment", "minutes: 10", "requires:", "  servers: 2", "  lag: 0", "  frozen: true", "  retention: 1h",
		"  bookmarks: 90s", "  clock: paused", "  chaos: on", "  match: ignored", ""}
	l, err := Parse("1-a.md", withFront(strings.Join(all, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	const want = "[{servers 2} {lag 0} {frozen 1} {retention 3600} {bookmarks 90} {clock 1} {chaos 1} {match 1}]"
	if got := fmt.Sprint(l.Requires); l.Minutes != 10 || got != want {
		t.Errorf("%d minutes, %s", l.Minutes, got)
	}
	if l.Steps[0].Line != 18 {
		t.Errorf("the first step is on line %d", l.Steps[0].Line)
	}
	if l, err := Parse("1-a.md", small); err != nil || l.Minutes != 0 || l.Requires != nil {
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

func TestParseSettings(t *testing.T) {
	usual := Settings{Replicas: []Replica{{}}, Retention: 300, Bookmarks: 60}
	for object, want := range map[string]Settings{
		`{}`:                              usual,
		`{"spec": {"cache": {}}}`:         usual,
		`{"spec": {"unknown": [1]}}`:      usual,
		`{"spec": {"compatibility": {}}}`: usual,
		`{"spec": {"cache": {"replicas": [{"lagSeconds": 5}, {"frozen": true}]}, "history": {"retentionSeconds": 7},
			"watch": {"bookmarkSeconds": 8}, "clock": {"paused": true}, "chaos": {"enabled": true},
			"compatibility": {"resourceVersionMatch": "Ignore"}}}`: {
			Replicas: []Replica{{LagSeconds: 5}, {Frozen: true}}, Retention: 7, Bookmarks: 8, Paused: true, Chaos: true, IgnoreMatch: true,
		},
	} {
		got, err := ParseSettings(object)
		if err != nil || !got.Equal(want) {
			t.Errorf("%s: %+v, %v", object, got, err)
		}
	}
	for _, bad := range []string{"", "x", "[]", `{"spec": {"cache": {"replicas": 3}}}`} {
		if _, err := ParseSettings(bad); !errors.Is(err, ErrSettings) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestChanges(t *testing.T) {
	usual := Settings{Replicas: []Replica{{}}, Retention: 300, Bookmarks: 60}
	frozen := Settings{Replicas: []Replica{{}, {Frozen: true}}, Retention: 300, Bookmarks: 60}
	one := []Requirement{{"servers", 1}, {"lag", 0}, {"frozen", 0}}
	for _, test := range []struct {
		name        string
		now, before Settings
		requires    []Requirement
		patch, said string
	}{
		{"nothing to do", usual, usual, one, "", ""},
		{"nothing required", frozen, frozen, nil, "", ""},
		{"fewer servers", frozen, frozen, one,
			`{"spec":{"cache":{"replicas":[{"lagSeconds":0,"frozen":false}]}}}`, "Set for this lesson: one API server."},
		{"given back", usual, frozen, nil,
			`{"spec":{"cache":{"replicas":[{"lagSeconds":0,"frozen":false},{"lagSeconds":0,"frozen":true}]}}}`,
			"Set back as it was: 2 API servers, the cache of C1 is frozen."},
		{"the cache follows", Settings{Replicas: []Replica{{Frozen: true}}, Retention: 300, Bookmarks: 60}, usual, one,
			`{"spec":{"cache":{"replicas":[{"lagSeconds":0,"frozen":false}]}}}`, "Set for this lesson: the cache keeps up."},
		{"more servers, then late", usual, usual, []Requirement{{"lag", 90}, {"servers", 2}},
			`{"spec":{"cache":{"replicas":[{"lagSeconds":90,"frozen":false},{"lagSeconds":90,"frozen":false}]}}}`,
			"Set for this lesson: 2 API servers, the cache of C0 is 90 seconds late, the cache of C1 is 90 seconds late."},
		{"both", Settings{Replicas: []Replica{{}}, Retention: 3600, Bookmarks: 1, Paused: true, IgnoreMatch: true}, usual,
			[]Requirement{{"clock", 0}, {"match", 0}},
			`{"spec":{"history":{"retentionSeconds":300},"watch":{"bookmarkSeconds":60},"clock":{"paused":false},` +
				`"compatibility":{"resourceVersionMatch":"Honor"}}}`,
			"Set for this lesson: the clock runs, resourceVersionMatch is honoured. " +
				"Set back as it was: history is kept for 5 minutes, a bookmark comes every 1 minute."},
		{"chaos", Settings{Replicas: []Replica{{}}, Retention: 300, Bookmarks: 60, Chaos: true}, usual, []Requirement{{"chaos", 0}},
			`{"spec":{"chaos":{"enabled":false}}}`, "Set for this lesson: nothing goes wrong at random."},
		{"odd ones", usual, usual, []Requirement{{"clock", 1}, {"match", 1}, {"retention", 3600}, {"bookmarks", 1}},
			`{"spec":{"history":{"retentionSeconds":3600},"watch":{"bookmarkSeconds":1},"clock":{"paused":true},` +
				`"compatibility":{"resourceVersionMatch":"Ignore"}}}`,
			"Set for this lesson: history is kept for 1 hour, a bookmark comes every 1 second, the clock is paused, " +
				"resourceVersionMatch is ignored."},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Changes(test.now, test.before, test.requires)
			if c.Patch != test.patch {
				t.Errorf("patch %s, want %s", c.Patch, test.patch)
			}
			if got := c.Words(); got != test.said {
				t.Errorf("said %q, want %q", got, test.said)
			}
			if c.Patch == "" {
				return
			}
			if got, err := ParseSettings(c.Patch); err != nil || !slicesEqualReplicas(got, test.before.With(test.requires), c.Patch) {
				t.Errorf("the patch reads as %+v, %v", got, err)
			}
		})
	}
	before := frozen.With(one)
	if len(frozen.Replicas) != 2 || !frozen.Replicas[1].Frozen || before.Replicas[0].Frozen {
		t.Errorf("With changed what it was given: %+v", frozen)
	}
}

// slicesEqualReplicas compares the replicas, if the patch has any.
func slicesEqualReplicas(got, want Settings, patch string) bool {
	if !strings.Contains(patch, "replicas") {
		return true
	}
	want.Retention, want.Bookmarks = got.Retention, got.Bookmarks
	want.Paused, want.Chaos, want.IgnoreMatch = got.Paused, got.Chaos, got.IgnoreMatch
	return got.Equal(want)
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
		if len(s.Replicas) == 0 {
			t.Fatal("no server")
		}
		if c := Changes(s, s, nil); c.Patch != "" {
			t.Fatalf("as it is, and yet %s", c.Patch)
		}
	})
}
