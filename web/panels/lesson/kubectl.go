//go:build js && wasm

package lesson

import (
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// chooseWay has requests made by the page, or by kubectl where there are commands that do the same.
func (p *lessonPanel) chooseWay(el *dom.Element, _ dom.Event) {
	way := el.Underlying().Get("value").String()
	store("way", way)
	p.setWay(way)
	p.paint()
}

// setWay shows requests, or commands where there are some.
func (p *lessonPanel) setWay(way string) {
	p.app.Kubectl = way == "kubectl"
	app.Toggle(p.column, "data-kubectl", p.app.Kubectl)
	p.showWay(p.app.Doc.QuerySelectorAll(".lesson-ways input"))
}

// showWay marks the choice that is made.
func (p *lessonPanel) showWay(choices []*dom.Element) {
	for _, choice := range choices {
		u := choice.Underlying()
		u.Set("checked", p.app.Kubectl == (u.Get("value").String() == "kubectl"))
	}
}

// inTerminal reports whether a box stands for commands now.
func (p *lessonPanel) inTerminal(b *drawnBox) bool { return p.app.Kubectl && b.command != "" }

// inPlace returns the address of the box that stands for a request now: that of its block's commands, if it has some.
func (p *lessonPanel) inPlace(at string) string {
	if a, ok := format.ParseAddress(at); ok && p.app.Kubectl {
		if a.Request = 0; p.open.lesson.KubectlAt(a) != "" {
			return a.String()
		}
	}
	return at
}

// runCommand runs a block's commands in the terminal. They count as run once they have ended, those of a watch at once.
func (p *lessonPanel) runCommand(d *document, b *drawnBox) {
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
		p.app.Open("terminal")
		last, err := p.app.Command(b.command)
		if !p.end(run) {
			return
		}
		if note(); err != nil {
			p.app.Alert(err.Error())
		}
		if last != 0 {
			p.app.Select(app.Selection{Request: last}, "lesson")
		}
		p.save(d)
		p.paint()
	}()
}
