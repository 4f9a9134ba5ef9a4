package session

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// misplaced returns to which later place of the lesson the newest request since a step began belongs, if it does. done
// is how many rows of the step are done.
func (s *Session) misplaced(step, done, base int) miss {
	x := s.last
	if x == nil || x.When.Made <= base || !complete(x) || x.Origin == "sample" {
		return miss{}
	}
	return miss{made: x.When.Made, why: s.placeOf(step, done, x)}
}

// placeOf returns where a request belongs that does not belong to what comes next;
// empty when it does, or belongs nowhere.
func (s *Session) placeOf(step, done int, x *tap.Exchange) string {
	for k := range step { // what an earlier step needs may be made again at any time
		for j := range s.Lesson.Steps[k].Check.Rows {
			if r := &s.Lesson.Steps[k].Check.Rows[j]; r.FitsRequest(x) && s.plausible(r, x) {
				return ""
			}
		}
	}
	rows := s.Lesson.Steps[step].Check.Rows
	for j := range rows {
		switch r := &rows[j]; {
		case r.None || !r.FitsRequest(x):
		case j > done && s.plausible(r, x):
			if r.AnyOrder {
				return "That counts, for a row below. This is still to be done."
			}
			return "That comes later in this step. This is first."
		default:
			return ""
		}
	}
	if s.Lesson.Steps[step].Has(x) {
		return ""
	}
	for k := step + 1; k < len(s.Lesson.Steps); k++ {
		later := &s.Lesson.Steps[k]
		for j := range later.Check.Rows {
			if r := &later.Check.Rows[j]; !r.None && r.FitsRequest(x) && s.plausible(r, x) {
				return fmt.Sprintf("That belongs to step %d, “%s”. This comes first.", k+1, later.Title)
			}
		}
	}
	return ""
}

// plausible reports whether a request's answer is as a row wants it, as far as
// is known: conditions that refer to what has no value yet are left out.
func (s *Session) plausible(r *format.Row, x *tap.Exchange) bool {
	if !r.FitsStatus(x) {
		return false
	}
	sr := &search{saved: s.saved, bound: s.asFound(), asked: x.When.Made, given: s.given()}
	return sr.mayMeet(r, exchange{x, 0})
}

// mayMeet reports whether the row's conditions hold of which all is known.
func (s *search) mayMeet(r *format.Row, v format.Fielder) bool {
	return !slices.ContainsFunc(r.Conds, func(c format.Cond) bool {
		_, ok := s.holds(&c, v)
		return !ok && s.knows(&c)
	})
}

// knows reports whether all that a condition refers to has a value.
func (s *search) knows(c *format.Cond) bool {
	for _, t := range c.Right {
		if _, err := t.Expand("", s.lookup); err != nil {
			return false
		}
	}
	return true
}

// ended returns the step whose watch step i still needs an event of, if that watch is not
// open: it was stopped or cut, or the page was loaded again.
func (s *Session) ended(i int) (step int, ok bool) {
	st := &s.steps[i]
	if st.done() {
		return 0, false
	}
	check := s.Lesson.Steps[i].Check
	for j := range check.Rows {
		if check.Rows[j].In == "" || check.Rows[j].None || st.rows[j].Done {
			continue
		}
		r := &check.Rows[j]
		k, watch := s.rowCalled(r.In)
		done := s.doneNames(i)
		before := s.steps[k].passed || k == i && slices.Contains(done, watch.Name)
		early := len(r.After)+len(r.Before) > 0 && !slices.ContainsFunc(r.After, func(n string) bool {
			return !slices.Contains(done, n)
		})
		sr := &search{saved: s.saved, bound: s.asFound(), given: s.given()}
		if before && !slices.ContainsFunc(s.byRow[watch], func(x *tap.Exchange) bool {
			came := func(e *tap.Line) bool { return slices.Contains(r.Types, e.Type) && sr.mayMeet(r, event{e}) }
			return x.Streams() && s.plausible(watch, x) &&
				(x.When.Ended == 0 || early && slices.ContainsFunc(x.Lines, came)) // before the rows above it are done
		}) {
			return k, true
		}
	}
	return 0, false
}

// notYet is said when all was done that an event waits for, and it has not come.
const notYet = "It has not come yet. If nothing comes, set this step up again."

// waits reports whether all is done in step i but that an event comes: each of its requests was made, or if it gives
// none, anything was written.
func (s *Session) waits(i, done, base int) bool {
	step := &s.Lesson.Steps[i]
	if done == len(step.Check.Rows) || step.Check.Rows[done].In == "" || step.Check.Rows[done].None {
		return false
	}
	made := func(fits func(a *tap.Exchange) bool) bool {
		return slices.ContainsFunc(s.acts, func(a *tap.Exchange) bool { return a.When.Made > base && fits(a) })
	}
	given := step.Given()
	if len(given) == 0 {
		return made(wrote)
	}
	return !slices.ContainsFunc(given, func(r *format.Request) bool {
		return !made(r.Made)
	})
}

// rowCalled finds a row of the lesson and its step. validate has made sure that
// there is one.
func (s *Session) rowCalled(name string) (step int, r *format.Row) {
	for k := range s.Lesson.Steps {
		rows := s.Lesson.Steps[k].Check.Rows
		for j := range rows {
			if rows[j].Name == name {
				return k, &rows[j]
			}
		}
	}
	return 0, &format.Row{}
}

func (s *Session) doneNames(i int) []string {
	var out []string
	for j, r := range s.steps[i].rows {
		if r.Done {
			out = append(out, s.Lesson.Steps[i].Check.Rows[j].Name)
		}
	}
	return out
}
