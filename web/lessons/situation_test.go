//go:build !js

package lessons_test

import (
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// run sends the requests of a step's http blocks from one index up to another.
func run(t *testing.T, p *play.Player, step, from, to int) {
	t.Helper()
	for _, r := range p.Session.Lesson.Steps[step].Given()[from:to] {
		_, err := p.Send(r)
		must(t, p.Session.Lesson, err)
	}
}

// console makes a request as a learner does in the console, and wants a status.
func console(t *testing.T, p *play.Player, method, target, body string, want int) {
	t.Helper()
	if got, err := p.Console(method, target, body); err != nil || got != want {
		t.Fatalf("%s %s: %d, %v", method, target, got, err)
	}
}

// notAsked wants a step to say that a run is another situation, and nothing else; and one of the differences.
func notAsked(t *testing.T, p *play.Player, step int, difference string) {
	t.Helper()
	_, err := p.Try(step, nil)
	must(t, p.Session.Lesson, err)
	st, a := p.Session.Step(step), p.Session.Answer(step)
	if st.Passed || a.Known() || a.Given == "" {
		t.Errorf("passed %v, the answer %+v", st.Passed, a)
	}
	for _, r := range st.Rows {
		if r.Done {
			t.Errorf("ticked: %s", r.Text)
		}
	}
	if st.Trouble == nil || st.Trouble.Title != session.NotAsked {
		t.Fatalf("the trouble is %+v", st.Trouble)
	}
	var said []string
	for _, d := range st.Trouble.Differences {
		said = append(said, d.Expected+" | "+d.Found+" | "+d.By)
	}
	if !strings.Contains(strings.Join(said, "\n"), difference) {
		t.Errorf("said\n%s\nwant %q", strings.Join(said, "\n"), difference)
	}
}

// TestAnotherSituation makes a run another one than the question is about. What was answered is kept, nothing is
// explained or ticked, and set up again, the step passes.
func TestAnotherSituation(t *testing.T) {
	text, err := os.ReadFile("testdata/01-too-late.md")
	if err != nil {
		t.Fatal(err)
	}
	l, err := format.Parse("01-too-late.md", string(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("as it was asked", func(t *testing.T) { synctest.Test(t, func(t *testing.T) { solve(t, l) }) })
	t.Run("410", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := begin(t, fresh(t, 7), l)
			p.Session.Commit(0, "0")
			run(t, p, 0, 0, 3)
			console(t, p, "POST", wellknown.ControlPlane+"/compact", "{}", 201)
			console(t, p, "POST", wellknown.ControlPlane+"/restart", "{}", 201)
			run(t, p, 0, 3, 4)
			notAsked(t, p, 0, "**ERROR 410**")
			notAsked(t, p, 0, "**restarted** | by you, in the console")
			must(t, l, p.SetUp(0))
			must(t, l, p.Solve(0))
			if a := p.Session.Answer(0); a.Given != "0" || a.Right != "1" {
				t.Errorf("the answer %+v", a)
			}
		})
	})
}

// TestDeletedInBetween deletes a Secret between the first two steps of the lesson on streaming lists: neither the goal
// that comes next nor the question after that depends on it.
func TestDeletedInBetween(t *testing.T) {
	l := load(t)["streaming-lists"]
	synctest.Test(t, func(t *testing.T) {
		p := begin(t, fresh(t, 8), l)
		must(t, l, p.Solve(0))
		console(t, p, "DELETE", "/api/v1/namespaces/streaming-lists/secrets/b", "", 200)
		must(t, l, p.Solve(1))
		p.Session.Commit(2, "0")
		must(t, l, p.Solve(2))
		q, _ := l.Steps[2].Prediction()
		if a := p.Session.Answer(2); a.Right != "2" || !strings.HasPrefix(q.Choices[2].Text, "After 2 s all") {
			t.Errorf("the answer %+v, of %q", a, q.Choices[2].Text)
		}
	})
}
