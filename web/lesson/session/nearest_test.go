package session

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// miss asserts what a step's nearest miss is.
func (p *taps) miss(step int, want string) {
	p.t.Helper()
	p.s.Recheck()
	if got := p.s.Step(step).Miss; got != want {
		p.t.Errorf("step %d is told %q, want %q", step+1, got, want)
	}
}

func TestARequestOutOfOrder(t *testing.T) {
	p := session(t, listRow, watchRow, "- Compacted\n  compact: POST /compact -> 200\n",
		"- Deleted\n  gone: DELETE /api/v1/pods/* -> 200\n  response.body.kind = Pod\n")
	p.do("POST", "/compact", 200, "{}")
	p.passed(0)
	p.miss(0, "That belongs to step 3, “Step 3”. This comes first.")
	p.do("POST", "/compact", 409, "{}")
	p.miss(0, "")
	p.do("DELETE", "/api/v1/pods/a", 200, `{"kind": "Status"}`)
	p.miss(0, "")
	p.do("DELETE", "/api/v1/pods/a", 200, `{"kind": "Pod"}`)
	p.miss(0, "That belongs to step 4, “Step 4”. This comes first.")
	p.do("GET", "/api/v1/pods", 404, "{}") // what belongs here is said first
	p.miss(0, "it was answered 404, not 200")
	p.do("GET", "/elsewhere", 200, "{}")
	p.miss(0, "it was answered 404, not 200")
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	p.miss(1, "")
	p.observe(tap.Event{Type: tap.Request, ID: 99, Method: "POST", URL: "/compact", Origin: "sample"}, true)
	p.observe(tap.Event{Type: tap.Head, ID: 99, Status: 200}, true)
	p.observe(tap.Event{Type: tap.End, ID: 99}, true)
	p.miss(1, "") // sample data are nobody's attempt
}

func TestAStepsOwnRequestsAreNotMisplaced(t *testing.T) {
	src := "# T\n## One\n```http\nPOST /pods/{{$index}}x\n```\n```check\n" + listRow + "```\n" +
		"## Two\n```http\nGET /api\n```\n```check\n- Made\n  made: POST /pods/* -> 201\n```\n"
	src = strings.Replace(src, "POST /pods/{{$index}}x", "# @repeat 3\nPOST /pods/{{$index}}\n", 1)
	l, err := format.Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	p := &taps{t: t, s: New(l, Progress{}, new(tap.Log))}
	p.do("POST", "/pods/2", 201, "{}")
	p.miss(0, "")
}

func TestOrderWithinAStep(t *testing.T) {
	p := session(t, "- First\n  one: POST /a -> 201\n- Second\n  two: PATCH /b -> 200\n  response.body.on = true\n")
	p.do("PATCH", "/b", 200, `{"on": true}`)
	p.miss(0, "That comes later in this step. This is first.")
	p.do("POST", "/a", 201, "{}")
	p.miss(0, "That came in the wrong order. Do it again now.")
	p.do("PATCH", "/b", 200, `{"on": false}`)
	p.miss(0, "response.body.on is false, not = true")
	p.do("PATCH", "/b", 200, `{"on": true}`)
	p.passed(1)
}

func TestTheWatchHasEnded(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	ended := func(want int) {
		t.Helper()
		step, ok := p.s.ended(2)
		if ok != (want >= 0) || ok && step != want {
			t.Errorf("step %d, %v, want %d", step, ok, want)
		}
	}
	p.do("GET", "/api/v1/pods", 200, list("5"))
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	ended(-1) // of a watch that the learner has not come to nothing is said
	p.passed(2)
	ended(-1)
	p.end(w)
	ended(1)
	p.do("POST", "/pods", 201, `{"metadata": {"uid": "u"}}`)
	p.passed(2)
	p.miss(2, "That watch has ended, so nothing more comes.")
	p.open("GET", "/api/v1/pods?watch=1&resourceVersion=9", 200)
	p.s.Recheck()
	ended(1) // another one does not count
	w = p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	ended(-1)
	p.miss(2, "")
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}`+"\n")
	p.passed(3)
	ended(-1)
}

// TestCutAsGiven cuts a watch as its step says: an event that it has brought may count before all above it is done.
func TestCutAsGiven(t *testing.T) {
	for _, brought := range []bool{true, false} {
		p := session(t, "- Watched\n  watch: GET /api/v1/pods -> 200\n  request.query.watch = 1\n"+
			"- Cut\n  cut: POST /cut -> 200\n- Resumed\n  again: GET /b -> 200\n"+
			"- Its end\n  mark: BOOKMARK in watch\n  after watch\n")
		w := p.open("GET", "/api/v1/pods?watch=1", 200)
		if brought {
			p.text(w, `{"type":"BOOKMARK","object":{}}`+"\n")
		}
		p.end(w)
		p.do("POST", "/cut", 200, "{}")
		p.passed(0)
		if got := p.s.Step(0).Trouble; (got == nil) != brought {
			t.Errorf("the event has come: %v, said: %v", brought, got.Words())
		}
		p.do("GET", "/b", 200, "{}")
		if p.s.Recheck(); (p.s.Passed() == 1) != brought {
			t.Errorf("the event has come: %v, %+v", brought, p.s.Step(0))
		}
	}
}

// A second watch of the same list, which has ended, is not the one that is waited for.
func TestAnotherWatchHasEnded(t *testing.T) {
	for _, first := range []string{"open", "ended"} {
		p := session(t, listRow, watchRow, eventRow)
		p.do("GET", "/api/v1/pods", 200, list("5"))
		w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
		other := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
		if first == "ended" {
			w, other = other, w
		}
		p.do("POST", "/pods", 201, `{"metadata": {"uid": "u"}}`)
		p.passed(2)
		p.end(other)
		p.miss(2, "")
		p.end(w)
		p.miss(2, watchEnded)
	}
}

func TestAsked(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.passed(1)
	if p.s.Asked(1) {
		t.Error("the list of step 1 is a request of step 2")
	}
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	if !p.s.Asked(1) {
		t.Error("the watch is no request of step 2")
	}
	p.passed(2)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}`+"\n")
	p.end(w)
	p.passed(2)
	if p.s.Asked(2) {
		t.Error("an event is a request")
	}
	p.do("POST", "/pods", 201, `{"metadata": {"uid": "u"}}`)
	if !p.s.Asked(2) {
		t.Error("the create is no request of step 3")
	}
}

// reload takes the session up again as after a reload of the page.
func (p *taps) reload() {
	p.t.Helper()
	p.s.Recheck()
	p.s = New(p.s.Lesson, ParseProgress(p.s.Progress().String()), new(tap.Log))
	p.s.SetCluster("one")
	p.s.Recheck()
}

const resumeRow = "- Missed\n  missed: POST /pods -> 201\n- Resumed\n  again: GET /api/v1/pods -> 200\n" +
	"  request.query.resourceVersion = {{watch.response.events[-1].object.metadata.resourceVersion}}\n" +
	"- Replayed\n  replayed: ADDED in again\n  object.metadata.uid = {{missed.response.body.metadata.uid}}\n"

func TestAReloadInTheMiddleOfAStep(t *testing.T) {
	p := session(t, listRow, watchRow, resumeRow, "- End\n  end: GET /end\n")
	p.s.SetCluster("one")
	p.do("GET", "/api/v1/pods", 200, list("5"))
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	p.passed(2)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u", "resourceVersion":"6"}}}`+"\n")
	p.do("POST", "/pods", 201, `{"metadata":{"uid":"m"}}`)
	p.passed(2)
	p.s.NoteRun("2/0/0")

	p.reload()
	p.passed(2)
	if st := p.s.Step(2); !st.Rows[0].Done || st.Rows[1].Done {
		t.Fatalf("after the reload: %+v", st)
	}
	if !p.s.HasRun("2/0/0") || p.s.HasRun("2/0/1") {
		t.Error("what was run is not kept")
	}
	again := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=6", 200)
	p.passed(2)
	if st := p.s.Step(2); !st.Rows[1].Done {
		t.Fatalf("resumed: %+v", st)
	}
	p.text(again, `{"type":"ADDED","object":{"metadata":{"uid":"m"}}}`+"\n")
	p.passed(3)

	// Another reload does not undo it, and a reset does.
	p.reload()
	p.passed(3)
	p.s.Reset(2)
	p.reload()
	if st := p.s.Step(2); st.Passed || st.Rows[0].Done {
		t.Errorf("reset: %+v", st)
	}
}

func TestAReloadKeepsTheOrderOfRows(t *testing.T) {
	p := session(t, "- One\n  one: GET /a\n- Two\n  two: GET /b\n- Three\n  three: GET /c\n")
	p.s.SetCluster("one")
	p.do("GET", "/a", 200, "{}")
	p.do("GET", "/b", 200, "{}")
	p.reload()
	if st := p.s.Step(0); !st.Rows[1].Done || st.Rows[2].Done {
		t.Fatalf("after the reload: %+v", st)
	}
	p.do("GET", "/a", 200, "{}")
	p.do("GET", "/c", 200, "{}")
	p.passed(1)
}

func TestAnotherClusterForgetsWhatWasKept(t *testing.T) {
	p := session(t, "- One\n  one: GET /a\n- Two\n  two: GET /b\n")
	p.s.SetCluster("one")
	p.do("GET", "/a", 200, "{}")
	p.s.Recheck()
	if !p.s.SetCluster("two") {
		t.Error("nothing is said of what was lost")
	}
	p.s.Recheck()
	if st := p.s.Step(0); st.Rows[0].Done {
		t.Errorf("another cluster: %+v", st)
	}
	p.do("GET", "/b", 200, "{}")
	p.passed(0)
}

func TestAWatchOfAnEarlierVisitIsNotOpen(t *testing.T) {
	p := session(t, listRow, watchRow, eventRow)
	p.s.SetCluster("one")
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	p.do("POST", "/pods", 201, `{"metadata": {"uid": "u"}}`)
	p.passed(2)
	p.reload()
	if step, ok := p.s.ended(2); !ok || step != 1 {
		t.Errorf("step %d, %v", step, ok)
	}
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}`+"\n")
	p.passed(3) // the creation was noted before the reload
}

func TestNextRun(t *testing.T) {
	src := "# T\n## One\n```http\n# @name list\nGET /api/v1/pods\n###\nGET /other\n```\n" +
		"```solution\nGET /api/v1/pods\n```\n" +
		"```check\n" + listRow +
		"- Watched\n  w: GET /w\n```\n## Two\n```http\nGET /api\n```\n```check\n- R\n  r: GET /r\n```\n"
	l, err := format.Parse("1-t.md", src)
	if err != nil {
		t.Fatal(err)
	}
	p := &taps{t: t, s: New(l, Progress{}, new(tap.Log))}
	next := func(step int, solution bool, want string) {
		t.Helper()
		p.s.Recheck()
		if got := p.s.NextRun(step, solution); got != want {
			t.Errorf("next is %q, want %q", got, want)
		}
	}
	next(0, false, "0/0/0")
	next(1, false, "") // not yet
	p.do("GET", "/api/v1/pods", 200, list("5"))
	next(0, false, "0/0/1") // it was done from elsewhere
	p.s.NoteRun("0/0/1")
	next(0, false, "")
	next(0, true, "0/1/0")
	p.do("GET", "/w", 200, "{}")
	next(0, true, "")
	next(1, false, "1/0/0")
	next(2, false, "")
	p.s.ResetAll()
	next(0, false, "0/0/0")
}
