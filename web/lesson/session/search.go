package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// maxLooks bounds one search: how many candidates it looks at, and how many conditions of them. A lesson's checks need
// some ten thousand at most; those of a level are anybody's.
const maxLooks = 200_000

// A search looks for exchanges and events that fit a check's rows, all
// conditions met. Rows of earlier steps that the check refers to take part: a
// reference means any exchange that fits such a row, so that a learner who
// lists twice may watch from either list.
//
// It goes back from a row that cannot be filled to the latest of those rows
// that this is due to, and not through the ones between: after a burst of
// requests there are thousands that fit a row, and none of them may matter.
type search struct {
	byRow map[*format.Row][]*tap.Exchange
	saved map[string]string
	// kept are the names of the check's own rows that an earlier visit has done.
	kept map[string]bool
	// failed are the names of those that want no request, and had one in an earlier visit.
	failed map[string]bool
	rows   []*format.Row
	// pinned are the names that no saved values may stand for.
	pinned []string
	// given are the exchanges of the lesson's setup, known what other names stand for now: for judging alone.
	given map[string]format.Fielder
	known func() map[string]found
	also  map[string]found
	// earlier is how many of rows belong to earlier steps.
	earlier int
	// base is the moment after which the step's own requests have to be made.
	base int
	// question is the step's, nil if it has none: what fills all rows has to show which answer is right.
	question *format.Prediction
	// answer is the right one; unjudged is what filled all rows, and did not show any.
	answer   string
	unjudged map[string]found
	judging  bool

	// at is the index of each row, by its name.
	at    map[string]int
	bound map[string]found
	// asked is when the request that is looked at was made; 0 while an event is.
	asked int
	// blame has the rows that keep what is looked at from fitting, unless other values of theirs would make it fit no
	// better: rows take what is in the log from the oldest on.
	blame rowSet
	looks int
	deep  int              // how many rows could be filled
	best  map[string]found // what they were filled with
	miss  miss
	waits rowSet // the rows of events that an open watch may still bring
}

// watchEnded is said when no watch is open any more that could bring an event.
const watchEnded = "That watch has ended, so nothing more comes."

// A rowSet is a set of rows, by index. Those beyond the last bit share it, and
// stay in: a set may say too much, and never too little.
type rowSet uint64

const lastRow = 63

func (s *rowSet) add(i int)     { *s |= 1 << min(i, lastRow) }
func (s rowSet) has(i int) bool { return s&(1<<min(i, lastRow)) != 0 }
func (s rowSet) without(i int) (out rowSet) { // as far as the bit is the row's own
	if i >= lastRow {
		return s
	}
	return s &^ (1 << i)
}

// miss is the latest request that fits a row except for one thing.
type miss struct {
	row  int
	made int
	why  string
}

// run reports whether all rows could be filled.
func (s *search) run() bool {
	s.bound, s.at = map[string]found{}, map[string]int{}
	for i, r := range s.rows {
		s.at[r.Name] = i
	}
	s.miss.row = -1
	ok, _ := s.fill(0)
	return ok
}

// fill fills row i and those after it. If it cannot, due are the rows before i
// that this is due to.
func (s *search) fill(i int) (ok bool, due rowSet) {
	if i > s.deep {
		s.deep, s.best = i, maps.Clone(s.bound)
	}
	if i == len(s.rows) {
		return s.judge()
	}
	r := s.rows[i]
	if i > s.earlier && s.kept[r.Name] {
		due.add(i - 1) // see maySave
	}
	if s.maySave(i) {
		if ok, done := s.try(i, found{saved: true}, &due); done {
			return ok, due
		}
	}
	switch {
	case r.In != "":
		return s.fillEvent(i, due)
	case r.Unasked():
		return s.fillUnasked(i, due)
	}
	n, last := 0, 0
	for _, x := range s.byRow[r] {
		if s.spent() {
			break
		}
		s.blame = 0
		if !s.fitsExchange(i, r, x) {
			due |= s.blame
			continue
		}
		if n++; n < r.Times {
			last = x.When.Made
			continue
		}
		if ok, done := s.try(i, found{x: x}, &due); done {
			return ok, due
		}
	}
	s.noteCount(i, last, n)
	return false, due
}

// judge finds out which answer is right, now that all rows are filled. If there is not exactly one, due are the rows
// that the answers speak of.
func (s *search) judge() (ok bool, due rowSet) {
	if s.question == nil {
		return true, 0
	}
	if s.also == nil {
		s.also = s.known()
	}
	s.judging = true
	s.answer = s.rightAnswer(s.question)
	if s.judging = false; s.answer != "" {
		return true, 0
	}
	s.unjudged = maps.Clone(s.bound)
	for _, r := range s.question.Refs() {
		if at, ok := s.at[r.Name]; ok {
			due.add(at)
		}
	}
	return false, due
}

// noteCount says how many there are of what a row wants several times.
func (s *search) noteCount(i, made, n int) {
	if want := s.rows[i].Times; n > 0 && n < want {
		s.note(i, made, fmt.Sprintf("That is %d of %d.", n, want))
	}
}

// try gives row i what was found and fills the rows after it. done is true when
// they could be filled, and also when nothing that row i could be given after
// this would help. due gets the rows that a failure is due to.
func (s *search) try(i int, f found, due *rowSet) (ok, done bool) {
	if s.spent() {
		return false, true
	}
	name := s.rows[i].Name
	s.bound[name] = f
	ok, why := s.fill(i + 1)
	if ok {
		return true, true
	}
	delete(s.bound, name)
	if !why.has(i) {
		*due |= why
		return false, true
	}
	*due |= why.without(i)
	return false, false
}

// spent counts a look, and reports whether there were too many: the search ends then.
func (s *search) spent() bool {
	s.looks++
	return s.looks > maxLooks
}

// fillEvent fills a row that looks for an event. It notes when there is no
// such event, and never will be.
func (s *search) fillEvent(i int, due rowSet) (bool, rowSet) {
	r := s.rows[i]
	in := s.bound[r.In]
	due.add(s.at[r.In])
	if in.x == nil {
		return false, due
	}
	if r.None {
		return s.fillNone(i, due)
	}
	n, last := 0, 0
	for _, e := range in.x.Lines {
		if s.spent() {
			break
		}
		s.blame = 0
		if !s.fitsEvent(i, r, e) {
			due |= s.blame
			continue
		}
		if n++; n < r.Times {
			last = e.Moment
			continue
		}
		if ok, done := s.try(i, found{x: in.x, event: e}, &due); done {
			return ok, due
		}
	}
	why := ""
	switch {
	case in.x.When.Ended == 0:
		s.waits.add(i)
		if s.miss.row == i && s.miss.why == watchEnded { // another one continues
			s.miss.why = ""
		}
	case !s.waits.has(i):
		why = watchEnded
	}
	s.note(i, in.x.When.Made, why)
	s.noteCount(i, last, n)
	return false, due
}

// fillNone fills a row that wants no such event to have come. Where it names no row
// before which, that is only known of a watch that has ended.
func (s *search) fillNone(i int, due rowSet) (bool, rowSet) {
	r := s.rows[i]
	in := s.bound[r.In]
	for _, n := range slices.Concat(r.After, r.Before) {
		due.add(s.at[n])
	}
	for _, c := range r.Conds {
		for _, t := range c.Right {
			for _, ref := range t.Refs() {
				due.add(s.at[ref.Name])
			}
		}
	}
	if in.x.When.Ended == 0 && len(r.Before) == 0 {
		s.note(i, in.x.When.Made, "That watch is still open. This shows when it has ended.")
		return false, due
	}
	for _, e := range in.x.Lines {
		if s.spent() {
			return false, due
		}
		s.asked, s.blame = 0, 0
		if slices.Contains(r.Types, e.Type) && e.Moment > s.base &&
			(len(r.After)+len(r.Before) == 0 || s.inOrder(i, r, e.Moment, e.Moment)) &&
			s.firstFailing(r, event{e}) == nil {
			s.note(i, e.Moment, "There was one: "+event{e}.summary()+".")
			return false, due
		}
	}
	ok, _ := s.try(i, found{x: in.x}, &due)
	return ok, due
}

// fillUnasked fills a row that wants no such request to have been made since the step began.
func (s *search) fillUnasked(i int, due rowSet) (bool, rowSet) {
	r := s.rows[i]
	for _, ref := range r.Refs() {
		due.add(s.at[ref.Name])
	}
	if s.failed[r.Name] {
		s.note(i, 0, cmp.Or(r.Else, "There was one, before the page was loaded again."))
		return false, due
	}
	for _, x := range s.byRow[r] {
		if s.spent() {
			return false, due
		}
		if s.unwanted(r, x) {
			s.note(i, x.When.Made, cmp.Or(r.Else, "There was one: "+x.Method+" "+x.Info.Path+"."))
			return false, due
		}
	}
	ok, _ := s.try(i, found{saved: true}, &due)
	return ok, due
}

// unwanted reports whether a row that wants no request is about this one.
func (s *search) unwanted(r *format.Row, x *tap.Exchange) bool {
	s.asked = x.When.Made
	return complete(x) && x.When.Made > s.base && r.FitsStatus(x) && s.firstFailing(r, exchange{x, 0}) == nil
}

// maySave reports whether row i may be what an earlier visit saved. Of the
// check's own rows these are the first ones: what was saved was before
// everything in this visit.
func (s *search) maySave(i int) bool {
	name := s.rows[i].Name
	if slices.Contains(s.pinned, name) {
		return false
	}
	if i < s.earlier {
		return s.hasSaved(name)
	}
	return s.kept[name] && (i == s.earlier || s.bound[s.rows[i-1].Name].saved)
}

func (s *search) hasSaved(name string) bool {
	for k := range s.saved {
		if strings.HasPrefix(k, name+".") {
			return true
		}
	}
	return false
}
