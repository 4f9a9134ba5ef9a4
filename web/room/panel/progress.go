//go:build js && wasm

package panel

import (
	"encoding/json"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/room"
)

// progress is what the member reports of itself, if it wants to.
type progress struct {
	report   app.Later
	reported string // what was sent last
}

func (p *panel) startProgress() {
	p.report = app.Later{Wait: 400 * time.Millisecond, Run: p.sendReport}
	app.On(p.Bus, func(app.LessonAt) { p.report.Do() })
	p.Action("room-share", func(el *dom.Element, _ dom.Event) {
		p.view.Shares = el.Underlying().Get("checked").Bool()
		p.remember("share", p.view.Shares)
		p.report.Do()
	})
}

// sendReport tells the teachers where the member is, or that they are not to see it any longer.
func (p *panel) sendReport() {
	if !p.inside() || !p.state.Synced || p.view.Lost {
		return // it is sent when the connection is there
	}
	text := "null"
	if p.view.Shares {
		at := p.Lesson
		b, _ := json.Marshal(model.Progress{Lesson: at.ID, Step: at.Step + 1, Steps: at.Steps, Right: at.Right,
			Wrong: at.Wrong}) // every progress can be written
		text = string(b)
	}
	if text == p.reported || text == "null" && p.reported == "" {
		return
	}
	p.reported = text
	go func() {
		if _, err := p.ask("POST", roomPath+"/report", `{"progress":`+text+`}`); err != nil {
			p.reported = ""
		}
	}()
}
