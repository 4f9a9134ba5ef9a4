package course

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

const (
	// Questions is how many an exam has.
	Questions = 30
	// ToPass is how many of them have to be right.
	ToPass = 27
	// inTurn is how many are replaced by others that take turns.
	inTurn = 4
	// Pause is how long one has to wait from the beginning of an exam until another can be begun.
	Pause = 24 * time.Hour
	// maxSeed is the largest seed that is drawn: few digits, since people note them.
	maxSeed = 999_999
)

// An Exam is one that a learner takes.
type Exam struct {
	// Seed makes the questions.
	Seed uint64 `json:"seed"`
	// Begun is when it was begun, in seconds since 1970; 0: long ago.
	Begun int64 `json:"begun,omitempty"`
	// Class says that it is a class's, which a teacher has opened in a room.
	Class bool `json:"class,omitempty"`
	// Ended says that it has ended: by the teacher, or, if Out is set, since the learner is in the room no longer.
	Ended     bool       `json:"ended,omitempty"`
	Out       bool       `json:"out,omitempty"`
	Questions []Question `json:"questions"`

	of int // how many questions it had, as it was kept
}

// MarshalJSON writes what a reload needs: those of the questions that have been asked, and how many there are. The
// others are drawn again, so that nobody reads them in what is stored.
func (e Exam) MarshalJSON() ([]byte, error) {
	type plain Exam
	kept := struct {
		plain
		Of int `json:"of"`
	}{plain(e), len(e.Questions)}
	if n := e.Next(); n < len(e.Questions) && !e.Ended {
		if e.Questions[n].Open {
			n++
		}
		kept.Questions = e.Questions[:n]
	}
	return json.Marshal(kept)
}

// UnmarshalJSON reads what MarshalJSON wrote, or an older page, which kept all questions. Use complete then.
func (e *Exam) UnmarshalJSON(b []byte) error {
	type plain Exam
	kept := struct {
		*plain
		Of int `json:"of"`
	}{plain: (*plain)(e)}
	err := json.Unmarshal(b, &kept)
	e.of = min(kept.Of, Questions)
	return err
}

// complete draws the questions that were not kept, and gives the templates of the others the names that they have now.
func (e *Exam) complete(x *Index) {
	for i := range e.Questions {
		q := &e.Questions[i]
		q.Template = x.now(q.Template)
	}
	if n := len(e.Questions); n < e.of {
		all := NewExam(x, e.Seed)
		if e.Class {
			all = classExam(x, e.Seed, e.of)
		}
		e.Questions = append(e.Questions, all.Questions[min(n, len(all.Questions)):]...)
	}
	e.of = 0
}

// Same reports whether two exams of a class have the same questions.
func (e *Exam) Same(as *Exam) bool { return e.Seed == as.Seed && len(e.Questions) == len(as.Questions) }

// A Question is a situation, and what a learner made of it.
type Question struct {
	Template string `json:"template"`
	Seed     int    `json:"seed"`
	// Must says that it has to be right.
	Must bool `json:"must,omitempty"`
	// Answered reports whether it is done with, Right that the answer was right.
	Answered bool `json:"answered,omitempty"`
	Right    bool `json:"right,omitempty"`
	// Given is the first answer, which counts: the number of a choice, or what was typed; NoAnswer: it was run without
	// one.
	Given string `json:"given,omitempty"`
	// Open says that it has been asked, and is about the outcome of what is run.
	Open bool `json:"open,omitempty"`
}

// NoAnswer is what a Question has been Given that was run without an answer.
const NoAnswer = "-"

// ParseExam reads an exam that was written as JSON, maybe when templates had other names; nil if it is not one.
func (x *Index) ParseExam(text string) *Exam {
	e := new(Exam)
	if json.Unmarshal([]byte(text), e) != nil {
		return nil
	}
	if e.complete(x); len(e.Questions) == 0 {
		return nil
	}
	return e
}

// Give notes the answer to a question, and reports false if there was one already: the first one counts.
func (q *Question) Give(answer string) bool {
	if q.Given != "" || q.Answered {
		return false
	}
	q.Given = answer
	return true
}

// Wait returns how long it takes until another exam can be begun.
func (e *Exam) Wait(now time.Time) time.Duration {
	if e == nil || e.Class {
		return 0
	}
	return min(Pause, max(0, time.Unix(e.Begun, 0).Add(Pause).Sub(now)))
}

// NextSeed returns the seed of the exam after one: that which is wanted, or one that is drawn if none is, or if it is
// that of the last exam. draw returns a number below n.
func (e *Exam) NextSeed(wanted uint64, draw func(n int) int) uint64 {
	for wanted == 0 || e != nil && wanted == e.Seed {
		wanted = DrawSeed(draw)
	}
	return wanted
}

// DrawSeed draws a seed. draw returns a number below n.
func DrawSeed(draw func(n int) int) uint64 { return uint64(1 + draw(maxSeed)) }

// ownDraw and classDraw are the streams of random numbers of a learner's own exam and of a class's: the link to an exam
// of one's own does not lead to the questions of a class with that seed.
const ownDraw, classDraw = 30, 32

// NewExam draws the questions of an exam: those that each exam asks, of which some that
// need not be right are replaced by others, in the order of the index. Further reading is not asked about.
func NewExam(x *Index, seed uint64) Exam { return newExam(x, seed, ownDraw) }

func newExam(x *Index, seed, draw uint64) Exam {
	r := rand.New(rand.NewPCG(seed, draw))
	var asked, others []Template
	for _, t := range x.Templates {
		if x.Part(t.Lesson) == format.FurtherReading {
			continue
		}
		switch t.Exam {
		case format.Asked, format.Must:
			asked = append(asked, t)
		case format.InTurn:
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
	place := func(t Template) int {
		return slices.IndexFunc(x.Templates, func(o Template) bool { return o.ID == t.ID })
	}
	slices.SortFunc(asked, func(a, b Template) int { return place(a) - place(b) })
	e := Exam{Seed: seed}
	for _, t := range asked[:min(len(asked), Questions)] {
		e.Questions = append(e.Questions,
			Question{Template: t.ID, Seed: 1 + r.IntN(max(t.Seeds, 1)), Must: t.Exam == format.Must})
	}
	return e
}

// A ClassExam is an exam that a teacher has opened in a room.
type ClassExam struct {
	Seed uint64 `json:"seed"`
	// Each says that each member gets questions of a separate seed.
	Each      bool `json:"each,omitempty"`
	Questions int  `json:"questions"`
}

// For returns the exam of a member.
func (c ClassExam) For(x *Index, member string) *Exam {
	seed := c.Seed
	if c.Each {
		h := fnv.New64a()
		_, _ = h.Write([]byte(strconv.FormatUint(seed, 10) + " " + member))
		seed = 1 + h.Sum64()%maxSeed
	}
	e := classExam(x, seed, c.Questions)
	return &e
}

// classExam draws some of an exam's questions.
func classExam(x *Index, seed uint64, questions int) Exam {
	e := newExam(x, seed, classDraw)
	r := rand.New(rand.NewPCG(seed, 31))
	for len(e.Questions) > questions {
		at := r.IntN(len(e.Questions))
		e.Questions = slices.Delete(e.Questions, at, at+1)
	}
	e.Class = true
	return e
}

// replaceable draws one of the templates that others may take the place of, or -1.
func replaceable(r *rand.Rand, asked []Template) int {
	var at []int
	for i, t := range asked {
		if t.Exam == format.Asked {
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

// Current returns the question that is asked next; nil when none is.
func (e *Exam) Current() *Question {
	if e == nil || e.Ended || e.Next() == len(e.Questions) {
		return nil
	}
	return &e.Questions[e.Next()]
}

// End ends a class's exam: nothing more is asked. out says that the learner is in the room no longer.
func (e *Exam) End(out bool) { e.Ended, e.Out = true, out }

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
	// Unanswered is how many have no answer, maybe since the exam ended before they were asked.
	Unanswered int
	Areas      []Area
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
		if !q.Answered {
			res.Unanswered++
		}
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
