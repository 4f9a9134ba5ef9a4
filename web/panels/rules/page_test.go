//go:build !js

package rules

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/app"
)

// forkery makes forks of which Prepare gets what it needs and every other request the same answer, or an error.
type forkery struct {
	made, ended int
	err         error
	left        func()
	asked       func()
}

func (m *forkery) fork(snapshot any) (fork, any, error) {
	m.made++
	if m.err != nil {
		return fork{}, nil, m.err
	}
	return fork{Client: m, revision: 7, end: func() { m.ended++ }}, "snapshot", nil
}

func (m *forkery) whenLeft(f func()) { m.left = f }

func (m *forkery) Ask(app.Request) (app.Response, error) {
	if m.asked != nil {
		m.asked()
	}
	return app.Response{Status: 200, Body: `{"metadata":{"continue":"T","resourceVersion":"9"}}`}, nil
}

// TestRun wants a cell that is pressed to be run in a fork, which is made when the first one needs it, and ends when
// the reader leaves.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &forkery{}
		p := start(app.New(), m)
		at := Place{Verb: semantics.Get}
		for range 2 {
			p.Page.Uses["rules-run"](app.Use{Name: at.ID()})
			synctest.Wait()
		}
		if _, done := p.board.Done[at]; !done || m.made != 1 || p.board.Chosen != at || p.busy {
			t.Fatalf("%+v done, %d forks, %+v chosen", p.board.Done, m.made, p.board.Chosen)
		}
		if m.left(); m.ended != 1 || !p.forked.Closed || len(p.forks.open) != 0 {
			t.Errorf("%d forks ended, %+v", m.ended, p.forked)
		}
		m.err = errors.New("no memory")
		p.Page.Uses["rules-run"](app.Use{Name: at.ID()})
		if synctest.Wait(); p.forked.Problem != "no memory" || len(p.queue) > 0 || p.busy {
			t.Errorf("%+v, %d in the queue", p.forked, len(p.queue))
		}
	})
}

// TestClosedMeanwhile wants a fork that is closed while it is being made not to be kept.
func TestClosedMeanwhile(t *testing.T) {
	m := &forkery{}
	f := forks{maker: m, open: map[bool]*fork{}}
	m.asked = func() { f.close() }
	if _, err := f.of(false); !errors.Is(err, errClosed) || m.ended != 1 || f.snapshot != nil {
		t.Errorf("%v, %d ended, snapshot %v", err, m.ended, f.snapshot)
	}
}

// TestAll checks that the button runs all cells one after another, and stops that when it is pressed again.
func TestAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &forkery{}
		p := start(app.New(), m)
		p.Page.Uses["rules-all"](app.Use{})
		synctest.Wait()
		if len(p.board.Done) != len(Places()) || m.made != 2 || p.forked.All {
			t.Errorf("%d of %d cells, %d forks, all: %v", len(p.board.Done), len(Places()), m.made, p.forked.All)
		}
		calls := strings.Join(p.Page.Take(), "\n")
		if !strings.Contains(calls, "announce "+p.board.Summary()) {
			t.Errorf("nothing is said: %q", calls)
		}
		p.Page.Uses["rules-all"](app.Use{})
		p.Page.Uses["rules-all"](app.Use{})
		if synctest.Wait(); len(p.queue) != 0 {
			t.Errorf("%d cells are still to be run", len(p.queue))
		}
	})
}

// TestKeys wants arrows to move the focus among the cells, and other keys to do nothing.
func TestKeys(t *testing.T) {
	p := start(app.New(), &forkery{})
	for _, c := range []struct {
		press app.Press
		to    Place
	}{
		{app.Press{Key: "ArrowDown"}, Place{Verb: semantics.Get, Row: 1}},
		{app.Press{Key: "ArrowDown", Alt: true}, Place{}}, {app.Press{Key: "x"}, Place{}},
	} {
		p.board.At = Place{}
		p.Page.Take()
		p.Page.Uses["rules-key"](app.Use{Attributes: map[string]string{"id": Place{Verb: semantics.Get}.ID()},
			Pressed: c.press})
		if p.board.At != c.to || c.to != (Place{}) && !slices.Contains(p.Page.Take(), "focus "+c.to.ID()) {
			t.Errorf("%+v: at %+v", c.press, p.board.At)
		}
	}
}
