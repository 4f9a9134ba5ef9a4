package session

import (
	"slices"
	"strconv"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// An Answer is a learner's answer to a step's question, and whether it was right.
type Answer struct {
	// Given is the number of a choice, from 0, or what was typed.
	Given string `json:"given,omitempty"`
	// Skipped says that the step was done without an answer.
	Skipped bool `json:"skipped,omitempty"`
	// Right is the number of the choice that was right, or the right value; empty as long
	// as the step has not passed.
	Right string `json:"right,omitempty"`
}

// Committed reports whether there is an answer, or will never be.
func (a Answer) Committed() bool { return a.Skipped || a.Given != "" }

// Known reports whether it is known which answer is right.
func (a Answer) Known() bool { return a.Right != "" }

// Correct reports whether a given answer was right.
func (a Answer) Correct() bool {
	return a.Known() && !a.Skipped && (a.Given == a.Right || format.SameValue(a.Given, a.Right))
}

// Answer returns the answer to step i's question.
func (s *Session) Answer(i int) Answer {
	s.log.Lock()
	defer s.log.Unlock()
	return s.answers[s.Lesson.Steps[i].ID]
}

// Commit answers step i's question, by the number of a choice or what was typed. It
// reports false, and does nothing, if there is no such question or choice, if nothing
// was typed, or if the question was answered already or the step has passed.
func (s *Session) Commit(i int, given string) bool {
	p, _ := s.Lesson.Steps[i].Prediction()
	if p == nil || given == "" {
		return false
	}
	if p.Value == nil {
		if n, err := strconv.Atoi(given); err != nil || n < 0 || n >= len(p.Choices) {
			return false
		}
	}
	return s.setAnswer(i, Answer{Given: given})
}

// Skip lets step i's requests run without an answer to its question.
func (s *Session) Skip(i int) bool { return s.setAnswer(i, Answer{Skipped: true}) }

func (s *Session) setAnswer(i int, a Answer) bool {
	s.log.Lock()
	defer s.log.Unlock()
	id := s.Lesson.Steps[i].ID
	if s.answers[id].Committed() || s.steps[i].passed {
		return false
	}
	s.answers[id] = a
	return true
}

// Held reports whether the requests of a block wait for the answer to the question above
// them in their step.
func (s *Session) Held(step, block int) bool {
	s.log.Lock()
	defer s.log.Unlock()
	if step < 0 || s.steps[step].passed {
		return false
	}
	_, at := s.Lesson.Steps[step].Prediction()
	return at >= 0 && block > at && !s.answers[s.Lesson.Steps[step].ID].Committed()
}

// settle notes which answer to step i's question is right, now that the step has passed. What was said of it before
// stays: a step that is only set up again keeps its answer.
func (s *Session) settle(i int, right string) {
	step := &s.Lesson.Steps[i]
	p, _ := step.Prediction()
	if p == nil {
		return
	}
	a := s.answers[step.ID]
	if !a.Committed() {
		a.Skipped = true
	}
	if a.Right == "" || !s.steps[i].before {
		a.Right = right
	}
	s.answers[step.ID] = a
}

// rightAnswer returns the answer that is right in what happened; empty if none is, or more than one, or another one
// than in the situation that was asked about.
func (s *search) rightAnswer(p *format.Prediction) string {
	s.asked = 0
	if p.Value != nil {
		v, err := s.lookup(*p.Value)
		if err != nil {
			return ""
		}
		return v
	}
	right := ""
	for i := range p.Choices {
		if !s.allHold(p.Choices[i].Conds) {
			continue
		}
		if right != "" {
			return ""
		}
		right = strconv.Itoa(i)
	}
	if asked := p.Explained(); asked >= 0 && right != strconv.Itoa(asked) {
		return ""
	}
	return right
}

// asFound returns the exchanges and events that names refer to.
func (s *Session) asFound() map[string]found {
	out := map[string]found{}
	for _, known := range []map[string]format.Fielder{s.noted, s.live} {
		for name, v := range known {
			switch v := v.(type) {
			case exchange:
				out[name] = found{x: v.Exchange}
			case event:
				out[name] = found{event: v.Line}
			}
		}
	}
	return out
}

// given returns the exchanges of the setup, by their names.
func (s *Session) given() map[string]format.Fielder {
	out := map[string]format.Fielder{}
	for _, r := range slices.Concat(s.Lesson.Setup, s.Lesson.Restore) {
		if x, ok := s.live[r.Name]; ok && r.Name != "" {
			out[r.Name] = x
		}
	}
	return out
}

// allHold reports whether there are conditions and all hold.
func (s *search) allHold(conds []format.ChoiceCond) bool {
	for i := range conds {
		f := &conds[i]
		v, ok := s.bound[f.Name]
		if !ok {
			v, ok = s.also[f.Name]
		}
		if !ok || v.saved {
			return s.savedHolds(conds)
		}
		if _, ok := s.holds(&f.Cond, v.value()); !ok {
			return false
		}
	}
	return len(conds) > 0
}

// savedHolds is allHold for a row that an earlier visit found: only the values that the lesson refers to were saved.
func (s *search) savedHolds(conds []format.ChoiceCond) bool {
	for i := range conds {
		f := &conds[i]
		v, err := s.lookup(format.Ref{Name: f.Name, Path: f.Left})
		var value format.Fielder = fixed{}
		if err == nil {
			value = fixed{f.Left.String(): v}
		}
		c := f.Cond
		c.Left = format.PathOf(f.Left.String())
		if _, ok := s.holds(&c, value); !ok {
			return false
		}
	}
	return len(conds) > 0
}

// fixed are values that were saved, by their paths.
type fixed map[string]any

func (f fixed) Field(name string) (any, bool) {
	v, ok := f[name]
	return v, ok
}
