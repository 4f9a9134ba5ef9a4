package lesson

import (
	"fmt"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// A box is one of a document's requests, with its button.
type box struct {
	at      string
	place   format.Address
	request *format.Request
	// along is how many requests are sent by its button, command are the commands of kubectl that do what its block does.
	along   int
	command string
	// made is the tap's id of its latest request, last how that goes.
	made int
	last session.Report
	// view is what the button shows.
	view buttonView
}

// boxesOf returns the boxes of a lesson's requests.
func boxesOf(l *format.Lesson) []*box {
	var boxes []*box
	for i := range l.Steps {
		for j := range l.Steps[i].Blocks {
			b := &l.Steps[i].Blocks[j]
			if b.Kind != format.HTTP && b.Kind != format.Solution {
				continue
			}
			for k := range b.Requests {
				at := format.Address{Step: i, Block: j, Request: k}
				r := &b.Requests[k]
				boxes = append(boxes, &box{at: at.String(), place: at, request: r, along: l.SentTogether(at),
					command: l.KubectlAt(at), view: buttonView{Text: "Run", Label: r.Label()}})
			}
		}
	}
	return boxes
}

func (p *lessonPanel) progress(id string) session.Progress {
	return session.ParseProgress(p.store.get("lesson/" + id))
}

// adopt makes a document from a lesson's article, which has the lesson's source.
func (p *lessonPanel) adopt(id string, a article) error {
	source := a.source()
	if source == "" {
		return fmt.Errorf("the lesson %s has no source", id)
	}
	l, err := format.ParseAs(id, id+".md", source)
	if err != nil {
		return err
	}
	p.add(newDocument(p, l, p.index.After(id)), a)
	return nil
}

// newDocument makes the document of a lesson, with what is kept of its progress.
func newDocument(p *lessonPanel, l *format.Lesson, next view.NextLink) *document {
	return &document{lesson: l, session: session.New(l, p.progress(l.ID), p.requests), next: next}
}

// add adds a document whose article is on the page.
func (p *lessonPanel) add(d *document, a article) {
	a.find(d.lesson, d.question != nil)
	d.article, d.boxes = a, boxesOf(d.lesson)
	d.passed, d.scores = make([]bool, len(d.lesson.Steps)), make([]session.Score, len(d.lesson.Steps))
	d.pictures = make([]string, len(d.lesson.Steps))
	d.session.SetCluster(p.settings.cluster)
	d.session.Recheck()
	p.docs[d.id()] = d
	for i := range d.lesson.Steps {
		if q, _ := d.lesson.Steps[i].Prediction(); q != nil {
			a.order(i, p.mixed(d, i, len(q.Choices)))
		}
	}
	p.showStep(d, d.session.Current())
	p.paintSteps(d)
	if p.teacher {
		p.unfold(d)
	}
}

// discard removes a document with its article, if it is there.
func (p *lessonPanel) discard(id string) {
	d := p.docs[id]
	if d == nil {
		return
	}
	if d == p.open {
		p.leaveOpen()
	}
	p.clear(d, nil)
	d.article.remove()
	delete(p.docs, id)
}

// load returns the document of a lesson or a level. A lesson is fetched if it is not there. It blocks.
func (p *lessonPanel) load(id string) (*document, error) {
	if d := p.docs[id]; d != nil {
		return d, nil
	}
	if format.IsLevel(id) {
		return p.loadLevel(id)
	}
	html, err := p.column.file(course.LessonFile(id))
	if err != nil {
		return nil, err
	}
	if d := p.docs[id]; d != nil { // meanwhile
		return d, nil
	}
	a, err := p.column.insert(id, html)
	if err != nil {
		return nil, err
	}
	if err := p.adopt(id, a); err != nil {
		return nil, err
	}
	return p.docs[id], nil
}

// deck returns a template with its situations. It blocks.
func (p *lessonPanel) deck(id string) (*course.Deck, error) {
	if d := p.decks[id]; d != nil {
		return d, nil
	}
	text, err := p.column.file(course.DeckFile(id))
	if err != nil {
		return nil, err
	}
	d, err := course.ParseDeck(text)
	if err == nil {
		p.decks[id] = d
	}
	return d, err
}
