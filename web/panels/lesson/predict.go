//go:build js && wasm

package lesson

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A drawnQuestion is a step's question on the page.
type drawnQuestion struct {
	step                                        int
	box, typed, acts, verdict, explain, choices *dom.Element

	options []drawnChoice
}

// A drawnChoice is an answer to choose from.
type drawnChoice struct {
	item, radio, judged, reply *dom.Element
	// says is the reply's HTML, which is put into its place when it is to be read; empty if there is none.
	says string
}

// findQuestion looks a question's elements up. Its options are in the order of the question's choices.
func findQuestion(box *dom.Element, asks *format.Prediction) *drawnQuestion {
	q := &drawnQuestion{
		step: stepOf(box), box: box, typed: box.QuerySelector(".lesson-typed input"),
		acts:    box.QuerySelector(".lesson-predict-acts"),
		verdict: box.QuerySelector(".lesson-verdict"), explain: box.QuerySelector(".lesson-explanation"),
		choices: box.QuerySelector(".lesson-choices"),
	}
	q.options = make([]drawnChoice, len(asks.Choices))
	order := asks.Shown()
	for place, item := range box.QuerySelectorAll(".lesson-choice") {
		q.options[order[place]] = drawnChoice{
			item: item, radio: item.QuerySelector("input"), judged: item.QuerySelector(".lesson-judged"),
			reply: item.QuerySelector(".lesson-reply"),
		}
	}
	replies := box.QuerySelector(".lesson-replies").Underlying().Get("content").Get("children")
	for place, i := range asks.Replies() {
		q.options[i].says = replies.Index(place).Get("innerHTML").String()
	}
	return q
}

// mix puts the choices into an order that differs between learners.
func (q *drawnQuestion) mix(salt string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(salt + q.box.GetAttribute("data-lesson") + strconv.Itoa(q.step)))
	n := h.Sum32()
	rest := append([]drawnChoice(nil), q.options...)
	for len(rest) > 0 {
		at := int(n % uint32(len(rest)))
		n = n/uint32(len(rest)) + n*2654435761>>16
		q.choices.Underlying().Call("append", rest[at].item.Underlying())
		rest = append(rest[:at], rest[at+1:]...)
	}
}

// salt returns a number of this learner, the same each time, which orders choices differently for each learner.
func (p *lessonPanel) salt() string {
	text := stored("salt")
	if text == "" {
		text = strconv.Itoa(rand.IntN(1_000_000))
		store("salt", text)
	}
	return text
}

// questionOf finds the open document's question that an element is in.
func (p *lessonPanel) questionOf(el *dom.Element) *drawnQuestion {
	box := el.Closest(".lesson-predict")
	if p.open == nil || box == nil || box.GetAttribute("data-lesson") != p.open.id() {
		return nil
	}
	for _, q := range p.open.drawn.questions {
		if q.step == stepOf(box) {
			return q
		}
	}
	return nil
}

// commit takes the answer that is chosen or typed.
func (p *lessonPanel) commit(el *dom.Element, _ dom.Event) {
	q := p.questionOf(el)
	if q == nil {
		return
	}
	given := ""
	if q.typed != nil {
		given = q.typed.Underlying().Get("value").String()
	}
	for i, o := range q.options {
		if o.radio != nil && o.radio.Underlying().Get("checked").Bool() {
			given = strconv.Itoa(i)
		}
	}
	if !p.open.session.Commit(q.step, given) {
		setHidden(q.verdict, false)
		q.verdict.SetTextContent("Choose an answer first, or just run it.")
		p.app.Announce("Choose an answer first")
		return
	}
	p.app.Announce("Answered. Now run it and see")
	p.answered(q)
}

// typed commits a typed answer with Enter.
func (p *lessonPanel) typed(el *dom.Element, ev dom.Event) {
	if v := ev.Underlying(); v.Get("key").String() == "Enter" {
		v.Call("preventDefault")
		p.commit(el, ev)
	}
}

// skip lets the requests run without an answer.
func (p *lessonPanel) skip(el *dom.Element, _ dom.Event) {
	if q := p.questionOf(el); q != nil && p.open.session.Skip(q.step) {
		p.app.Announce("Not answered. You can run it")
		p.answered(q)
	}
}

// answered goes on after an answer: to the request that is next.
func (p *lessonPanel) answered(q *drawnQuestion) {
	d := p.open
	p.giveAnswer(d)
	p.paintPredictions(d)
	p.paint()
	p.save(d)
	if boxes := d.drawn.given(); d.question != nil && len(boxes) > 0 {
		p.runAll(d, boxes) // there is nothing else to do
		return
	}
	p.soon(func() {
		if next := d.drawn.steps[q.step].item.QuerySelector("[data-action=lesson-run].primary"); next != nil {
			moveFocus(next)
			return
		}
		moveFocus(d.drawn.steps[q.step].summary)
	})
}

// paintPredictions shows what was answered, and what was right as far as that is known.
func (p *lessonPanel) paintPredictions(d *document) {
	for _, q := range d.drawn.questions {
		a := d.session.Answer(q.step)
		committed, known := a.Committed(), a.Known()
		setHidden(q.acts, committed)
		setHidden(q.explain, !known && !p.teacher)
		app.Toggle(q.box, "data-committed", committed)
		for i, o := range q.options {
			n := strconv.Itoa(i)
			chosen := !a.Skipped && a.Given == n && q.typed == nil
			if q.typed != nil {
				chosen = known && !a.Skipped && !a.Correct() && p.tempting(d, q.step, i, a.Given)
				setHidden(o.item, !chosen)
			} else if o.radio != nil {
				r := o.radio.Underlying()
				r.Set("disabled", committed)
				if chosen || !committed && a.Given == "" && d.session.Step(q.step).Passed {
					r.Set("checked", chosen)
				}
			}
			verdict, word := "", ""
			switch {
			case known && q.typed == nil && a.Right == n:
				verdict, word = "right", "that is what happened"
			case known && chosen:
				verdict, word = "wrong", "your answer"
			case chosen:
				verdict, word = "given", "your answer"
			}
			setAttribute(o.item, "data-judged", verdict)
			setText(o.judged, word)
			if says := o.says != "" && (verdict == "wrong" || p.teacher); says == o.reply.HasAttribute("hidden") {
				o.reply.Underlying().Set("innerHTML", map[bool]string{true: o.says}[says])
				setHidden(o.reply, !says)
			}
		}
		if q.typed != nil {
			v := q.typed.Underlying()
			v.Set("disabled", committed)
			if committed && !a.Skipped {
				v.Set("value", a.Given)
			} else if !committed && v.Get("value").String() != "" && d.session.Step(q.step).Passed {
				v.Set("value", "")
			}
		}
		text := ""
		switch {
		case !committed:
		case a.Skipped && known:
			text = "Run without an answer."
		case !known && a.Skipped:
			text = "Not answered. Run it and see."
		case !known:
			text = "Answered. Run it and see."
		case a.Correct():
			text = "You predicted it."
		case q.typed != nil:
			text = "It was " + a.Right + "."
		default:
			text = "The result was different."
		}
		setText(q.verdict, text)
		setHidden(q.verdict, text == "")
		setAttribute(q.verdict, "data-judged", map[bool]string{true: "right", false: ""}[known && a.Correct()])
	}
}

// showVerdict brings into view what came of a question, once it is drawn.
func (p *lessonPanel) showVerdict(d *document, step int) {
	for _, q := range d.drawn.questions {
		if q.step == step {
			p.soon(func() { q.box.Underlying().Call("scrollIntoView", map[string]any{"block": "start"}) })
		}
	}
}

// tempting reports whether what was typed is a question's nth tempting value.
func (p *lessonPanel) tempting(d *document, step, n int, typed string) bool {
	q, _ := d.lesson.Steps[step].Prediction()
	return q != nil && n < len(q.Choices) && q.Choices[n].Is(typed)
}
