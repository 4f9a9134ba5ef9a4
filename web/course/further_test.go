package course

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// TestFurtherReading wants lessons that are further reading to be ignored in counts, and to come last.
func TestFurtherReading(t *testing.T) {
	x := index()
	for i := range x.Lessons {
		x.Lessons[i].Number = i + 1
	}
	x.Lessons[4].Part = format.FurtherReading
	if got := x.Minutes(); got != 40 {
		t.Errorf("the course takes %d minutes, want 40", got)
	}
	if got := x.After("part"); got.Href != "#capstone" {
		t.Errorf("after the last lesson comes %q", got.Href)
	}
	if got := x.After("part-2"); got.Href != "#capstone" {
		t.Errorf("after further reading comes %q", got.Href)
	}
	if got := x.After("a"); got.Href != "#lesson-b" {
		t.Errorf("after the first lesson comes %q", got.Href)
	}
	for i, want := range map[int]string{3: "Lesson 4 of 4, about 10 min", 4: "Further reading, about 10 min"} {
		if got := Place(x, i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	r := NewRecord()
	for _, id := range []string{"a", "part-2"} {
		r.Lessons[id] = session.Progress{Passed: []string{"x", "y", "z"}}
	}
	if got := NewProgressView(x, r).summary()[:20]; got != "1 of 4 lessons done." {
		t.Error(got)
	}
	for i := range x.Templates {
		x.Templates[i].Exam = format.Asked
	}
	x.Templates[0].Lesson = "part-2"
	if e := NewExam(x, 7); len(e.Questions) == 0 || slices.ContainsFunc(e.Questions, func(q Question) bool {
		return q.Template == x.Templates[0].ID
	}) {
		t.Errorf("an exam asks about further reading: %v", e.Questions)
	}
	// Its id no longer says the order.
	v := NewPracticeView(x, Queue{}, 0, func(Template) int { return 1 })
	if n := len(v.Parts); n != 3 || len(v.Parts[2].Rows) != 4 {
		t.Errorf("practice has %d parts: %+v", n, v.Parts)
	}
}

// TestLessonsThatCount wants all that says how many lessons there are to say the same: the first look has no number.
func TestLessonsThatCount(t *testing.T) {
	x := index()
	for i := range x.Lessons {
		x.Lessons[i].Number = i
	}
	x.Lessons[4].Part = format.FurtherReading
	r := NewRecord()
	r.Lessons["b"] = session.Progress{Passed: []string{"x", "y", "z"}}
	for got, want := range map[string]string{
		x.Line():                        "promises: 3 lessons, about",
		Place(x, 1):                     "Lesson 1 of 3, ",
		Place(x, 0):                     x.Lessons[0].Part + ", about",
		NewProgressView(x, r).summary(): "1 of 3 lessons done. ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q, want %q in it", got, want)
		}
	}
}
