package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxTries bounds one search. A lesson's checks need a few thousand at most.
const maxTries = 300_000

// A found thing is what a row was given: an exchange, an event of one, or
// values that an earlier visit saved.
type found struct {
	x     *Exchange
	event *Event
	saved bool
}

func (f found) value() fielder {
	if f.event != nil {
		return f.event
	}
	return f.x
}

// A search looks for exchanges and events that fit a check's rows, all
// conditions met. Rows of earlier steps that the check refers to take part: a
// reference means any exchange that fits such a row, so that a learner who
// lists twice may watch from either list.
type search struct {
	log   *Log
	saved map[string]string
	rows  []*Row
	// earlier is how many of rows belong to earlier steps.
	earlier int
	// base is the moment after which the step's own requests have to be made.
	base int

	bound map[string]found
	// asked is when the request that is looked at was made; 0 while an event is.
	asked int
	tries int
	deep  int // how many rows could be filled
	miss  miss
}

// miss is the latest request that fits a row but for one thing.
type miss struct {
	row  int
	made int
	why  string
}

// run reports whether all rows could be filled.
func (s *search) run() bool {
	s.bound = map[string]found{}
	s.miss.row = -1
	return s.fill(0)
}

// fill fills row i and those after it.
func (s *search) fill(i int) bool {
	s.deep = max(s.deep, i)
	if i == len(s.rows) {
		return true
	}
	r := s.rows[i]
	try := func(f found) bool {
		if s.tries++; s.tries > maxTries {
			return false
		}
		s.bound[r.Name] = f
		if s.fill(i + 1) {
			return true
		}
		delete(s.bound, r.Name)
		return false
	}
	if i < s.earlier && s.hasSaved(r.Name) && try(found{saved: true}) {
		return true
	}
	if r.In != "" {
		in := s.bound[r.In]
		if in.x == nil {
			return false
		}
		for _, e := range in.x.events {
			e := e.(*Event)
			if s.fitsEvent(i, r, e) && try(found{x: in.x, event: e}) {
				return true
			}
		}
		return false
	}
	for _, x := range s.log.exchanges {
		if s.fitsExchange(i, r, x) && try(found{x: x}) {
			return true
		}
	}
	return false
}

func (s *search) hasSaved(name string) bool {
	for k := range s.saved {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}

func (s *search) fitsEvent(i int, r *Row, e *Event) bool {
	s.asked = 0
	if !slices.Contains(r.Types, e.Type()) {
		return false
	}
	if i >= s.earlier {
		if e.arrived <= s.base || !s.inOrder(i, r, e.arrived, e.arrived) {
			return false
		}
	}
	return s.meets(i, r, e, e.arrived)
}

func (s *search) fitsExchange(i int, r *Row, x *Exchange) bool {
	if !r.fitsRequest(x) || !x.complete() {
		return false
	}
	if i >= s.earlier && (x.made <= s.base || !s.inOrder(i, r, x.made, x.position())) {
		return false
	}
	if len(r.Statuses) > 0 && !slices.Contains(r.Statuses, x.Status) {
		why := fmt.Sprintf("it was answered %d, not %s", x.Status, joinInts(r.Statuses))
		if r.Else != "" {
			why += ". " + r.Else
		}
		s.note(i, x.made, why)
		return false
	}
	s.asked = x.made
	return s.meets(i, r, x, x.made)
}

// fitsRequest reports whether method and path are the row's.
func (r *Row) fitsRequest(x *Exchange) bool {
	if r.In != "" || r.Method != x.Method {
		return false
	}
	return slices.ContainsFunc(r.Paths, func(p string) bool { return matchPath(p, x.Path) })
}

// matchPath compares a path with a pattern, in which a segment * stands for any
// one segment.
func matchPath(pattern, path string) bool {
	for {
		p, pRest, pMore := strings.Cut(pattern, "/")
		s, sRest, sMore := strings.Cut(path, "/")
		if p != s && (p != "*" || s == "") || pMore != sMore {
			return false
		}
		if !pMore {
			return true
		}
		pattern, path = pRest, sRest
	}
}

// inOrder reports whether something that began and ended then is after (or
// before) the rows it has to be after (or before). A request comes after
// another when that one's answer had begun; an event comes after a request when
// that had been made, since an event often overtakes the answer to the write
// that caused it.
func (s *search) inOrder(i int, r *Row, began, ended int) bool {
	after := r.After
	if len(after) == 0 && len(r.Before) == 0 && i > s.earlier {
		after = []string{s.rows[i-1].Name}
	}
	for _, n := range after {
		f := s.bound[n]
		end := 0
		switch {
		case f.event != nil:
			end = f.event.arrived
		case f.x != nil && r.In != "":
			end = f.x.made
		case f.x != nil:
			end = f.x.answered
		}
		if began <= end {
			return false
		}
	}
	for _, n := range r.Before {
		f := s.bound[n]
		start := 0
		switch {
		case f.event != nil:
			start = f.event.arrived
		case f.x != nil:
			start = f.x.made
		}
		if ended >= start {
			return false
		}
	}
	return true
}

// meets reports whether all of the row's conditions hold, and notes the first
// that does not.
func (s *search) meets(i int, r *Row, v fielder, made int) bool {
	for _, c := range r.Conds {
		why, ok := s.holds(c, v)
		if ok {
			continue
		}
		if c.Else != "" {
			why = c.Else
		}
		s.note(i, made, why)
		return false
	}
	return true
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
func (s *search) holds(c Cond, v fielder) (string, bool) {
	left, present := c.Left.of(v)
	switch c.Op {
	case IsPresent:
		return fmt.Sprintf("%s is absent", c.Left), present
	case IsAbsent:
		return fmt.Sprintf("%s is %s: it should not be there", c.Left, shown(left)), !present
	}
	wanted := make([]string, 0, len(c.Right))
	for _, t := range c.Right {
		right, err := t.expand("", s.lookup)
		if err != nil {
			return err.Error(), false
		}
		wanted = append(wanted, right)
	}
	if !present {
		return fmt.Sprintf("%s is absent, not %s %s", c.Left, c.Op, strings.Join(wanted, " or ")), c.Op == NotEqual || c.Op == Lacks
	}
	ok := slices.ContainsFunc(wanted, func(w string) bool { return compare(c.Op, left, w) })
	if c.Op == NotEqual || c.Op == Lacks { // none of the alternatives, not one of them
		ok = !slices.ContainsFunc(wanted, func(w string) bool { return !compare(c.Op, left, w) })
	}
	return fmt.Sprintf("%s is %s, not %s %s", c.Left, shown(left), c.Op, strings.Join(wanted, " or ")), ok
}

func compare(op Op, left any, right string) bool {
	l := text(left)
	switch op {
	case Equal:
		return l == right
	case NotEqual:
		return l != right
	case Contains, Lacks:
		in := false
		if list, ok := left.([]any); ok {
			in = slices.ContainsFunc(list, func(v any) bool { return text(v) == right })
		} else {
			in = strings.Contains(l, right)
		}
		return in == (op == Contains)
	}
	n := order(l, right)
	switch op {
	case Less:
		return n < 0
	case LessEq:
		return n <= 0
	case Greater:
		return n > 0
	case GreaterEq:
		return n >= 0
	}
	return false
}

// order compares as numbers if both are, else byte by byte.
func order(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return strings.Compare(a, b)
}

// lookup finds the value of a reference among what the rows were given.
func (s *search) lookup(r Ref) (string, error) {
	f, ok := s.bound[r.Name]
	if ok && !f.saved {
		v := f.value()
		if f.event == nil && s.asked > 0 {
			v = exchangeAt{f.x, s.asked} // whoever asked knew no more
		}
		if v, ok := r.Path.of(v); ok {
			return text(v), nil
		}
	} else if v, ok := s.saved[r.key()]; ok {
		return v, nil
	}
	return "", fmt.Errorf("{{%s}} has no value yet", r.key())
}

// shown is a value in a message: short.
func shown(v any) string {
	s := text(v)
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
