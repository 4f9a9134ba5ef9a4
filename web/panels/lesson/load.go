//go:build js && wasm

package lesson

import (
	"fmt"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// adopt makes a document from a lesson's article, which has the lesson's source.
func (p *lessonPanel) adopt(article *dom.Element) error {
	id := article.GetAttribute("data-lesson-id")
	source := article.QuerySelector(`script[type="text/markdown"]`)
	if source == nil {
		return fmt.Errorf("the lesson %s has no source", id)
	}
	l, err := format.ParseAs(id, id+".md", source.TextContent())
	if err != nil {
		return err
	}
	d := &document{lesson: l, session: session.New(l, loadProgress(id), p.app.Requests), next: p.index.After(id)}
	p.add(d, article)
	return nil
}

// add adds a document whose article is on the page.
func (p *lessonPanel) add(d *document, article *dom.Element) {
	d.drawn = find(article, d.lesson)
	p.showWay(article.QuerySelectorAll(".lesson-ways input"))
	d.session.SetCluster(p.settings.cluster)
	d.session.Recheck()
	p.docs[d.id()] = d
	for _, q := range d.drawn.questions {
		q.mix(p.salt())
	}
	d.drawn.shown = 0
	p.showStep(d, d.session.Current())
	p.paintSteps(d)
	if p.teacher {
		p.unfold(d)
	}
}

// load returns a lesson's document, which it fetches if it is not there. It blocks.
func (p *lessonPanel) load(id string) (*document, error) {
	if d := p.docs[id]; d != nil {
		return d, nil
	}
	html, err := p.fetch(course.LessonFile(id))
	if err != nil {
		return nil, err
	}
	if d := p.docs[id]; d != nil { // meanwhile
		return d, nil
	}
	p.column.Underlying().Call("insertAdjacentHTML", "beforeend", html)
	article := p.app.Doc.GetElementByID("lesson-" + id)
	if article == nil {
		return nil, fmt.Errorf("the lesson %s is not in its file", id)
	}
	if err := p.adopt(article); err != nil {
		return nil, err
	}
	return p.docs[id], nil
}

// deck returns a template with its situations. It blocks.
func (p *lessonPanel) deck(id string) (*course.Deck, error) {
	if d := p.decks[id]; d != nil {
		return d, nil
	}
	text, err := p.fetch(course.DeckFile(id))
	if err != nil {
		return nil, err
	}
	d, err := course.ParseDeck(text)
	if err == nil {
		p.decks[id] = d
	}
	return d, err
}

// fetch reads a file of the site. It blocks.
func (p *lessonPanel) fetch(name string) (string, error) {
	text, err := app.Await(p.app.Page.Call("file", name))
	if err != nil {
		return "", err
	}
	return text.String(), nil
}
