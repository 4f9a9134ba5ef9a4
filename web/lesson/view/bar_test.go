package view

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A visitor makes the requests of a lesson of two steps: a list and a watch, then a write that the watch tells.
type visitor struct {
	session *session.Session
	log     *tap.Log
	id      int
}

func visit(t *testing.T) *visitor {
	t.Helper()
	const step = "```http\nGET /api\n```\n```check\n"
	l, err := format.Parse("1-t.md", "# T\n## List\n"+step+
		"- `GET` listed\n  list: GET /api/v1/pods -> 200\n  request.query.watch is absent\n"+
		"- Watched\n  watch: GET /api/v1/pods -> 200\n  request.query.resourceVersion = "+
		"{{list.response.body.metadata.resourceVersion}}\n```\n"+
		"## Write\n"+step+"- Created\n  made: POST /pods -> 201\n- Seen\n  seen: ADDED in watch\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	log := new(tap.Log)
	return &visitor{session: session.New(l, session.Progress{}, log), log: log}
}

func (p *visitor) observe(ev tap.Event) {
	p.log.Add(ev)
	p.session.Observe(ev, true)
}

// open makes a request and begins its answer, and do is a whole exchange.
func (p *visitor) open(method, url string, status int) int {
	p.id++
	p.observe(tap.Event{Type: tap.Request, ID: p.id, Method: method, URL: url})
	p.observe(tap.Event{Type: tap.Head, ID: p.id, Status: status})
	return p.id
}

func (p *visitor) text(id int, s string) { p.observe(tap.Event{Type: tap.Chunk, ID: id, Text: s}) }

func (p *visitor) do(method, url string, status int, body string) {
	id := p.open(method, url, status)
	p.text(id, body)
	p.observe(tap.Event{Type: tap.End, ID: id})
}

func (p *visitor) passes(t *testing.T, want int) {
	t.Helper()
	p.session.Recheck()
	if got := p.session.Passed(); got != want {
		t.Fatalf("%d steps passed, want %d", got, want)
	}
}

func TestBarOfASession(t *testing.T) {
	p := visit(t)
	next := NextLink{Href: "#lesson-other"}
	v := BarOf(p.session, 0, next)
	if v.Lesson != "t" || v.Next != next || v.where() != "Step 1 of 2" || len(v.Checks) != 2 || v.now() != 0 ||
		v.First != -1 || v.passed() {
		t.Errorf("at first: %+v", v)
	}
	if late := BarOf(p.session, 1, next); late.First != 0 || !slices.Equal(late.segments(), []string{"todo", "shown"}) {
		t.Errorf("the second step: %+v", late)
	}
	p.do("GET", "/api/v1/pods", 404, "")
	p.session.Recheck()
	if got := BarOf(p.session, 0, NextLink{}); got.Checks[0].Miss == "" || got.Checks[1].Miss != "" {
		t.Errorf("the miss is under %+v", got.Checks)
	} else if said := got.Verdicts(v); len(said) != 1 || said[0] !=
		"404: this step expects another answer. Expected: 200. Found: 404. This step can be set up again" {
		t.Errorf("said %q", said)
	} else if again := got.Verdicts(got); again != nil {
		t.Errorf("said again: %q", again)
	}
	p.do("GET", "/api/v1/pods", 200, `{"metadata": {"resourceVersion": "5"}}`)
	p.do("GET", "/api/v1/pods", 200, `{"metadata": {"resourceVersion": "6"}}`)
	p.session.Recheck()
	got := BarOf(p.session, 0, NextLink{})
	if got.now() != 1 || got.Checks[0].Miss != "" || !got.Checks[0].Done {
		t.Errorf("listed: %+v", got)
	}
	if said := got.Verdicts(v); len(said) != 2 || said[0] != "Done: GET listed" ||
		!strings.HasPrefix(said[1], "Not yet: ") {
		t.Errorf("said %q", said)
	}
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=6", 200)
	p.passes(t, 1)
	if got := BarOf(p.session, 0, NextLink{}); !got.passed() || got.segments()[0] != "passed" || got.now() != -1 ||
		p.session.Current() != 1 ||
		got.Verdicts(v) != nil {
		t.Errorf("passed: %+v", got)
	}
	p.do("POST", "/pods", 201, `{"metadata":{"uid":"u"}}`)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}`+"\n")
	p.passes(t, 2)
	if end := BarOf(p.session, 2, NextLink{}); !end.atEnd() || !end.passed() || end.where() != "Both steps passed" ||
		p.session.Current() != 2 {
		t.Errorf("at the end: %+v", end)
	}
}

// TestAskOf wants answers in the bar only if all of them are short.
func TestAskOf(t *testing.T) {
	choices := func(texts ...string) []format.Choice {
		var out []format.Choice
		for _, text := range texts {
			out = append(out, format.Choice{Text: text})
		}
		return out
	}
	for name, c := range map[string]struct {
		asks format.Prediction
		want AskView
	}{
		"short": {format.Prediction{Question: "Which `code`?", Choices: choices("`410`", "200")},
			AskView{"Which code?", []AnswerView{{1, "200", true}, {0, "410", false}}}},
		"a long question": {format.Prediction{Question: strings.Repeat("x", mostQuestion+1), Choices: choices("a", "b")},
			AskView{"", []AnswerView{{1, "b", true}, {0, "a", false}}}},
		"a long answer": {format.Prediction{Question: "?", Choices: choices("a", strings.Repeat("x", mostAnswer+1))},
			AskView{}},
		"many":  {format.Prediction{Question: "?", Choices: choices("a", "b", "c", "d", "e")}, AskView{}},
		"typed": {format.Prediction{Question: "?", Choices: choices("a", "b"), Value: &format.Ref{}}, AskView{}},
	} {
		if got := AskOf(&c.asks, []int{1, 0}, "1"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}
