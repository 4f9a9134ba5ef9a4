package lesson

import (
	"hash/fnv"
	"strconv"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// mixed returns an order of a question's choices, which differs between learners: between the texts that seed it.
func mixed(seed string, step, choices int) []int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(seed + strconv.Itoa(step)))
	n := h.Sum32()
	rest := make([]int, choices)
	for i := range rest {
		rest[i] = i
	}
	var order []int
	for len(rest) > 0 {
		at := int(n % uint32(len(rest)))
		n = n/uint32(len(rest)) + n*2654435761>>16
		order = append(order, rest[at])
		rest = append(rest[:at], rest[at+1:]...)
	}
	return order
}

// salt returns a number of this learner, the same each time, which orders choices differently for each learner.
func (p *lessonPanel) salt() string {
	text := p.store.get("salt")
	if text == "" {
		text = strconv.Itoa(p.draw(1_000_000))
		p.store.set("salt", text)
	}
	return text
}

// mixed returns the order of a question's choices for this learner.
func (p *lessonPanel) mixed(d *document, step, choices int) []int {
	return mixed(p.salt()+d.id(), step, choices)
}

// asks returns the question of a step, if that is one of the open document; nil if it is not, or has no question.
func (p *lessonPanel) asks(o origin) *format.Prediction {
	if p.open == nil || p.open.id() != o.lesson || o.step >= len(p.open.lesson.Steps) {
		return nil
	}
	q, _ := p.open.lesson.Steps[o.step].Prediction()
	return q
}

// chosen shows which answer is chosen, and no longer that one has to be.
func (p *lessonPanel) chosen() {
	if p.open != nil {
		p.paintPredictions(p.open)
	}
	p.paint()
}

// commit takes the answer to a question that was chosen or typed.
func (p *lessonPanel) commit(o origin) {
	if p.asks(o) == nil {
		return
	}
	if !p.open.session.Commit(o.step, p.open.article.given(o.step)) {
		p.open.article.sayVerdict(o.step, "Choose an answer first, or just run it.")
		p.lab.Announce("Choose an answer first")
		return
	}
	p.lab.Announce("Answered. Now run it and see")
	p.answered(o.step)
}

// skip lets the requests run without an answer.
func (p *lessonPanel) skip(o origin) {
	if p.asks(o) != nil && p.open.session.Skip(o.step) {
		p.lab.Announce("Not answered. You can run it")
		p.answered(o.step)
	}
}

// answered continues after an answer: it moves the focus to the next request, or sends a question's requests.
func (p *lessonPanel) answered(step int) {
	d := p.open
	p.giveAnswer(d)
	p.paintPredictions(d)
	p.paint()
	p.save(d)
	if boxes := d.given(); d.question != nil && len(boxes) > 0 {
		p.runAll(d, boxes) // there is nothing else to do
		return
	}
	d.article.focusRun(step, false)
}

// paintPredictions shows what was answered, and what was right as far as that is known.
func (p *lessonPanel) paintPredictions(d *document) {
	for i := range d.lesson.Steps {
		if q, _ := d.lesson.Steps[i].Prediction(); q != nil {
			d.article.question(i, questionOf(q, d.session.Answer(i), d.session.Step(i).Passed, p.teacher))
		}
	}
}

// takeBack has no answer chosen or typed where none was given.
func (p *lessonPanel) takeBack(d *document) {
	for i := range d.lesson.Steps {
		q, _ := d.lesson.Steps[i].Prediction()
		if a := d.session.Answer(i); q != nil && !a.Committed() {
			v := questionOf(q, a, d.session.Step(i).Passed, p.teacher)
			v.Put = true
			d.article.question(i, v)
		}
	}
}

// questionOf returns what is shown of a question, of a step that has passed or not; teachers see all replies.
func questionOf(q *format.Prediction, a session.Answer, passed, teacher bool) questionView {
	committed, known, typed := a.Committed(), a.Known(), q.Value != nil
	v := questionView{Committed: committed, Explained: known || teacher, Given: a.Given, Right: known && a.Correct(),
		Put: committed && !a.Skipped || !committed && passed, Verdict: verdictOn(a, typed)}
	for i := range q.Choices {
		n := strconv.Itoa(i)
		var c choiceView
		chosen := !a.Skipped && a.Given == n && !typed
		if typed { // a choice is a value that people are tempted to type
			chosen = known && !a.Skipped && !a.Correct() && q.Choices[i].Is(a.Given)
			c.Hidden = !chosen
		}
		switch {
		case known && !typed && a.Right == n:
			c.Judged, c.Word = "right", "that is what happened"
		case known && chosen:
			c.Judged, c.Word = "wrong", "your answer"
		case chosen:
			c.Judged, c.Word = "given", "your answer"
		}
		c.Reply = c.Judged == "wrong" || teacher
		v.Choices = append(v.Choices, c)
	}
	return v
}

// verdictOn says in words whether an answer, which was typed or chosen, was right. It returns "" before the answer.
func verdictOn(a session.Answer, typed bool) string {
	switch {
	case !a.Committed():
		return ""
	case a.Skipped && a.Known():
		return "Run without an answer."
	case a.Skipped:
		return "Not answered. Run it and see."
	case !a.Known():
		return "Answered. Run it and see."
	case a.Correct():
		return "You predicted it."
	case typed:
		return "It was " + a.Right + "."
	}
	return "The result was different."
}
