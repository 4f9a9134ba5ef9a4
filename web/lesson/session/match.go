package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A found is what fits a row: an exchange, an event of one, or values that an earlier visit saved.
type found struct {
	x     *tap.Exchange
	event *tap.Line
	saved bool
}

func (f found) value() format.Fielder {
	if f.event != nil {
		return event{f.event}
	}
	return exchange{f.x, 0}
}

func (s *search) fitsEvent(i int, r *format.Row, e *tap.Line) bool {
	s.asked = 0
	if !slices.Contains(r.Types, e.Type) {
		return false
	}
	if i >= s.earlier {
		if e.Moment <= s.base || !s.inOrder(i, r, e.Moment, e.Moment) {
			return false
		}
	}
	return s.meets(i, r, event{e}, e.Moment)
}

// fitsExchange takes one of those that fit the row's request.
func (s *search) fitsExchange(i int, r *format.Row, x *tap.Exchange) bool {
	if !complete(x) {
		return false
	}
	if i >= s.earlier && x.When.Made <= s.base {
		return false
	}
	if i >= s.earlier && !s.inOrder(i, r, x.When.Made, position(x)) {
		if s.asked = x.When.Made; r.FitsStatus(x) && !s.taken(x) && s.firstFailing(r, exchange{x, 0}) == nil {
			s.note(i, x.When.Made, "That came in the wrong order. Do it again now.")
		}
		return false
	}
	if !r.FitsStatus(x) {
		why := fmt.Sprintf("it was answered %d, not %s", x.Status, joinInts(r.Statuses))
		if r.Else != "" {
			why += ". " + r.Else
		}
		s.note(i, x.When.Made, why)
		return false
	}
	if i >= s.earlier && !s.lateEnough(i, r, x) {
		return false
	}
	s.asked = x.When.Made
	return s.meets(i, r, exchange{x, 0}, x.When.Made)
}

// taken reports whether a row stands for the exchange already.
func (s *search) taken(x *tap.Exchange) bool {
	for _, f := range s.bound {
		if f.x == x {
			return true
		}
	}
	return false
}

// lateEnough reports whether a request was made as long after those before it as its
// row says.
func (s *search) lateEnough(i int, r *format.Row, x *tap.Exchange) bool {
	if r.Gap == 0 {
		return true
	}
	for _, n := range s.after(i, r) {
		f := s.bound[n]
		if f.x == nil {
			continue
		}
		if waited := x.Started.Sub(f.x.Answered); waited < r.Gap {
			s.blame.add(s.at[n])
			s.note(i, x.When.Made, fmt.Sprintf("That came %.1f s after the one before. Wait for %v.", waited.Seconds(), r.Gap))
			return false
		}
	}
	return true
}

// after returns the names of the rows that row i comes after.
func (s *search) after(i int, r *format.Row) []string {
	if len(r.After) == 0 && len(r.Before) == 0 && !r.AnyOrder && i > s.earlier {
		return []string{s.rows[i-1].Name}
	}
	return r.After
}

// inOrder reports whether something that began and ended then is after (or
// before) the rows it has to be after (or before). A request comes after
// another when that one's answer had begun; an event comes after a request when
// that had been made, since an event often overtakes the answer to the write
// that caused it.
func (s *search) inOrder(i int, r *format.Row, began, ended int) bool {
	for _, n := range s.after(i, r) {
		f := s.bound[n]
		end := 0
		switch {
		case f.event != nil:
			end = f.event.Moment
		case f.x != nil && r.In != "":
			end = f.x.When.Made
		case f.x != nil:
			end = f.x.When.Answered
		}
		if began <= end {
			// What comes after it in the log was made later still.
			if f.event == nil && began > f.x.When.Made {
				s.blame.add(s.at[n])
			}
			return false
		}
	}
	for _, n := range r.Before {
		f := s.bound[n]
		start := 0
		switch {
		case f.event != nil:
			start = f.event.Moment
		case f.x != nil:
			start = f.x.When.Made
		}
		if ended >= start {
			s.blame.add(s.at[n])
			return false
		}
	}
	return true
}

// meets reports whether all of the row's conditions hold, and notes the first
// that does not.
func (s *search) meets(i int, r *format.Row, v format.Fielder, made int) bool {
	c := s.firstFailing(r, v)
	if c == nil {
		return true
	}
	for _, t := range c.Right {
		for _, ref := range t.Refs() {
			if at, ok := s.at[ref.Name]; ok {
				s.blame.add(at)
			}
		}
	}
	why := c.Else
	if why == "" {
		why, _ = s.holds(c, v)
	}
	if x, ok := v.(exchange); ok && endsSoon(x.Exchange) && c.Left.String() == "response.ended" {
		why = "" // nothing is wrong: it only takes its time
	}
	s.note(i, made, why)
	return false
}

// firstFailing returns the first of the row's conditions that does not hold, or nil.
func (s *search) firstFailing(r *format.Row, v format.Fielder) *format.Cond {
	for i := range r.Conds {
		s.looks++
		if _, ok := s.holds(&r.Conds[i], v); !ok {
			return &r.Conds[i]
		}
	}
	return nil
}

// note keeps why something that was nearly right was not, if it belongs to the
// first row that cannot be filled.
func (s *search) note(i, made int, why string) {
	if i < s.earlier || i < s.miss.row || i == s.miss.row && made < s.miss.made {
		return
	}
	s.miss = miss{row: i, made: made, why: why}
}

// holds evaluates a condition. If it does not hold, it says why.
func (s *search) holds(c *format.Cond, v format.Fielder) (string, bool) {
	why, ok := s.holdsFor(c, c.Left, v)
	for i := 0; i < len(c.Or) && !ok; i++ {
		_, ok = s.holdsFor(c, c.Or[i], v)
	}
	return why, ok
}

// holdsFor evaluates a condition with one of its paths.
func (s *search) holdsFor(c *format.Cond, p format.Path, v format.Fielder) (string, bool) {
	left, present := p.Of(v)
	switch c.Op {
	case format.IsPresent:
		return fmt.Sprintf("%s is absent", p), present
	case format.IsAbsent:
		return fmt.Sprintf("%s is %s: it should not be there", p, shown(left)), !present
	}
	wanted := make([]string, 0, len(c.Right))
	for _, t := range c.Right {
		right, err := t.Expand("", s.lookup)
		if err != nil {
			return err.Error(), false
		}
		wanted = append(wanted, right)
	}
	if !present {
		return fmt.Sprintf("%s is absent, not %s %s", p, c.Op, strings.Join(wanted, " or ")), c.Op == format.NotEqual ||
			c.Op == format.Lacks
	}
	ok := slices.ContainsFunc(wanted, func(w string) bool { return format.Compare(c.Op, left, w) })
	if c.Op == format.NotEqual || c.Op == format.Lacks { // none of the alternatives, not one of them
		ok = !slices.ContainsFunc(wanted, func(w string) bool { return !format.Compare(c.Op, left, w) })
	}
	return fmt.Sprintf("%s is %s, not %s %s", p, shown(left), c.Op, strings.Join(wanted, " or ")), ok
}

// lookup finds the value of a reference among what the rows were given.
func (s *search) lookup(r format.Ref) (string, error) {
	f, ok := s.bound[r.Name]
	if !ok && s.judging {
		f, ok = s.also[r.Name]
	}
	if ok && !f.saved {
		v := f.value()
		if f.event == nil && s.asked > 0 {
			v = exchange{f.x, s.asked} // the client knew no more when it asked
		}
		if v, ok := r.Path.Of(v); ok {
			return format.TextOf(v), nil
		}
	} else if x, ok := s.given[r.Name]; ok {
		if v, ok := r.Path.Of(x); ok {
			return format.TextOf(v), nil
		}
	} else if v, ok := s.saved[r.Key()]; ok {
		return v, nil
	}
	return "", fmt.Errorf("{{%s}} has no value yet", r.Key())
}

// shown returns a value in a message: short.
func shown(v any) string {
	s := format.TextOf(v)
	if s == "" {
		return "empty"
	}
	if len(s) > 48 {
		s = strings.ToValidUTF8(s[:45], "") + "…"
	}
	return s
}

func joinInts(n []int) string {
	words := make([]string, len(n))
	for i, v := range n {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, " or ")
}
