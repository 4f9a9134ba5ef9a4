// Package exam is what teachers of a room see of a class: the exam that they have opened there, who is where in it, and
// what the class believes wrongly, in the exam and in the lessons. It opens in the place of stage and dock.
//
// The model is in web/course. What members report is in the room's state; nothing of it is stored, and it is sent to
// teachers alone. Reports of an exam that has ended stay until another one is opened.
//
// Costs: a report draws the table again; beliefs cost the situations of the questions that were answered wrong, whose
// templates are fetched once.
package exam

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/course"
)

//go:generate go tool templ generate -path .

// Start runs the panel in a page. It is nil outside of a browser.
var Start func(*app.App)

// A View is what the panel shows.
type View struct {
	// Teaches says that the page is a teacher's, in a room.
	Teaches bool
	// Open is the exam that is open; nil: none.
	Open *course.ClassExam
	// Class are the learners, in the order in which they joined.
	Class []course.Sitter
	// Beliefs are those of the exam, Lessons those of the lessons that are open.
	Beliefs, Lessons []course.Belief
	// Ending says that the teacher is asked whether to end it.
	Ending bool
	// Problem is why the exam could not be opened or ended.
	Problem string
}

// sizes are how many questions an exam may have.
var sizes = []int{5, 10, 20, course.Questions}

// most is the largest number of questions of somebody.
func (v View) most() int {
	n := 0
	if v.Open != nil {
		n = v.Open.Questions
	}
	for _, s := range v.Class {
		n = max(n, len(s.Report.Marks))
	}
	return n
}

// begun reports whether an exam is open, or results of one are known.
func (v View) begun() bool { return v.Open != nil || v.most() > 0 }

// about says which exam is open.
func (v View) about() string {
	if v.Open == nil {
		return "The exam has ended."
	}
	text := strconv.Itoa(v.Open.Questions) + " questions, "
	if v.Open.Each {
		return text + "others for each learner."
	}
	return text + "the same for all (seed " + strconv.FormatUint(v.Open.Seed, 10) + ")."
}

// A mark is a sign in the table, and its name.
type mark struct{ sign, word, kind string }

// mark returns the sign of somebody's question.
func (v View) mark(s course.Sitter, question int) mark {
	switch word := s.Report.Mark(question); {
	case word == "":
		return mark{}
	case word == "right":
		return mark{"✓", word, word}
	case word == "wrong":
		return mark{"✗", word, word}
	case question == s.Report.Next() && v.Open != nil:
		return mark{"●", "is here", "here"}
	}
	return mark{"", "open", ""}
}

// score says how many answers of somebody were right.
func score(s course.Sitter) string {
	if s.Report.Marks == "" {
		return "not begun"
	}
	return strconv.Itoa(s.Report.Right()) + " of " + strconv.Itoa(s.Report.Done())
}

// counted says how many of those that are counted have shown a belief, and width how much of them that is, of 100.
func counted(b course.Belief, of string) string {
	if b.Of == 1 {
		of = strings.TrimSuffix(of, "s")
	}
	return strconv.Itoa(b.Count) + " of " + strconv.Itoa(b.Of) + " " + of
}

func width(b course.Belief) string { return strconv.Itoa(100 * b.Count / max(b.Of, 1)) }
