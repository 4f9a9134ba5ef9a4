//go:build !js

package lesson

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/room"
)

// answer gives an answer to the question that is open, which runs its requests.
func (v *visit) answer(choice string) {
	v.t.Helper()
	id := v.open.id()
	v.leaf(id).answers[0] = choice
	v.do("lesson-commit", origin{lesson: id})
}

// TestPractice takes a session of practice.
func TestPractice(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.do("practice-start", origin{})
		if v.sheet.page != "practice" {
			t.Fatalf("where nothing is due, the page is %q", v.sheet.page)
		}
		v.lessonDone("one")
		if v.sheet.counts["practice"] != "2 due" || v.sheet.shown.Due != "Due today: 2" {
			t.Errorf("a lesson is done, and %q are due, %q", v.sheet.counts["practice"], v.sheet.shown.Due)
		}
		v.do("practice-start", origin{})
		names := v.leaf("names")
		if v.open.id() != "names" || !names.isQuestion || names.view.Asked != "Practice, 1 of 2" || names.view.Seed != 2 {
			t.Fatalf("the first question is %s: %+v", v.open.id(), names.view)
		}
		if at := v.where; at != (app.LessonAt{}) || v.kept["lesson"] == "names" {
			t.Errorf("a question is a lesson to others: %+v", at)
		}
		if !v.mayBeSure() {
			t.Error("nobody can be sure of it")
		}
		v.do("practice-sure", origin{on: true})
		v.answer("1")
		card := v.practice.queue["names"]
		if !names.done[0] || !card.Sure || card.Wrong != 1 || card.Due != v.today()+1 || v.mayBeSure() {
			t.Errorf("after a wrong answer: %+v, %+v", card, names.view)
		}
		if q := names.asked[0]; q.Verdict != "The result was different." || !q.Choices[1].Reply {
			t.Errorf("the answer is shown as %+v", q)
		}
		has(t, "what is said", strings.Join(v.said, "\n"), "Done. Your prediction was wrong")
		if text := v.kept["lesson/names"]; text != "" {
			t.Errorf("its progress is kept: %s", text)
		}
		v.do("lesson-next", origin{})
		spare := v.leaf("spare")
		if spare.view.Asked != "Practice, 2 of 2" {
			t.Fatalf("the second question: %+v", spare.view)
		}
		v.answer("0")
		if card := v.practice.queue["spare"]; card.Stage != 1 || card.Wrong != 0 {
			t.Errorf("after a right answer: %+v", card)
		}
		v.do("lesson-next", origin{})
		if v.sheet.page != "practice" || v.open != nil {
			t.Errorf("the end of the session is %q", v.sheet.page)
		}
		if queue := v.again("").practice.queue; queue["names"].Wrong != 1 || queue["spare"].Stage != 1 {
			t.Errorf("the next visit has %+v", queue)
		}
	})
}

// TestPracticeAlone opens a situation by a link, and gives it up.
func TestPracticeAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.do("practice-give-up", origin{})
		v.do("practice-share", origin{})
		v.do("practice-sure", origin{on: true})
		if len(v.practice.queue)+len(v.copied) > 0 || v.mayBeSure() {
			t.Errorf("a lesson is given up: %+v, %q", v.practice.queue, v.copied)
		}
		v.sheet.goHash("#practice-names-3")
		v.settle()
		first := v.leaf("names")
		if first.view.Asked != "Practice" || first.view.Next.Href != "#lesson-one-write" ||
			first.view.Next.Label != "To the lesson" {
			t.Errorf("the bar is %+v", first.view)
		}
		v.do("practice-share", origin{})
		if !slices.Equal(v.copied, []string{"a link to this situation: http://here/#practice-names-3"}) {
			t.Errorf("%q is copied", v.copied)
		}
		v.sheet.goHash("#practice-names-1")
		v.settle()
		if v.open.question.Seed != 1 || !first.removed || v.leaf("names") == first {
			t.Error("another situation of the template does not take its place")
		}
		v.do("practice-give-up", origin{})
		if card := v.practice.queue["names"]; card.Wrong != 1 || v.sheet.page != "practice" {
			t.Errorf("given up, it is %+v, and %q is open", card, v.sheet.page)
		}
		v.practice.session = []string{"spare"}
		v.sheet.goHash("#practice-names-1")
		v.settle()
		if v.practice.session != nil {
			t.Error("the session goes on although somebody has gone elsewhere")
		}
		v.answer("0")
		v.note(v.open, false)
		if card := v.practice.queue["names"]; card.Seen != 2 {
			t.Errorf("one question counts %d times", card.Seen)
		}
	})
}

// TestWelcome greets who comes back, once a day.
func TestWelcome(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.lessonDone("one")
		for _, c := range []struct {
			later time.Duration
			says  string
		}{
			{0, ""},
			{24 * time.Hour, "Due today: 2, since yesterday"},
			{time.Hour, ""},
			{72 * time.Hour, "You were away for 3 days. Due today: 2"},
		} {
			v.leave()
			v.close()
			v.clock = v.clock.Add(c.later)
			v = newVisit(t, v.home, "")
			if v.sheet.greeting != c.says {
				t.Errorf("after %s it says %q", c.later, v.sheet.greeting)
			}
		}
		v.do("practice-later", origin{})
		if v.sheet.greeting != "" {
			t.Errorf("it says %q still", v.sheet.greeting)
		}
	})
}

// TestExam takes an exam, over two visits.
func TestExam(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.sheet.goHash("#exam-7")
		v.do("exam-begin", origin{})
		e := v.practice.exam
		if e == nil || e.Seed != 7 || len(e.Questions) != 2 || v.open == nil {
			t.Fatalf("the exam is %+v", e)
		}
		first := v.open.id()
		view := v.leaf(first).view
		if view.Asked != "Exam, question 1 of 2" || !view.Exam || view.Hints != 0 || view.Solution.There {
			t.Errorf("the bar is %+v", view)
		}
		if v.closedBy != closedText || v.closed != closedText {
			t.Errorf("the console is open: %q", v.closedBy)
		}
		v.do("lesson-compose", origin{lesson: first, at: "0/1/0"})
		if slices.Contains(v.opened, "console") {
			t.Error("a request of the exam goes into the console")
		}
		v.refused["POST /api/v1/namespaces/"+first+"/secrets"] = "no" // so that nothing is passed
		v.leaf(first).answers[0] = "1"
		v.do("lesson-commit", origin{lesson: first})
		if e.Questions[0].Given != "1" || v.closedBy != "" {
			t.Errorf("the answer is kept as %+v, closed: %q", e.Questions[0], v.closedBy)
		}

		v = v.again("#exam")
		has(t, "the page", v.sheet.html, "exam")
		v.do("exam-next", origin{})
		if a := v.open.session.Answer(0); v.open.id() != first || a.Given != "1" {
			t.Fatalf("the next visit has %s, answered %+v", v.open.id(), a)
		}
		v.press("0/1/0")
		if q := v.practice.exam.Questions[0]; !q.Answered || q.Right {
			t.Errorf("the question is %+v", q)
		}
		v.do("lesson-next", origin{})
		second := v.open.id()
		if second == first || v.leaf(second).view.Asked != "Exam, question 2 of 2" {
			t.Fatalf("the second question is %s: %+v", second, v.leaf(second).view)
		}
		v.answer("0")
		v.do("lesson-next", origin{})
		r := v.practice.exam.Result(v.index)
		if v.sheet.page != "exam" || r.Right != 1 || r.Total != 2 || r.Passed {
			t.Errorf("the result is %+v, on %q", r, v.sheet.page)
		}
		v.do("exam-save", origin{})
		has(t, "the file", strings.Join(v.downloaded, "\n"), "tabernetes-exam.txt: ")
		last := v.practice.exam
		v.do("exam-begin", origin{})
		if v.practice.exam != last {
			t.Error("another exam begins on the same day")
		}
		v.clock = v.clock.Add(course.Pause)
		v.do("exam-begin", origin{})
		if v.practice.exam == last || v.practice.exam.Seed == last.Seed {
			t.Error("no other exam begins a day later")
		}
	})
}

// TestExamGivenUp gives up questions, or runs them without an answer.
func TestExamGivenUp(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.sheet.goHash("#exam")
		v.do("exam-begin", origin{})
		v.do("lesson-skip", origin{lesson: v.open.id()})
		if q := v.practice.exam.Questions[0]; q.Given != course.NoAnswer || !q.Answered || q.Right {
			t.Errorf("run without an answer, it is %+v", q)
		}
		v.do("lesson-next", origin{})
		v.sheet.goHash("#exam")
		v.settle()
		if v.closedBy == "" {
			t.Error("the console is open, while a question is")
		}
		v.do("exam-pass", origin{})
		if q := v.practice.exam.Questions[1]; !q.Answered || q.Right || v.closedBy != "" {
			t.Errorf("given up, it is %+v, closed: %q", q, v.closedBy)
		}
		v.do("exam-pass", origin{})
		v.do("exam-next", origin{})
		if v.sheet.page != "exam" {
			t.Errorf("the end of the exam is %q", v.sheet.page)
		}
	})
}

// TestClassExam takes the exam of a room, beside one's own.
func TestClassExam(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		v.do("exam-class", origin{})
		if v.practice.exam != nil {
			t.Fatal("an exam begins that nobody has opened")
		}
		v.sheet.goHash("#exam")
		v.do("exam-begin", origin{})
		own := v.practice.exam
		v.state.Target, v.inRoom = "room", &room.State{You: "ada", Role: room.Learner}
		v.class = &course.ClassExam{Seed: 5, Questions: 1}
		app.Emit(v.bus, app.RoomExam{Open: v.class})
		v.do("exam-class", origin{})
		e := v.practice.exam
		if !e.Class || len(e.Questions) != 1 || v.practice.own != own || v.state.Target != "tab" || v.reported != "5 ." {
			t.Fatalf("the class takes %+v, in %s, and says %q", e, v.state.Target, v.reported)
		}
		v.do("exam-class", origin{})
		if v.practice.exam != e {
			t.Error("the exam begins once more")
		}
		v = v.again("")
		v.class = &course.ClassExam{Seed: 5, Questions: 1}
		if e := v.practice.exam; e == nil || !e.Class || v.practice.own == nil || v.practice.own.Seed != own.Seed {
			t.Fatalf("the next visit has %+v and %+v", v.practice.exam, v.practice.own)
		}
		app.Emit(v.bus, app.RoomExam{Open: v.class})
		v.do("exam-next", origin{})
		app.Emit(v.bus, app.RoomExam{}) // the teacher ends it
		v.settle()
		if e := v.practice.exam; !e.Ended || e.Out || v.sheet.page != "exam" || v.closedBy != "" {
			t.Errorf("it was ended: %+v, on %q", v.practice.exam, v.sheet.page)
		}
		if r := v.recordNow(); r.Exam == nil || r.Exam.Class {
			t.Errorf("the record has %+v", r.Exam)
		}
		v.do("exam-own", origin{})
		if e := v.practice.exam; e == nil || e.Class || e.Seed != own.Seed || v.reported != "" {
			t.Errorf("one's own exam is %+v, the room is told %q", e, v.reported)
		}
		app.Emit(v.bus, app.RoomExam{Open: v.class})
		app.Emit(v.bus, app.RoomExam{})
		if v.practice.exam.Ended {
			t.Error("the end of the room's exam ends one's own")
		}
	})
}

// TestClassExamIsOver wants the exam of a room to end with the membership, also where the page was loaded since, and a
// question to have the bar while it is asked.
func TestClassExamIsOver(t *testing.T) {
	inBubble(t, func(t *testing.T, v *visit) {
		join := func() {
			v.inRoom = &room.State{You: "ada", Role: room.Learner}
			v.class = &course.ClassExam{Seed: 5, Questions: 2}
			app.Emit(v.bus, app.RoomExam{Open: v.class})
		}
		join()
		v.do("exam-class", origin{})
		if !v.onPage || v.reported != "5 .." {
			t.Errorf("on the page: %v, the room knows %q", v.onPage, v.reported)
		}
		later := v.practice.exam.Questions[1].Template
		if text := v.kept["exam-class"]; strings.Contains(text, later) || !strings.Contains(text, v.open.id()) {
			t.Errorf("stored are %s", text)
		}
		bar := v.leaf(v.open.id()).view
		if bar.At != 0 || bar.Of != 2 || bar.Notice.Text != "" || bar.Chosen {
			t.Errorf("the bar is %+v", bar)
		}
		// An answer that is chosen in the text is committed and run by the bar's button.
		first := v.open.id()
		v.leaf(first).answers[0] = "1"
		v.do("lesson-choose", origin{lesson: first})
		if !v.leaf(first).view.Chosen {
			t.Error("the bar does not know of the answer")
		}
		v.do("lesson-go", origin{})
		if q := v.practice.exam.Questions[0]; q.Given != "1" || !q.Answered {
			t.Errorf("after the bar's button: %+v", q)
		}
		v.sheet.goHash("#practice")
		v.settle()
		if v.onPage {
			t.Error("a question is on the page of practice")
		}

		v = v.again("")
		join()
		v.do("exam-next", origin{})
		if at := v.leaf(v.open.id()).view; v.open.id() != later || at.At != 1 {
			t.Errorf("the next visit goes on with %s, %+v", v.open.id(), at)
		}
		v = v.again("") // and does not know of the room yet
		app.Emit(v.bus, app.RoomExam{Over: true})
		v.settle()
		if e := v.practice.exam; !e.Ended || !e.Out || v.closedBy != "" {
			t.Errorf("out of the room it is %+v, closed: %q", e, v.closedBy)
		}
		// Another exam of the room is not one that was taken.
		v.inRoom, v.class = &room.State{You: "ada", Role: room.Learner}, &course.ClassExam{Seed: 6, Questions: 2}
		app.Emit(v.bus, app.RoomExam{Open: v.class})
		if v.reported != "" {
			t.Errorf("of the next exam the room knows %q", v.reported)
		}
	})
}
