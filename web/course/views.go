package course

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// A PracticeView is what the page of practice shows.
type PracticeView struct {
	// Due is how much is due today.
	Due int
	// NextDay is in how many days something will be due; 0 if nothing ever will.
	NextDay int
	Wrong   []PracticeRow
	Parts   []PracticePart
	// Mistakes are those of lessons that are practised, in the order of the course.
	Mistakes []MistakeRow
}

// A MistakeRow is a mistake of a lesson.
type MistakeRow struct {
	Mistake
	// Number is the step's, as in 7.4, Href leads there.
	Number, Href string
	// When says when it is due.
	When string
}

// A PracticePart is what there is to practise of a part of the course.
type PracticePart struct {
	Name string
	Rows []PracticeRow
}

// A PracticeRow is a template, with a seed for a new situation.
type PracticeRow struct {
	Template Template
	Seed     int
	// When says when it is due.
	When string
}

// NewPracticeView makes the view of a day. seed draws a situation of a template.
func NewPracticeView(x *Index, q Queue, today int, seed func(Template) int) PracticeView {
	v := PracticeView{Due: len(q.Due(today))}
	if day, ok := q.Next(); ok && day > today {
		v.NextDay = day - today
	}
	for _, t := range x.inOrder() {
		row := PracticeRow{Template: t, Seed: seed(t)}
		c, in := q[t.ID]
		switch {
		case !in:
		case c.Due <= today:
			row.When = "due"
		case c.Due == today+1:
			row.When = "due tomorrow"
		default:
			row.When = fmt.Sprintf("due in %d days", c.Due-today)
		}
		if c.Mistake != nil {
			m := MistakeRow{Mistake: x.mistake(*c.Mistake), When: row.When}
			m.Number, m.Href = x.StepNumber(m.Lesson, m.Step), x.StepLink(m.Lesson, m.Step)
			if !slices.ContainsFunc(v.Mistakes, func(o MistakeRow) bool { return o.Mistake == m.Mistake }) {
				v.Mistakes = append(v.Mistakes, m)
			}
		} else if in && c.Seen > 0 && c.Stage == 0 {
			v.Wrong = append(v.Wrong, row)
		}
		part := x.Part(t.Lesson)
		if n := len(v.Parts); n == 0 || v.Parts[n-1].Name != part {
			v.Parts = append(v.Parts, PracticePart{Name: part})
		}
		last := &v.Parts[len(v.Parts)-1]
		last.Rows = append(last.Rows, row)
	}
	return v
}

func (v PracticeView) now() string {
	switch {
	case v.Due == 1:
		return "One situation is due today."
	case v.Due > 1:
		return fmt.Sprintf("%d situations are due today.", v.Due)
	case v.NextDay == 1:
		return "Nothing is due today. The next situations are due tomorrow."
	case v.NextDay > 1:
		return fmt.Sprintf("Nothing is due today. The next situations are due in %d days.", v.NextDay)
	}
	return "Nothing is due yet. When you have finished a lesson, you can practise its topics here."
}

func (v PracticeView) first() string {
	if n := min(v.Due, AtOnce); n > 1 {
		return strconv.Itoa(n) + " of them"
	}
	return "it"
}

// An ExamView is what the exam's page shows.
type ExamView struct {
	Index *Index
	// Exam is the one that was begun last, or nil.
	Exam   *Exam
	Result Result
	// Questions is how many an exam has, Needed how many have to be right.
	Questions, Needed int
	// Wait is how long it takes until another can be begun.
	Wait time.Duration
}

// NewExamView makes the view of an exam; nil if none was begun.
func NewExamView(x *Index, e *Exam, wait time.Duration) ExamView {
	n := len(NewExam(x, 1).Questions)
	v := ExamView{Index: x, Exam: e, Questions: n, Needed: needed(n), Wait: wait}
	if e != nil {
		v.Result = e.Result(x)
	}
	return v
}

type examState int

const (
	examNone examState = iota
	examRunning
	examDone
)

func (v ExamView) state() examState {
	switch {
	case v.Exam == nil:
		return examNone
	case v.Exam.Current() != nil:
		return examRunning
	}
	return examDone
}

func (v ExamView) verdict() string {
	text := fmt.Sprintf("%d of %d right", v.Result.Right, v.Result.Total)
	if n := v.Result.Unanswered; n > 0 {
		text += fmt.Sprintf(", %d not answered", n)
	}
	text += ": "
	least := needed(v.Result.Total)
	switch {
	case v.Result.Passed:
		return text + "passed."
	case v.Result.Right >= least:
		return text + "enough, but not passed, since one of those marked ★ was wrong."
	}
	return text + fmt.Sprintf("not passed, %d are needed.", least)
}

// again says when another exam can be begun; empty: now.
func (v ExamView) again() string {
	switch hours := int((v.Wait + time.Hour - 1) / time.Hour); {
	case v.Wait <= 0:
		return ""
	case hours == 1:
		return "You can take it again within the hour, with other questions."
	default:
		return fmt.Sprintf("You can take it again in %d hours, with other questions.", hours)
	}
}

// Text returns the result as plain text, to be saved.
func (v ExamView) Text(date string) string {
	text := "Tabernetes, exam " + strconv.FormatUint(v.Exam.Seed, 10) + ", " + date + "\n" + v.verdict() + "\n\n"
	for _, a := range v.Result.Areas {
		text += fmt.Sprintf("%2d of %2d  %s\n", a.Right, a.Total, a.Name)
	}
	text += "\n"
	for i, q := range v.Exam.Questions {
		text += fmt.Sprintf("%2d. %-6s %s (%s)\n", i+1, markWord(q), v.title(q), PracticeLink(q.Template, q.Seed))
	}
	return text
}

func (v ExamView) title(q Question) string {
	if t := v.Index.Template(q.Template); t != nil {
		return t.Title
	}
	return q.Template
}

func mark(q Question) string {
	switch {
	case q.Right:
		return "✓"
	case !q.Answered:
		return "–"
	}
	return "✗"
}

func markWord(q Question) string {
	switch {
	case q.Right:
		return "right"
	case !q.Answered:
		return "not answered"
	}
	return "wrong"
}

// A ProgressView is what the page of the learner's progress shows.
type ProgressView struct {
	Rows        []ProgressRow
	Predictions Predictions
	Practised   int
	Exam        *Exam
	Index       *Index
	// Said is the message about the last button; Forgetting says that one more press forgets all.
	Said       string
	Forgetting bool
	Teacher    bool
}

// A ProgressRow is a lesson, and how far it is.
type ProgressRow struct {
	Lesson   Entry
	Progress session.Progress
}

// NewProgressView makes the view of a record.
func NewProgressView(x *Index, r *Record) ProgressView {
	v := ProgressView{Index: x, Predictions: r.Predictions(), Exam: r.Exam}
	for _, e := range x.Lessons {
		v.Rows = append(v.Rows, ProgressRow{e, r.Lessons[e.ID]})
	}
	for _, c := range r.Queue {
		v.Practised += c.Seen
	}
	return v
}

func (v ProgressView) summary() string {
	done, all := 0, 0
	for _, r := range v.Rows {
		if !r.Lesson.Counts() {
			continue
		}
		if all++; len(r.Lesson.Steps) > 0 && len(r.Progress.Passed) >= len(r.Lesson.Steps) {
			done++
		}
	}
	text := fmt.Sprintf("%d of %d lessons done. ", done, all)
	p := v.Predictions
	text += fmt.Sprintf("Of %d predictions %d were right; %d were skipped. ", p.Right+p.Wrong, p.Right, p.Skipped)
	text += fmt.Sprintf("%d situations practised.", v.Practised)
	if v.Exam != nil && v.Exam.Result(v.Index).Passed {
		text += " The exam is passed."
	}
	return text
}

func (v ProgressView) forgetWord() string {
	if v.Forgetting {
		return "Press again to delete all progress"
	}
	return "Forget all"
}

func (r ProgressRow) steps() string {
	return fmt.Sprintf("%d of %d", min(len(r.Progress.Passed), len(r.Lesson.Steps)), len(r.Lesson.Steps))
}

func (r ProgressRow) predicted() string {
	right, all := 0, 0
	for _, a := range r.Progress.Answers {
		if a.Known() && !a.Skipped {
			all++
			if a.Correct() {
				right++
			}
		}
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", right, all)
}

// ProgressText returns how far a lesson is, for the list of lessons.
func ProgressText(e Entry, passed int) string {
	switch {
	case passed == 0 || len(e.Steps) == 0:
		return fmt.Sprintf("%d min", e.Minutes)
	case passed >= len(e.Steps):
		return "✓ done"
	}
	return fmt.Sprintf("%d of %d", passed, len(e.Steps))
}

// Place says which lesson is open.
func Place(x *Index, i int) string {
	e := x.Lessons[i]
	if !e.Counts() {
		return fmt.Sprintf("%s, about %d min", e.Part, e.Minutes)
	}
	return fmt.Sprintf("Lesson %d of %d, about %d min", e.Number, x.Numbered(), e.Minutes)
}

// DueWords says how much is to be practised.
func DueWords(n int) string { return fmt.Sprintf("Due today: %d", n) }

// Welcome says how much is to be practised to who comes back after so many days.
func Welcome(due, days int) string {
	switch {
	case days > 1:
		return fmt.Sprintf("You were away for %d days. %s", days, DueWords(due))
	case days == 1:
		return DueWords(due) + ", since yesterday"
	}
	return DueWords(due)
}

// DueText says how much is to be practised, for the foot of the list of lessons; empty: nothing.
func DueText(due int) string {
	if due == 0 {
		return ""
	}
	return strconv.Itoa(due) + " due"
}

// LevelText says which level of the capstone is next, of those that are passed.
func LevelText(passed int) string {
	if passed >= len(Levels) {
		return "passed"
	}
	return "level " + strconv.Itoa(passed+1)
}
