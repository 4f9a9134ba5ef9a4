package exam

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/room"
)

// panel is the class on the page.
type panel struct {
	*app.App
	index *course.Index
	later app.Later

	problem string
	ending  bool // the teacher is asked whether to end it
	// reports are the last ones of an exam, by member: they stay when it has ended.
	reports map[string]course.Report
	// decks and articles are what was fetched; nil: it is on its way, or was not found.
	decks    map[string]*course.Deck
	articles map[string]article
	read     func(html string) article
}

// An article is that of a lesson, as the site has it.
type article interface {
	// markdown returns the lesson's text.
	markdown() string
	// choice returns the text of a step's choice at its place, and the reply at its; -1: it has none.
	choice(step, place, reply int) (text, says string, ok bool)
}

func start(a *app.App, read func(html string) article) *panel {
	p := &panel{App: a, read: read, index: a.Course(), reports: map[string]course.Report{},
		decks: map[string]*course.Deck{}, articles: map[string]article{}}
	p.later = app.Later{Wait: 200 * time.Millisecond, Run: p.draw}
	app.On(a.Bus, func(app.RoomChanged) { p.later.Do() })
	app.On(a.Bus, func(app.RoomExam) { p.later.Do() })
	a.OnUse("class-open", func(app.Use) { go p.open() })
	a.OnUse("class-end", func(app.Use) { p.ask(true, "class-sure") })
	a.OnUse("class-keep", func(app.Use) { p.ask(false, "class-title") })
	a.OnUse("class-end-now", func(app.Use) { go p.set("null") })
	a.OnUse("class-csv", func(app.Use) {
		app.Download(course.CSV(p.view().Class), "text/csv", "tabernetes-exam.csv")
	})
	p.draw()
	return p
}

// open opens an exam as the form says.
func (p *panel) open() {
	seed, _ := strconv.ParseUint(p.Field("class-seed").Value(), 10, 64)
	questions, _ := strconv.Atoi(p.Field("class-questions").Value())
	if seed == 0 {
		seed = course.DrawSeed(rand.IntN)
	}
	clear(p.reports)
	b, _ := json.Marshal(course.ClassExam{Seed: seed, Questions: questions, // every exam can be written
		Each: p.Field("class-each").Value() != ""})
	p.set(string(b))
}

// ask asks whether to end the exam, or no longer, and moves the focus.
func (p *panel) ask(ending bool, focus string) {
	p.ending = ending
	p.draw()
	p.Page.Call("focus", focus)
}

// set says which exam is open in the room.
func (p *panel) set(exam string) {
	r, err := p.Fetch(context.Background(), app.Request{Method: "PATCH", Path: room.Path, Quiet: true, Target: "room",
		Header: app.ContentType("application/merge-patch+json"), Body: `{"spec":{"exam":` + exam + `}}`})
	if err == nil && r.Status >= http.StatusBadRequest {
		err = errors.New(app.Message(r.Body))
	}
	p.problem, p.ending = "", false
	if err != nil {
		p.problem = "That could not be done: " + err.Error()
	}
	p.draw()
	if err == nil {
		p.Page.Call("focus", "class-title") // the button that was pressed is gone
	}
}

// view returns what is shown. It asks for what is missing of it.
func (p *panel) view() View {
	v := View{Open: p.Exam.Open, Problem: p.problem, Ending: p.ending}
	if p.Room == nil || p.Room.Role != room.Teacher {
		return v
	}
	v.Teaches = true
	var lessons []course.LessonReport
	for _, m := range p.Room.Members {
		if m.Role != room.Learner {
			continue
		}
		s := course.Sitter{Name: m.Title(), Away: m.Here == 0}
		if m.Progress != nil {
			if r, ok := course.ParseReport(m.Progress.Exam); ok && p.ours(m.Name, r) {
				p.reports[m.Name] = r
			}
			if m.Progress.Lesson != "" {
				lessons = append(lessons, course.LessonReport{Lesson: m.Progress.Lesson, Beliefs: m.Progress.Beliefs})
			}
		}
		s.Report = p.reports[m.Name]
		v.Class = append(v.Class, s)
	}
	for _, id := range p.index.Decks(v.Class) {
		if _, asked := p.decks[id]; !asked {
			p.decks[id] = nil
			go p.fetchDeck(id)
		}
	}
	v.Beliefs = p.index.Believed(v.Class, p.decks)
	v.Lessons = p.index.InLessons(lessons, p.choice)
	return v
}

// ours reports whether a report is of the exam that is open, or of the last one.
func (p *panel) ours(member string, r course.Report) bool {
	open := p.Exam.Open
	return open == nil || open.For(p.index, member).Seed == r.Seed
}

func (p *panel) fetchDeck(id string) {
	if text, err := p.Promise("file", course.DeckFile(id)); err == nil {
		if d, err := course.ParseDeck(text); err == nil {
			p.decks[id] = d
			p.later.Do()
		}
	}
}

// choice returns the texts of a lesson's choice, from the article of the lesson.
func (p *panel) choice(lesson string, step, choice int) (text, reply string, ok bool) {
	l, asked := p.articles[lesson]
	if !asked {
		p.articles[lesson] = nil
		go func() {
			html, err := p.Promise("file", course.LessonFile(lesson))
			if err != nil {
				return
			}
			p.articles[lesson] = p.read(html)
			p.later.Do()
		}()
	}
	if l == nil {
		return "", "", false
	}
	parsed, err := format.ParseAs(lesson, lesson+".md", l.markdown())
	if err != nil || step < 1 || step > len(parsed.Steps) {
		return "", "", false
	}
	q, _ := parsed.Steps[step-1].Prediction()
	if q == nil {
		return "", "", false
	}
	place := slices.Index(q.Shown(), choice)
	if place < 0 {
		return "", "", false
	}
	return l.choice(step-1, place, slices.Index(q.Replies(), choice))
}

// draw shows the class, if the panel is open.
func (p *panel) draw() {
	p.Draw("class-exam", func() templ.Component { return Body(p.view()) })
}
