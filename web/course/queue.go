package course

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// A Queue says which templates are to be practised, and when. Days are numbers of the
// learner's calendar, one more each midnight.
type Queue map[string]Card

// A Card is a template in the queue.
type Card struct {
	// Due is the day from which on it is due.
	Due int `json:"due"`
	// Stage is how often it was right in a row.
	Stage int `json:"stage"`
	// Seen and Wrong count the answers.
	Seen  int `json:"seen,omitempty"`
	Wrong int `json:"wrong,omitempty"`
	// Sure says that the last answer was wrong, and that the learner was sure of it.
	Sure bool `json:"sure,omitempty"`
	// Mistake is the wrong prediction of a lesson for which it is practised; nil: none.
	Mistake *Mistake `json:"mistake,omitempty"`
}

// A Mistake is a prediction in a lesson that was wrong: its step, from 1, and the title of that.
type Mistake struct {
	Lesson string `json:"lesson"`
	Step   int    `json:"step"`
	Title  string `json:"title"`
}

// mistake returns a mistake with the place that its step has now: steps may have been put in before it.
func (x *Index) mistake(m Mistake) Mistake {
	if s := x.Step(m.Lesson, format.StepID(m.Title)); s.Place > 0 {
		m.Step = s.Place
	}
	return m
}

// intervals are the days until a template is due again, by how often it was right.
var intervals = []int{1, 3, 7, 21, 60}

// AtOnce is how many questions a session of practice has at most.
const AtOnce = 8

// mixedUp are groups of templates that learners confuse: they come together on purpose.
var mixedUp = [][2]string{{"old-version", "place-of-version"}, {"cut-during-state", "complete-or-not"},
	{"newest-object", "grid-request"}, {"grid-cell", "old-or-new-server"}}

// ParseQueue reads a queue that was written as JSON, maybe when templates had other names. Anything else is an empty
// one.
func (x *Index) ParseQueue(text string) Queue {
	var was Queue
	if json.Unmarshal([]byte(text), &was) != nil {
		return Queue{}
	}
	return was.renamed(x)
}

// renamed returns the queue with what its templates are called now.
func (q Queue) renamed(x *Index) Queue {
	out := Queue{}
	for id, c := range q {
		now := x.now(id)
		if _, both := q[now]; id == now || !both {
			out[now] = c
		}
	}
	return out
}

// Add puts templates into the queue that are not in it yet. They are due at once.
func (q Queue) Add(ids []string, today int) {
	for _, id := range ids {
		if _, in := q[id]; !in {
			q[id] = Card{Due: today}
		}
	}
}

// Recall makes templates due tomorrow, as if they had been answered wrong: for a mistake in a lesson that they are
// about.
func (q Queue) Recall(ids []string, m Mistake, today int) {
	for _, id := range ids {
		c, in := q[id]
		if !in || c.Due > today+1 {
			c.Due = today + 1
		}
		c.Stage, c.Mistake = 0, &m
		q[id] = c
	}
}

// Answered notes an answer and when the template is due again: the next day after a wrong
// one, later each time after a right one. sure says that the learner was sure of it.
func (q Queue) Answered(id string, right, sure bool, today int) {
	c := q[id]
	c.Seen++
	c.Sure = sure && !right
	if right {
		c.Mistake = nil
	}
	if !right {
		c.Stage, c.Due = 0, today+1
		c.Wrong++
	} else {
		c.Due = today + intervals[min(c.Stage, len(intervals)-1)]
		c.Stage++
	}
	q[id] = c
}

// Due returns the templates that are due: those first that a learner was sure of and that were wrong, then those that
// have waited longest.
func (q Queue) Due(today int) []string {
	ids := slices.DeleteFunc(slices.Collect(maps.Keys(q)), func(id string) bool { return q[id].Due > today })
	slices.SortFunc(ids, func(a, b string) int {
		first := func(id string) int { return map[bool]int{true: -1}[q[id].Sure] }
		return cmp.Or(first(a)-first(b), q[a].Due-q[b].Due, strings.Compare(a, b))
	})
	return ids
}

// Next returns the day on which something is due; false if nothing ever is.
func (q Queue) Next() (day int, ok bool) {
	for _, c := range q {
		if !ok || c.Due < day {
			day, ok = c.Due, true
		}
	}
	return day, ok
}

// Session orders what is due for a session: at most AtOnce templates, confusable ones after one another, and otherwise
// never two of one lesson in a row, as far as possible.
func (q Queue) Session(x *Index, today int) []string {
	due := slices.DeleteFunc(q.Due(today), func(id string) bool { return x.Template(id) == nil })
	var out []string
	last := ""
	for len(due) > 0 && len(out) < AtOnce {
		at := slices.IndexFunc(due, func(id string) bool { return x.Template(id).Lesson != last })
		at = max(at, 0)
		id := due[at]
		due = slices.Delete(due, at, at+1)
		out = append(out, id)
		last = x.Template(id).Lesson
		if other := partner(id); other != "" && len(out) < AtOnce && !slices.Contains(out, other) &&
			x.Template(other) != nil {
			if _, in := q[other]; in {
				due = slices.DeleteFunc(due, func(id string) bool { return id == other })
				out = append(out, other)
				last = x.Template(other).Lesson
			}
		}
	}
	return out
}

// partner returns the template that one is confused with.
func partner(id string) string {
	for _, p := range mixedUp {
		switch id {
		case p[0]:
			return p[1]
		case p[1]:
			return p[0]
		}
	}
	return ""
}
