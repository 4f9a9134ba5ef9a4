//go:build js && wasm

package lesson

import (
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/lesson"
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
	p.kubectl = way == "kubectl"
	app.Toggle(p.column, "data-kubectl", p.kubectl)
	for _, d := range p.docs {
		d.drawn.setWay(p.kubectl)
	}
}

func (d *drawnLesson) setWay(kubectl bool) {
	for i, choice := range d.article.QuerySelectorAll(".lesson-ways input") {
		choice.Underlying().Set("checked", kubectl == (i == 1))
	}
}

// inTerminal reports whether a box stands for commands now.
func (p *lessonPanel) inTerminal(b *drawnBox) bool { return p.kubectl && b.command != "" }

// runCommand runs a block's commands in the terminal. They count as run once they have ended, those of a watch at once.
func (p *lessonPanel) runCommand(d *document, b *drawnBox) {
	if p.refuseGuest() {
		return
	}
	p.notice = model.Notice{}
	run := p.start(d, b)
	requests := d.lesson.Steps[b.place.Step].Blocks[b.place.Block].Requests
	note := func() {
		for i := range requests {
			d.session.NoteRun(model.Address{Step: b.place.Step, Block: b.place.Block, Request: i}.String())
		}
	}
	if run.stoppable = false; b.request.Watch() {
		note()
	}
	p.paint()
	go func() {
		p.begin(d, false)
		p.app.Open("terminal")
		terminal, err := p.app.Load("terminal.js")
		if err == nil {
			_, err = app.Await(terminal.Call("run", b.command))
		}
		if !p.end(run) {
			return
		}
		if note(); err != nil {
			p.app.Alert(err.Error())
		}
		p.save(d)
		p.paint()
	}()
}
