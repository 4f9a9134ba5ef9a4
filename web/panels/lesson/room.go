//go:build js && wasm

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
	return p.app.InScene() || p.app.InRoom() && (p.app.Room == nil || p.app.Room.Role != room.Teacher)
}

// refuseGuest says that lessons run in the tab's own cluster, if requests go to another's.
func (p *lessonPanel) refuseGuest() bool {
	if !p.guest() {
		return false
	}
	p.say(view.Notice{
		Text:   "Lessons run in your own cluster, not in that of a room or a scene.",
		Action: "lesson-own", Label: "Go to my tab",
	})
	return true
}

// beginOpened begins a lesson that the learner has opened. In a room that waits for the first request.
func (p *lessonPanel) beginOpened(d *document) {
	if !p.app.InRoom() {
		go p.begin(d, false)
	}
}

// tell says where the learner is in the open lesson, if that has changed.
func (p *lessonPanel) tell() {
	var now app.LessonAt
	if d := p.open; d != nil && d.question == nil {
		now = app.LessonAt{ID: d.id(), Step: d.drawn.shown, Steps: len(d.lesson.Steps)}
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
	if now != p.app.Lesson {
		p.app.Lesson = now
		app.Emit(p.app.Bus, now)
	}
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
