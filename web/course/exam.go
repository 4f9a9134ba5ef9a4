package course

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson"
)

const (
	// Questions is how many an exam has.
	Questions = 30
	// ToPass is how many of them have to be right.
	ToPass = 27
	// inTurn is how many are replaced by others that take turns.
	inTurn = 4
)

// An Exam is one that a learner takes.
type Exam struct {
	// Seed makes the questions.
	Seed uint64 `json:"seed"`
	// Day is when it was begun.
	Day       int        `json:"day"`
	Questions []Question `json:"questions"`
}

// A Question is a situation, and what a learner made of it.
type Question struct {
	Template string `json:"template"`
	Seed     int    `json:"seed"`
	// Must says that it has to be right.
	Must bool `json:"must,omitempty"`
	// Answered reports whether it is done with, Right that the answer was right.
	Answered bool `json:"answered,omitempty"`
	Right    bool `json:"right,omitempty"`
}

// NewExam draws the questions of an exam: those that each exam asks, of which some that
// need not be right are replaced by others, in the order of the course.
func NewExam(x *Index, seed uint64, day int) Exam {
	r := rand.New(rand.NewPCG(seed, 30))
	var asked, others []Template
	for _, t := range x.Templates {
		switch t.Exam {
		case lesson.Asked, lesson.Must:
			asked = append(asked, t)
		case lesson.InTurn:
			others = append(others, t)
		}
	}
	r.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for n := 0; n < inTurn && n < len(others); n++ {
		if at := replaceable(r, asked); at >= 0 {
			asked[at] = others[n]
		}
	}
	if more := Questions - len(asked); more > 0 && len(others) > inTurn {
		asked = append(asked, others[inTurn:min(len(others), inTurn+more)]...)
	}
	slices.SortFunc(asked, func(a, b Template) int { return strings.Compare(a.ID, b.ID) })
	e := Exam{Seed: seed, Day: day}
	for _, t := range asked[:min(len(asked), Questions)] {
		e.Questions = append(e.Questions,
			Question{Template: t.ID, Seed: 1 + r.IntN(max(t.Seeds, 1)), Must: t.Exam == lesson.Must})
	}
	return e
}

// replaceable draws one of the templates that others may take the place of; -1 if there is
// none.
func replaceable(r *rand.Rand, asked []Template) int {
	var at []int
	for i, t := range asked {
		if t.Exam == lesson.Asked {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return -1
	}
	return at[r.IntN(len(at))]
}

// Next returns the index of the question that is asked next; the number of questions when all
// are answered.
func (e *Exam) Next() int {
	for i, q := range e.Questions {
		if !q.Answered {
			return i
		}
	}
	return len(e.Questions)
}

// An Area is a part of the course in an exam's result.
type Area struct {
	Name         string
	Right, Total int
}

// A Result is the result of an exam.
type Result struct {
	Right, Total int
	Passed       bool
	// Missed reports whether a question was wrong that has to be right.
	Missed bool
	Areas  []Area
}

// Result sums up the answers so far.
func (e *Exam) Result(x *Index) Result {
	var res Result
	for _, q := range e.Questions {
		name := ""
		if t := x.Template(q.Template); t != nil {
			name = x.Part(t.Lesson)
		}
		at := slices.IndexFunc(res.Areas, func(a Area) bool { return a.Name == name })
		if at < 0 {
			at = len(res.Areas)
			res.Areas = append(res.Areas, Area{Name: name})
		}
		res.Total++
		res.Areas[at].Total++
		if q.Right {
			res.Right++
			res.Areas[at].Right++
		} else if q.Must && q.Answered {
			res.Missed = true
		}
	}
	res.Passed = res.Total > 0 && e.Next() == len(e.Questions) && !res.Missed && res.Right >= needed(res.Total)
	return res
}

// needed returns how many of so many questions have to be right.
func needed(questions int) int { return (questions*ToPass + Questions - 1) / Questions }
