//go:build !js

package practice

import (
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
)

// Deck is the template as the page gets it, with all its situations.
func (t Template) Deck() (*course.Deck, error) {
	texts, err := lesson.ParseTexts(t.ID, t.file(), t.Source)
	if err != nil {
		return nil, err
	}
	if err := markdown.Render(texts); err != nil {
		return nil, err
	}
	d := &course.Deck{ID: t.ID, Source: markdown.Lean(t.Source)}
	for _, text := range texts.Texts() {
		d.HTML = append(d.HTML, *text.HTML)
	}
	var all []Values
	names := map[string]bool{}
	for seed := 1; seed <= Seeds; seed++ {
		v, err := t.Values(seed)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
		for name := range v {
			names[name] = true
		}
	}
	d.Names = slices.Sorted(maps.Keys(names))
	for _, v := range all {
		row := make([]string, len(d.Names))
		for i, name := range d.Names {
			row[i] = v[name]
		}
		d.Rows = append(d.Rows, row)
	}
	return d, nil
}

// Index lists the lessons of a course and all templates.
func Index(lessons []lesson.Lesson) (*course.Index, error) {
	x := &course.Index{}
	for _, l := range lessons {
		e := course.Entry{ID: l.ID, Title: l.Title, Part: l.Part, Minutes: l.Minutes}
		for _, s := range l.Steps {
			e.Steps = append(e.Steps, s.Title)
		}
		x.Lessons = append(x.Lessons, e)
	}
	all, err := All()
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		l, err := t.Situation(1)
		if err != nil {
			return nil, err
		}
		x.Templates = append(x.Templates, course.Template{ID: t.ID, Title: l.Title, Lesson: l.Lesson, Step: l.Step, Exam: l.Exam, Seeds: Seeds})
	}
	return x, nil
}
