// More than 400 lines: the state of a lesson that is open is one type.

package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Session is a learner's way through one lesson: which steps are passed, and
// the values that later requests and checks refer to. It may be used from
// several goroutines: the log's lock guards it.
type Session struct {
	Lesson *format.Lesson

	log *tap.Log
	// acts are what was asked of the API lately, by any client: what may have made a run another one than a step
	// expects. begun is the moment at which the lesson was set up last.
	acts  []*tap.Exchange
	begun int
	// whole says that acts has all since then.
	whole bool
	// made says that the lesson was set up, now or in an earlier visit.
	made  bool
	dirty bool
	steps []stepState
	// byRow are the exchanges that count for the lesson, by the rows whose method and path they have, the oldest first.
	// The log holds them. going are those that continue, last is the newest.
	byRow map[*format.Row][]*tap.Exchange
	going map[*tap.Exchange]bool
	last  *tap.Exchange
	// refs are the references of the whole lesson by the name they start from.
	refs map[string][]format.Ref
	// live is what a name stands for now: what ran last under it, or what the
	// check of a passed step found. noted is what a check has found so far whose
	// step has not passed; saved are the values that an earlier visit left.
	live, noted map[string]format.Fielder
	saved       map[string]string
	// instead is what names stand for whose latest run the next step has no use for; nil: what was saved.
	instead map[string]format.Fielder
	// kept are the names of rows that an earlier visit had done of a step that
	// it did not pass, failed those that want no request and had one then; ran
	// are the addresses of requests that were run.
	kept, failed, ran map[string]bool
	// answers are those to the steps' questions, by the steps' ids.
	answers map[string]Answer
	// asked are the requests that count for goals.
	asked   []counted
	cluster string
}

type stepState struct {
	passed bool
	// before says that it has passed before it was set up again, and counts as passed meanwhile.
	before bool
	// from is the moment after which a step's requests count, at is when it
	// passed.
	from, at int
	rows     []RowState
	miss     string
	// earlier is how many requests were made for the step's goal in earlier visits, or until it passed; record says that
	// these are the fewest so far.
	earlier int
	record  bool
	trouble *Trouble
}

// done reports whether the step counts as passed.
func (st *stepState) done() bool { return st.passed || st.before }

// A StepState is how far a step is.
type StepState struct {
	Passed bool
	Rows   []RowState
	// Miss says what was wrong with the latest request that nearly fitted the
	// first row that is not done, or empty.
	Miss string
	// Trouble is why the step cannot pass as it is; nil if it can.
	Trouble *Trouble
}

// A RowState is how far a check's row is.
type RowState struct {
	Text string
	Done bool
}

// New takes a lesson up where the progress says. It looks at what is in the log.
func New(l *format.Lesson, p Progress, log *tap.Log) *Session {
	s := &Session{Lesson: l, log: log, byRow: map[*format.Row][]*tap.Exchange{}, going: map[*tap.Exchange]bool{},
		steps: make([]stepState, len(l.Steps)), live: map[string]format.Fielder{}, noted: map[string]format.Fielder{},
		saved: map[string]string{}, kept: map[string]bool{}, failed: map[string]bool{}, ran: map[string]bool{},
		refs: map[string][]format.Ref{}, answers: map[string]Answer{}, cluster: p.Cluster, whole: p.Cluster == "",
		dirty: true, made: len(p.Passed)+len(p.Done)+len(p.Failed)+len(p.Ran)+len(p.Saved) > 0}
	maps.Copy(s.saved, p.Saved)
	maps.Copy(s.answers, p.Answers)
	for _, name := range p.Done {
		s.kept[name] = true
	}
	for _, name := range p.Failed {
		s.failed[name] = true
	}
	for _, at := range p.Ran {
		s.ran[l.Unkept(at)] = true
	}
	for i := range l.Steps {
		for j := range l.Steps[i].Check.Rows {
			if r := &l.Steps[i].Check.Rows[j]; r.In == "" {
				s.byRow[r] = nil
			}
		}
		s.steps[i].passed = slices.Contains(p.Passed, l.Steps[i].ID)
		s.steps[i].earlier = p.Scores[l.Steps[i].ID]
		s.steps[i].rows = rowStates(l.Steps[i].Check, 0)
		for _, r := range l.Steps[i].Refs() {
			if !slices.ContainsFunc(s.refs[r.Name], func(have format.Ref) bool { return have.Key() == r.Key() }) {
				s.refs[r.Name] = append(s.refs[r.Name], r)
			}
		}
	}
	return s
}

func rowStates(c *format.Check, done int) []RowState {
	out := make([]RowState, len(c.Rows))
	for i, r := range c.Rows {
		out[i] = RowState{Text: r.Text, Done: i < done}
	}
	return out
}

// Observe takes a tap event that the log has taken. Requests made while the lesson is not open do not
// count for it; those that continue stay followed. It reports whether
// Recheck could find something new.
func (s *Session) Observe(ev tap.Event, open bool) bool {
	s.log.Lock()
	defer s.log.Unlock()
	x := s.log.Get(ev.ID)
	if x == nil || !open && !s.going[x] || ev.Type == tap.Request && x.Origin == string(FromSetup) {
		return false
	}
	if ev.Type != tap.Request {
		if s.dirty = s.dirty || s.going[x] || !x.Live(); !x.Live() {
			delete(s.going, x)
		}
		return s.dirty
	}
	s.follow(x)
	if len(s.acts) == maxActs {
		s.acts, s.whole = slices.Delete(s.acts, 0, maxActs/4), false
	}
	s.acts = append(s.acts, x)
	if format.Counts(x.Info) {
		s.asked = append(s.asked, counted{s.log.Now(), x.ID})
		at := s.current()
		s.dirty = s.dirty || at < len(s.steps) && s.Lesson.Steps[at].Goal() != nil // the score is another one
	}
	return s.dirty
}

// maxFollowed is how many exchanges of a row there may be before those that the log has dropped are looked for.
const maxFollowed = 4000

// follow has an exchange count, if it fits a row.
func (s *Session) follow(x *tap.Exchange) {
	for r, all := range s.byRow {
		if !r.FitsRequest(x) {
			continue
		}
		if len(all) >= maxFollowed {
			all = slices.DeleteFunc(all, func(x *tap.Exchange) bool { return x.Gone })
		}
		s.byRow[r] = append(all, x)
		x.Hold()
		s.going[x], s.last, s.dirty = true, x, true
	}
}

// unfollow has no exchange count that there was.
func (s *Session) unfollow() {
	for r, all := range s.byRow {
		for _, x := range all {
			x.Release()
		}
		s.byRow[r] = nil
	}
	clear(s.going)
	s.last = nil
}

// Recheck looks for steps that have passed and returns their indexes. Steps
// pass in order.
func (s *Session) Recheck() []int {
	s.log.Lock()
	defer s.log.Unlock()
	if !s.dirty {
		return nil
	}
	s.dirty = false
	var passed []int
	base := 0
	for i := range s.steps {
		st := &s.steps[i]
		if st.passed {
			base = max(base, st.at)
			continue
		}
		if !s.try(i, max(base, st.from)) {
			break
		}
		base = st.at
		passed = append(passed, i)
	}
	return passed
}

// try looks whether step i has passed.
func (s *Session) try(i, base int) bool {
	s.instead = nil
	st := &s.steps[i]
	check := s.Lesson.Steps[i].Check
	rows := s.earlierRows(i)
	question, _ := s.Lesson.Steps[i].Prediction()
	sr := &search{byRow: s.byRow, saved: s.saved, kept: s.kept, failed: s.failed, earlier: len(rows), base: base,
		given: s.given(), question: question, known: s.asFound}
	for j := range check.Rows {
		rows = append(rows, &check.Rows[j])
	}
	sr.rows = rows
	ok := sr.run()
	done := max(0, sr.deep-sr.earlier)
	if sr.unjudged != nil {
		done = 0 // nothing is ticked in another situation
	}
	st.rows, st.miss, st.trouble = rowStates(check, done), "", nil
	if !ok {
		defer func() { st.trouble = s.trouble(i, base, sr) }()
		if sr.unjudged != nil {
			return false
		}
		for j := range done {
			name := check.Rows[j].Name
			if f := sr.best[name]; !f.saved {
				s.noted[name] = f.value()
			}
		}
		s.useFound(sr)
		now := miss{}
		if sr.miss.row == sr.earlier+done {
			now = sr.miss
		}
		if m := s.misplaced(i, done, base); m.why != "" && now.why == "" {
			now = m // but what keeps the first row from being done is said first
		}
		if now.why == "" && s.waits(i, done, base) {
			now.why = notYet
		}
		st.miss = now.why
		return false
	}
	st.passed, st.at = true, base
	for j := range check.Rows {
		f := sr.bound[check.Rows[j].Name]
		if f.saved {
			continue
		}
		s.live[check.Rows[j].Name] = f.value()
		if f.event != nil {
			st.at = max(st.at, f.event.Moment)
		} else {
			st.at = max(st.at, position(f.x))
		}
	}
	if g := s.Lesson.Steps[i].Goal(); g != nil {
		st.earlier += len(s.askedFor(i, s.live))
		st.record = st.earlier < g.Fewest && s.whole && !slices.ContainsFunc(s.acts, func(a *tap.Exchange) bool {
			return a.When.Made > s.begun && a.When.Made <= base && wrote(a) && a.Origin != string(FromLesson) &&
				a.Origin != string(FromSample)
		})
	}
	s.settle(i, sr.answer)
	return true
}

// earlierRows returns the rows of the steps before step i that its check refers to,
// and those that they refer to in turn, in the order of the lesson.
func (s *Session) earlierRows(i int) []*format.Row {
	wanted := map[string]bool{}
	want := func(r *format.Row) {
		if r.In != "" {
			wanted[r.In] = true
		}
		for _, ref := range r.Refs() {
			wanted[ref.Name] = true
		}
	}
	check := s.Lesson.Steps[i].Check
	for j := range check.Rows {
		want(&check.Rows[j])
	}
	var out []*format.Row
	for k := i - 1; k >= 0; k-- {
		rows := s.Lesson.Steps[k].Check.Rows
		for j := len(rows) - 1; j >= 0; j-- {
			if wanted[rows[j].Name] {
				want(&rows[j])
				out = append(out, &rows[j])
			}
		}
	}
	slices.Reverse(out)
	return out
}

// Asked reports whether a request was made since step i is the one to do.
func (s *Session) Asked(i int) bool {
	s.log.Lock()
	defer s.log.Unlock()
	base := s.steps[i].from
	for _, st := range s.steps[:i] {
		base = max(base, st.at)
	}
	return s.last != nil && s.last.When.Made > base
}

// Step returns how far step i is.
func (s *Session) Step(i int) StepState {
	s.log.Lock()
	defer s.log.Unlock()
	return s.stateOf(i)
}

func (s *Session) stateOf(i int) StepState {
	st := &s.steps[i]
	out := StepState{Passed: st.done(), Rows: slices.Clone(st.rows), Miss: st.miss, Trouble: st.trouble}
	if out.Passed {
		out.Rows, out.Miss, out.Trouble = rowStates(s.Lesson.Steps[i].Check, len(out.Rows)), "", nil
	}
	return out
}

// Passed returns how many steps are passed.
func (s *Session) Passed() int {
	s.log.Lock()
	defer s.log.Unlock()
	n := 0
	for _, st := range s.steps {
		if st.done() {
			n++
		}
	}
	return n
}

// solved returns how many steps have passed since the lesson was set up.
func (s *Session) solved() int {
	s.log.Lock()
	defer s.log.Unlock()
	n := 0
	for _, st := range s.steps {
		if st.passed {
			n++
		}
	}
	return n
}

// Reset makes step i be done again: what happened so far no longer counts for it.
func (s *Session) Reset(i int) {
	s.log.Lock()
	defer s.log.Unlock()
	s.reset(i)
}

// ResetAll starts the lesson over.
func (s *Session) ResetAll() {
	s.log.Lock()
	defer s.log.Unlock()
	for i := range s.steps {
		s.reset(i)
	}
	clear(s.live)
	clear(s.noted)
	clear(s.saved)
	clear(s.answers)
	s.made = false
}

// Redo makes the first n steps be done again, since what they had made is gone, and with it all values but those of
// the setup. What was run of the step after them is gone, too. Answers stay, and what has passed counts as passed
// meanwhile.
func (s *Session) Redo(n int) {
	s.log.Lock()
	defer s.log.Unlock()
	answers, given := maps.Clone(s.answers), s.given()
	for i := range min(n+1, len(s.steps)) {
		before := s.steps[i].done()
		s.reset(i)
		s.steps[i].before = before
	}
	clear(s.live)
	clear(s.noted)
	clear(s.saved)
	clear(s.kept)
	clear(s.failed)
	maps.Copy(s.live, given)
	s.answers = answers
	s.begun, s.whole = s.log.Now(), true
}

// KeepPassed ends Redo: steps that passed before it have passed, also those that could not be done again.
func (s *Session) KeepPassed() {
	s.log.Lock()
	defer s.log.Unlock()
	for i := range s.steps {
		s.steps[i].passed, s.steps[i].before = s.steps[i].done(), false
	}
	s.dirty = true
}

func (s *Session) reset(i int) {
	check := s.Lesson.Steps[i].Check
	s.steps[i] = stepState{from: s.log.Now(), rows: rowStates(check, 0)}
	for _, r := range check.Rows {
		s.forget(r.Name)
	}
	delete(s.answers, s.Lesson.Steps[i].ID)
	maps.DeleteFunc(s.ran, func(at string, _ bool) bool { return strings.HasPrefix(at, strconv.Itoa(i)+"/") })
	s.dirty = true
}

func (s *Session) forget(name string) {
	delete(s.live, name)
	delete(s.noted, name)
	delete(s.kept, name)
	delete(s.failed, name)
	for k := range s.saved {
		if strings.HasPrefix(k, name+".") {
			delete(s.saved, k)
		}
	}
}

// SetCluster says which cluster the requests go to. Values from another cluster mean nothing any more: they are
// dropped, and true is returned if there were any. Passed steps stay passed.
func (s *Session) SetCluster(id string) bool {
	s.log.Lock()
	defer s.log.Unlock()
	if id == "" || id == s.cluster {
		return false
	}
	had := s.cluster != "" && len(s.saved)+len(s.live)+len(s.noted)+len(s.kept)+len(s.failed) > 0
	s.cluster = id
	if had {
		clear(s.live)
		clear(s.noted)
		clear(s.saved)
		clear(s.kept)
		clear(s.failed)
		clear(s.ran)
		s.unfollow()
		s.dirty = true
	}
	return had
}

// AdoptCluster says that the cluster has another name since the lesson itself has restored a saved one. What the lesson
// has noted stays.
func (s *Session) AdoptCluster(id string) {
	s.log.Lock()
	defer s.log.Unlock()
	s.cluster = id
}

// value finds what a request refers to.
func (s *Session) value(r format.Ref) (string, bool) {
	s.log.Lock()
	defer s.log.Unlock()
	return s.valueLocked(r)
}

// Begun reports whether a request of step i was run.
func (s *Session) Begun(i int) bool {
	s.log.Lock()
	defer s.log.Unlock()
	for at := range s.ran {
		if strings.HasPrefix(at, strconv.Itoa(i)+"/") {
			return true
		}
	}
	return false
}

// Value returns what a reference stands for now, as in "list.response.body.kind".
// false: nothing yet, or the lesson has no such reference.
func (s *Session) Value(reference string) (string, bool) {
	s.log.Lock()
	defer s.log.Unlock()
	name, _, _ := strings.Cut(reference, ".")
	for _, r := range s.refs[name] {
		if r.Key() == reference {
			return s.valueLocked(r)
		}
	}
	return "", false
}

func (s *Session) valueLocked(r format.Ref) (string, bool) {
	f, ok := s.instead[r.Name]
	if !ok {
		f, ok = s.live[r.Name]
	}
	if !ok {
		f = s.noted[r.Name]
	}
	if f != nil {
		v, ok := r.Path.Of(f)
		if !ok {
			return "", false
		}
		return format.TextOf(v), true
	}
	v, ok := s.saved[r.Key()]
	return v, ok
}

// Progress returns what has to be kept to take the lesson up again.
func (s *Session) Progress() Progress {
	s.log.Lock()
	defer s.log.Unlock()
	p := Progress{Cluster: s.cluster, Saved: map[string]string{}, Answers: maps.Clone(s.answers)}
	for at := range s.ran {
		p.Ran = append(p.Ran, s.Lesson.Kept(at))
	}
	slices.Sort(p.Ran)
	current := true // until the first step that is not passed is done with
	for i, st := range s.steps {
		if score := s.score(i); score != nil && score.Made > 0 {
			if p.Scores == nil {
				p.Scores = map[string]int{}
			}
			p.Scores[s.Lesson.Steps[i].ID] = score.Made
		}
		if st.done() {
			p.Passed = append(p.Passed, s.Lesson.Steps[i].ID)
			continue
		}
		if current {
			p.Done, p.Failed = s.doneNames(i), s.failedNames(i)
			current = false
		}
	}
	for _, refs := range s.refs {
		for _, r := range refs {
			if v, ok := s.valueLocked(r); ok && len(v) <= maxSaved {
				p.Saved[r.Key()] = v
			}
		}
	}
	return p
}

// failedNames returns the names of the rows of step i that want no request, and for which there was one: in this visit,
// as far as what they refer to is known, or in an earlier one.
func (s *Session) failedNames(i int) (names []string) {
	base := s.steps[i].from
	for _, before := range s.steps[:i] {
		base = max(base, before.at)
	}
	sr := &search{saved: s.saved, bound: s.asFound(), given: s.given(), base: base}
	for j := range s.Lesson.Steps[i].Check.Rows {
		r := &s.Lesson.Steps[i].Check.Rows[j]
		if r.Unasked() && (s.failed[r.Name] ||
			slices.ContainsFunc(s.byRow[r], func(x *tap.Exchange) bool { return sr.unwanted(r, x) })) {
			names = append(names, r.Name)
		}
	}
	return names
}
