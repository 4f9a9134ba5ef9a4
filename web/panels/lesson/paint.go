//go:build js && wasm

package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	model "github.com/tabernetes/tabernetes/web/lesson"
)

// A drawnLesson is a lesson's elements, and what they show.
type drawnLesson struct {
	article, menu, title, text, outro, bar *dom.Element

	steps []drawnStep
	boxes []*drawnBox
	refs  []*drawnRef
	// shown is the index of the step that the bar is about; the number of steps
	// for the lesson's end. view is what the bar shows.
	shown int
	view  model.BarView
}

// A drawnStep is a step's elements, and whether they show it as passed.
type drawnStep struct {
	item, details, summary, mark, said *dom.Element

	hints, solutions []*dom.Element
	passed           bool
}

// A drawnBox is a request's box.
type drawnBox struct {
	box, run, chip, out *dom.Element

	at      string
	request *model.Request
	// text and next are what the Run button shows.
	text string
	next bool
}

// A drawnRef is a reference in a request, which shows its value once that is
// known.
type drawnRef struct {
	el         *dom.Element
	key, value string
	// html is the reference as the page was built with it.
	html string
}

// find looks a lesson's elements up, once.
func (p *lessonPanel) find(i int) *drawnLesson {
	l := p.lessons[i]
	article := p.app.Doc.GetElementByID("lesson-" + l.ID)
	d := &drawnLesson{
		article: article, menu: article.QuerySelector(".lesson-menu"), title: article.QuerySelector(".lesson-title"),
		text: article.QuerySelector(".lesson-text"), outro: article.QuerySelector(".lesson-outro"),
		bar: article.QuerySelector(".lesson-bar"),
	}
	for _, item := range article.QuerySelectorAll(".lesson-step") {
		d.steps = append(d.steps, drawnStep{
			item: item, details: item.QuerySelector(".lesson-fold"), summary: item.QuerySelector("summary"),
			mark: item.QuerySelector(".lesson-mark"), said: item.QuerySelector(".lesson-said"),
			hints: item.QuerySelectorAll(".lesson-hint"), solutions: item.QuerySelectorAll(".lesson-solution"),
		})
	}
	for _, box := range article.QuerySelectorAll(".lesson-http") {
		at := box.GetAttribute("data-at")
		b := &drawnBox{
			box: box, run: box.QuerySelector("[data-action=lesson-run]"), chip: box.QuerySelector(".lesson-chip"),
			out: box.QuerySelector(".lesson-out"), at: at, request: l.Request(at), text: "Run",
		}
		d.boxes = append(d.boxes, b)
	}
	for _, el := range article.QuerySelectorAll(".lesson-http .t-ref") {
		key := strings.Trim(el.TextContent(), "{} ")
		d.refs = append(d.refs, &drawnRef{el: el, key: key, html: el.Underlying().Get("innerHTML").String()})
	}
	return d
}

func (s *drawnStep) fold(open bool) { s.details.Underlying().Set("open", open) }

// parts are the elements of the step's hints or solutions.
func (s *drawnStep) parts(kind string) []*dom.Element {
	if kind == "hint" {
		return s.hints
	}
	return s.solutions
}

func isOpen(details []*dom.Element) bool {
	return slices.ContainsFunc(details, func(el *dom.Element) bool { return el.Underlying().Get("open").Bool() })
}

// paintSteps shows which steps of a lesson are passed. It writes only what is
// not on the page yet.
func (p *lessonPanel) paintSteps(i int) {
	d, s := p.drawn[i], p.sessions[i]
	for n := range d.steps {
		st, passed := &d.steps[n], s.Step(n).Passed
		if passed == st.passed {
			continue
		}
		st.passed = passed
		state, mark, said := "todo", strconv.Itoa(n+1), ""
		if passed {
			state, mark, said = "passed", "✓", ", passed"
		}
		st.item.SetAttribute("data-state", state)
		st.mark.SetTextContent(mark)
		st.said.SetTextContent(said)
	}
	l := p.lessons[i]
	text := fmt.Sprintf("%d steps", len(l.Steps))
	if n := s.Passed(); n == len(l.Steps) {
		text = "✓ done"
	} else if n > 0 {
		text = fmt.Sprintf("%d of %d", n, len(l.Steps))
	}
	for _, el := range p.app.Doc.QuerySelectorAll(`[data-lesson-count="` + l.ID + `"]`) {
		setText(el, text)
	}
}

// paint shows the open lesson's bar and buttons, and says what is new in the bar
// to those who do not see it.
func (p *lessonPanel) paint() {
	d := p.drawn[p.open]
	view := p.barView()
	for _, verdict := range view.Verdicts(d.view) {
		p.app.Announce(verdict)
	}
	d.view = view
	p.app.RenderFunc(d.bar, func() templ.Component { return model.Bar(d.view) })
	app.Toggle(d.bar, "data-more", view.More)
	p.paintRuns()
	p.paintRefs()
}

// maxRefText bounds the value that is shown in place of a reference, in bytes.
const maxRefText = 40

// paintRefs shows the values of references in the open lesson's requests.
func (p *lessonPanel) paintRefs() {
	for _, r := range p.drawn[p.open].refs {
		value, known := p.session().Value(r.key)
		if !known || value == "" {
			value = ""
		} else if len(value) > maxRefText {
			value = strings.ToValidUTF8(value[:maxRefText], "") + "…"
		}
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

func (p *lessonPanel) barView() model.BarView {
	d := p.drawn[p.open]
	var next *model.Lesson
	if p.open+1 < len(p.lessons) {
		next = p.lessons[p.open+1]
	}
	v := p.session().Bar(d.shown, next)
	v.Live, v.Asking, v.More, v.Notice = true, p.asking, p.more, p.shownNotice()
	if d.shown < len(d.steps) {
		v.Hint.Open, v.Solution.Open = isOpen(d.steps[d.shown].hints), isOpen(d.steps[d.shown].solutions)
	}
	return v
}

// paintRuns shows on the Run buttons of the open lesson what they do, and fills
// the one that is to be pressed next.
func (p *lessonPanel) paintRuns() {
	d, s := p.drawn[p.open], p.session()
	next := ""
	if d.shown < len(d.steps) {
		next = s.NextRun(d.shown, isOpen(d.steps[d.shown].solutions))
	}
	for _, b := range d.boxes {
		text := "Run"
		run := p.running[p.runKey(p.open, b.at)]
		switch {
		case run != nil && p.waiting():
			text = "Waiting for the API server"
		case run != nil && run.stoppable:
			text = "Stop"
		case run == nil && s.HasRun(b.at):
			text = "Run again"
		case run != nil:
			text = b.text
		}
		if text != b.text {
			b.text = text
			b.run.SetTextContent(text)
			b.run.SetAttribute("aria-label", text+" "+b.request.Label())
		}
		if is := b.at == next && run == nil; is != b.next {
			b.next = is
			b.run.Underlying().Get("classList").Call("toggle", "primary", is)
		}
	}
}

// waiting reports whether requests wait for the API server in this tab.
func (p *lessonPanel) waiting() bool {
	st := p.app.State()
	return st.Target != "devserver" && (st.Phase == "" || st.Phase == "loading")
}

func (p *lessonPanel) runKey(i int, at string) string { return p.lessons[i].ID + "/" + at }

// setText and its like touch the document only where something changes.
func setText(el *dom.Element, text string) {
	if el != nil && el.TextContent() != text {
		el.SetTextContent(text)
	}
}

func setAttribute(el *dom.Element, name, value string) {
	if el != nil && el.GetAttribute(name) != value {
		el.SetAttribute(name, value)
	}
}

func setHidden(el *dom.Element, hidden bool) {
	if el != nil && el.HasAttribute("hidden") != hidden {
		el.Underlying().Set("hidden", hidden)
	}
}
