//go:build !js

package lesson

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// TestQuestionOf shows a question with what was answered.
func TestQuestionOf(t *testing.T) {
	choose := &format.Prediction{Choices: make([]format.Choice, 2)}
	typed := &format.Prediction{Choices: []format.Choice{{Text: "5"}}, Value: &format.Ref{}}
	none := choiceView{}
	for name, c := range map[string]struct {
		of              *format.Prediction
		a               session.Answer
		passed, teacher bool
		want            questionView
	}{
		"open": {of: choose, want: questionView{Choices: []choiceView{none, none}}},
		"given": {of: choose, a: session.Answer{Given: "1"}, want: questionView{Committed: true, Put: true, Given: "1",
			Choices: []choiceView{none, {Judged: "given", Word: "your answer"}}, Verdict: "Answered. Run it and see."}},
		"right": {of: choose, a: session.Answer{Given: "1", Right: "1"}, passed: true, want: questionView{Committed: true,
			Explained: true, Put: true, Given: "1", Right: true, Verdict: "You predicted it.",
			Choices: []choiceView{none, {Judged: "right", Word: "that is what happened"}}}},
		"wrong": {of: choose, a: session.Answer{Given: "0", Right: "1"}, passed: true, want: questionView{Committed: true,
			Explained: true, Put: true, Given: "0", Verdict: "The result was different.",
			Choices: []choiceView{{Judged: "wrong", Word: "your answer", Reply: true},
				{Judged: "right", Word: "that is what happened"}}}},
		"skipped": {of: choose, a: session.Answer{Skipped: true}, want: questionView{Committed: true,
			Choices: []choiceView{none, none}, Verdict: "Not answered. Run it and see."}},
		"run without an answer": {of: choose, a: session.Answer{Skipped: true, Right: "0"}, passed: true,
			want: questionView{Committed: true, Explained: true, Verdict: "Run without an answer.",
				Choices: []choiceView{{Judged: "right", Word: "that is what happened"}, none}}},
		"over": {of: choose, passed: true, want: questionView{Put: true, Choices: []choiceView{none, none}}},
		"teacher": {of: choose, teacher: true, want: questionView{Explained: true,
			Choices: []choiceView{{Reply: true}, {Reply: true}}}},
		"typed": {of: typed, want: questionView{Choices: []choiceView{{Hidden: true}}}},
		"typed right": {of: typed, a: session.Answer{Given: "6", Right: "6"}, passed: true,
			want: questionView{Committed: true, Explained: true, Put: true, Given: "6", Right: true,
				Verdict: "You predicted it.", Choices: []choiceView{{Hidden: true}}}},
		"typed, as many do": {of: typed, a: session.Answer{Given: "5", Right: "6"}, passed: true,
			want: questionView{Committed: true, Explained: true, Put: true, Given: "5", Verdict: "It was 6.",
				Choices: []choiceView{{Judged: "wrong", Word: "your answer", Reply: true}}}},
		"typed wrong": {of: typed, a: session.Answer{Given: "7", Right: "6"}, passed: true,
			want: questionView{Committed: true, Explained: true, Put: true, Given: "7", Verdict: "It was 6.",
				Choices: []choiceView{{Hidden: true}}}},
		"typed, to come": {of: typed, a: session.Answer{Given: "5"}, want: questionView{Committed: true, Put: true,
			Given: "5", Verdict: "Answered. Run it and see.", Choices: []choiceView{{Hidden: true}}}},
	} {
		if got := questionOf(c.of, c.a, c.passed, c.teacher); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
}

// TestMixed orders choices differently between learners, and the same for one of them.
func TestMixed(t *testing.T) {
	orders := map[string]bool{}
	for learner := range 50 {
		got := mixed(strconv.Itoa(learner)+"one", 1, 4)
		if !slices.Equal(got, mixed(strconv.Itoa(learner)+"one", 1, 4)) {
			t.Errorf("learner %d: two orders", learner)
		}
		sorted := slices.Sorted(slices.Values(got))
		if !slices.Equal(sorted, []int{0, 1, 2, 3}) {
			t.Errorf("learner %d: %v", learner, got)
		}
		orders[strconv.Itoa(got[0])] = true
	}
	if len(orders) < 4 {
		t.Errorf("only %d choices come first", len(orders))
	}
	if got := mixed("", 0, 0); got != nil {
		t.Errorf("no choices: %v", got)
	}
	inBubble(t, func(t *testing.T, v *visit) {
		if want := mixed("1one", 1, 2); !slices.Equal(v.leaf("one").orders[1], want) || v.kept["salt"] != "1" {
			t.Errorf("the order is %v, not %v", v.leaf("one").orders[1], want)
		}
	})
}

// TestAnswers answers questions that there are not, or twice.
func TestAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		for _, o := range []origin{{lesson: "two", step: 0}, {lesson: "one", step: 0}, {lesson: "one", step: 9}} {
			v.do("lesson-commit", o)
			v.do("lesson-skip", o)
		}
		if len(v.said)+len(one.verdicts) > 0 {
			t.Errorf("where nothing is asked it says %q, %q", v.said, one.verdicts)
		}
		one.answers[1] = "1"
		v.do("lesson-commit", origin{lesson: "one", step: 1})
		one.answers[1] = "0"
		v.do("lesson-commit", origin{lesson: "one", step: 1})
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		if a := v.open.session.Answer(1); a.Given != "1" {
			t.Errorf("the second answer counts: %+v", a)
		}
		v.press("0/0/0")
		v.press("1/1/0")
		if v.practice.queue["names"].Mistake != nil || v.where.Right != 1 {
			t.Errorf("a right answer is practised as %+v, the room learns of %+v", v.practice.queue["names"], v.where)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "Your prediction was right")
	})
}

// TestShownValue shortens what stands in the place of a reference.
func TestShownValue(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		one.refs["made.response.body.metadata.name"] = "?"
		one.refs["other.response.body"] = "?"
		v.do("lesson-toggled", origin{})
		if one.refs["made.response.body.metadata.name"] != "" || one.refs["other.response.body"] != "" {
			t.Errorf("what is not known is shown as %q", one.refs)
		}
		long := "a-name-of-forty-bytes-and-a-few-more-bytes"
		v.press("0/0/0")
		v.console("POST", "/api/v1/namespaces/one/secrets", `{"metadata": {"name": "`+long+`"}}`)
		if got, want := one.refs["made.response.body.metadata.name"], long[:maxRefText]+"…"; got != want {
			t.Errorf("it is shown as %q, not %q", got, want)
		}
	})
}

// TestGoOn wants the bar's filled button to do what the step needs next: run, answer and run, go to the question.
func TestGoOn(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		if one.view.Run.Label != "watch" || one.view.Run.Line != "GET namespaces/one/secrets?watch=1" ||
			one.view.Run.Text != "Run" {
			t.Fatalf("it offers %+v", one.view.Run)
		}
		v.do("lesson-go", origin{})
		v.do("lesson-next", origin{})
		if one.step != 1 || !one.view.Question || len(one.view.Ask.Answers) != 2 || one.view.Run.Label != "" {
			t.Fatalf("step %d: %+v", one.step, one.view)
		}
		v.do("lesson-go", origin{})
		if one.focus != "question 1" || v.open.session.Answer(1).Committed() {
			t.Errorf("without an answer the focus is on %q", one.focus)
		}
		v.do("lesson-pick", origin{value: "1"})
		for _, a := range one.view.Ask.Answers {
			if a.Chosen != (a.Number == 1) {
				t.Errorf("chosen: %+v", one.view.Ask.Answers)
			}
		}
		v.do("lesson-go", origin{})
		if a := v.open.session.Answer(1); a.Given != "1" || !v.open.session.Step(1).Passed {
			t.Errorf("answered %+v, passed %t", a, v.open.session.Step(1).Passed)
		}
		v.do("lesson-pick", origin{value: "0"}) // it is answered
		if one.answers[1] != "1" {
			t.Errorf("the answer is now %q", one.answers[1])
		}
	})
}
