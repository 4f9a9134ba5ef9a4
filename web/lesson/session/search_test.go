package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// inTurn fills the rows as search does, but goes through everything.
func inTurn(s *search, i int) bool {
	s.deep = max(s.deep, i)
	if i == len(s.rows) {
		ok, _ := s.judge()
		return ok
	}
	r := s.rows[i]
	try := func(f found) bool {
		s.bound[r.Name] = f
		if inTurn(s, i+1) {
			return true
		}
		delete(s.bound, r.Name)
		return false
	}
	if s.maySave(i) && try(found{saved: true}) {
		return true
	}
	if in := s.bound[r.In]; r.In != "" {
		if in.x == nil {
			return false
		}
		for _, e := range in.x.Lines {
			if s.fitsEvent(i, r, e) && try(found{x: in.x, event: e}) {
				return true
			}
		}
		return false
	}
	for _, x := range s.byRow[r] {
		if s.fitsExchange(i, r, x) && try(found{x: x}) {
			return true
		}
	}
	return false
}

// TestSearchLeavesNothingOut compares the search, which goes back by leaps, with
// one that goes through everything, over what learners may do at random.
func TestSearchLeavesNothingOut(t *testing.T) {
	checks := []string{
		listRow, watchRow,
		"- Made\n  made: POST /pods -> 201\n" +
			"- Made again\n  twice: POST /pods -> 201\n  response.body.metadata.uid != {{made.response.body.metadata.uid}}\n" +
			"- Seen\n  seen: ADDED in watch\n  object.metadata.uid = {{made.response.body.metadata.uid}}\n",
		"- Again\n  again: GET /api/v1/pods -> 200\n" +
			"  request.query.resourceVersion = {{watch.response.events[-1].object.metadata.resourceVersion}}\n" +
			"- Before\n  b: POST /pods -> 201\n  before again\n" +
			"- Told\n  told: ADDED in again\n  object.metadata.uid = {{twice.response.body.metadata.uid}}\n  after b\n",
	}
	asking := parsed(t, markdownOf(checks)+"```predict\nQ?\n- a\n"+
		"  again.response.events[object.metadata.uid = u1] is present\n"+
		"  b.response.body.metadata.uid != {{twice.response.body.metadata.uid}}\n- b\n"+
		"  again.response.events[object.metadata.uid = u1] is absent\n  reply \"x\"\n---\nE\n```\n")
	question, _ := asking.Steps[len(checks)-1].Prediction()
	filled, judged := map[int]int{}, map[bool]int{}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := session(t, checks...)
		var open []int
		for range 5 + r.IntN(40) {
			switch r.IntN(6) {
			case 0:
				p.do("GET", "/api/v1/pods", 200, list(fmt.Sprint(r.IntN(3))))
			case 1, 2:
				open = append(open, p.open("GET", fmt.Sprintf("/api/v1/pods?watch=1&resourceVersion=%d", r.IntN(3)), 200))
			case 3:
				p.do("POST", "/pods", 201, fmt.Sprintf(`{"metadata":{"uid":"u%d"}}`, r.IntN(3)))
			default:
				if len(open) > 0 {
					const added = `{"type":"ADDED","object":{"metadata":{"uid":"u%d","resourceVersion":"%d"}}}` + "\n"
					p.text(open[r.IntN(len(open))], fmt.Sprintf(added, r.IntN(3), r.IntN(3)))
				}
			}
		}
		for i := range p.s.steps {
			rows := p.s.earlierRows(i)
			earlier := len(rows)
			for j := range p.s.Lesson.Steps[i].Check.Rows {
				rows = append(rows, &p.s.Lesson.Steps[i].Check.Rows[j])
			}
			fresh := func() *search {
				s := &search{byRow: p.s.byRow, rows: rows, earlier: earlier, base: r.IntN(3), known: p.s.asFound}
				if i == 3 && seed%2 == 1 {
					s.question = question
				}
				return s
			}
			leaps, turn := fresh(), fresh()
			turn.base = leaps.base
			ok := leaps.run()
			turn.bound, turn.at = map[string]found{}, leaps.at
			if want := inTurn(turn, 0); ok != want || leaps.deep != turn.deep {
				t.Fatalf("seed %d, step %d: %v as far as %d, want %v as far as %d", seed, i+1, ok, leaps.deep, want, turn.deep)
			}
			filled[i*100+leaps.deep]++
			if leaps.unjudged != nil {
				judged[ok]++
			}
		}
	}
	if judged[true] < 2 || judged[false] < 2 {
		t.Errorf("the question matters too rarely: %v", judged)
	}
	if len(filled) < 12 {
		t.Errorf("the random learners got to few places: %v", filled)
	}
}

// burst is how many requests are made at once.
const burst = 1900

// TestABurstIsSearchedInLittle counts what is looked at after a burst of requests
// that all fit a row.
func TestABurstIsSearchedInLittle(t *testing.T) {
	p := session(t, listRow, watchRow, resumeRow, "- End\n  end: GET /end\n")
	for range 5 {
		p.do("GET", "/api/v1/pods", 200, list("5"))
	}
	for range 4 { // all but the first belong to the step after
		w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=5", 200)
		p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"u", "resourceVersion":"6"}}}`+"\n")
	}
	p.passed(2)
	base := p.s.steps[1].at
	for i := range burst {
		p.do("POST", "/pods", 201, fmt.Sprintf(`{"metadata":{"uid":"m%d"}}`, i))
	}
	looks := func(want bool, most int) {
		t.Helper()
		rows := p.s.earlierRows(2)
		s := &search{byRow: p.s.byRow, earlier: len(rows), base: base}
		for j := range p.s.Lesson.Steps[2].Check.Rows {
			rows = append(rows, &p.s.Lesson.Steps[2].Check.Rows[j])
		}
		s.rows = rows
		if ok := s.run(); ok != want || s.looks > most {
			t.Errorf("%v after %d looks, want %v after %d at most", ok, s.looks, want, most)
		}
	}
	looks(false, 600)
	p.open("GET", "/api/v1/pods?watch=1&resourceVersion=4", 200)
	looks(false, 600)
	w := p.open("GET", "/api/v1/pods?watch=1&resourceVersion=6", 200)
	looks(false, 600)
	p.text(w, `{"type":"ADDED","object":{"metadata":{"uid":"m1899"}}}`+"\n")
	looks(true, 22*burst)
}

// TestASearchEnds has a check whose rows go together in more ways than anybody could wait for.
func TestASearchEnds(t *testing.T) {
	check := ""
	for _, name := range []string{"a", "b", "c", "d"} {
		check += "- Row\n  " + name + ": GET /x/* -> 200\n  in any order\n"
	}
	check += "  response.body.v = \"{{a.response.body.v}}{{b.response.body.v}}{{c.response.body.v}}\"\n"
	for _, more := range []string{"", "- None\n  none: no GET /x/* -> 200\n", "- Watch\n  w: GET /y -> 200\n" +
		"- One\n  e: ADDED in w\n  object.v = {{a.response.body.v}}\n- Two\n  f: ADDED in w\n  object.v = {{e.object.v}}\n"} {
		p := session(t, check+more)
		w := p.open("GET", "/y?watch=1", 200)
		for i := range 50 {
			p.do("GET", fmt.Sprint("/x/", i), 200, `{"v":"v"}`)
			p.text(w, `{"type":"ADDED","object":{"v":"w"}}`+"\n")
		}
		s := &search{byRow: p.s.byRow}
		for j := range p.s.Lesson.Steps[0].Check.Rows {
			s.rows = append(s.rows, &p.s.Lesson.Steps[0].Check.Rows[j])
		}
		if s.run() || s.looks > maxLooks+100 {
			t.Errorf("%q: %d looks, want about %d at most", more, s.looks, maxLooks)
		}
		p.passed(0)
	}
}
