//go:build js && wasm

package lesson

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A drawnQuestion is a step's question on the page.
type drawnQuestion struct {
	box, typed, acts, verdict, explain, choices *dom.Element

	options []drawnChoice
}

// A drawnChoice is an answer to choose from.
type drawnChoice struct {
	item, radio, judged, reply *dom.Element
	// says is the reply's HTML, which is put into its place when it is to be read; empty: there is no reply.
	says string
}

// findQuestion looks a question's elements up. Its options are in the order of the question's choices.
func findQuestion(box *dom.Element, asks *format.Prediction) *drawnQuestion {
	q := &drawnQuestion{box: box, typed: box.QuerySelector(".lesson-typed input"),
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

// alone makes the question one that is its document's only step: an answer runs it, as the bar's button does, and a
// learner can say that it is a sure one before it is given.
func (q *drawnQuestion) alone() {
	setText(q.acts.QuerySelector("[data-action=lesson-commit]"), "Commit, run")
	q.acts.Underlying().Call("insertAdjacentHTML", "beforeend", `<label class="lesson-sure"><input type="checkbox"`+
		` data-action="practice-sure"/> I am sure <kbd>S</kbd></label>`)
}

func (d *drawnLesson) given(step int) string {
	q := d.questions[step]
	if q.typed != nil {
		return valueOf(q.typed)
	}
	for i, o := range q.options {
		if o.radio.Underlying().Get("checked").Bool() {
			return strconv.Itoa(i)
		}
	}
	return ""
}

func (d *drawnLesson) choose(step, choice int) {
	if o := d.questions[step].options; choice < len(o) && o[choice].radio != nil {
		o[choice].radio.Underlying().Set("checked", true)
	}
}

func (d *drawnLesson) toQuestion(step int) {
	d.showVerdict(step)
	d.column.soon(func() { moveFocus(d.questions[step].box.QuerySelector("input:enabled")) })
}

func (d *drawnLesson) order(step int, choices []int) {
	q := d.questions[step]
	for _, i := range choices {
		q.choices.Underlying().Call("append", q.options[i].item.Underlying())
	}
}

func (d *drawnLesson) question(step int, v questionView) {
	q := d.questions[step]
	setHidden(q.acts, v.Committed)
	setHidden(q.explain, !v.Explained)
	app.Toggle(q.box, "data-committed", v.Committed)
	for i, o := range q.options {
		c := v.Choices[i]
		setHidden(o.item, c.Hidden)
		if o.radio != nil {
			o.radio.Underlying().Set("disabled", v.Committed)
			if v.Put {
				o.radio.Underlying().Set("checked", v.Given == strconv.Itoa(i))
			}
		}
		setAttribute(o.item, "data-judged", c.Judged)
		setText(o.judged, c.Word)
		if says := o.says != "" && c.Reply; says == o.reply.HasAttribute("hidden") {
			o.reply.Underlying().Set("innerHTML", map[bool]string{true: o.says}[says])
			setHidden(o.reply, !says)
		}
	}
	if q.typed != nil {
		q.typed.Underlying().Set("disabled", v.Committed)
		if v.Put {
			q.typed.Underlying().Set("value", v.Given)
		}
	}
	setText(q.verdict, v.Verdict)
	setHidden(q.verdict, v.Verdict == "")
	setAttribute(q.verdict, "data-judged", map[bool]string{true: "right"}[v.Right])
}

func (d *drawnLesson) sayVerdict(step int, text string) {
	q := d.questions[step]
	setHidden(q.verdict, false)
	q.verdict.SetTextContent(text)
}

func (d *drawnLesson) showVerdict(step int) {
	d.column.soon(func() { scrollIntoView(d.questions[step].box, "start") })
}
