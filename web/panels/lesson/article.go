//go:build js && wasm

package lesson

import (
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// A drawnLesson is an article on the page: its elements.
type drawnLesson struct {
	column                        *pageColumn
	el, title, text, outro, barEl *dom.Element

	steps     []drawnStep
	boxes     map[string]*drawnBox // by their addresses
	refs      []*drawnRef
	questions map[int]*drawnQuestion // by their steps

	// held says that the bar has the focus, or had it when it was drawn last.
	held bool
}

// A drawnStep is a step's elements.
type drawnStep struct {
	item, details, summary, mark, said *dom.Element
	// predict is the step's question, nil if it has none; trouble is the place where it is said why it cannot pass.
	predict, trouble *dom.Element
	// score is where the requests for the step's goal are counted; nil if it has none.
	score *dom.Element
	// shows is where the goal's picture is; nil if it has none.
	shows *dom.Element

	hints, solutions []*dom.Element
}

// A drawnBox is a request's box.
type drawnBox struct{ run, chip, out *dom.Element }

// A drawnRef is a reference in a request, which shows its value once that is
// known.
type drawnRef struct {
	el         *dom.Element
	key, value string
	// html is the reference as the page was built with it.
	html string
}

// drawn returns an article that is on the page.
func (c *pageColumn) drawn(el *dom.Element) *drawnLesson {
	return &drawnLesson{column: c, el: el, title: el.QuerySelector(".lesson-title"),
		text: el.QuerySelector(".lesson-text"), outro: el.QuerySelector(".lesson-outro"),
		barEl: el.QuerySelector(".lesson-bar"), boxes: map[string]*drawnBox{}, questions: map[int]*drawnQuestion{}}
}

func (d *drawnLesson) id() string { return d.el.GetAttribute("data-lesson-id") }

func (d *drawnLesson) source() string {
	if source := d.el.QuerySelector(`script[type="text/markdown"]`); source != nil {
		return source.TextContent()
	}
	return ""
}

func (d *drawnLesson) find(l *format.Lesson, question bool) {
	if over := d.el.QuerySelector(".lesson-over button"); over != nil {
		over.RemoveAttribute("disabled")
	}
	d.column.markWay(d.el.QuerySelectorAll(".lesson-ways input"))
	app.Toggle(d.el, "data-question", question)
	for _, item := range d.el.QuerySelectorAll(".lesson-step") {
		d.steps = append(d.steps, drawnStep{
			item: item, details: item.QuerySelector(".lesson-fold"), summary: item.QuerySelector("summary"),
			mark: item.QuerySelector(".lesson-mark"), said: item.QuerySelector(".lesson-said"),
			predict: item.QuerySelector(".lesson-predict"), trouble: item.QuerySelector(".lesson-trouble-place"),
			hints: item.QuerySelectorAll(".lesson-hint"), solutions: item.QuerySelectorAll(".lesson-solution"),
			score: item.QuerySelector(".lesson-score"), shows: item.QuerySelector(".lesson-picture"),
		})
	}
	for _, box := range d.el.QuerySelectorAll(".lesson-http") {
		d.boxes[box.GetAttribute("data-at")] = &drawnBox{run: box.QuerySelector("[data-action=lesson-run]"),
			chip: box.QuerySelector(".lesson-chip"), out: box.QuerySelector(".lesson-out")}
	}
	for _, el := range d.el.QuerySelectorAll(".lesson-http .t-ref") {
		key := strings.Trim(el.TextContent(), "{} ")
		d.refs = append(d.refs, &drawnRef{el: el, key: key, html: el.Underlying().Get("innerHTML").String()})
	}
	for _, box := range d.el.QuerySelectorAll(".lesson-predict") {
		asks, _ := l.Steps[stepOf(box)].Prediction()
		q := findQuestion(box, asks)
		if d.questions[stepOf(box)] = q; question {
			q.alone()
		}
	}
}

func (d *drawnLesson) open(on bool) {
	app.Toggle(d.el, "data-open", on)
	if d.column.shown = nil; on {
		d.column.shown = d
	}
}

func (d *drawnLesson) remove() { d.el.Underlying().Call("remove") }

func (d *drawnLesson) show(was, step int, all bool) {
	if was != step && was < len(d.steps) {
		d.steps[was].item.RemoveAttribute("data-shown")
		if !d.steps[was].item.Contains(d.column.focused()) && !all {
			unfold(d.steps[was].details, false)
		}
	}
	if step < len(d.steps) {
		d.steps[step].item.SetAttribute("data-shown", "")
		unfold(d.steps[step].details, true)
	}
	app.Toggle(d.outro, "hidden", step < len(d.steps) && !all)
}

func (d *drawnLesson) unfold(step int, all bool) {
	for i := range d.steps {
		st := &d.steps[i]
		unfold(st.details, all || i == step)
		for _, parts := range [][]*dom.Element{st.hints, st.solutions} {
			for _, part := range parts {
				unfold(part, all)
			}
		}
	}
}

// parts returns the elements of a step's hints or solutions.
func (d *drawnLesson) parts(step int, kind string) []*dom.Element {
	if kind == "hint" {
		return d.steps[step].hints
	}
	return d.steps[step].solutions
}

func (d *drawnLesson) opened(step int, kind string) (open, all int) {
	parts := d.parts(step, kind)
	for open < len(parts) && parts[open].Underlying().Get("open").Bool() {
		open++
	}
	return open, len(parts)
}

func (d *drawnLesson) reveal(step int, kind string, from, to int, open bool) {
	parts := d.parts(step, kind)
	for _, part := range parts[from:to] {
		unfold(part, open)
	}
	if open {
		d.column.soon(func() {
			moveFocus(parts[from].QuerySelector("summary"))
			scrollIntoView(parts[from], "nearest")
		})
	}
}

func (d *drawnLesson) scroll(step int) {
	v := d.text.Underlying()
	if step < 0 {
		v.Set("scrollTop", 0)
		return
	}
	at := d.outro
	if step < len(d.steps) {
		at = d.steps[step].item
	}
	top := v.Call("getBoundingClientRect").Get("top").Float() - v.Get("scrollTop").Float()
	box := at.Underlying().Call("getBoundingClientRect")
	to := 0.0
	if box.Get("bottom").Float()-top > v.Get("clientHeight").Float() {
		to = box.Get("top").Float() - top - 4
	}
	v.Set("scrollTop", to)
}

func (d *drawnLesson) focusTitle() { moveFocus(d.title) }

func (d *drawnLesson) focusStep(step int) {
	if step < len(d.steps) {
		moveFocus(d.steps[step].summary)
		return
	}
	moveFocus(d.outro)
}

func (d *drawnLesson) focusRun(step int, ifLost bool) {
	d.column.soon(func() {
		if ifLost && (d.column.shown != d || !lost(d.column.focused())) {
			return
		}
		to := d.steps[step].item.QuerySelector("[data-action=lesson-run][data-next]")
		if to == nil {
			to = d.steps[step].summary
		}
		moveFocus(to)
	})
}

func (d *drawnLesson) focusNext() {
	d.column.soon(func() {
		moveFocus(d.barEl.QuerySelector(".lesson-next:is(a, button:enabled), .lesson-help button"))
	})
}

func (d *drawnLesson) bar(v *view.BarView) {
	d.column.app.RenderFunc(d.barEl, func() templ.Component {
		at := d.column.focused()
		if d.held = inBar(at) || d.held && lost(at); d.held {
			d.column.soon(d.keepFocus) // when it is drawn
		}
		return view.Bar(*v)
	})
	app.Toggle(d.barEl, "data-more", v.More)
	app.Toggle(d.el, "data-exam", v.Exam)
}

// keepFocus moves the focus to what is next in the bar, if a button of the bar had it that is there no more, or cannot
// be pressed. While nothing is next, it is moved later.
func (d *drawnLesson) keepFocus() {
	at := d.column.focused()
	if d.column.shown != d || !lost(at) {
		d.held = d.column.shown == d && inBar(at) // what is drawn next may take it away
	} else if to := d.barEl.QuerySelector(".lesson-next:is(a, button:enabled)"); to != nil {
		d.held = false
		moveFocus(to)
	}
}

// inBar reports whether an element, which may be nil, is a part of a lesson's bar.
func inBar(at *dom.Element) bool { return at != nil && at.Closest(".lesson-bar") != nil }

// lost reports whether the focus is on nothing that can be used. The element may be nil.
func lost(at *dom.Element) bool {
	return at == nil || at.TagName() == "BODY" || at.HasAttribute("disabled")
}

func (d *drawnLesson) passed(step int, passed bool) {
	state, mark, said := "todo", strconv.Itoa(step+1), ""
	if passed {
		state, mark, said = "passed", "✓", ", passed"
	}
	st := &d.steps[step]
	st.item.SetAttribute("data-state", state)
	st.mark.SetTextContent(mark)
	st.said.SetTextContent(said)
}

func (d *drawnLesson) trouble(step int, t *session.Trouble, busy bool) {
	st := &d.steps[step]
	hidden := st.trouble.HasAttribute("hidden")
	if t != nil || !hidden {
		d.column.app.RenderFunc(st.trouble, func() templ.Component { return view.InTrouble(t, busy) })
	}
	if t != nil && hidden {
		d.column.soon(func() { scrollIntoView(st.trouble, "nearest") })
	}
	setHidden(st.trouble, t == nil)
	setHidden(st.predict, t != nil && t.Asked)
}

func (d *drawnLesson) score(step int, s session.Score) {
	d.column.app.RenderFunc(d.steps[step].score, func() templ.Component { return view.GoalScore(s) })
}

func (d *drawnLesson) picture(step int, draw func() templ.Component) {
	if to := d.steps[step].shows; to != nil {
		setHidden(to, false)
		d.column.app.RenderFunc(to, draw)
	}
}

func (d *drawnLesson) values(valueOf func(reference string) string) {
	for _, r := range d.refs {
		value := valueOf(r.key)
		if value == r.value {
			continue
		}
		r.value = value
		if value == "" {
			r.el.Underlying().Set("innerHTML", r.html)
			r.el.RemoveAttribute("title")
		} else {
			r.el.SetTextContent(value)
			r.el.SetAttribute("title", r.key)
		}
		app.Toggle(r.el, "data-known", value != "")
	}
}

func (d *drawnLesson) button(at string, v buttonView) {
	run := d.boxes[at].run
	setText(run, v.Text)
	setAttribute(run, "aria-label", v.Text+" "+v.Label)
	setAttribute(run, "aria-busy", map[bool]string{true: "true"}[v.Busy])
	setAttribute(run, "title", map[bool]string{true: "Answer the question above first"}[v.Held])
	run.Underlying().Set("disabled", v.Held)
	app.Toggle(run, "data-next", v.Next)
}

func (d *drawnLesson) chip(at string, draw func() templ.Component) {
	d.column.app.RenderFunc(d.boxes[at].chip, draw)
}

func (d *drawnLesson) outcome(at string, hidden bool, draw func() templ.Component) {
	setHidden(d.boxes[at].out, hidden)
	d.column.app.RenderFunc(d.boxes[at].out, draw)
}
