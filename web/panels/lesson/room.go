package lesson

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/view"
	"github.com/tabernetes/tabernetes/web/room"
)

// guest reports whether requests go to a scene's cluster, or to a room in which the learner is no teacher. Lessons do
// not run there: they empty namespaces and set the control plane, which would take others' work away, and which a
// learner may not do. What comes from there counts for no lesson either, so that the lesson in the tab's own cluster
// stays as it is. A teacher who runs a step in the room has chosen to do it for all.
func (p *lessonPanel) guest() bool {
	switch p.lab.State().Target {
	case "scene":
		return true
	case "room":
		who := p.column.member()
		return who == nil || who.Role != room.Teacher
	}
	return false
}

// refuseGuest says that lessons run in the tab's own cluster, if requests go to another's.
func (p *lessonPanel) refuseGuest() bool {
	p.column.begun()
	if !p.guest() {
		return false
	}
	p.say(view.Notice{
		Text:   "Lessons run in your own cluster, not in that of a room or a scene.",
		Action: "lesson-own", Label: "Go to my tab",
	})
	return true
}

// toOwn goes back to the tab's own cluster.
func (p *lessonPanel) toOwn() {
	p.say(view.Notice{})
	p.lab.SetTarget("tab")
}

// beginOpened begins a lesson that the learner has opened. In a room that waits for the first request.
func (p *lessonPanel) beginOpened(d *document) {
	if p.lab.State().Target != "room" {
		go p.begin(d, false)
	}
}

// beginOpen begins the open document from its start, with the settings that it needs. It blocks.
func (p *lessonPanel) beginOpen() {
	if p.open != nil {
		p.begin(p.open, true)
	}
}

// tell says where the learner is in the open lesson, if that has changed.
func (p *lessonPanel) tell() {
	var now app.LessonAt
	if d := p.open; d != nil && p.index.Lesson(d.id()) >= 0 {
		now = app.LessonAt{ID: d.id(), Step: d.shown, Steps: len(d.lesson.Steps)}
		var wrong [][2]int
		for i := range d.lesson.Steps {
			switch a := d.session.Answer(i); {
			case !a.Known() || a.Skipped:
			case a.Correct():
				now.Right++
			default:
				now.Wrong++
				if n, err := strconv.Atoi(a.Given); err == nil {
					wrong = append(wrong, [2]int{i + 1, n})
				}
			}
		}
		now.Mistakes = course.Mistakes(wrong)
	}
	if now != p.where {
		p.where = now
		p.column.at(now)
	}
	p.tellExam()
}

// goAlong shows a lesson at the step that somebody else is at. The focus stays where it is.
func (p *lessonPanel) goAlong(e app.OpenLesson) {
	switch i := p.index.Lesson(e.ID); {
	case i < 0 || e.Step < 0:
	case p.open != nil && p.open.id() == e.ID:
		if e.Step <= len(p.open.lesson.Steps) {
			p.show(e.Step, false)
		}
	case e.Step < len(p.index.Lessons[i].Steps):
		p.goTo(course.Target{Page: "lesson", ID: e.ID, Step: e.Step}, false)
	}
}
