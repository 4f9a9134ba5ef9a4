//go:build !js

package lessons_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// only plays one lesson: go test ./web/lessons -only addresses
var only = flag.String("only", "", "play this `lesson` alone")

// long is whether there is time for all that can be tried.
var long = os.Getenv("TABERNETES_LONG") != ""

// each runs a test for each lesson, in the time of a separate bubble: waiting for a
// cluster takes none.
func each(t *testing.T, test func(t *testing.T, l *format.Lesson)) {
	for id, l := range load(t) {
		if *only != "" && *only != id || l.Programs { // wasm/controllers plays those, with the programs
			continue
		}
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, l) })
		})
	}
}

// fresh returns a cluster for a test.
func fresh(t *testing.T, seed uint64) *core.Cluster {
	t.Helper()
	c, err := play.Cluster(seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	synctest.Wait() // for what the controllers make in a new cluster
	return c
}

// begin starts a lesson on a cluster.
func begin(t *testing.T, c *core.Cluster, l *format.Lesson) *play.Player {
	t.Helper()
	p := player(t, c, l)
	t.Cleanup(p.Close)
	must(t, l, p.Begin())
	return p
}

// player returns one whose requests come when controllers have done their part.
func player(t *testing.T, c *core.Cluster, l *format.Lesson) *play.Player {
	p := play.New(t.Context(), c, l)
	p.AfterRequest(synctest.Wait)
	return p
}

func must(t *testing.T, l *format.Lesson, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", l.File, err)
	}
}

// TestSolutions plays every lesson with its own solutions, twice: the second time after
// starting over. No step passes before something is done for it, nor says that it cannot pass, and of each question it
// can be read off what happened which answer is right.
func TestSolutions(t *testing.T) { each(t, solve) }

// solve plays a lesson with its own solutions, twice.
func solve(t *testing.T, l *format.Lesson) {
	c := fresh(t, 1)
	p := begin(t, c, l)
	for range 2 {
		for i := range l.Steps {
			if p.Passed(); p.Session.Step(i).Trouble != nil {
				t.Errorf("%s: before anything is done for step %d, it says: %+v", l.File, i+1, *p.Session.Step(i).Trouble)
			}
			p.AfterRequest(func() {
				synctest.Wait()
				if passed, st := p.Passed(), p.Session.Step(i); passed <= i && st.Trouble != nil {
					t.Errorf("%s: step %d says of its solution: %+v", l.File, i+1, *st.Trouble)
				}
			})
			must(t, l, p.Solve(i))
			judge(t, p, i)
		}
		p.Session.ResetAll()
		if n := p.Passed(); n != 0 {
			t.Fatalf("%d steps are passed after starting over", n)
		}
		must(t, l, p.Prepare())
	}
}

// judge finds fault with the question of a step that has passed.
func judge(t *testing.T, p *play.Player, i int) {
	t.Helper()
	step := &p.Session.Lesson.Steps[i]
	q, _ := step.Prediction()
	if q == nil {
		return
	}
	where := fmt.Sprintf("%s:%d: step %d", p.Session.Lesson.File, q.Line, i+1)
	right := p.Session.Answer(i).Right
	if right == "?" {
		t.Errorf("%s: not exactly one answer is right, of what happened", where)
		return
	}
	if q.Value != nil {
		for _, c := range q.Choices {
			if c.Text == right {
				t.Errorf("%s: the tempting %q is right", where, c.Text)
			}
		}
		return
	}
	for n, c := range q.Choices {
		if strconv.Itoa(n) != right && c.Reply == "" {
			t.Errorf("%s: %q is wrong, and has no reply", where, c.Text)
		}
		if strconv.Itoa(n) == right && c.Reply != "" {
			t.Errorf("%s: %q is right, which the explanation says; its reply tells which choice that is about", where, c.Text)
		}
	}
}

// TestWrongAttempts tries what does not pass: nothing, the attempts that stand beside the
// solutions, and solutions with one thing changed. Each has a separate cluster, on
// which the steps before it are done.
func TestWrongAttempts(t *testing.T) { each(t, fail) }

// fail tries what does not pass a lesson's steps.
func fail(t *testing.T, l *format.Lesson) {
	for i := range l.Steps {
		step := &l.Steps[i]
		for _, a := range step.Wrong {
			if passed, miss := attempt(t, l, i, a.Requests); passed {
				t.Errorf("%s:%d: step %d passes with this attempt", l.File, a.Line, i+1)
			} else if !strings.Contains(miss, a.Miss) {
				t.Errorf("%s:%d: told %q, want %q in it", l.File, a.Line, miss, a.Miss)
			}
		}
		for n, m := range play.Mutations(step) {
			if !long && (n+i)%4 != 0 {
				continue
			}
			if passed, _ := attempt(t, l, i, m.Requests); passed {
				t.Errorf("%s:%d: step %d passes %s", l.File, step.Check.Line, i+1, m.What)
			}
		}
	}
}

// attempt makes an attempt at a step, and tells what is said of it.
func attempt(t *testing.T, l *format.Lesson, i int, requests []*format.Request) (passed bool, miss string) {
	t.Helper()
	c, err := play.Cluster(2)
	must(t, l, err)
	defer c.Close()
	p := player(t, c, l)
	defer p.Close()
	must(t, l, p.Begin())
	for k := range i {
		must(t, l, p.Solve(k))
	}
	if passed, err = p.Try(i, nil); err != nil || passed {
		t.Fatalf("%s: step %d passes before anything is done for it: %v", l.File, i+1, err)
	}
	passed, err = p.Try(i, requests)
	if err != nil {
		return false, err.Error()
	}
	return passed, p.Session.Step(i).Miss
}

// spoilt are settings with which no lesson works.
const spoilt = `{"spec": {"cache": {"replicas": [{"lagSeconds": 30}, {"frozen": true}, {}], "progressSeconds": 86400,
		"capacity": {"least": 1, "most": 1}},
	"history": {"retentionSeconds": 1}, "watch": {"bookmarkSeconds": 86400}, "clock": {"paused": true},
	"chaos": {"enabled": true, "seed": 1, "intervalSeconds": 1}, "controllers": {"enabled": false},
	"compatibility": {"resourceVersionMatch": "Ignore"}}}`

// usual are settings with which lists are answered at once.
const usual = `{"spec": {"cache": {"replicas": [{}]}, "clock": {"paused": false}, "controllers": {"enabled": true}}}`

// TestTidiesUp plays every lesson on a control plane on which it would not work, and
// wants everything to be as before when it has ended: the settings, and what there is.
func TestTidiesUp(t *testing.T) { each(t, tidyUp) }

// tidyUp plays a lesson from its start to its end.
func tidyUp(t *testing.T, l *format.Lesson) {
	if l.Minutes == 0 || l.Part == "" {
		t.Errorf("%s: it has %d minutes, and the part %q", l.File, l.Minutes, l.Part)
	}
	c := fresh(t, 3)
	p := player(t, c, l)
	t.Cleanup(p.Close)
	before := everything(t, c)
	must(t, l, p.Set(spoilt))
	settings, err := p.Settings()
	must(t, l, err)
	must(t, l, p.Begin())
	for i := range l.Steps {
		must(t, l, p.Solve(i))
	}
	must(t, l, p.End())
	if now, err := p.Settings(); err != nil || !now.Equal(settings) {
		t.Errorf("left %v, %v\nwas %v", now, err, settings)
	}
	must(t, l, p.Set(usual)) // with which lists are answered at once
	synctest.Wait()
	if after := everything(t, c); !slices.Equal(before, after) {
		t.Errorf("left %v\nwas  %v", without(after, before), without(before, after))
	}
}

// TestResumed leaves each lesson in the middle, as a page that is loaded again: the
// progress is what was kept, no watch is open, and what the steps so far had made is made
// again before it continues.
func TestResumed(t *testing.T) {
	each(t, func(t *testing.T, l *format.Lesson) {
		c := fresh(t, 5)
		half := len(l.Steps) / 2
		p := begin(t, c, l)
		for i := range half {
			if q, _ := l.Steps[i].Prediction(); q != nil {
				p.Session.Commit(i, "0")
			}
			must(t, l, p.Solve(i))
		}
		kept := session.ParseProgress(p.Session.Progress().String())
		p.Close()
		p = play.Resume(t.Context(), c, l, kept)
		p.AfterRequest(synctest.Wait)
		t.Cleanup(p.Close)
		if got := p.Passed(); got != half {
			t.Fatalf("%d steps are passed, were %d", got, half)
		}
		must(t, l, p.Begin())
		p.Session.Redo(half)
		for i := range l.Steps {
			must(t, l, p.Solve(i))
			if q, _ := l.Steps[i].Prediction(); q != nil && i < half && p.Session.Answer(i).Given != "0" {
				t.Errorf("%s: the answer of step %d is lost", l.File, i+1)
			}
		}
	})
}

// TestAnyOrder plays the lessons on one cluster, in their order and backwards, leaving
// each half done before it is done as a whole.
func TestAnyOrder(t *testing.T) {
	if *only != "" {
		t.Skip("one lesson has no order")
	}
	all := slices.DeleteFunc(ordered(t), func(l *format.Lesson) bool { return l.Programs })
	for name, order := range map[string][]*format.Lesson{"forwards": all, "backwards": reversed(all)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := fresh(t, 4)
				for n, l := range order {
					half := order[(n+1)%len(order)]
					p := player(t, c, half)
					must(t, half, p.Begin())
					for i := range len(half.Steps) / 2 {
						must(t, half, p.Solve(i))
					}
					must(t, half, p.End())
					p.Close()
					p = player(t, c, l)
					must(t, l, p.Begin())
					for i := range l.Steps {
						must(t, l, p.Solve(i))
					}
					must(t, l, p.End())
					p.Close()
				}
			})
		})
	}
}

func reversed(all []*format.Lesson) []*format.Lesson {
	all = slices.Clone(all)
	slices.Reverse(all)
	return all
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}
