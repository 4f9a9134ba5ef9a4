//go:build !js

package lesson

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// TestLessonIsPlayed takes a lesson from its first step to its end.
func TestLessonIsPlayed(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		if !one.isOpen || !v.sheet.isLive || v.sheet.shown.Text != "Lesson 1 of 3, about 2 min" || !v.sheet.shown.First {
			t.Fatalf("the first lesson is not open: %+v", v.sheet.shown)
		}
		if sent := v.takeSent(); len(sent) != 1 || sent[0] != "GET "+wellknown.ControlPlane {
			t.Errorf("before anything is pressed, %q is sent", sent)
		}
		if b := one.buttons["0/0/0"]; b != (buttonView{Text: "Run", Label: "watch", Next: true}) {
			t.Errorf("the first button is %+v", b)
		}
		if !one.buttons["1/1/0"].Held {
			t.Error("the request after a question is not held")
		}

		v.press("0/0/0")
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup POST /api/v1/namespaces",
			"lesson GET /api/v1/namespaces/one/secrets?watch=1")
		if !one.done[0] || one.buttons["0/0/0"].Text != "Stop" || !v.open.session.HasRun("0/0/0") {
			t.Fatalf("the watch has not passed the step: %+v, %+v", one.buttons["0/0/0"], one.view.Checks)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "Passed step 1 of 3, Watch")
		has(t, "the chip", draw(one.chips["0/0/0"]()), "200")
		if got := v.sheet.counts["one"]; got != "1 of 3" {
			t.Errorf("the list of lessons says %q", got)
		}

		v.do("lesson-next", origin{})
		if one.step != 1 || one.focus != "step 1" || v.where.Step != 1 {
			t.Fatalf("Next leads to step %d, the focus is at %q", one.step, one.focus)
		}
		v.do("lesson-commit", origin{lesson: "one", step: 1})
		if want := []string{"Choose an answer first, or just run it."}; !slices.Equal(one.verdicts, want) {
			t.Errorf("without an answer it says %q", one.verdicts)
		}
		one.answers[1] = "0"
		delete(one.asked, 1)
		v.do("lesson-choose", origin{lesson: "one", step: 1})
		if q, drawn := one.asked[1]; !drawn || q.Committed || q.Verdict != "" {
			t.Errorf("once one is chosen: %t, %+v", drawn, q)
		}
		v.do("lesson-commit", origin{lesson: "one", step: 1})
		if q := one.asked[1]; !q.Committed || q.Verdict != "Answered. Run it and see." || one.focus != "run 1" {
			t.Errorf("after the answer: %+v, the focus is at %q", q, one.focus)
		}
		v.press("1/1/0")
		if !one.done[1] {
			t.Fatalf("the create has not passed the step: %+v", one.view.Checks)
		}
		if q := one.asked[1]; !q.Explained || q.Right || q.Verdict != "The result was different." ||
			q.Choices[0].Judged != "wrong" || !q.Choices[0].Reply || q.Choices[1].Judged != "right" {
			t.Errorf("the wrong answer is shown as %+v", q)
		}
		if card := v.practice.queue["names"]; card.Mistake == nil || card.Due != v.today()+1 {
			t.Errorf("what was predicted wrong is practised as %+v", card)
		}
		if v.where.Wrong != 1 || v.where.Mistakes != "2.0" {
			t.Errorf("the room learns of %+v", v.where)
		}
		has(t, "the chip", draw(one.chips["1/1/0"]()), "201")

		v.do("lesson-next", origin{})
		v.do("lesson-skip", origin{lesson: "one", step: 2})
		v.press("2/1/0")
		if !one.done[2] || one.asked[2].Verdict != "Run without an answer." {
			t.Errorf("the last step: passed %t, %+v", one.done[2], one.asked[2])
		}
		if v.practice.queue["spare"].Due > v.today()+1 {
			t.Error("the lesson is done, and nothing of it is practised")
		}
		v.do("lesson-next", origin{})
		if one.step != 3 || one.focus != "step 3" || one.view.Notice.Action != "lesson-give-back" {
			t.Fatalf("the end is step %d, with the notice %+v", one.step, one.view.Notice)
		}
		v.takeSent()
		v.do("lesson-give-back", origin{})
		has(t, "what is sent", strings.Join(v.takeSent(), "\n"), "setup POST "+wellknown.ControlPlane+"/purge")
		if one.view.Notice.Text != "Everything is as it was before." || v.settings.record.Lesson != "" {
			t.Errorf("afterwards: %+v, %+v", one.view.Notice, v.settings.record)
		}
	})
}

// TestFirstLook wants the lesson before the numbered ones to end with one way on, and what a first visit begins with to
// be gone when it is run.
func TestFirstLook(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.index.Lessons[0].Number = 0
		one := v.leaf("one")
		begun := v.sheet.begins
		v.press("0/0/0")
		if v.sheet.begins == begun {
			t.Error("what a first visit begins with stays")
		}
		v.do("lesson-next", origin{})
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.press("1/1/0")
		v.do("lesson-next", origin{})
		v.do("lesson-skip", origin{lesson: "one", step: 2})
		v.press("2/1/0")
		if !v.sheet.shown.First {
			t.Error("what the course has is not shown")
		}
		v.do("lesson-next", origin{})
		if one.step != 3 || one.view.Notice.Text != "" || v.sheet.shown.First || one.view.Next.Href == "" {
			t.Errorf("step %d: %+v, %+v", one.step, one.view, v.sheet.shown)
		}
	})
}

// TestProgressIsKept loads the page again in the middle of a lesson.
func TestProgressIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.press("0/0/0")
		v = v.again("")
		one := v.leaf("one")
		if !one.done[0] || one.step != 1 || v.open.id() != "one" || v.sheet.counts["one"] != "1 of 3" {
			t.Fatalf("%d steps are passed, step %d is shown", len(one.done), one.step)
		}
		if sent := v.takeSent(); len(sent) > 0 {
			t.Errorf("a lesson that was begun sends %q", sent)
		}
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.press("0/0/0")
		v.takeSent()
		v.press("1/1/0")
		if sent := v.takeSent(); slices.ContainsFunc(sent, func(s string) bool { return strings.HasPrefix(s, "setup") }) {
			t.Errorf("it is set up a second time: %q", sent)
		}
		if !one.done[1] {
			t.Errorf("the step does not pass: %+v", one.view.Checks)
		}
		v.close()
		v.kept.set("lesson/one", "{")
		v.kept.set("lesson-settings", "?")
		v = newVisit(t, v.home, "")
		if one := v.leaf("one"); one.step != 0 || one.done[0] || v.settings.record.Lesson != "" {
			t.Errorf("what cannot be read is progress: step %d", one.step)
		}
	})
}

// TestRuns runs requests that are under way, cannot be sent, or fail.
func TestRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.press("1/1/0")
		if sent := strings.Join(v.takeSent(), "\n"); strings.Contains(sent, "POST") {
			t.Errorf("a request that waits for an answer is sent: %s", sent)
		}
		v.press("0/0/0")
		v.press("0/0/0") // stops it
		if b := one.buttons["0/0/0"]; b.Text != "Run again" || b.Busy || len(v.running) > 0 {
			t.Errorf("a watch that was stopped has the button %+v", b)
		}
		v.do("lesson-skip", origin{lesson: "one", step: 2})
		v.press("2/1/0")
		if html := draw(one.outcomes["2/1/0"]()); one.silent["2/1/0"] || !strings.Contains(html, "Run made first") {
			t.Errorf("what it needs is not said: %s", html)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "! Run made first: this request needs its")
		v.do("lesson-compose", origin{lesson: "one", at: "2/1/0"})
		if len(v.opened) > 0 {
			t.Errorf("a request without its values opens %q", v.opened)
		}
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.refused["POST /api/v1/namespaces/one/secrets"] = "Broken"
		v.press("1/1/0")
		has(t, "the outcome", draw(one.outcomes["1/1/0"]()), "Broken")
		delete(v.refused, "POST /api/v1/namespaces/one/secrets")

		var asked []app.Compose
		app.On(v.bus, func(c app.Compose) { asked = append(asked, c) })
		v.do("lesson-compose", origin{lesson: "one", at: "1/1/0"})
		if len(asked) != 1 || asked[0].Method != "POST" || asked[0].Origin != "console" ||
			!slices.Equal(v.opened, []string{"console"}) {
			t.Errorf("the console gets %+v, %q is opened", asked, v.opened)
		}
		v.do("lesson-copy", origin{lesson: "one", at: "1/1/0"})
		v.do("lesson-copy", origin{lesson: "one", at: "2/1/0"})
		has(t, "the clipboard", strings.Join(v.copied, "\n"), "the request: POST /api/v1/namespaces/one/secrets",
			"{{made.response.body.metadata.name}}")
		for _, at := range []string{"9/9/9", "", "0/0/1"} {
			v.do("lesson-run", origin{lesson: "one", at: at})
			v.do("lesson-copy", origin{lesson: "none", at: at})
			v.do("lesson-compose", origin{lesson: "one", at: at})
		}
		v.state = app.State{Phase: "loading", Target: "tab"}
		if got := v.runText(v.open, v.open.boxes[0], &lessonRun{stoppable: true}); got != "Waiting for the API server" {
			t.Errorf("before the API server is there, the button says %q", got)
		}
	})
}

// TestRunTogether finds the requests that one button sends.
func TestRunTogether(t *testing.T) {
	l, err := format.ParseAs("x", "x.md",
		"---\nminutes: 1\npart: A first look\n---\n\n# X\n\n## S\n\n```http\n# @name w\n"+
			"GET /api/v1/secrets?watch=1&timeoutSeconds=1\n\n###\nGET /api\n```\n\n```http\nGET /apis\n```\n\n"+
			"```solution\nGET /version\n```\n\n```check\n- It is\n  w: GET /api/v1/secrets -> 200\n```\n")
	if err != nil {
		t.Fatal(err)
	}
	d := &document{lesson: l, boxes: boxesOf(l)}
	names := func(boxes []*box) (all []string) {
		for _, b := range boxes {
			all = append(all, b.at)
		}
		return all
	}
	for _, c := range []struct {
		got  []*box
		want []string
	}{
		{d.boxes, []string{"0/0/0", "0/0/1", "0/1/0", "0/2/0"}},
		{d.together(d.boxes[0]), []string{"0/0/0", "0/0/1"}},
		{d.together(d.boxes[1]), []string{"0/0/1"}},
		{d.together(d.boxes[2]), []string{"0/1/0"}},
		{d.given(), []string{"0/0/0", "0/0/1", "0/1/0"}},
	} {
		if got := names(c.got); !slices.Equal(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// TestTogether sends requests that belong together, as far as they can be sent, and counts those for a goal.
func TestTogether(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		var counted []app.GoalRequests
		app.On(v.bus, func(g app.GoalRequests) { counted = append(counted, g) })
		v.sheet.goHash("#lesson-three")
		v.settle()
		three := v.leaf("three")
		if got := three.buttons["0/0/0"].Text; got != "Run these 3" {
			t.Errorf("the button says %q", got)
		}
		v.takeSent()
		v.press("0/0/0")
		if sent := v.takeSent(); !slices.Equal(sent, []string{
			"lesson GET /api/v1/namespaces/three/secrets?watch=1&timeoutSeconds=60",
			"lesson POST /api/v1/namespaces/three/secrets"}) {
			t.Errorf("together it sends %q", sent)
		}
		if b := three.buttons; b["0/0/0"].Text != "Stop" || b["0/0/2"].Busy || b["0/0/2"].Text != "Run" ||
			len(v.running) != 1 {
			t.Errorf("the buttons are %+v", b)
		}
		revision := int64(0)
		for _, e := range v.requests.All() {
			if e.Method == "POST" && e.Origin == "lesson" {
				revision = v.settings.record.Revision + 7
				v.requests.Wrote(e.ID, revision)
				app.Emit(v.bus, app.EntryChanged{Exchange: e})
			}
		}
		has(t, "the chip", draw(three.chips["0/0/1"]()), strconv.FormatInt(revision, 10))

		v.do("lesson-next", origin{})
		if s := three.scores[1]; s.Made != 0 || s.Fewest != 1 || s.Reached {
			t.Errorf("at first the score is %+v", s)
		}
		has(t, "the picture", draw(three.pictures[1]()), "an answer is missing: three/secrets", "not there yet")
		v.console("GET", "/api/v1/namespaces/three/secrets", "")
		has(t, "the picture", draw(three.pictures[1]()), "the answers for three/secrets are there")
		v.console("DELETE", "/api/v1/namespaces/three/secrets/a", "")
		if s := three.scores[1]; s.Made != 2 || !s.Reached || len(counted) != 2 || len(counted[1].IDs) != 2 ||
			counted[1].Fewest != 1 {
			t.Errorf("the score is %+v, the log shows %+v", s, counted)
		}
		has(t, "the picture", draw(three.pictures[1]()), "reached: any way there counts")
		has(t, "the picture in the place of the answer", v.sheet.goal, "reached: any way there counts")
		v.do("lesson-show", origin{step: 0})
		if v.sheet.goal != "" {
			t.Errorf("beside another step there is %s", v.sheet.goal)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "Passed step 2 of 2, Delete it. ")
	})
}

// TestKubectl does a lesson with commands.
func TestKubectl(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.do("lesson-way", origin{value: "kubectl"})
		v.do("lesson-skip", origin{lesson: "one", step: 1})
		v.do("lesson-copy", origin{lesson: "one", at: "1/1/0"})
		v.press("1/1/0")
		command := "kubectl create secret generic a -n one"
		if !v.sheet.kubectl || !slices.Equal(v.ran, []string{command}) ||
			!slices.Equal(v.opened, []string{"terminal", "request 7"}) ||
			!slices.Equal(v.copied, []string{"the command: " + command}) {
			t.Errorf("%q is run, %q opened, %q copied", v.ran, v.opened, v.copied)
		}
		if b := one.buttons["1/1/0"]; b.Text != "Run again" {
			t.Errorf("after the commands the button is %+v", b)
		}
		v.terminalFails = errors.New("no terminal")
		v.press("1/1/0")
		has(t, "what is said", strings.Join(v.said, "\n"), "! no terminal")
		v.press("0/0/0") // there is no command for it
		if len(v.ran) != 2 || !one.done[0] {
			t.Errorf("the first step is done by %q", v.ran)
		}
		if v = v.again(""); !v.kubectl || !v.sheet.kubectl {
			t.Error("the choice is not kept")
		}
		v.do("lesson-way", origin{value: "http"})
		if v.kubectl || v.sheet.kubectl {
			t.Error("it cannot be taken back")
		}
	})
}

// TestOwnRequests has requests of the console pass a step, and lead on without Next.
func TestOwnRequests(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		one := v.leaf("one")
		v.press("0/0/0")
		v.console("POST", "/api/v1/namespaces/one/secrets", `{"metadata": {"name": "b"}}`)
		if !one.done[1] || one.step != 1 {
			t.Errorf("step 2 passed: %t, and step %d is shown", one.done[1], one.step+1)
		}
		if !v.open.session.Answer(1).Committed() || one.asked[1].Verdict != "Run without an answer." {
			t.Errorf("its question is %+v", one.asked[1])
		}
		v.console("GET", "/api/v1/namespaces/one/secrets/b", "")
		if one.step != 2 || !one.done[2] {
			t.Errorf("step 3 passed: %t, and step %d is shown", one.done[2], one.step+1)
		}
	})
}
