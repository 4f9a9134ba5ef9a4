package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/controlplanetest"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// pace is how long somebody takes from one request to the next, patience how long who has made the last one waits
// for what the programs do, and looks how long somebody looks at what was disturbed: programs whose watches were broken
// watch again after some seconds, when the caches of a server that was restarted are filled.
const pace, patience, looks = 20 * time.Second, 2 * time.Minute, 40 * time.Second

// eachLesson runs a test for each lesson that has programs, in the time of a separate bubble.
func eachLesson(t *testing.T, test func(t *testing.T, l *format.Lesson)) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("takes a minute: make test-controllers-long")
	}
	n := 0
	err := format.Load(os.DirFS("../../web/lessons"), func(l *format.Lesson, _ string) error {
		if l.Programs {
			n++
			t.Run(l.ID, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, l) }) })
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatal("no lesson has programs: ", err)
	}
}

// learner begins a lesson in a new cluster with the programs.
func learner(t *testing.T, l *format.Lesson, options ...controlplanetest.Option) *play.Player {
	t.Helper()
	server := kubetest.New(t)
	controlplanetest.Start(t, server, append(options, controlplanetest.Nodes(3))...)
	get := func() io.ReadCloser {
		r, err := (&http.Client{Transport: server.Transport()}).Get(kubetest.Host + "/api/v1/nodes")
		if err != nil {
			t.Fatal(err)
		}
		return r.Body
	}
	for range 600 {
		body := get()
		ready := allUp(body)
		_ = body.Close() // it was read
		if ready {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	p := play.New(t.Context(), server, l)
	t.Cleanup(p.Close)
	p.AfterRequest(synctest.Wait) // as the page, which waits until the programs have done what they do at once
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestLessons plays the lessons that have programs with their solutions, made as fast as a page makes them, and by
// somebody who looks at each: twice, the second time after starting over. Of each question it can be read off what
// happened which answer is right, and that is the one without a reply.
func TestLessons(t *testing.T) {
	t.Run("fast", func(t *testing.T) {
		eachLesson(t, func(t *testing.T, l *format.Lesson) { playTwice(t, learner(t, l)) })
	})
	t.Run("slow", func(t *testing.T) {
		eachLesson(t, func(t *testing.T, l *format.Lesson) {
			p := learner(t, l)
			p.AfterRequest(func() { time.Sleep(pace) })
			playTwice(t, p)
		})
	})
	t.Run("busy", func(t *testing.T) {
		eachLesson(t, func(t *testing.T, l *format.Lesson) {
			b := newBusy(1)
			p := learner(t, l, controlplanetest.Wrap(b.wrap))
			p.AfterRequest(b.settle)
			playTwice(t, p)
		})
	})
}

func playTwice(t *testing.T, p *play.Player) {
	for range 2 {
		for i := range p.Session.Lesson.Steps {
			if err := p.Solve(i); err != nil {
				t.Fatalf("step %d: %v\n%s", i+1, err, p.Session.Step(i).Miss)
			}
			answered(t, p, i)
		}
		p.Session.ResetAll()
		if err := p.Prepare(); err != nil {
			t.Fatal(err)
		}
	}
}

// answered wants exactly one choice of a step's question to be right, without a reply, and the others to have one.
func answered(t *testing.T, p *play.Player, i int) {
	t.Helper()
	q, _ := p.Session.Lesson.Steps[i].Prediction()
	if q == nil {
		return
	}
	right := p.Session.Answer(i).Right
	for n, c := range q.Choices {
		if (fmt.Sprint(n) == right) != (c.Reply == "") {
			t.Errorf("step %d: %q has the reply %q, and %s is right", i+1, c.Text, c.Reply, right)
		}
	}
}

// TestLessonsWays plays all ways to the goals of these lessons: the first takes as many requests as the goal says.
func TestLessonsWays(t *testing.T) {
	eachLesson(t, func(t *testing.T, l *format.Lesson) {
		for i := range l.Steps {
			all, goal := l.Steps[i].Ways(), l.Steps[i].Goal()
			if goal != nil && (len(all) < 2 || len(l.Steps[i].Wrong) < 2) {
				t.Errorf("%s:%d: %d ways, %d wrong attempts", l.File, goal.Line, len(all), len(l.Steps[i].Wrong))
			}
			if len(all) < 2 {
				continue
			}
			for n, way := range all {
				passed, p := tried(t, l, i, way)
				score := p.Session.Score(i)
				if !passed {
					t.Errorf("step %d, way %d does not pass: %s", i+1, n+1, p.Session.Step(i).Miss)
				} else if goal != nil && (score == nil || n == 0 && score.Made != goal.Fewest || score.Made < goal.Fewest) {
					t.Errorf("step %d, way %d takes %+v requests", i+1, n+1, score)
				}
			}
		}
	})
}

// TestLessonsPictures wants the picture of each goal of these lessons to be what its solutions leave on the stage, as
// far as they have it in common, as those of other lessons are.
func TestLessonsPictures(t *testing.T) {
	eachLesson(t, func(t *testing.T, l *format.Lesson) {
		for i := range l.Steps {
			g := l.Steps[i].Goal()
			if g == nil {
				continue
			}
			var ways []format.Picture
			for _, way := range l.Steps[i].Ways() {
				passed, p := tried(t, l, i, way)
				left, err := p.Picture(i)
				if err != nil || !passed {
					t.Fatal(passed, err)
				}
				ways = append(ways, left)
			}
			all, faults := play.Drawn(ways)
			if all.String() != g.Picture.String() {
				t.Errorf("%s:%d: the picture of the goal is out of date: it is\n```picture\n%s```", l.File, g.Line, all)
			}
			for _, fault := range faults {
				t.Errorf("%s:%d: %s", l.File, g.Line, fault)
			}
		}
	})
}

// TestLessonsWrong tries what does not pass: nothing, and the wrong attempts.
func TestLessonsWrong(t *testing.T) {
	eachLesson(t, func(t *testing.T, l *format.Lesson) {
		for i := range l.Steps {
			if passed, _ := tried(t, l, i, nil); passed {
				t.Errorf("step %d passes without anything done for it", i+1)
			}
			for _, a := range l.Steps[i].Wrong {
				passed, p := tried(t, l, i, a.Requests)
				if miss := p.Session.Step(i).Miss; passed || !strings.Contains(miss, a.Miss) {
					t.Errorf("%s:%d: passed: %v, and it says %q", l.File, a.Line, passed, miss)
				}
			}
		}
	})
}

// tried makes an attempt at a step in a new cluster, in which the steps before it are done.
func tried(t *testing.T, l *format.Lesson, step int, requests []*format.Request) (bool, *play.Player) {
	t.Helper()
	p := learner(t, l)
	for k := range step {
		if err := p.Solve(k); err != nil {
			t.Fatalf("step %d: %v\n%s", k+1, err, p.Session.Step(k).Miss)
		}
	}
	passed, err := p.Try(step, requests)
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); !passed && time.Now().Before(late); time.Sleep(time.Second) {
		passed = p.Passed() > step
	}
	return passed, p
}

// TestLessonsDisturbed disturbs each step of these lessons by a seed, as those of others are: then a learner who does
// only what the page offers passes it.
func TestLessonsDisturbed(t *testing.T) {
	eachLesson(t, func(t *testing.T, l *format.Lesson) {
		for seed := range uint64(3) {
			p := learner(t, l)
			d := play.NewDisturber(seed*1000 + 7)
			d.Leave = []string{"advance"} // natively the programs have the machine's time, and only the server's would move
			p.OnTap(d.Hear)
			for i := range l.Steps {
				d.Did = nil
				requests := l.Steps[i].Solve()
				for _, r := range requests[:d.Pick(len(requests))] {
					_, err := p.Send(r) // what it refers to may not be there
					d.Did = append(d.Did, fmt.Sprintf("run %s: %v", r.Label(), err))
				}
				for range 1 + d.Pick(3) {
					if err := d.Disturb(p); p.Passed() <= i && err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(looks)
				if _, err := p.Overcome(i, func() {}); err != nil {
					t.Fatalf("step %d, seed %d, after %s: %v", i+1, seed, strings.Join(d.Did, ", "), err)
				}
			}
		}
	})
}
