package lesson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/picture"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// maxLevels is how many levels are kept in the browser.
const maxLevels = 30

// levels returns the texts of the levels that are kept, the one that was opened last first.
func (p *lessonPanel) levels() (sources []string) {
	_ = json.Unmarshal([]byte(p.store.get("levels")), &sources) // none
	return sources
}

func (p *lessonPanel) keepLevels(sources []string) {
	if b, err := json.Marshal(sources); err == nil {
		p.store.set("levels", string(b))
	}
}

// level returns the text of a level that is kept; empty if it is not.
func (p *lessonPanel) level(id string) string {
	all := p.levels()
	if i := slices.IndexFunc(all, func(src string) bool { return format.LevelID(src) == id }); i >= 0 {
		return all[i]
	}
	return ""
}

// full says why another level cannot be kept; empty: it can.
func (p *lessonPanel) full(src string) string {
	if all := p.levels(); len(all) < maxLevels || slices.Contains(all, src) {
		return ""
	}
	return fmt.Sprintf("%d levels are kept in this browser, and no more can be: forget one on the page of levels",
		maxLevels)
}

// openLevel keeps a level, and opens it.
func (p *lessonPanel) openLevel(src string) error {
	if _, err := course.ParseLevel(src); err != nil {
		return err
	}
	if why := p.full(src); why != "" {
		return errors.New(why)
	}
	p.keepLevels(append([]string{src}, slices.DeleteFunc(p.levels(), func(s string) bool { return s == src })...))
	p.column.goHash(course.Link(format.LevelID(src)))
	return nil
}

// dropLevel forgets a level and its progress. What it has made stays until another lesson begins.
func (p *lessonPanel) dropLevel(src string) {
	id := format.LevelID(src)
	p.discard(id)
	p.store.set("lesson/"+id, "")
	p.keepLevels(slices.DeleteFunc(p.levels(), func(s string) bool { return s == src }))
}

// loadLevel makes the document of a level that is kept.
func (p *lessonPanel) loadLevel(id string) (*document, error) {
	l, err := course.ParseLevel(p.level(id))
	if p.level(id) == "" {
		err = errors.New("the level is not kept in this browser: open its link or file again")
	}
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := view.Article(*l, course.AfterLevel, "").Render(context.Background(), &html); err != nil {
		return nil, err
	}
	a, err := p.column.insert(id, html.String())
	if err != nil {
		return nil, err
	}
	d := newDocument(p, l, course.AfterLevel)
	p.add(d, a)
	return d, nil
}

// picture returns the picture of how the goal of a level was reached in this visit; empty if it was not, or nothing is
// drawn of it.
func (p *lessonPanel) picture(src string) string {
	d := p.docs[format.LevelID(src)]
	if d == nil || !d.session.Step(0).Passed {
		return ""
	}
	if drawn := picture.Of(p.requests, d.session.ForGoal(0), p.lab.Commit); drawn != nil {
		return picture.Common([]format.Picture{drawn}).String()
	}
	return ""
}

// A levelRow is a level in the list of those that are kept.
type levelRow struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Source string `json:"source"`
	Passed bool   `json:"passed"`
}

// A levelFault is what is wrong with a level's text, and in which line; 0: in none.
type levelFault struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A levelRead is what is in a level's text, or what is wrong with it.
type levelRead struct {
	Fault      *levelFault     `json:"fault"`
	Title      string          `json:"title,omitempty"`
	Namespaces []string        `json:"namespaces,omitempty"`
	Settings   json.RawMessage `json:"settings,omitempty"` // a part of the ControlPlane's spec
	// Fewest is how many requests its first solution takes.
	Fewest int `json:"fewest,omitempty"`
	// Full says why it cannot be kept; empty: it can.
	Full string `json:"full,omitempty"`
}

func (p *lessonPanel) readLevel(src string) levelRead {
	l, err := course.ParseLevel(src)
	if err != nil {
		return levelRead{Fault: faultOf(err)}
	}
	return levelRead{Title: l.Title, Namespaces: l.Namespaces, Settings: format.Spec(l.Requires),
		Fewest: l.Steps[0].Goal().Fewest, Full: p.full(src)}
}

// askLevels answers what the page's scripts ask about levels, as JSON. Of a level's text "read" says what is in it,
// "open" keeps and opens it, or says what is wrong with it, "drop" forgets it, and "picture" returns that of how it was
// solved; "list" returns those that are kept, that which was opened last first, and "levers" what a goal may allow.
func (p *lessonPanel) askLevels(what, arg string) string {
	var answer any
	switch what {
	case "read":
		answer = p.readLevel(arg)
	case "open":
		answer = faultOf(p.openLevel(arg))
	case "list":
		rows := []levelRow{}
		for _, src := range p.levels() {
			if l, err := format.ParseLevel(src); err == nil {
				rows = append(rows, levelRow{l.ID, l.Title, src, p.passed(l.ID) > 0})
			}
		}
		answer = rows
	case "drop":
		p.dropLevel(arg)
	case "levers":
		answer = format.Levers
	case "picture":
		answer = p.picture(arg)
	}
	b, _ := json.Marshal(answer) // all of these can be written
	return string(b)
}

func faultOf(err error) *levelFault {
	var at *format.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		return &levelFault{at.Line, at.Msg}
	}
	return &levelFault{Text: err.Error()}
}
