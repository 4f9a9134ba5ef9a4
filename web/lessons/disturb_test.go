//go:build !js

package lessons_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// disturbSeeds is how many seeds TestDisturbed plays each lesson with; all of them with TABERNETES_LONG.
const disturbSeeds, allDisturbSeeds = 1, 20

// TestDisturbed disturbs each step of each lesson by a seed: what it uses is deleted, changed or created, history is
// compacted, a server restarted, the page loaded again, requests are run twice and out of order, another lesson is
// opened in between. Then a learner who does only what the page offers passes the step, and nothing false is said.
func TestDisturbed(t *testing.T) {
	seeds := disturbSeeds
	if long {
		seeds = allDisturbSeeds
	}
	var mu sync.Mutex
	var total play.Way
	steps := 0
	t.Run("lessons", func(t *testing.T) {
		each(t, func(t *testing.T, l *format.Lesson) {
			seeds := seeds
			if !long && makesMany(l) {
				seeds = 1
			}
			for seed := range uint64(seeds) {
				way := disturb(t, l, seed)
				mu.Lock()
				total.Offered, total.Asked, total.Silent = total.Offered+way.Offered, total.Asked+way.Asked, total.Silent+way.Silent
				steps += len(l.Steps)
				mu.Unlock()
			}
		})
	})
	t.Logf("%d disturbed steps: set up again %d times by offer, %d times by the button in the foot, %d of them "+
		"without a word", steps, total.Offered, total.Asked, total.Silent)
}

// makesMany reports whether a step repeats a request a thousand times or more.
func makesMany(l *format.Lesson) bool {
	return slices.ContainsFunc(l.Steps, func(s format.Step) bool {
		return slices.ContainsFunc(s.Solve(), func(r *format.Request) bool { return r.Repeat >= 1000 })
	})
}

// disturb plays a lesson with a seed, each step of it disturbed.
func disturb(t *testing.T, l *format.Lesson, seed uint64) (sum play.Way) {
	c := fresh(t, 20+seed)
	d := play.NewDisturber(seed*1000 + uint64(len(l.ID)))
	p := player(t, c, l)
	p.OnTap(d.Hear)
	must(t, l, p.Begin())
	defer func() { p.Close() }()
	for i := range l.Steps {
		where := fmt.Sprintf("%s: step %d, %q, seed %d", l.File, i+1, l.Steps[i].Title, seed)
		d.Did = nil
		if q, _ := l.Steps[i].Prediction(); q != nil && len(q.Choices) > 0 {
			given := strconv.Itoa(d.Pick(len(q.Choices)))
			if q.Value != nil {
				given = q.Choices[0].Text
			}
			p.Session.Commit(i, given)
		}
		said := func() { honest(t, p, i, where, d) }
		p = disturbStep(t, c, p, d, i, said)
		way, err := p.Overcome(i, said)
		if err != nil {
			t.Errorf("%s: %v\n%s", where, err, strings.Join(d.Did, "\n"))
			return sum
		}
		honest(t, p, i, where, d)
		for _, said := range way.Unoffered {
			t.Logf("%s: not offered, but %q\n%s", where, said, strings.Join(d.Did, "\n"))
		}
		sum.Offered, sum.Asked, sum.Silent = sum.Offered+way.Offered, sum.Asked+way.Asked, sum.Silent+way.Silent
	}
	return sum
}

// disturbStep does some of what a step gives to run, and disturbs it. It returns the player that continues: another
// one, where the page was loaded again.
func disturbStep(t *testing.T, c *core.Cluster, p *play.Player, d *play.Disturber, i int, said func()) *play.Player {
	t.Helper()
	l := p.Session.Lesson
	requests := l.Steps[i].Solve()
	send := func(r *format.Request) {
		_, err := p.Send(r) // what it refers to may not be there
		if d.Did = append(d.Did, fmt.Sprintf("run %s: %v", r.Label(), err)); p.Passed() > i {
			return
		}
		said()
	}
	half := requests[:d.Pick(len(requests))]
	for _, r := range half {
		send(r)
	}
	for range 1 + d.Pick(3) {
		if p.Passed() > i {
			return p
		}
		switch d.Pick(9) {
		case 0: // twice
			send(requests[d.Pick(len(requests))])
		case 1: // out of order
			for n := len(requests) - 1; n >= 0 && p.Passed() <= i; n-- {
				send(requests[n])
			}
		case 2: // loaded again
			kept := session.ParseProgress(p.Session.Progress().String())
			p.Close()
			d.Did = append(d.Did, "reload")
			p = p.Reloaded(t.Context(), kept)
			p.AfterRequest(synctest.Wait)
			p.OnTap(d.Hear)
		case 3: // another lesson
			other := ordered(t)[d.Pick(5)]
			if other.ID == l.ID {
				continue
			}
			d.Did = append(d.Did, "open "+other.ID)
			must(t, l, p.End())
			o := player(t, c, other)
			must(t, other, o.Begin())
			must(t, other, o.Solve(0))
			must(t, other, o.End())
			o.Close()
			must(t, l, p.SetUp(i)) // as the page does when the lesson is opened again
		case 4: // the first again, last
			for _, r := range append(slices.Clone(requests), requests[0]) {
				if p.Passed() <= i {
					send(r)
				}
			}
		default:
			must(t, l, d.Disturb(p))
		}
		said()
	}
	return p
}

// honest finds fault with what a step says: an explanation, or a tick, of what did not happen.
func honest(t *testing.T, p *play.Player, i int, where string, d *play.Disturber) {
	t.Helper()
	l := p.Session.Lesson
	p.Passed()
	st, a := p.Session.Step(i), p.Session.Answer(i)
	fault := func(format string, args ...any) {
		t.Errorf("%s: %s\n%s", where, fmt.Sprintf(format, args...), strings.Join(d.Did, "\n"))
	}
	if a.Known() && !st.Passed {
		fault("an answer is explained before the step has passed")
	}
	if q, _ := l.Steps[i].Prediction(); q != nil && st.Passed {
		if !a.Known() || a.Right == "?" {
			fault("the step has passed, and no answer is right")
		} else if n, err := strconv.Atoi(a.Right); q.Value == nil && (err != nil || q.Choices[n].Reply != "") {
			fault("explained for another choice than happened: %s", a.Right)
		}
	}
	if st.Trouble != nil && st.Trouble.Asked {
		for _, r := range st.Rows {
			if r.Done {
				fault("ticked in another situation: %s", r.Text)
			}
		}
	}
	if st.Trouble != nil && len(st.Trouble.Differences) == 0 {
		fault("said %q, and not what is different", st.Trouble.Title)
	}
}

// TestFirstAgain runs the first request of each step again before the last of the others, and then what the boxes give:
// the step passes, or offers to be set up again. Nothing false is said of what a box has given.
func TestFirstAgain(t *testing.T) {
	each(t, func(t *testing.T, l *format.Lesson) {
		p := begin(t, fresh(t, 30), l)
		for i := range l.Steps {
			requests := l.Steps[i].Solve()
			if g := l.Steps[i].Goal(); g != nil && g.After != "" {
				requests = nil // the first spoils what the others fix: again, it has spoilt it again
			}
			for n := 1; n < len(requests); n++ {
				again := slices.Insert(slices.Clone(requests), n, requests[0])
				for _, r := range again {
					if p.Passed() > i {
						break
					}
					if _, err := p.Send(r); err != nil {
						break // what is missing is said
					}
				}
				passed, err := p.Try(i, nil)
				must(t, l, err)
				if st := p.Session.Step(i); !passed && st.Trouble == nil {
					t.Errorf("%s: step %d, %q, the first again at %d: said %q", l.File, i+1, l.Steps[i].Title, n, st.Miss)
				}
				p.Session.Reset(i)
				must(t, l, p.SetUp(i))
			}
			must(t, l, p.Solve(i))
		}
	})
}
