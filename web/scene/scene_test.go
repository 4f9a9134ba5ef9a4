package scene

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/tap"
)

// source is a scene of one step.
const source = `---
picture: start added / cache
requires:
  capacity: 8-8
---

# Lists

What a list says.

## a list

It is of {{list.response.body.metadata.resourceVersion}}, in ` + "`default`" + `.

~~~http
# @name list
GET /api/v1/namespaces/default/secrets
~~~

~~~check
- They were listed
  list: GET /api/v1/namespaces/default/secrets -> 200
~~~
`

// listed has the session see the scene's request.
func listed(session *lesson.Session, log *tap.Log) {
	for _, ev := range []tap.Event{
		{Type: tap.Request, ID: 7, Method: "GET", URL: "/api/v1/namespaces/default/secrets"},
		{Type: tap.Head, ID: 7, Status: 200},
		{Type: tap.Chunk, ID: 7, Text: `{"metadata":{"resourceVersion":"42"}}`},
		{Type: tap.End, ID: 7},
	} {
		log.Add(ev)
		session.Observe(ev, true)
	}
	session.Recheck()
}

func TestParse(t *testing.T) {
	s, err := Parse("03-lists.md", source)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "lists" || s.Line != "What a list says." || len(s.Picture) != 2 || s.Picture[1][0] != "cache" {
		t.Errorf("read %q, %q, %v", s.ID, s.Line, s.Picture)
	}
	log := new(tap.Log)
	session := lesson.NewSession(s.Lesson, lesson.Progress{}, log)
	if _, err := s.Says(0, session, nil); !errors.As(err, new(*lesson.MissingError)) {
		t.Errorf("before the list it says %v", err)
	}
	listed(session, log)
	if said, err := s.Says(0, session, nil); err != nil || said != "It is of 42, in `default`." {
		t.Errorf("it says %q, %v", said, err)
	}
}

// TestLane wants the lane of a watch to be asked for by the tap's id of its request.
func TestLane(t *testing.T) {
	src := strings.Replace(source, "{{list.response.body.metadata.resourceVersion}}", "{{list.lane}}", 1)
	s, err := Parse("03-lists.md", src)
	if err != nil {
		t.Fatal(err)
	}
	log := new(tap.Log)
	session := lesson.NewSession(s.Lesson, lesson.Progress{}, log)
	listed(session, log)
	names := map[int]string{7: "w3"}
	lane := func(id int) string { return names[id] }
	if said, err := s.Says(0, session, lane); err != nil || said != "It is of w3, in `default`." {
		t.Errorf("it says %q, %v", said, err)
	}
	delete(names, 7)
	if said, err := s.Says(0, session, lane); err == nil {
		t.Errorf("without a lane it says %q", said)
	}
}

func TestParseRefuses(t *testing.T) {
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
		src := strings.Replace(source, test.from, test.to, 1)
		if src == source {
			t.Errorf("%s: %q is not in the source", name, test.from)
		}
		_, err := Parse("03-lists.md", src)
		var e *lesson.Error
		if !errors.As(err, &e) || e.File != "03-lists.md" || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", name, err, test.want)
		}
	}
}

// FuzzParse wants any text to be refused with its place, or read into a scene whose every step has a sentence.
func FuzzParse(f *testing.F) {
	f.Add(source)
	f.Add(strings.Replace(source, "~~~http", "~~~setup", 1))
	f.Add("---\npicture: start\n---\n# A\n\nB.\n")
	f.Add("picture:\r\n/")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := Parse("01-a.md", src)
		if err != nil {
			if e := (*lesson.Error)(nil); !errors.As(err, &e) || e.File == "" || e.Line < 1 {
				t.Fatalf("%#v says not where", err)
			}
			return
		}
		if len(s.says) != len(s.Steps) || s.Line == "" || len(s.Picture) == 0 {
			t.Fatalf("%d sentences for %d steps, %q, %v", len(s.says), len(s.Steps), s.Line, s.Picture)
		}
		session := lesson.NewSession(s.Lesson, lesson.Progress{}, new(tap.Log))
		for i := range s.Steps {
			_, _ = s.Says(i, session, func(int) string { return "" })
		}
	})
}
