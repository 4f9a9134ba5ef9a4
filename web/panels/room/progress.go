package room

import (
	"encoding/json"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/room"
)

// progress is what the member reports of itself, if it wants to.
type progress struct {
	report   app.Later
	reported string // what was sent last
}

func (p *panel) startProgress() {
	p.report = app.Later{Wait: 400 * time.Millisecond, Run: p.sendReport}
	app.On(p.Bus, func(app.LessonAt) { p.report.Do() })
	app.On(p.Bus, func(app.RoomExam) {
		p.report.Do()
		p.draw()
	})
	p.OnUse("room-share", func(u app.Use) {
		p.view.Shares = u.Checked()
		p.remember(func(r *own) { r.Share = p.view.Shares })
		p.report.Do()
	})
}

// sendReport tells the teachers where the member is, or that they are not to see it any longer.
func (p *panel) sendReport() {
	if !p.inside() || !p.state.Synced || p.view.Lost {
		return // it is sent when the connection is there
	}
	text := "null"
	if p.view.Shares || p.Exam.Report != "" {
		now := room.Progress{Exam: p.Exam.Report} // who takes an exam shows it
		if at := p.Lesson; p.view.Shares {
			now.Lesson, now.Step, now.Steps, now.Right, now.Wrong = at.ID, at.Step+1, at.Steps, at.Right, at.Wrong
			now.Beliefs = at.Mistakes
		}
		b, _ := json.Marshal(now) // every progress can be written
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
