package view

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/internal/golden"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// bars returns bars in the states that a learner meets.
func bars() map[string]BarView {
	next := NextLink{Href: "#lesson-paging", Title: "Paging", Label: "Next lesson"}
	checks := []CheckView{{Text: "A <list>", Done: true}, {Text: "A watch", Miss: "Add watch=1."}, {Text: "An event"}}
	step := BarView{Lesson: "small", Step: 1, Passed: []bool{true, false, false}, Checks: checks, First: -1, Next: next,
		Live:  true,
		Hints: 1, Solution: Reveal{There: true, Open: true}}
	with := func(change func(*BarView)) BarView {
		v := step
		change(&v)
		return v
	}
	return map[string]BarView{
		"bar/built":  with(func(v *BarView) { v.Live, v.Step, v.Passed = false, 0, make([]bool, 3) }),
		"bar/missed": step,
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
		"bar/asking":  with(func(v *BarView) { v.Asking = true }),
		"bar/run":     with(func(v *BarView) { v.Run = RunView{Label: "watch", Line: "GET pods?watch=1", Text: "Run"} }),
		"bar/running": with(func(v *BarView) { v.Run = RunView{Label: "GET pods", Text: "Run", Busy: true} }),
		"bar/trouble": with(func(v *BarView) { v.Trouble = "Somebody deleted it." }),
		"bar/asked":   with(func(v *BarView) { v.Question = true }),
		"bar/ask": with(func(v *BarView) {
			v.Question = true
			v.Ask = AskView{Text: "Which status?", Answers: []AnswerView{{Number: 1, Text: "410", Chosen: true}, {Text: "200"}}}
		}),
		"bar/hinted":   with(func(v *BarView) { v.Hints, v.HintsOpen = 3, 1 }),
		"bar/practice": with(func(v *BarView) { v.Asked, v.Seed, v.Hints = "Practice, 2 of 8", 17, 0 }),
		"bar/more":     with(func(v *BarView) { v.More = true }),
		"bar/end":      with(func(v *BarView) { v.Step, v.Passed, v.Checks = 3, []bool{true, true, true}, nil }),
		"bar/end-of-all": with(func(v *BarView) {
			v.Step, v.Passed, v.Checks, v.Next = 3, []bool{true, true, true}, nil, NextLink{}
		}),
		"bar/end-looked-at": with(func(v *BarView) { v.Step, v.Passed, v.Checks = 3, []bool{true, false, true}, nil }),
	}
}

// views returns what a learner meets: bars, and what stands in steps.
func views() map[string]templ.Component {
	all := map[string]templ.Component{
		"chip/waiting": Chip(session.Report{Total: 1}),
		"chip/unsent":  Chip(session.Report{Total: 1, Done: true, Err: &session.MissingError{Ref: format.Ref{Name: "list"}}}),
		"chip/list": Chip(session.Report{Total: 1, Done: true, Status: 200,
			Summary: session.Summary{Text: "PodList, 2 items", Version: "26", List: true}}),
		"chip/object": Chip(session.Report{Total: 1, Done: true, Status: 200,
			Summary: session.Summary{Text: "Pod a", Version: "22"}}),
		"chip/write": Chip(session.Report{Total: 1, Done: true, Status: 201, Write: true, Wrote: "→ 28", Revision: 28,
			Summary: session.Summary{Text: "Pod a", Version: "28"}}),
		"chip/unchanged": Chip(session.Report{Total: 1, Done: true, Status: 200, Write: true,
			Summary: session.Summary{Text: "Pod a", Version: "28"}}),
		"chip/collection": Chip(session.Report{Total: 1, Done: true, Status: 200, Write: true, Wrote: "→ 381–383",
			Revision: 381, Summary: session.Summary{Text: "PodList, 3 items", Version: "235", List: true}}),
		"chip/status": Chip(session.Report{Total: 1, Done: true, Status: 200, Write: true,
			Summary: session.Summary{Text: "Success"}}),
		"chip/refused":  Chip(session.Report{Total: 1, Done: true, Status: 410, Code: "Expired", Reason: "too old"}),
		"chip/watching": Chip(session.Report{Total: 1, Status: 200, Streaming: true}),
		"chip/events":   Chip(session.Report{Total: 1, Status: 200, Streaming: true, Events: 1234}),
		"chip/event":    Chip(session.Report{Total: 1, Status: 200, Done: true, Events: 1}),
		"chip/stopped":  Chip(session.Report{Total: 1, Status: 200, Done: true, Stopped: true, Err: context.Canceled}),
		"chip/gone":     Chip(session.Report{Total: 1, Status: 200, Done: true, Events: 1, Failed: "410"}),
		"chip/many":     Chip(session.Report{Total: 1253, Sent: 312}),
		"chip/tally":    Chip(session.Report{Total: 1253, Sent: 1253, Done: true, Statuses: map[int]int{201: 1250, 409: 3}}),

		"goal/new":       GoalScore(session.Score{Fewest: 3}),
		"goal/under-way": GoalScore(session.Score{Made: 1, Fewest: 3}),
		"goal/reached":   GoalScore(session.Score{Made: 5, Fewest: 3, Reached: true}),
		"goal/long":      GoalScore(session.Score{Made: 1030, Fewest: 3}),

		"outcome/silent":   Outcome(session.Report{Total: 1, Done: true, Status: 200}),
		"outcome/refused":  Outcome(session.Report{Total: 1, Done: true, Status: 410, Reason: "too <old>"}),
		"outcome/broken":   Outcome(session.Report{Total: 1, Done: true, Err: errors.New("offline")}),
		"outcome/progress": Outcome(session.Report{Total: 1253, Sent: 312}),
	}
	for name, v := range bars() {
		all[name] = Bar(v)
	}
	return all
}

func TestGolden(t *testing.T) {
	cases := views()
	small, err := os.ReadFile("../format/testdata/small.md")
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.Parse("1-small.md", "---\nminutes: 10\n---\n"+string(small))
	if err != nil {
		t.Fatal(err)
	}
	cases["article/small"] = Article(*l, NextLink{Href: "#lesson-paging", Title: "Paging"}, "")
	both, err := format.Parse("1-both.md", "# T\n## S\n```http\nGET /api\n###\nGET /apis\n```\n"+
		"```kubectl\nkubectl get --raw /api\n```\n```check\n- Row\n  a: GET /api\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	cases["article/kubectl"] = Article(*both, NextLink{}, "")
	golden.Test(t, cases)
}

// TestGoesOn wants a bar to have a button for what the step needs next where GoesOn says so.
func TestGoesOn(t *testing.T) {
	button := regexp.MustCompile(`data-action="lesson-go"[^>]*>`)
	going := 0
	all := bars()
	asking := all["bar/run"]
	asking.Asking = true
	all["bar/asking-run"] = asking
	for name, v := range all {
		var b strings.Builder
		if err := Bar(v).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		tag := button.FindString(b.String())
		want := tag != "" && !strings.Contains(tag, " disabled")
		if v.GoesOn() != want {
			t.Errorf("%s: goes on: %t, with the button %q", name, v.GoesOn(), tag)
		}
		if want {
			going++
		}
	}
	if going < 3 {
		t.Errorf("only %d bars go on", going)
	}
}

func TestSilent(t *testing.T) {
	for want, reports := range map[bool][]session.Report{
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
			if Silent(r) != want || (b.String() == "") != want {
				t.Errorf("%+v: silent %v, and drawn %q", r, Silent(r), b.String())
			}
		}
	}
}
