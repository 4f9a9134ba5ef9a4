package session

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// goalLesson has a step before the goal, and one that is after a request that spoils something.
const goalLesson = "# T\n```claims\n- It is so => x.go, F\n```\n" +
	"## First\n```http\nGET /api/v1/pods\n```\n```check\n- Listed\n  list: GET /api/v1/pods -> 200\n```\n" +
	"## Goal\n```goal\n`p` is gone.\n\nfewest 2\nafter spoil\n```\n" +
	"```check\n- Spoilt\n  spoil: POST /api/v1/namespaces/n/pods -> 201\n" +
	"- Gone\n  gone: GET /api/v1/namespaces/n/pods/p -> 404\n" +
	"- Nothing else was deleted\n" +
	"  kept: no PUT or DELETE /api/v1/namespaces/n/pods/* -> 200    else \"That was another Pod.\"\n" +
	"  request.path != /api/v1/namespaces/n/pods/p\n```\n" +
	"```solution\nDELETE /api/v1/namespaces/n/pods/p\n###\nGET /api/v1/namespaces/n/pods/p\n```\n" +
	"```solution with a selector\nDELETE /api/v1/namespaces/n/pods?fieldSelector=metadata.name=p\n###\n" +
	"GET /api/v1/namespaces/n/pods/p\n```\n```claims\n- So is that => y.go, G\n```\n"

// TestScoreUnderWay runs the request that spoils something as its button does: it is no part of the score.
func TestScoreUnderWay(t *testing.T) {
	p := goals(t, Progress{})
	p.do("GET", "/api/v1/pods", 200, "")
	p.passed(1)
	p.s.live["spoil"] = ofRun() // what Run notes has no moment of the log
	p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
	p.do("GET", "/api/v1/nodes", 200, "")
	p.passed(1)
	if got := p.s.Score(1); got.Made != 1 {
		t.Errorf("%d requests, want 1", got.Made)
	}
	p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
	p.passed(2)
	p.s.live["spoil"] = ofRun()
	if got := p.s.Score(1); got.Made != 2 {
		t.Errorf("%d requests, want 2", got.Made)
	}
}

// ofRun returns an exchange as Run notes it.
func ofRun() exchange {
	x := &tap.Exchange{Phase: tap.Done}
	x.When.Made, x.When.Answered, x.When.Ended = 1, 1, 1
	return exchange{x, 0}
}

func goals(t *testing.T, p Progress) *taps {
	t.Helper()
	l, err := format.Parse("1-t.md", goalLesson)
	if err != nil {
		t.Fatal(err)
	}
	return &taps{t: t, s: New(l, p, new(tap.Log))}
}

func TestGoal(t *testing.T) {
	l := goals(t, Progress{}).s.Lesson
	g := l.Steps[1].Goal()
	if g == nil || g.Fewest != 2 || g.After != "spoil" || l.Steps[0].Goal() != nil {
		t.Errorf("%+v", g)
	}
	if ways := l.Steps[1].Ways(); len(ways) != 2 || len(l.Steps[1].Solve()) != 2 || len(l.Steps[0].Ways()) != 1 {
		t.Errorf("%+v", ways)
	}
	if len(l.Claims) != 1 || len(l.Steps[1].Claims) != 1 || l.Claims[0].Source != "x.go, F" {
		t.Errorf("%+v, %+v", l.Claims, l.Steps[1].Claims)
	}
}

func TestScore(t *testing.T) {
	p := goals(t, Progress{})
	made := func(want int) {
		t.Helper()
		if got := p.s.Score(1); got.Made != want {
			t.Errorf("%d requests, want %d", got.Made, want)
		}
		if first, ids := p.s.Counted(1); first+len(ids)-1 != want {
			t.Errorf("from %d on: %v, want %d", first, ids, want)
		}
	}
	p.do("GET", "/api/v1/pods", 200, "")
	p.passed(1)
	if p.s.Score(0) != nil {
		t.Error("a step without a goal has a score")
	}
	p.do("GET", "/api/v1/nodes", 200, "")
	p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
	p.passed(1)
	made(0)
	p.s.Recheck()
	if !p.observe(tap.Event{Type: tap.Request, ID: 97, Method: "GET", URL: "/api/v1/nodes"}, true) {
		t.Error("the page does not learn of another score")
	}
	p.do("GET", "/apis/apps/v1", 200, "") // discovery, a lever, and the setup
	p.do("POST", "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/compact", 201, "{}")
	p.observe(tap.Event{Type: tap.Request, ID: 99, Method: "POST", URL: "/api/v1/pods", Origin: "setup"}, true)
	p.observe(tap.Event{Type: tap.Request, ID: 98, Method: "POST", URL: "/api/v1/pods"}, false)
	made(1)
	p.do("DELETE", "/api/v1/namespaces/n/pods/q", 404, "{}")
	p.do("DELETE", "/api/v1/namespaces/n/pods/p", 200, "{}")
	kept := p.s.Progress()
	p.do("GET", "/api/v1/namespaces/n/pods/p?x=1", 404, "{}")
	p.passed(2)
	made(4)
	p.do("GET", "/api/v1/nodes", 200, "")
	made(4)
	if got := p.s.Score(1).String(); got != "fewest requests 2, yours 4" {
		t.Error(got)
	}
	p.s.Reset(1)
	made(0)

	p = goals(t, kept) // after a reload
	made(3)
	p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
	p.passed(2)
	made(4)
}

// TestUnasked wants a row with no METHOD to fail when there was such a request, and to say so.
func TestUnasked(t *testing.T) {
	p := goals(t, Progress{})
	p.do("DELETE", "/api/v1/namespaces/n/pods/q", 200, "{}") // before the step
	p.do("GET", "/api/v1/pods", 200, "")
	p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
	p.do("DELETE", "/api/v1/namespaces/n/pods/p", 200, "{}")
	p.passed(1)
	p.do("DELETE", "/api/v1/namespaces/n/pods/r", 200, "{}")
	p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
	p.passed(1)
	if got := p.s.Step(1).Miss; got != "That was another Pod." {
		t.Errorf("told %q", got)
	}
}

// TestUnaskedAfterReload has a row with no METHOD stay failed when the page is loaded again, until the step starts
// over.
func TestUnaskedAfterReload(t *testing.T) {
	for _, test := range []struct{ method, path, says string }{
		{"DELETE", "/api/v1/namespaces/n/pods/r", "That was another Pod."},
		{"POST", wellknown.ControlPlane + "/advance", "A lever was used that this goal does not allow. Set it up again."},
	} {
		p := &taps{t: t, s: New(parsed(t, strings.Replace(goalLesson, "after spoil", "levers none\nafter spoil", 1)),
			Progress{}, new(tap.Log))}
		p.do("GET", "/api/v1/pods", 200, "")
		p.passed(1)
		p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
		p.do(test.method, test.path, 200, "{}")
		for range 2 { // what was kept is kept on
			p.reload()
		}
		p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
		p.passed(1)
		if got := p.s.Step(1).Miss; got != test.says {
			t.Errorf("after %s %s it says %q", test.method, test.path, got)
		}
		p.s.Reset(1)
		p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
		p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
		p.passed(2)
	}
}

func TestScoreWords(t *testing.T) {
	for s, want := range map[Score]string{
		{Fewest: 1}:                                       "fewest requests 1",
		{Made: 1, Fewest: 3}:                              "fewest requests 3, yours 1",
		{Made: 3, Fewest: 2, Reached: true}:               "fewest requests 2, yours 3",
		{Made: 2, Fewest: 3, Reached: true, Record: true}: "fewest requests until now 3, yours 2",
		{Made: 2, Fewest: 3, Reached: true}:               "fewest requests 3, yours 2",
		{Fewest: 3, After: 6}:                             "fewest requests 3; comes after step 6",
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %s, want %s", s, got, want)
		}
	}
}

// TestGoalBeforeItsTurn does what a goal asks for before its turn: that does not count, and makes no record later.
func TestGoalBeforeItsTurn(t *testing.T) {
	for _, early := range []bool{false, true} {
		p := goals(t, Progress{})
		if early {
			p.do("DELETE", "/api/v1/namespaces/n/pods/p", 200, "{}")
			p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
		}
		p.passed(0)
		if got := p.s.Score(1); got.Made != 0 || got.After != 1 {
			t.Errorf("before its turn: %+v", got)
		}
		if _, ids := p.s.Counted(1); ids != nil {
			t.Errorf("counted %v", ids)
		}
		p.do("GET", "/api/v1/pods", 200, "")
		p.passed(1)
		p.do("POST", "/api/v1/namespaces/n/pods", 201, "{}")
		p.do("GET", "/api/v1/namespaces/n/pods/p", 404, "{}")
		p.passed(2)
		if got := p.s.Score(1); got.Made != 1 || got.Record == early || got.After != 0 {
			t.Errorf("done before: %v, %+v", early, got)
		}
	}
}
