package format

import (
	_ "embed"
	"errors"
	"slices"
	"strings"
	"testing"
)

// sceneSource is a scene of one step.
//
//go:embed testdata/scene.md
var sceneSource string

func TestParseScene(t *testing.T) {
	s, err := ParseScene("03-lists.md", sceneSource)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "lists" || s.Line != "What a list says." || len(s.Picture) != 2 || s.Picture[1][0] != "cache" {
		t.Errorf("read %q, %q, %v", s.ID, s.Line, s.Picture)
	}
}

func TestParseSceneRefuses(t *testing.T) {
	const says = "It is of {{list.response.body.metadata.resourceVersion}}, in `default`."
	const question = "~~~predict\nWhat?\n= list.response.status\n---\nThat.\n~~~\n\n~~~check"
	for name, test := range map[string]struct{ from, to, want string }{
		"no picture":         {"picture: start added / cache\n", "", "no picture"},
		"an unknown sign":    {"start added", "start plus", `:2: picture: there is no sign "plus"`},
		"an empty row":       {"added / cache", "added /", "an empty row"},
		"a lesson's keys":    {"requires:", "minutes: 3\nrequires:", "the front matter of a scene"},
		"no line":            {"What a list says.", "", "the scene needs one sentence"},
		"a long line":        {"What a list says.", strings.Repeat("x", 80), "has 80 characters"},
		"no sentence":        {says, "", "needs one sentence"},
		"two paragraphs":     {"in `default`.", "in `default`.\n\nAnd so on.", "needs one sentence"},
		"a long sentence":    {"in `default`.", strings.Repeat("long ", 30), "characters, and may have 90"},
		"a long title":       {"## a list", "## " + strings.Repeat("x", 41), "title has 41 characters"},
		"an unknown name":    {"{{list.", "{{lost.", "{{lost}}: no row of a check has found that by now"},
		"an open reference":  {"resourceVersion}}", "resourceVersion", "{{ is not closed"},
		"a question":         {"~~~check", question, `"predict" in a scene`},
		"a hint":             {"~~~check", "~~~hint\nLook.\n~~~\n\n~~~check", `"hint" in a scene`},
		"a wrong attempt":    {"~~~check", "~~~wrong\nGET /a\n~~~\n\n~~~check", "no wrong and no covers"},
		"no check":           {"~~~check", "~~~", "has no check"},
		"an end":             {"-> 200\n~~~\n", "-> 200\n~~~\n\n---\n\nSo it is.\n", "ends with its last step"},
		"a broken condition": {"-> 200", "-> yes", "03-lists.md:22"},
	} {
		src := strings.Replace(sceneSource, test.from, test.to, 1)
		if src == sceneSource {
			t.Errorf("%s: %q is not in the source", name, test.from)
		}
		_, err := ParseScene("03-lists.md", src)
		var e *Error
		if !errors.As(err, &e) || e.File != "03-lists.md" || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", name, err, test.want)
		}
	}
}

// withLevers is the scene with programs, and levers in its step.
func withLevers(programs, levers string) string {
	src := strings.Replace(sceneSource, "requires:", programs+"\nrequires:", 1)
	return strings.Replace(src, "~~~check", "~~~lever\n"+levers+"\n~~~\n\n~~~check", 1)
}

func TestSceneLevers(t *testing.T) {
	const all = "second a\n\nend a\nstop a before pods\ncontinue a\nlag a pods 900"
	s, err := ParseScene("03-lists.md", withLevers("programs: on A=false,B=true", all))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Programs || s.Gates != "A=false,B=true" {
		t.Errorf("programs %t, features %q", s.Programs, s.Gates)
	}
	var got []Lever
	for _, l := range s.Steps[0].Levers {
		l.Line = 0
		got = append(got, l)
	}
	if want := []Lever{{Do: Second, Program: "a"}, {Do: End, Program: "a"}, {Do: Stop, Program: "a", Resource: "pods"},
		{Do: Continue, Program: "a"}, {Do: Lag, Program: "a", Resource: "pods", Seconds: 900}}; !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, test := range []struct{ programs, lever, want string }{
		{"programs: on", "halt a", `not "halt"`},
		{"programs: on", "end", "a lever such as end PROGRAM"},
		{"programs: on", "stop a", "a lever such as stop PROGRAM before RESOURCE"},
		{"programs: on", "lag a pods -1", "a lever such as lag PROGRAM RESOURCE SECONDS"},
		{"programs: on", "lag a pods long", "a lever such as lag PROGRAM RESOURCE SECONDS"},
		{"programs: on A=false B=true", "end a", "programs: is on"},
		{"programs: off", "end a", "programs: is on"},
		{"", "end a", "levers of programs are for scenes with programs: on"},
	} {
		_, err := ParseScene("03-lists.md", withLevers(test.programs, test.lever))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s, %s: %v, want %q in it", test.programs, test.lever, err, test.want)
		}
	}
}

// FuzzParseScene wants any text to be refused with its place, or read into a scene whose every step has a sentence.
func FuzzParseScene(f *testing.F) {
	f.Add(sceneSource)
	f.Add(strings.Replace(sceneSource, "~~~http", "~~~setup", 1))
	f.Add("---\npicture: start\n---\n# A\n\nB.\n")
	f.Add("picture:\r\n/")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := ParseScene("01-a.md", src)
		if err != nil {
			if e := (*Error)(nil); !errors.As(err, &e) || e.File == "" || e.Line < 1 {
				t.Fatalf("%#v says not where", err)
			}
			return
		}
		if len(s.says) != len(s.Steps) || s.Line == "" || len(s.Picture) == 0 {
			t.Fatalf("%d sentences for %d steps, %q, %v", len(s.says), len(s.Steps), s.Line, s.Picture)
		}
	})
}
