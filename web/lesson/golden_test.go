package lesson

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
)

// views returns bars in the states that a learner meets.
func views() map[string]templ.Component {
	next := NextLink{Href: "#lesson-paging", Title: "Paging", Label: "Next lesson"}
	checks := []CheckView{{Text: "A <list>", Done: true}, {Text: "A watch", Miss: "Add watch=1."}, {Text: "An event"}}
	step := BarView{Lesson: "small", Step: 1, Passed: []bool{true, false, false}, Checks: checks, First: -1, Next: next,
		Live:  true,
		Hints: 1, Solution: Reveal{There: true, Open: true}}
	with := func(change func(*BarView)) templ.Component {
		v := step
		change(&v)
		return Bar(v)
	}
	return map[string]templ.Component{
		"bar/built":  with(func(v *BarView) { v.Live, v.Step, v.Passed = false, 0, make([]bool, 3) }),
		"bar/missed": Bar(step),
		"bar/passed": with(func(v *BarView) {
			v.Passed = []bool{true, true, false}
			v.Checks = []CheckView{{Text: "A list", Done: true}}
			v.Hints = 0
		}),
		"bar/too-early": with(func(v *BarView) { v.Step, v.First, v.Checks = 2, 1, checks[2:] }),
		"bar/notice":    with(func(v *BarView) { v.Notice = Notice{Text: "Settings changed: one API server."} }),
		"bar/to-do": with(func(v *BarView) {
			v.Notice = Notice{Text: "Other settings.", Action: "lesson-set",
				Label: "Set them"}
		}),
		"bar/asking":   with(func(v *BarView) { v.Asking = true }),
		"bar/asked":    with(func(v *BarView) { v.Question = true }),
		"bar/hinted":   with(func(v *BarView) { v.Hints, v.HintsOpen = 3, 1 }),
		"bar/practice": with(func(v *BarView) { v.Asked, v.Seed, v.Hints = "Practice, 2 of 8", 17, 0 }),
		"bar/more":     with(func(v *BarView) { v.More = true }),
		"bar/end":      with(func(v *BarView) { v.Step, v.Passed, v.Checks = 3, []bool{true, true, true}, nil }),
		"bar/end-of-all": with(func(v *BarView) {
			v.Step, v.Passed, v.Checks, v.Next = 3, []bool{true, true, true}, nil, NextLink{}
		}),
		"bar/end-looked-at": with(func(v *BarView) { v.Step, v.Passed, v.Checks = 3, []bool{true, false, true}, nil }),

		"chip/waiting": Chip(Report{Total: 1}),
		"chip/unsent":  Chip(Report{Total: 1, Done: true, Err: &MissingError{Ref: Ref{Name: "list"}}}),
		"chip/list": Chip(Report{Total: 1, Done: true, Status: 200,
			Summary: Summary{Text: "PodList, 2 items", Version: "26", List: true}}),
		"chip/object": Chip(Report{Total: 1, Done: true, Status: 200, Summary: Summary{Text: "Pod a", Version: "22"}}),
		"chip/write": Chip(Report{Total: 1, Done: true, Status: 201, Write: true, Wrote: "→ 28", Revision: 28,
			Summary: Summary{Text: "Pod a", Version: "28"}}),
		"chip/unchanged": Chip(Report{Total: 1, Done: true, Status: 200, Write: true,
			Summary: Summary{Text: "Pod a", Version: "28"}}),
		"chip/collection": Chip(Report{Total: 1, Done: true, Status: 200, Write: true, Wrote: "→ 381–383", Revision: 381,
			Summary: Summary{Text: "PodList, 3 items", Version: "235", List: true}}),
		"chip/status":   Chip(Report{Total: 1, Done: true, Status: 200, Write: true, Summary: Summary{Text: "Success"}}),
		"chip/refused":  Chip(Report{Total: 1, Done: true, Status: 410, Code: "Expired", Reason: "too old"}),
		"chip/watching": Chip(Report{Total: 1, Status: 200, Streaming: true}),
		"chip/events":   Chip(Report{Total: 1, Status: 200, Streaming: true, Events: 1234}),
		"chip/event":    Chip(Report{Total: 1, Status: 200, Done: true, Events: 1}),
		"chip/stopped":  Chip(Report{Total: 1, Status: 200, Done: true, Stopped: true, Err: context.Canceled}),
		"chip/gone":     Chip(Report{Total: 1, Status: 200, Done: true, Events: 1, Failed: "410"}),
		"chip/many":     Chip(Report{Total: 1253, Sent: 312}),
		"chip/tally":    Chip(Report{Total: 1253, Sent: 1253, Done: true, Statuses: map[int]int{201: 1250, 409: 3}}),

		"goal/new":       GoalScore(Score{Fewest: 3}),
		"goal/under-way": GoalScore(Score{Made: 1, Fewest: 3}),
		"goal/reached":   GoalScore(Score{Made: 5, Fewest: 3, Reached: true}),
		"goal/long":      GoalScore(Score{Made: 1030, Fewest: 3}),

		"outcome/silent":   Outcome(Report{Total: 1, Done: true, Status: 200}),
		"outcome/refused":  Outcome(Report{Total: 1, Done: true, Status: 410, Reason: "too <old>"}),
		"outcome/broken":   Outcome(Report{Total: 1, Done: true, Err: errors.New("offline")}),
		"outcome/progress": Outcome(Report{Total: 1253, Sent: 312}),
	}
}

func TestGolden(t *testing.T) {
	cases := views()
	l, err := Parse("1-small.md", withFront("minutes: 10\n"))
	if err != nil {
		t.Fatal(err)
	}
	cases["article/small"] = Article(*l, NextLink{Href: "#lesson-paging", Title: "Paging"}, "")
	both, err := Parse("1-both.md", "# T\n## S\n```http\nGET /api\n###\nGET /apis\n```\n"+
		"```kubectl\nkubectl get --raw /api\n```\n```check\n- Row\n  a: GET /api\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	cases["article/kubectl"] = Article(*both, NextLink{}, "")
	golden.Test(t, cases)
}

func TestSilent(t *testing.T) {
	for want, reports := range map[bool][]Report{
		true: {
			{Total: 1}, {Total: 1, Status: 200}, {Total: 1, Err: context.Canceled, Stopped: true},
			{Total: 5, Done: true}, {Total: 5, Done: true, Status: 409, Reason: "there"},
		},
		false: {{Total: 5}, {Total: 1, Status: 410, Reason: "old"}, {Total: 1, Err: errors.New("x")}},
	} {
		for _, r := range reports {
			var b strings.Builder
			if err := Outcome(r).Render(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			if r.Silent() != want || (b.String() == "") != want {
				t.Errorf("%+v: silent %v, and drawn %q", r, r.Silent(), b.String())
			}
		}
	}
}

func TestBarOfASession(t *testing.T) {
	p := session(t, listRow+watchRow, eventRow)
	next := NextLink{Href: "#lesson-other"}
	v := p.s.Bar(0, next)
	if v.Lesson != "t" || v.Next != next || v.where() != "Step 1 of 2" || len(v.Checks) != 2 || v.now() != 0 ||
		v.First != -1 || v.passed() {
		t.Errorf("at first: %+v", v)
	}
	if late := p.s.Bar(1, next); late.First != 0 || late.segment(1) != "shown" || late.segment(0) != "todo" {
		t.Errorf("the second step: %+v", late)
	}
	p.do("GET", "/api/v1/pods", 404, "")
	p.s.Recheck()
	if got := p.s.Bar(0, NextLink{}); got.Checks[0].Miss == "" || got.Checks[1].Miss != "" {
		t.Errorf("the miss is under %+v", got.Checks)
	} else if said := got.Verdicts(v); len(said) != 1 || said[0] !=
		"404: this step expects another answer. Expected: 200. Found: 404. This step can be set up again" {
		t.Errorf("said %q", said)
	} else if again := got.Verdicts(got); again != nil {
		t.Errorf("said again: %q", again)
	}
	p.do("GET", "/api/v1/pods", 200, list("5"))
	p.do("GET", "/api/v1/pods", 200, list("6"))
	p.s.Recheck()
	got := p.s.Bar(0, NextLink{})
	if got.now() != 1 || got.Checks[0].Miss != "" || !got.Checks[0].Done {
		t.Errorf("listed: %+v", got)
	}
	if said := got.Verdicts(v); len(said) != 2 || said[0] != "Done: Listed" || !strings.HasPrefix(said[1], "Not yet: ") {
		t.Errorf("said %q", said)
	}
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=6", 200)
	p.passed(1)
	if got := p.s.Bar(0, NextLink{}); !got.passed() || got.segment(0) != "passed" || got.now() != -1 ||
		p.s.Current() != 1 ||
		got.Verdicts(v) != nil {
		t.Errorf("passed: %+v", got)
	}
	p.do("POST", "/pods", 201, `{"metadata":{"uid":"u"}}`)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u"}}}`+"\n")
	p.passed(2)
	if end := p.s.Bar(2, NextLink{}); !end.atEnd() || !end.passed() || end.where() != "All 2 steps passed" ||
		p.s.Current() != 2 {
		t.Errorf("at the end: %+v", end)
	}
}
