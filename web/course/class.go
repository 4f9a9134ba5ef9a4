package course

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The marks of a Report, besides the digit of a wrong choice.
const (
	markOpen  = '.' // not answered yet
	markRight = 'r'
	markWrong = 'x' // and no choice: it was given up, or a task, or typed
)

// A Report is what a member's page tells the teachers of a room of an exam: the seed of the questions, and a mark for
// each.
type Report struct {
	Seed  uint64
	Marks string
}

// Report returns what teachers see of the exam.
func (e *Exam) Report() Report {
	r := Report{Seed: e.Seed}
	for _, q := range e.Questions {
		mark := markOpen
		switch n, err := strconv.Atoi(q.Given); {
		case !q.Answered:
		case q.Right:
			mark = markRight
		case err == nil && n >= 0 && n <= 9:
			mark = '0' + rune(n)
		default:
			mark = markWrong
		}
		r.Marks += string(mark)
	}
	return r
}

// String returns the report as the room carries it.
func (r Report) String() string { return strconv.FormatUint(r.Seed, 10) + " " + r.Marks }

// ParseReport reads what String wrote; false if it is not a report.
func ParseReport(text string) (Report, bool) {
	seed, marks, ok := strings.Cut(text, " ")
	n, err := strconv.ParseUint(seed, 10, 64)
	if !ok || err != nil || marks == "" || len(marks) > Questions || strings.Trim(marks, ".rx0123456789") != "" {
		return Report{}, false
	}
	return Report{n, marks}, true
}

// Mark says how a question was answered: right, wrong, or open; empty if there is no such question.
func (r Report) Mark(question int) string {
	if question >= len(r.Marks) {
		return ""
	}
	switch r.Marks[question] {
	case markOpen:
		return "open"
	case markRight:
		return "right"
	}
	return "wrong"
}

// Right and Done count the answers, Next is the place of the question that is next: their number when all are answered.
func (r Report) Right() int { return strings.Count(r.Marks, string(markRight)) }
func (r Report) Done() int  { return len(r.Marks) - strings.Count(r.Marks, string(markOpen)) }
func (r Report) Next() int {
	if at := strings.IndexRune(r.Marks, markOpen); at >= 0 {
		return at
	}
	return len(r.Marks)
}

// A Sitter is somebody of a class who takes an exam.
type Sitter struct {
	Name string
	Away bool
	// Report is what there is to tell; none of one who has not begun.
	Report Report
}

// A Belief is a wrong belief, and how many of a class have shown it.
type Belief struct {
	// Text is the choice that says it, Reply what is said to who chose it, as HTML. About names the question.
	Text, Reply, About string
	// Step is the number of the step that it is about, as in 7.4, and Href leads there.
	Step, Href string
	// Count of Of who answered.
	Count, Of int
}

// A Wrong is a choice that was wrong, by somebody.
type Wrong struct {
	// Of is the template or lesson that asked, and Key tells its beliefs apart; the texts are those of a Belief.
	Of, Key, Text, Reply, About string
	// Lesson and Step are where it is explained; steps count from 1.
	Lesson string
	Step   int
}

// A tally counts wrong beliefs.
type tally struct {
	x   *Index
	all []Belief
	at  map[[2]string]int // by Of and Key of the Wrong
}

func (t *tally) add(w Wrong) {
	if t.at == nil {
		t.at = map[[2]string]int{}
	}
	key := [2]string{w.Of, w.Key}
	i, ok := t.at[key]
	if !ok {
		i = len(t.all)
		t.at[key] = i
		t.all = append(t.all, Belief{Text: w.Text, Reply: w.Reply, About: w.About, Step: t.x.StepNumber(w.Lesson, w.Step),
			Href: t.x.StepLink(w.Lesson, w.Step)})
	}
	t.all[i].Count++
}

// outOf says how many have answered what each template or lesson asked.
func (t *tally) outOf(answered map[string]int) {
	for key, i := range t.at {
		t.all[i].Of = answered[key[0]]
	}
}

// sorted returns the beliefs, those that most have first.
func (t *tally) sorted() []Belief {
	slices.SortStableFunc(t.all, func(a, b Belief) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Step, b.Step)) })
	return t.all
}

// StepNumber returns what a step is called in short, such as 7.4.
func (x *Index) StepNumber(lesson string, step int) string {
	if i := x.Lesson(lesson); i >= 0 {
		return fmt.Sprintf("%d.%d", x.Lessons[i].Number, step)
	}
	return ""
}

// stepTitle returns the title of a lesson's step; empty if there is no such step.
func (x *Index) stepTitle(lesson string, step int) string {
	if i := x.Lesson(lesson); i >= 0 && step >= 1 && step <= len(x.Lessons[i].Steps) {
		return x.Lessons[i].Steps[step-1]
	}
	return ""
}

// Decks are the templates whose questions were answered wrong: they are needed by Believed.
func (x *Index) Decks(class []Sitter) []string {
	var ids []string
	x.answered(class, func(q Question, choice int) {
		if choice >= 0 && !slices.Contains(ids, q.Template) {
			ids = append(ids, q.Template)
		}
	})
	return ids
}

// answered calls f for each answer of a class, with the choice if that was a wrong one, else -1.
func (x *Index) answered(class []Sitter, f func(q Question, choice int)) {
	for _, s := range class {
		if s.Report.Marks == "" {
			continue
		}
		questions := classExam(x, s.Report.Seed, len(s.Report.Marks)).Questions
		for i, mark := range s.Report.Marks[:min(len(questions), len(s.Report.Marks))] {
			switch {
			case mark == markOpen:
			case mark >= '0' && mark <= '9':
				f(questions[i], int(mark-'0'))
			default:
				f(questions[i], -1)
			}
		}
	}
}

// Believed returns what a class believes wrongly. Decks that are missing are left out. Choices with the same reply are
// the same belief, whatever situation they are about.
func (x *Index) Believed(class []Sitter, decks map[string]*Deck) []Belief {
	t := tally{x: x}
	of := map[string]int{} // by template: how many have answered
	x.answered(class, func(q Question, choice int) {
		of[q.Template]++
		d, template := decks[q.Template], x.Template(q.Template)
		if choice < 0 || d == nil || template == nil {
			return
		}
		l, err := d.Situation(q.Seed)
		if err != nil {
			return
		}
		asked, _ := l.Steps[0].Prediction()
		if asked == nil || choice >= len(asked.Choices) {
			return
		}
		c := asked.Choices[choice]
		t.add(Wrong{About: template.Title, Of: q.Template, Key: c.Reply, Text: c.HTML, Reply: c.ReplyHTML,
			Lesson: template.Lesson, Step: template.Step})
	})
	t.outOf(of)
	return t.sorted()
}

// CSV returns the results of a class as a table for spreadsheets.
func CSV(class []Sitter) string {
	most := 0
	for _, s := range class {
		most = max(most, len(s.Report.Marks))
	}
	var b strings.Builder
	// As RFC 4180 has it; encoding/csv would be 3 KB more of the page's program for this.
	write := func(cells ...string) {
		for i, c := range cells {
			if strings.ContainsAny(c, ",\"\r\n") || strings.HasPrefix(c, " ") {
				cells[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
		}
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	head := []string{"who", "seed"}
	for i := range most {
		head = append(head, strconv.Itoa(i+1))
	}
	write(append(head, "right", "answered")...)
	for _, s := range class {
		row := []string{cell(s.Name), strconv.FormatUint(s.Report.Seed, 10)}
		for i := range most {
			row = append(row, strings.TrimPrefix(s.Report.Mark(i), "open"))
		}
		write(append(row, strconv.Itoa(s.Report.Right()), strconv.Itoa(s.Report.Done()))...)
	}
	return b.String()
}

// cell returns a text that no spreadsheet takes for a formula: people choose their names.
func cell(text string) string {
	if strings.ContainsAny(text[:min(1, len(text))], "=+-@\t\r") {
		return "'" + text
	}
	return text
}

// A LessonReport is what a member's page tells the teachers of a room of the lesson that is open there: Beliefs are the
// predictions that were wrong, as Mistakes writes them.
type LessonReport struct{ Lesson, Beliefs string }

// maxMistakes is how many mistakes of a lesson are reported: the last ones.
const maxMistakes = 12

// Mistakes writes wrong choices, each as the number of its step, from 1, and that of the choice.
func Mistakes(wrong [][2]int) string {
	var words []string
	for _, w := range wrong[max(0, len(wrong)-maxMistakes):] {
		words = append(words, fmt.Sprintf("%d.%d", w[0], w[1]))
	}
	return strings.Join(words, " ")
}

// InLessons returns what a class believes wrongly in the lessons that are open, in the order of the course. choice
// returns the text of a choice, as HTML; false if there is no such choice.
func (x *Index) InLessons(class []LessonReport,
	choice func(lesson string, step, choice int) (text, reply string, ok bool),
) []Belief {
	t, reports := tally{x: x}, map[string]int{}
	place := map[string]int{} // of the lessons in the course, by the links to their steps
	for _, r := range class {
		reports[r.Lesson]++
		for _, word := range strings.Fields(r.Beliefs) {
			first, second, _ := strings.Cut(word, ".")
			step, noStep := strconv.Atoi(first)
			n, noChoice := strconv.Atoi(second)
			if noStep != nil || noChoice != nil {
				continue
			}
			if text, reply, ok := choice(r.Lesson, step, n); ok {
				t.add(Wrong{About: x.stepTitle(r.Lesson, step), Of: r.Lesson, Key: word, Text: text, Reply: reply,
					Lesson: r.Lesson, Step: step})
				place[x.StepLink(r.Lesson, step)] = x.Lesson(r.Lesson)
			}
		}
	}
	t.outOf(reports)
	slices.SortStableFunc(t.all, func(a, b Belief) int {
		return cmp.Or(place[a.Href]-place[b.Href], b.Count-a.Count, strings.Compare(a.Step, b.Step))
	})
	return t.all
}
