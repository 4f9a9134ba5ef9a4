package course

import (
	"encoding/json"
	"slices"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// IndexFile is the site's file that holds the Index as JSON.
const IndexFile = "course/index.json"

// LessonFile returns the site's file with the article of a lesson, and its source.
func LessonFile(id string) string { return "course/" + id + ".html" }

// DeckFile returns the site's file with a Deck as JSON.
func DeckFile(id string) string { return "course/" + id + ".json" }

// An Index lists what the course has.
type Index struct {
	Lessons   []Entry    `json:"lessons"`
	Templates []Template `json:"templates"`
}

// An Entry is a lesson.
type Entry struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Part    string `json:"part"`
	Minutes int    `json:"minutes"`
	// Number is that of its file; the one that is only a first look has 0.
	Number int `json:"number,omitempty"`
	// Steps are the titles of its steps.
	Steps []string `json:"steps"`
}

// Further reports whether the lesson is further reading: progress, and the length of the course, leave it out.
func (e Entry) Further() bool { return e.Part == format.FurtherReading }

// A Template makes situations to practise with.
type Template struct {
	ID string `json:"id"`
	// Was are its former names: saved progress and links may have them.
	Was   []string `json:"was,omitempty"`
	Title string   `json:"title"`
	// Lesson and Step are where it comes from; steps count from 1.
	Lesson string          `json:"lesson"`
	Step   int             `json:"step"`
	Exam   format.ExamKind `json:"exam,omitempty"`
	// Seeds is how many situations it makes: those of the seeds from 1 on.
	Seeds int `json:"seeds"`
}

// ParseIndex reads an Index.
func ParseIndex(text string) (*Index, error) { return parse[Index](text) }

// parse reads what the build has written as JSON.
func parse[T any](text string) (*T, error) {
	v := new(T)
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return nil, err
	}
	return v, nil
}

// Lesson finds a lesson and its place; -1 without one of that id.
func (x *Index) Lesson(id string) int {
	return slices.IndexFunc(x.Lessons, func(e Entry) bool { return e.ID == id })
}

// A Step is a step of a lesson, as lists and links name it.
type Step struct {
	// Lesson is the lesson's id, Place counts from 1.
	Lesson string
	Place  int
	// Number is what it is called in short, such as 7.4.
	Number, Title string
}

// Step finds a step by the ids of its lesson and itself, or the zero Step.
func (x *Index) Step(id, step string) Step {
	i := x.Lesson(id)
	if i < 0 {
		return Step{}
	}
	at := slices.IndexFunc(x.Lessons[i].Steps, func(title string) bool { return format.StepID(title) == step })
	if at < 0 {
		return Step{}
	}
	return Step{id, at + 1, x.StepNumber(id, at+1), x.Lessons[i].Steps[at]}
}

// Template finds a template by its id or a former name, or nil.
func (x *Index) Template(id string) *Template {
	for i := range x.Templates {
		if t := &x.Templates[i]; t.ID == id || slices.Contains(t.Was, id) {
			return t
		}
	}
	return nil
}

// now returns what a template is called now.
func (x *Index) now(id string) string {
	if t := x.Template(id); t != nil {
		return t.ID
	}
	return id
}

// inOrder returns the templates in the order of the lessons that they come from.
func (x *Index) inOrder() []Template {
	all := slices.Clone(x.Templates)
	slices.SortStableFunc(all, func(a, b Template) int { return x.Lesson(a.Lesson) - x.Lesson(b.Lesson) })
	return all
}

// Of returns the ids of a lesson's templates.
func (x *Index) Of(lesson string) []string {
	var ids []string
	for _, t := range x.Templates {
		if t.Lesson == lesson {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// Part is the part of the course that a lesson belongs to; empty if there is no such
// lesson.
func (x *Index) Part(lesson string) string {
	if i := x.Lesson(lesson); i >= 0 {
		return x.Lessons[i].Part
	}
	return ""
}

// Course returns the lessons that count: all but the further reading, which comes last.
func (x *Index) Course() []Entry {
	if n := slices.IndexFunc(x.Lessons, Entry.Further); n >= 0 {
		return x.Lessons[:n]
	}
	return x.Lessons
}

// Counts reports whether the lesson is one of the course's number: the first look has no number, and further reading
// does not count.
func (e Entry) Counts() bool { return e.Number > 0 && !e.Further() }

// Numbered returns how many lessons count.
func (x *Index) Numbered() int {
	n := 0
	for _, e := range x.Lessons {
		if e.Counts() {
			n++
		}
	}
	return n
}

// Minutes returns how long the lessons that count take together.
func (x *Index) Minutes() int {
	n := 0
	for _, e := range x.Course() {
		n += e.Minutes
	}
	return n
}
