//go:build js && wasm

package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
	"github.com/tabernetes/tabernetes/web/lesson/view"
)

// A drawnLesson is a lesson's elements, and what they show.
type drawnLesson struct {
	article, title, text, outro, bar *dom.Element

	steps     []drawnStep
	boxes     []*drawnBox
	refs      []*drawnRef
	questions []*drawnQuestion
	// shown is the index of the step that the bar is about; the number of steps
	// for the lesson's end. view is what the bar shows.
	shown int
	view  view.BarView
}

// A drawnStep is a step's elements, and whether they show it as passed.
type drawnStep struct {
	item, details, summary, mark, said *dom.Element
	// predict is the step's question, nil if it has none; trouble is the place where it is said why it cannot pass.
	predict, trouble *dom.Element

	hints, solutions []*dom.Element
	passed           bool
	// score is where the requests for the step's goal are counted; nil if it has none. shown is what is there.
	score *dom.Element
	shown session.Score
}

// A drawnBox is a request's box.
type drawnBox struct {
	box, run, chip, out *dom.Element

	at    string
	place format.Address
	// along is how many requests are sent by its button.
	along   int
	request *format.Request
	// command are the commands of kubectl that do what its block does.
	command string
	// made is the tap's id of its latest request; draw makes the chip.
	made int
	draw func() templ.Component
	// text, next, held and busy are what the Run button shows.
	text             string
	next, held, busy bool
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
func find(article *dom.Element, l *format.Lesson) *drawnLesson {
	d := &drawnLesson{
		article: article, title: article.QuerySelector(".lesson-title"),
		text: article.QuerySelector(".lesson-text"), outro: article.QuerySelector(".lesson-outro"),
		bar: article.QuerySelector(".lesson-bar"),
	}
	if over := article.QuerySelector(".lesson-over button"); over != nil {
		over.RemoveAttribute("disabled")
	}
	for _, item := range article.QuerySelectorAll(".lesson-step") {
		d.steps = append(d.steps, drawnStep{
			item: item, details: item.QuerySelector(".lesson-fold"), summary: item.QuerySelector("summary"),
			mark: item.QuerySelector(".lesson-mark"), said: item.QuerySelector(".lesson-said"),
			predict: item.QuerySelector(".lesson-predict"), trouble: item.QuerySelector(".lesson-trouble-place"),
			hints: item.QuerySelectorAll(".lesson-hint"), solutions: item.QuerySelectorAll(".lesson-solution"),
			score: item.QuerySelector(".lesson-score"),
		})
	}
	for _, box := range article.QuerySelectorAll(".lesson-http") {
		at := box.GetAttribute("data-at")
		b := &drawnBox{
			box: box, run: box.QuerySelector("[data-action=lesson-run]"), chip: box.QuerySelector(".lesson-chip"),
			out: box.QuerySelector(".lesson-out"), at: at, request: l.Request(at), text: "Run",
		}
		b.place, _ = format.ParseAddress(at)
		b.along, b.command = l.SentTogether(b.place), l.KubectlAt(b.place)
		if b.along > 1 {
			b.text = ""
		}
		d.boxes = append(d.boxes, b)
	}
	for _, el := range article.QuerySelectorAll(".lesson-http .t-ref") {
		key := strings.Trim(el.TextContent(), "{} ")
		d.refs = append(d.refs, &drawnRef{el: el, key: key, html: el.Underlying().Get("innerHTML").String()})
	}
	for _, box := range article.QuerySelectorAll(".lesson-predict") {
		asks, _ := l.Steps[stepOf(box)].Prediction()
		d.questions = append(d.questions, findQuestion(box, asks))
	}
	return d
}

func (s *drawnStep) fold(open bool) { s.details.Underlying().Set("open", open) }

// parts returns the elements of the step's hints or solutions.
func (s *drawnStep) parts(kind string) []*dom.Element {
	if kind == "hint" {
		return s.hints
	}
	return s.solutions
}

// countOpen returns how many of them are open, from the first on.
func countOpen(details []*dom.Element) int {
	for i, el := range details {
		if !el.Underlying().Get("open").Bool() {
			return i
		}
	}
	return len(details)
}

// paintSteps shows which steps of a lesson are passed. It writes only what is not on the
// page yet.
func (p *lessonPanel) paintSteps(doc *document) {
	d, s := doc.drawn, doc.session
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
	p.paintPredictions(doc)
}

// paint shows the open lesson's bar and buttons, and says what is new in the bar to those
// who do not see it.
func (p *lessonPanel) paint() {
	p.tell()
	if p.open == nil {
		return
	}
	d := p.open.drawn
	bar := p.barView(p.open)
	for _, verdict := range bar.Verdicts(d.view) {
		p.app.Announce(verdict)
	}
	d.view = bar
	p.app.RenderFunc(d.bar, func() templ.Component { return view.Bar(d.view) })
	app.Toggle(d.bar, "data-more", bar.More)
	p.paintTrouble()
	p.paintRuns()
	p.paintRefs()
	p.paintScores()
}

// paintScores shows how many requests were made for the open lesson's goals.
func (p *lessonPanel) paintScores() {
	var asked app.GoalRequests
	for i := range p.open.drawn.steps {
		st := &p.open.drawn.steps[i]
		if now := p.open.session.Score(i); now != nil && st.score != nil && *now != st.shown {
			st.shown = *now
			p.app.RenderFunc(st.score, func() templ.Component { return view.GoalScore(*now) })
		}
		if first, ids := p.open.session.Counted(i); len(ids) > 0 {
			asked = app.GoalRequests{IDs: ids, First: first, Fewest: st.shown.Fewest}
		}
	}
	if !slices.Equal(asked.IDs, p.counted) {
		p.counted = asked.IDs
		app.Emit(p.app.Bus, asked)
	}
}

// paintTrouble shows in the step that is next why it cannot pass as it is, in the place of its question's result.
func (p *lessonPanel) paintTrouble() {
	d := p.open
	for i := range d.drawn.steps {
		st := &d.drawn.steps[i]
		t := p.troubleOf(d, i)
		busy := d.asked
		if t != nil || !st.trouble.HasAttribute("hidden") {
			p.app.RenderFunc(st.trouble, func() templ.Component { return view.InTrouble(t, busy) })
		}
		if t != nil && st.trouble.HasAttribute("hidden") {
			p.soon(func() { st.trouble.Underlying().Call("scrollIntoView", map[string]any{"block": "nearest"}) })
		}
		setHidden(st.trouble, t == nil)
		setHidden(st.predict, t != nil && t.Asked)
	}
}

// troubleOf returns why a step cannot pass as it is; nil if it can, or another one is next.
func (p *lessonPanel) troubleOf(d *document, step int) *session.Trouble {
	if step != d.session.Current() || step != d.drawn.shown {
		return nil
	}
	return d.session.Step(step).Trouble
}

// maxRefText bounds the value that is shown in place of a reference, in bytes.
const maxRefText = 40

// paintRefs shows the values of references in the open lesson's requests.
func (p *lessonPanel) paintRefs() {
	for _, r := range p.open.drawn.refs {
		value, known := p.open.session.Value(r.key)
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

func (p *lessonPanel) barView(doc *document) view.BarView {
	d := doc.drawn
	v := view.BarOf(doc.session, d.shown, doc.next)
	v.Live, v.Asking, v.More, v.Notice = true, p.asking, p.more, p.notice
	if d.shown < len(d.steps) {
		st := &d.steps[d.shown]
		v.HintsOpen = countOpen(st.hints)
		v.Solution.Open = v.Solution.There && countOpen(st.solutions) == len(st.solutions)
	}
	v.SettingUp = doc.asked
	if doc.question != nil {
		p.questionBar(&v, doc)
	}
	return v
}

// paintRuns shows on the Run buttons of the open lesson what they do, and fills the one that
// is to be pressed next. Those wait that come after a question.
func (p *lessonPanel) paintRuns() {
	if p.open == nil {
		return
	}
	d, s := p.open.drawn, p.open.session
	next := ""
	if d.shown < len(d.steps) {
		st := &d.steps[d.shown]
		if p.troubleOf(p.open, d.shown) == nil { // else that is to be mended first
			next = p.inPlace(s.NextRun(d.shown, len(st.solutions) > 0 && countOpen(st.solutions) == len(st.solutions)))
		}
	}
	for _, b := range d.boxes {
		text := "Run"
		if b.along > 1 && !p.inTerminal(b) {
			text = fmt.Sprintf("Run these %d", b.along)
		}
		run := p.running[runKey(p.open, b.at)]
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
			if b.text == "Run again" && run == nil {
				p.clear(b.box) // what it shows is of before the set-up
			}
			b.text = text
			b.run.SetTextContent(text)
			b.run.SetAttribute("aria-label", text+" "+b.request.Label())
		}
		if busy := run != nil && !run.stoppable; busy != b.busy {
			b.busy = busy
			setAttribute(b.run, "aria-busy", map[bool]string{true: "true"}[busy])
		}
		held := s.Held(b.place.Step, b.place.Block)
		if held != b.held {
			b.held = held
			b.run.Underlying().Set("disabled", held)
			setAttribute(b.run, "title", map[bool]string{true: "Answer the question above first"}[held])
		}
		if is := b.at == next && run == nil && !held; is != b.next {
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

func runKey(d *document, at string) string { return d.id() + "/" + at }

// setText and its like write to the document only where something changes.
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
