package stage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/web/panels/stage/timeline"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A tale is a world in which things happen at random.
type tale struct {
	*world
	*rand.Rand
	rev       int64
	compacted int64
	open      []*client
	caches    []int64
}

// A client is a watch that gets what is written to a type.
type client struct {
	id       int
	resource string
	seen     int64
}

var resources = []string{"pods", "configmaps", "events"}

func newTale(seed uint64) *tale {
	h := &tale{world: &world{Model: timeline.New(&tap.Log{})}, Rand: rand.New(rand.NewPCG(seed, 27)), caches: []int64{1}}
	if h.IntN(3) == 0 {
		h.caches = append(h.caches, 1, 1)[:2+h.IntN(2)]
	}
	h.report()
	for h.rev = 2; h.rev < 5+h.Int64N(30); h.rev++ {
		h.commit(h.rev, revisions.Added, "serviceaccounts", "default")
	}
	h.rev--
	for range 5 + h.IntN(90) {
		h.step()
	}
	h.report()
	return h
}

// report sends the state of the cluster to the model.
func (h *tale) report() {
	for i := range h.caches {
		if i == 0 || h.IntN(2) == 0 {
			h.caches[i] = h.rev
		}
	}
	h.state(h.rev, h.compacted, h.caches...)
	if h.IntN(4) == 0 {
		h.State.Replicas[h.IntN(len(h.caches))].Frozen = true
	}
}

func (h *tale) step() {
	switch n := h.IntN(20); {
	case n < 9:
		h.write1()
	case n < 12:
		h.watch()
	case n < 13 && len(h.open) > 0: // a bookmark
		c := h.open[h.IntN(len(h.open))]
		c.seen = h.rev
		h.send(tap.Event{Type: tap.Chunk, ID: c.id, Text: bookmark(h.rev)})
	case n < 15 && len(h.open) > 0:
		h.end(h.IntN(len(h.open)))
	case n < 16:
		h.list()
	case n < 17:
		h.compacted = max(h.compacted, h.rev-h.Int64N(20))
		h.report()
	case n < 18:
		h.windows()
	default:
		h.read()
	}
}

func bookmark(rev int64) string {
	return fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}`+"\n", rev)
}

func (h *tale) write1() {
	verbs := []revisions.Verb{revisions.Added, revisions.Modified, revisions.Deleted}
	r, n := resources[h.IntN(len(resources))], 1+h.Int64N(2)
	first := h.rev + 1
	for range n {
		h.rev++
		verb := h.IntN(3)
		name := fmt.Sprintf("pod-%04d", 1+h.IntN(40))
		h.commit(h.rev, verbs[verb], r, name)
		for _, c := range h.open {
			if c.resource == r && h.IntN(12) > 0 {
				c.seen = h.rev
				line := event([]string{"ADDED", "MODIFIED", "DELETED"}[verb], h.rev, name)
				h.send(tap.Event{Type: tap.Chunk, ID: c.id, Text: line})
			}
		}
	}
	if h.IntN(5) > 0 {
		h.world.write("POST", "/api/v1/namespaces/default/"+r, first, h.rev)
	}
}

// watch opens a watch, or resumes one that ended.
func (h *tale) watch() {
	r := resources[h.IntN(len(resources))]
	from, body, seen := h.rev, "", h.rev
	query := fmt.Sprintf("&resourceVersion=%d", from)
	initial := func() (s string) {
		for rev := max(2, h.rev-h.Int64N(30)); rev <= h.rev; rev += 1 + h.Int64N(9) {
			s += event("ADDED", rev, "a")
		}
		return s
	}
	switch n := h.IntN(8); {
	case n < 2:
		query, body = "&sendInitialEvents=true", initial()+fmt.Sprintf(`{"type":"BOOKMARK","object":{"metadata":{`+
			`"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", h.rev)
	case n < 3:
		query, body = "", initial()
	case n < 5: // behind a wall
		query = fmt.Sprintf("&resourceVersion=%d", 1+h.Int64N(h.rev))
		body = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}` + "\n"
	default:
		for _, l := range h.Lanes.List {
			if l.Over() && l.Code == 0 && l.Resume > 0 && h.IntN(2) == 0 {
				r, from, seen = l.Target.Resource, l.Resume, l.Resume
				query = fmt.Sprintf("&resourceVersion=%d", from)
				if h.IntN(4) == 0 {
					body = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}` + "\n"
					break
				}
				for i := h.Commits.Index(from + 1); i < h.Commits.Len(); i++ {
					if k := h.Commits.At(i); h.Objects.Get(k.Obj).Resource == r {
						body += event("MODIFIED", k.Rev, "a")
						seen = k.Rev
					}
				}
				break
			}
		}
	}
	path := "/api/v1/namespaces/default/"
	if h.IntN(3) == 0 {
		path = "/api/v1/"
	}
	gone := strings.Contains(body, "ERROR")
	id := h.get(path+r+"?watch=1&allowWatchBookmarks=true"+query, body, gone)
	if !gone {
		h.open = append(h.open, &client{id, r, seen})
	}
}

func (h *tale) end(i int) {
	e := tap.Event{Type: tap.End, ID: h.open[i].id}
	switch h.IntN(4) {
	case 0:
		e.Type, e.Aborted = tap.Fail, true
	case 1:
		e.Type = tap.Fail
	case 2:
		h.send(tap.Event{Type: tap.Chunk, ID: e.ID,
			Text: `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}` + "\n"})
	}
	h.send(e)
	h.open = slices.Delete(h.open, i, i+1)
}

// list reads a list in pages, which may expire.
func (h *tale) list() {
	all, size := 5+h.IntN(40), 1+h.IntN(9)
	rev := h.rev
	h.get(fmt.Sprintf("/api/v1/pods?limit=%d", size), pageOf(rev, 1, size, all), true)
	for from := size + 1; from <= all && h.IntN(5) > 0; from += size {
		if h.IntN(3) == 0 {
			h.write1()
		}
		token := fmt.Sprintf("/api/v1/pods?limit=%d&continue=t%d", size, from-1)
		if h.IntN(6) == 0 {
			h.req++
			h.send(tap.Event{Type: tap.Request, ID: h.req, Method: "GET", URL: token})
			h.send(tap.Event{Type: tap.Head, ID: h.req, Status: 410})
			h.send(tap.Event{Type: tap.Chunk, ID: h.req, Text: fmt.Sprintf(
				`{"kind":"Status","code":410,"message":"expired","metadata":{"continue":"fresh%d"}}`, h.req)})
			h.send(tap.Event{Type: tap.End, ID: h.req})
			if h.IntN(2) == 0 {
				return
			}
			token, rev = fmt.Sprintf("/api/v1/pods?limit=%d&continue=fresh%d", size, h.req), h.rev
		}
		h.get(token, pageOf(rev, from, min(from+size-1, all), all), true)
	}
}

func (h *tale) windows() {
	causes := []horizon.Cause{horizon.Busy, horizon.Restarted, horizon.Started, horizon.Relisted,
		horizon.Forgotten, horizon.Defined}
	w := revisions.Windows{Capacity: revisions.Capacity{Least: 8, Most: 8}}
	for range h.caches {
		s := revisions.ServerWindows{Since: 1 + h.Int64N(6), Why: horizon.Started}
		for _, r := range resources[:2] {
			s.Types = append(s.Types, revisions.Window{Resource: r, Horizon: max(1, h.rev-h.Int64N(25)),
				Why: causes[h.IntN(len(causes))], Held: h.IntN(9), Capacity: 8})
		}
		s.Types = append(s.Types, revisions.Window{Resource: "events", Why: horizon.Compacted})
		w.Servers = append(w.Servers, s)
	}
	h.Remember(w)
}

func (h *tale) read() {
	i := h.IntN(len(h.caches))
	h.req++
	h.send(tap.Event{Type: tap.Request, ID: h.req, Method: "GET", URL: "/api/v1/pods?resourceVersion=0"})
	h.send(tap.Event{Type: tap.Head, ID: h.req, Status: 200,
		Source: &source.Source{Server: i, From: "cache", Revision: max(1, h.caches[i]), Head: h.rev, Rule: "list-any"}})
}

// looked returns the history as somebody looks at it, in a plot of that width.
func (h *tale) looked(width float64) *Scene {
	sc := &Scene{Model: h.Model, U: max(1, width/1400*(1+h.Float64())), Narrow: width < 400, Retained: 1}
	sc.Large = width > 800 && h.IntN(3) == 0
	if h.IntN(5) == 0 {
		sc.Forked = 1 + h.Int64N(h.Head())
		sc.Branch = sc.Forked + h.Int64N(8)
	}
	cam := NewCamera()
	cam.Still = true
	cam.Resize(width, sc.U)
	if folds := sc.Folds(); len(folds) > 0 && h.IntN(6) > 0 {
		cam.Fold(sc.Split(folds[0]))
	}
	cam.Extend(1, h.Head(), 1)
	switch h.IntN(4) {
	case 0:
		cam.Fit()
	case 1:
		cam.Zoom(0.3+1.5*h.Float64(), width*h.Float64(), false)
	case 2:
		cam.Pan(-width*h.Float64(), false)
	}
	cam.Step(1000)
	sc.View = cam.View
	if h.IntN(2) == 0 {
		sc.Chosen = Chosen{Rev: 1 + h.Int64N(h.Head()), Chip: "PATCH configmaps/settings · 200 · 12 ms"}
	}
	if h.IntN(3) == 0 {
		sc.At = 1 + h.Int64N(h.Head())
		if h.IntN(2) == 0 {
			sc.Chosen.Rev = sc.At
		}
	}
	if n := len(h.Lanes.List); n > 0 && h.IntN(2) == 0 {
		sc.Spoken = h.Lanes.List[h.IntN(n)].Req
	}
	return sc
}

// eachLook calls f with 200 histories, as somebody looks at each in plots of a phone, of a small window, of a wide one
// and of a projector.
func eachLook(f func(h *tale, sc *Scene, name string, width float64)) {
	for seed := range uint64(200) {
		for i, width := range []float64{374, 548, 824, 1800} {
			h := newTale(seed)
			h.Rand = rand.New(rand.NewPCG(seed, uint64(i)))
			f(h, h.looked(width), fmt.Sprintf("seed %d, %g wide", seed, width), width)
		}
	}
}

// height is one that a lane may have, in units.
func (h *tale) height(sc *Scene) float64 {
	if sc.Narrow {
		return PhoneUnits
	}
	return []float64{LaneUnits, LowUnits, 46, DenseUnits, 240}[h.IntN(5)]
}

// A lane ends at its error: there is nothing to the right of the sign but the edge of its buffer.
func TestALaneEndsAtItsError(t *testing.T) {
	said, ended := 0, 0
	eachLook(func(h *tale, sc *Scene, name string, width float64) {
		for _, l := range h.Lanes.List {
			all := signsOf(t, sc.Lane(l, h.height(sc)*sc.U), sc.bars())
			i := slices.IndexFunc(all, func(s sign) bool { return strings.HasPrefix(s.class, "st-stop") })
			if (i >= 0) != (l.Code != 0) {
				t.Fatalf("%s: %s has a sign: %v, its code is %d", name, l.ID(), i >= 0, l.Code)
			}
			if i < 0 {
				continue
			}
			ended++
			for _, s := range all {
				of := strings.Fields(s.class)[0]
				if s.right > all[i].right+0.3 && s.left < width && of != "st-wall" && of != "st-push-out" && of != "st-again" &&
					of != "st-playline" && of != "st-text" && !(of == "st-house" && s.left < all[i].right) {
					if said++; said < 20 {
						t.Errorf("%s, %s: %s is behind %s", name, l.ID(), s, all[i])
					}
				}
			}
		}
	})
	if ended < 500 {
		t.Errorf("only %d lanes ended by an error", ended)
	}
}

// Signs and words never cover one another, whatever has happened and however wide the stage is.
func TestSignsDoNotCoverOneAnother(t *testing.T) {
	kinds := map[string]int{}
	said := 0
	eachLook(func(h *tale, sc *Scene, name string, width float64) {
		check := func(row, svg string, height float64) {
			all := signsOf(t, svg, sc.bars())
			for _, s := range all {
				kinds[strings.Fields(s.class)[0]]++
			}
			for _, pair := range covering(all, width, height) {
				if said++; said <= 20 {
					t.Errorf("%s, %s: %s", name, row, pair)
				}
			}
		}
		ruler := []float64{RulerUnits, 126, 128}[h.IntN(3)] * sc.U
		check("ruler", sc.Ruler(ruler), ruler)
		for _, l := range h.Lanes.List {
			height := h.height(sc) * sc.U
			check(l.ID(), sc.Lane(l, height), height)
		}
		for _, c := range h.Chains.List {
			check(c.ID(), sc.Page(c, PageUnits*sc.U), PageUnits*sc.U)
		}
		for i := range sc.ServerRows() {
			check(fmt.Sprint("C", i), sc.Server(i, ServerUnits*sc.U), ServerUnits*sc.U)
		}
	})
	if said > 20 {
		t.Errorf("and %d more", said-20)
	}
	for _, class := range slices.Concat(eachPart, whole, groups, lines, drawn) {
		if kinds[class] == 0 {
			t.Errorf("no %s was drawn", class)
		}
	}
}
