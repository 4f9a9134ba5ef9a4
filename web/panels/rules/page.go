package rules

import (
	"errors"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/app"
)

// errClosed is the error of a cell whose fork was closed meanwhile.
var errClosed = errors.New("the fork was closed")

// panel runs the cells, one after another.
type panel struct {
	*app.App
	board  Board
	forks  forks
	forked Forked
	queue  []Place // what is to be run
	busy   bool    // a goroutine works on the queue
	left   bool    // the panel was watched for being left
}

func start(a *app.App, from maker) *panel {
	p := &panel{App: a, board: Board{Verb: semantics.Get, Done: map[Place]Outcome{}},
		forks: forks{maker: from, open: map[bool]*fork{}}}
	a.OnUse("rules-verb", func(u app.Use) {
		p.board.Verb = u.Value()
		p.ToTop("rules-table")
		p.draw()
	})
	a.OnUse("rules-run", func(u app.Use) {
		if at, ok := placeOf(u.ID()); ok {
			p.board.At, p.board.Chosen = at, at
			p.run(at)
		}
	})
	a.OnUse("rules-key", p.key)
	a.OnUse("rules-all", func(app.Use) {
		if p.forked.All {
			p.queue = nil
			return
		}
		p.forked.All = true
		p.run(Places()...)
	})
	a.OnUse("rules-fork", func(app.Use) {
		p.close()
		p.board.Done, p.board.Chosen = map[Place]Outcome{}, Place{}
		go p.fork(false)
		p.draw()
	})
	app.On(a.Bus, func(app.ClusterChanged) {
		p.close()
		p.draw()
	})
	return p
}

// key moves the focus among the cells.
func (p *panel) key(u app.Use) {
	press := u.Press()
	if press.Alt || press.Ctrl || press.Meta {
		return
	}
	at, ok := placeOf(u.At("id"))
	if !ok {
		return
	}
	key := press.Key
	switch key {
	case "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End":
	default:
		return
	}
	u.PreventDefault()
	p.board.At = at.step(key)
	p.Field(p.board.At.ID()).Focus()
	p.draw()
}

// run puts cells into the queue, and starts the goroutine that works on it.
func (p *panel) run(places ...Place) {
	p.queue = append(p.queue, places...)
	p.draw()
	if !p.busy {
		p.busy = true
		go p.work()
	}
}

// work runs what is in the queue.
func (p *panel) work() {
	n := 0
	var last Place
	for len(p.queue) > 0 {
		last, p.queue = p.queue[0], p.queue[1:]
		n++
		if !p.one(last) {
			p.queue = nil
		}
	}
	p.busy, p.forked.All, p.board.Running = false, false, Place{}
	p.draw()
	switch out, done := p.board.Done[last]; {
	case p.forked.Problem != "":
		p.Alert(p.forked.Text())
	case n > 1:
		p.Announce(p.board.Summary())
	case done && out.Matches:
		p.Announce("As expected: " + plain(out.Words))
	case done:
		p.Announce("Not as expected: " + plain(out.Words) + out.Error)
	}
}

// one runs a cell, and reports whether there is a fork.
func (p *panel) one(at Place) bool {
	f := p.fork(at.Behind)
	if f == nil {
		return false
	}
	row, _ := at.row()
	p.board.Running = at
	p.draw()
	out := Run(f, f.fixture, row, at.Behind)
	p.board.Running = Place{}
	if p.forks.open[at.Behind] != f {
		return false // closed meanwhile
	}
	if out.Status == 0 {
		p.forks.drop(at.Behind)
	}
	p.board.Done[at] = out
	p.draw()
	if at == p.board.Chosen && !p.forked.All {
		p.Page.Call("reveal", "rules-verdict")
	}
	return true
}

// fork returns one of the two forks, and makes it if it is not open. It returns nil if it cannot be made.
func (p *panel) fork(behind bool) *fork {
	if have := p.forks.open[behind]; have != nil {
		return have
	}
	if len(p.forks.open) == 0 {
		// What was answered was of a state that is no longer there.
		p.board.Done = map[Place]Outcome{}
	}
	p.forked.Making, p.forked.Problem = true, ""
	p.draw()
	f, err := p.forks.of(behind)
	p.forked.Making = false
	if errors.Is(err, errClosed) {
		return nil
	}
	if err != nil {
		p.forked.Problem = err.Error()
		p.draw()
		return nil
	}
	p.forked = Forked{Revision: p.forks.revision, Made: p.forks.made.Local().Format("15:04:05"), All: p.forked.All}
	p.watch()
	p.draw()
	return f
}

// watch closes the forks when the user leaves the panel.
func (p *panel) watch() {
	if p.left {
		return
	}
	p.left = true
	p.forks.whenLeft(func() {
		p.close()
		p.draw()
	})
}

// close ends the forks and what is being run. What was answered stays.
func (p *panel) close() {
	p.queue = nil
	p.forked.Closed = p.forked.Made != ""
	p.forks.close()
}

// draw shows all at the next frame.
func (p *panel) draw() {
	p.Draw("rules-table", func() templ.Component { return Table(p.board) })
	p.Draw("rules-tools", func() templ.Component { return Tools(p.forked, p.board.Summary()) })
}
