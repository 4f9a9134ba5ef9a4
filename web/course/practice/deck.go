//go:build !js

package practice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
)

// Deck returns the template as the page gets it, with all its situations.
func (t Template) Deck() (*course.Deck, error) {
	d := &course.Deck{ID: t.ID, Source: markdown.Lean(t.Source)}
	var all []Values
	names, long := map[string]bool{}, map[string]bool{}
	for seed := 1; seed <= Seeds; seed++ {
		v, err := t.Values(seed)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
		for name, value := range v {
			names[name] = true
			long[name] = long[name] || value == "" || strings.ContainsAny(value, "\n*[")
		}
	}
	places := map[string]int{}
	for i, v := range all {
		order, err := t.texts(d, v, long, places)
		if err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", t.file(), i+1, err)
		}
		d.Order = append(d.Order, order)
	}
	d.Names = slices.Sorted(maps.Keys(names))
	lines := map[string]int{}
	for _, v := range all {
		row := make([]string, len(d.Names))
		for i, name := range d.Names {
			row[i] = v[name]
		}
		d.Add(row, lines)
	}
	same := func(order []int) bool { return slices.Equal(order, d.Order[0]) }
	if !slices.ContainsFunc(d.Order, func(order []int) bool { return !same(order) }) {
		d.Order = d.Order[:1]
	}
	return d, nil
}

// texts renders a situation's texts, except for values that are words within a line, and returns their places in the
// deck's HTML, to which it adds new ones. Long values may be whole choices, tables, Markdown or nothing: with them the
// texts themselves differ.
func (t Template) texts(d *course.Deck, v Values, long map[string]bool, places map[string]int) ([]int, error) {
	some := Values{}
	for name, value := range v {
		if some[name] = "{{$" + name + "}}"; long[name] {
			some[name] = value
		}
	}
	src, err := course.Fill(t.Source, some)
	if err != nil {
		return nil, err
	}
	l, err := format.ParseTexts(t.ID, t.file(), src)
	if err != nil {
		return nil, err
	}
	if err := markdown.Render(l); err != nil {
		return nil, err
	}
	var order []int
	for _, text := range l.Texts() {
		at, ok := places[*text.HTML]
		if !ok {
			at = len(d.HTML)
			places[*text.HTML] = at
			d.HTML = append(d.HTML, *text.HTML)
		}
		order = append(order, at)
	}
	return order, nil
}

// Index lists the lessons of a course and all templates.
func Index(lessons []format.Lesson) (*course.Index, error) {
	x := &course.Index{}
	for _, l := range lessons {
		digits, _, _ := strings.Cut(l.File, "-") // 07-410-gone.md
		number, err := strconv.Atoi(digits)
		if err != nil {
			return nil, err
		}
		e := course.Entry{ID: l.ID, Title: l.Title, Part: l.Part, Minutes: l.Minutes, Number: number}
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
		if err == nil {
			err = l.Validate()
		}
		if err != nil {
			return nil, err
		}
		step := stepOf(lessons, l.Lesson, l.Step)
		if step == 0 {
			return nil, fmt.Errorf("%s: the lesson %q has no step %q", t.file(), l.Lesson, l.Step)
		}
		x.Templates = append(x.Templates,
			course.Template{ID: t.ID, Was: t.Was, Title: l.Title, Lesson: l.Lesson, Step: step, Exam: l.Exam, Seeds: Seeds})
	}
	return x, nil
}

// stepOf returns the number of a lesson's step, from 1 on; 0 if there is no such step.
func stepOf(lessons []format.Lesson, id, step string) int {
	for _, l := range lessons {
		if l.ID == id {
			return 1 + slices.IndexFunc(l.Steps, func(s format.Step) bool { return s.ID == step })
		}
	}
	return 0
}
