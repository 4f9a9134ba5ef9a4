package session

import (
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// asked returns a session of a lesson whose first step asks a question.
func asked(t *testing.T, question, check string) *taps {
	t.Helper()
	src := "# T\n## First\n```predict\n" + strings.TrimSpace(question) +
		"\n```\n```http\n# @name made\nPOST /pods\n```\n```check\n" + check +
		"```\n## Second\n```http\nGET /api\n```\n```check\n- R\n  last: GET /api\n```\n"
	l, err := format.Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	return &taps{t: t, s: New(l, Progress{}, new(tap.Log))}
}

const (
	choices = "How is it answered?\n- 201\n  made.response.status = 201\n  made.response.body.kind is present\n" +
		"  reply \"Yes.\"\n- 409\n  made.response.status = 409\n  reply \"No.\"\n- never\n  reply \"No.\"\n---\nSo."
	madeRow = "- Made\n  made: POST /pods -> 201 or 409 or 500\n"
)

func TestCommit(t *testing.T) {
	p := asked(t, choices, madeRow)
	if !p.s.Held(0, 1) || p.s.Held(0, 0) || p.s.Held(1, 0) || p.s.Held(-1, 0) {
		t.Error("what comes after the question waits, and nothing else")
	}
	for _, none := range []string{"", "3", "-1", "x"} {
		if p.s.Commit(0, none) {
			t.Errorf("%q was taken", none)
		}
	}
	if p.s.Commit(1, "0") {
		t.Error("a step without a question took an answer")
	}
	if !p.s.Commit(0, "1") || p.s.Commit(0, "0") || p.s.Skip(0) || p.s.Held(0, 1) {
		t.Error("an answer is given once, and lets the requests run")
	}
	p.do("POST", "/pods", 201, `{"kind": "Pod"}`)
	p.passed(1)
	a := p.s.Answer(0)
	if a.Right != "0" || a.Correct() || !a.Known() || a.Skipped {
		t.Errorf("after it: %+v", a)
	}
	again := New(p.s.Lesson, ParseProgress(p.s.Progress().String()), new(tap.Log))
	if again.Answer(0) != a {
		t.Errorf("after a reload: %+v", again.Answer(0))
	}
	p.s.NoteRun("0/1/0")
	if !p.s.Begun(0) || p.s.Begun(1) {
		t.Error("a request of the first step was run, and none of the second")
	}
	p.s.Redo(0)
	if got := p.s.Answer(0); got != a || p.s.solved() != 0 || p.s.Begun(0) {
		t.Errorf("to be gone on with: %+v, %d steps", got, p.s.solved())
	}
	p.s.Redo(1)
	kept := New(p.s.Lesson, ParseProgress(p.s.Progress().String()), new(tap.Log))
	if got := p.s.Answer(0); got != a || p.s.solved() != 0 || p.s.Passed() != 1 || kept.Passed() != 1 {
		t.Errorf("to be done once more: %+v, %d steps, %d are kept", got, p.s.Passed(), kept.Passed())
	}
	p.do("POST", "/pods", 409, `{}`)
	p.passed(1)
	if got := p.s.Answer(0); got != a {
		t.Errorf("done once more, for what follows: %+v", got)
	}
	p.s.Redo(1)
	p.s.KeepPassed()
	if p.s.Passed() != 1 || p.s.solved() != 1 {
		t.Error("what could not be done once more is passed no longer")
	}
	p.s.Reset(0)
	if p.s.Answer(0).Committed() || !p.s.Held(0, 1) {
		t.Error("starting over forgets the answer")
	}
}

func TestRightAnswers(t *testing.T) {
	for _, test := range []struct {
		name, question, check string
		status                int
		body                  string
		given, right          string
		correct               bool
	}{
		{"both conditions", choices, madeRow, 201, `{"kind": "Pod"}`, "0", "0", true},
		{"one condition alone", choices, madeRow, 201, `{}`, "0", "?", false},
		{"none holds", choices, madeRow, 500, `{}`, "2", "?", false},
		{"another than is explained", "Q?\n- a\n  made.response.status = 201\n- b\n  made.response.status = 409\n  reply " +
			"\"x\"\n---\nE", madeRow, 409, `{}`, "1", "?", false},
		{"the one that is explained", "Q?\n- a\n  made.response.status = 201\n- b\n  made.response.status = 409\n  reply " +
			"\"x\"\n---\nE", madeRow, 201, `{}`, "1", "0", false},
		{"two hold", "Q?\n- a\n  made.response.status = 201\n- b\n  made.response.status > 200\n  reply \"x\"\n---\nE",
			madeRow, 201, `{}`, "0", "?", false},
		{"a value", "Q?\n= made.response.body.n\n- 7\n  reply \"x\"\n---\nE", madeRow, 201, `{"n": 1253}`, " 1,253 ", "1253",
			true},
		{"another value", "Q?\n= made.response.body.n\n- 7\n  reply \"x\"\n---\nE", madeRow, 201, `{"n": 8}`, "7", "8",
			false},
		{"no value", "Q?\n= made.response.body.n\n- 7\n  reply \"x\"\n---\nE", madeRow, 201, `{}`, "7", "?", false},
		{"words", "Q?\n= made.response.body.kind\n- x\n  reply \"x\"\n---\nE", madeRow, 201, `{"kind": "Pod List"}`,
			"pod  list", "Pod List", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := asked(t, test.question, test.check)
			if !p.s.Commit(0, test.given) {
				t.Fatal("not taken")
			}
			p.do("POST", "/pods", test.status, test.body)
			if test.right == "?" {
				p.passed(0)
				if st := p.s.Step(0); st.Trouble == nil || !st.Trouble.Asked || st.Rows[0].Done || p.s.Answer(0).Known() {
					t.Errorf("nothing is ticked or judged in another situation: %+v, %+v", st, p.s.Answer(0))
				}
				return
			}
			p.passed(1)
			if a := p.s.Answer(0); a.Right != test.right || a.Correct() != test.correct {
				t.Errorf("right is %q, correct %v", a.Right, a.Correct())
			}
		})
	}
}

// What is done without an answer counts as skipped: also from elsewhere than the lesson.
func TestSkip(t *testing.T) {
	p := asked(t, choices, madeRow)
	if !p.s.Skip(0) || p.s.Held(0, 1) || p.s.Commit(0, "0") {
		t.Error("skipping lets the requests run, and is for good")
	}
	p.do("POST", "/pods", 409, `{}`)
	p.passed(1)
	if a := p.s.Answer(0); !a.Skipped || a.Right != "1" || a.Correct() {
		t.Errorf("skipped: %+v", a)
	}
	p = asked(t, choices, madeRow)
	p.do("POST", "/pods", 201, `{"kind": "Pod"}`)
	p.passed(1)
	if a := p.s.Answer(0); !a.Skipped || a.Right != "0" {
		t.Errorf("not asked: %+v", a)
	}
}

func TestRowsThatCount(t *testing.T) {
	p := session(t, "- Three\n  made: POST /pods -> 201\n  times 3\n- Then\n  last: GET /api/v1/pods\n")
	for range 2 {
		p.do("POST", "/pods", 201, "{}")
	}
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "That is 2 of 3." {
		t.Errorf("told %q", got)
	}
	p.do("GET", "/api/v1/pods", 200, "{}") // too early
	p.do("POST", "/pods", 201, "{}")
	p.passed(0)
	p.do("GET", "/api/v1/pods", 200, "{}")
	p.passed(1)
}

func TestRowsThatWantNothing(t *testing.T) {
	const check = "- Watched\n  watch: GET /api/v1/pods -> 200\n- Written\n  made: POST /pods -> 201\n" +
		"- Its event\n  seen: ADDED in watch\n" +
		"- No bookmark before it\n  none: no BOOKMARK in watch\n  before seen\n"
	p := session(t, check)
	w := p.open("GET", "/api/v1/pods?watch=1", 200)
	p.do("POST", "/pods", 201, "{}")
	p.text(w, `{"type":"BOOKMARK","object":{}}`+"\n"+`{"type":"ADDED","object":{}}`+"\n")
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "There was one: BOOKMARK." {
		t.Errorf("told %q", got)
	}
	w = p.open("GET", "/api/v1/pods?watch=1", 200)
	p.do("POST", "/pods", 201, "{}")
	p.text(w, `{"type":"ADDED","object":{}}`+"\n"+`{"type":"BOOKMARK","object":{}}`+"\n")
	p.passed(1)

	p = session(t, "- Watched\n  watch: GET /api/v1/pods -> 200\n- Nothing came of x\n  none: no ADDED or MODIFIED in "+
		"watch\n  object.n = x\n")
	w = p.open("GET", "/api/v1/pods?watch=1", 200)
	p.text(w, `{"type":"ADDED","object":{"n":"y"}}`+"\n")
	p.passed(0)
	if got := p.s.Step(0).Miss; !strings.Contains(got, "still open") {
		t.Errorf("told %q", got)
	}
	p.end(w)
	p.passed(1)
}

func TestRowsThatWait(t *testing.T) {
	p := session(t, "- First\n  a: GET /api/v1/pods\n- Again, 2 s later\n  b: GET /api/v1/pods\n"+
		"  by 2s\n  response.seconds >= 0.5\n")
	at := time.Unix(0, 0)
	ask := func(after, took time.Duration) {
		at = at.Add(after)
		p.id++
		p.observe(tap.Event{Type: tap.Request, ID: p.id, Method: "GET", URL: "/api/v1/pods", Time: at}, true)
		at = at.Add(took)
		p.observe(tap.Event{Type: tap.Head, ID: p.id, Status: 200, Time: at}, true)
		p.end(p.id)
	}
	ask(0, time.Second)
	ask(time.Second, time.Second)
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "That came 1.0 s after the one before. Wait for 2s." {
		t.Errorf("told %q", got)
	}
	ask(5*time.Second, time.Millisecond)
	p.passed(0)
	if got := p.s.Step(0).Miss; got != "response.seconds is 0.00, not >= 0.5" {
		t.Errorf("told %q", got)
	}
	ask(2*time.Second, time.Second)
	p.passed(1)
}

func TestValuesOfAnswers(t *testing.T) {
	var l tap.Log
	x := l.Add(tap.Event{Type: tap.Request, Method: "GET", URL: "/api/v1/pods"})
	l.Add(tap.Event{Type: tap.Head, Status: 200, Header: []tap.Field{{Name: "Warning", Value: "a"},
		{Name: "warning", Value: "b"}, {Name: "Content-Type", Value: "application/vnd.kubernetes.protobuf"}}})
	l.Add(tap.Event{Type: tap.Chunk, Text: "k8s\x00A"})
	l.Add(tap.Event{Type: tap.End})
	for path, want := range map[string]string{
		"response.headers.Warning": "a", "response.headers.Warning[0]": "a", "response.headers.Warning[-1]": "b",
		"response.headers.Warning.length": "2", "response.headers.Warning[*]": `["a","b"]`,
		"response.bytes": "6b 38 73 00 41", "response.bytes[0:4]": "6b 38 73 00", "response.bytes[3:]": "00 41",
		"response.bytes[4:90]":  "41",
		"response.bytes.length": "5", "response.bytes[0]": "6b", "response.bytes[-1]": "41",
	} {
		p, err := format.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := p.Of(exchange{x, 0}); !ok || format.TextOf(v) != want {
			t.Errorf("%s is %q, want %q", path, format.TextOf(v), want)
		}
	}
}
