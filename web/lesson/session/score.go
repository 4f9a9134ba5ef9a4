package session

import (
	"strconv"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Score is how many requests were made for a goal.
type Score struct {
	Made, Fewest int
	// After is the number of the step before, while that has not passed: until then nothing counts.
	After int
	// Reached reports whether the step has passed: what is made after that does not count. Record says that fewer than
	// Fewest were enough, with nothing written for it before its turn came.
	Reached, Record bool
}

// Score returns that of step i; nil if it has no goal.
func (s *Session) Score(i int) *Score {
	s.log.Lock()
	defer s.log.Unlock()
	return s.score(i)
}

func (s *Session) score(i int) *Score {
	g := s.Lesson.Steps[i].Goal()
	if g == nil {
		return nil
	}
	st := &s.steps[i]
	out := &Score{Made: st.earlier, Fewest: g.Fewest, Reached: st.passed, Record: st.record}
	if !st.passed && s.current() < i {
		out.After = i
	}
	if !st.passed {
		out.Made += len(s.askedFor(i, s.noted))
	}
	return out
}

// A counted is a request that counts for goals: when it was made, and its id in the log.
type counted struct{ moment, id int }

// Counted returns the ids of the requests of this visit that count for step i's goal, and the number that the first of
// them has among all; none if the step has no goal.
func (s *Session) Counted(i int) (first int, ids []int) {
	s.log.Lock()
	defer s.log.Unlock()
	score := s.score(i)
	if score == nil {
		return 0, nil
	}
	rows := s.noted
	if s.steps[i].passed {
		rows = s.live
	}
	for _, made := range s.askedFor(i, rows) {
		ids = append(ids, made.id)
	}
	return score.Made - len(ids) + 1, ids
}

// ForGoal returns the requests of Counted that are still known.
func (s *Session) ForGoal(i int) (all []*tap.Exchange) {
	_, ids := s.Counted(i)
	for _, id := range ids {
		if x := s.log.Get(id); x != nil {
			all = append(all, x)
		}
	}
	return all
}

// askedFor returns the requests of this visit that count for step i's goal, where rows are what its rows have found.
func (s *Session) askedFor(i int, rows map[string]format.Fielder) []counted {
	if s.current() < i {
		return nil
	}
	from := s.steps[i].from
	for _, before := range s.steps[:i] {
		from = max(from, before.at)
	}
	if after := s.Lesson.Steps[i].Goal().After; after != "" && !s.kept[after] {
		x, ok := rows[after].(exchange)
		if !ok {
			return nil
		}
		from = max(from, position(x.Exchange))
	}
	to := s.log.Now()
	if s.steps[i].passed {
		to = s.steps[i].at
	}
	var out []counted
	for _, made := range s.asked {
		if made.moment > from && made.moment <= to {
			out = append(out, made)
		}
	}
	return out
}

// String says the score in words.
func (s Score) String() string {
	words := "fewest requests " + strconv.Itoa(s.Fewest)
	if s.Record {
		words = "fewest requests until now " + strconv.Itoa(s.Fewest)
	}
	switch {
	case s.After > 0:
		words += "; comes after step " + strconv.Itoa(s.After)
	case s.Made > 0 || s.Record:
		words += ", yours " + strconv.Itoa(s.Made)
	}
	return words
}
