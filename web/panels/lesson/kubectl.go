package lesson

import (
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// chooseWay has requests made by the page, or by kubectl where there are commands that do the same.
func (p *lessonPanel) chooseWay(o origin) {
	p.store.set("way", o.value)
	p.setWay(o.value)
	p.paint()
}

// setWay shows requests, or commands where there are some.
func (p *lessonPanel) setWay(way string) {
	p.kubectl = way == "kubectl"
	p.column.showWay(p.kubectl)
}

// inTerminal reports whether a box stands for commands now.
func (p *lessonPanel) inTerminal(b *box) bool { return p.kubectl && b.command != "" }

// inPlace returns the address of the box that stands for a request now: that of its block's commands, if it has some.
func (p *lessonPanel) inPlace(at string) string {
	if a, ok := format.ParseAddress(at); ok && p.kubectl {
		if a.Request = 0; p.open.lesson.KubectlAt(a) != "" {
			return a.String()
		}
	}
	return at
}

// runCommand runs a block's commands in the terminal. They count as run once they have ended, those of a watch at once.
func (p *lessonPanel) runCommand(d *document, b *box) {
	if p.refuseGuest() {
		return
	}
	p.notice = view.Notice{}
	run := p.start(d, b)
	requests := d.lesson.Steps[b.place.Step].Blocks[b.place.Block].Requests
	note := func() {
		for i := range requests {
			d.session.NoteRun(format.Address{Step: b.place.Step, Block: b.place.Block, Request: i}.String())
		}
	}
	if run.stoppable = false; b.request.Watch() {
		note()
	}
	p.paint()
	go func() {
		p.begin(d, false)
		p.lab.Open("terminal")
		last, err := p.lab.Command(b.command)
		if !p.end(run) {
			return
		}
		if note(); err != nil {
			p.lab.Alert(err.Error())
		}
		if last != 0 {
			p.lab.Select(app.Selection{Request: last}, "lesson")
		}
		p.save(d)
		p.paint()
	}()
}
