package hostile

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/edgetest"
)

var only = flag.String("only", "", "of stranger, open, opener, type, rule, fill, nest, values, cost, end, flood, join "+
	"and hold only those named here")

// TestHostileClass attacks a devserver.
func TestHostileClass(t *testing.T) {
	h := native(t)
	h.only = *only
	testHostileClass(t, h)
}

// TestHostileClassAtTheEdge attacks workerd, a new one for each kind of attack: all rooms of a machine share one thread
// there, of which all attacks at the same time would leave nothing to anybody.
func TestHostileClassAtTheEdge(t *testing.T) {
	edgetest.Folder(t, root)
	for _, attacks := range []string{
		"join,hold,fill", "flood,stranger", "end", "opener,type,nest", "values", "cost", "rule",
	} {
		t.Run(attacks, func(t *testing.T) {
			h := atTheEdge(t)
			h.only = cmp.Or(*only, attacks)
			testHostileClass(t, h)
		})
	}
}

func testHostileClass(t *testing.T, h *host) {
	teacher, opener := h.person(1), h.person(4)
	teacher.opens()
	opener.opens()
	class, other := teacher.invites("a link"), teacher.invites("a link for others")
	works := h.person(9)
	if a := works.joins(teacher, class, "Grace"); a.code != http.StatusCreated {
		t.Fatal(a)
	}
	both := pair{works: works}
	if !h.edge {
		both.control = control(t)
	}
	watch := works.line(watchLine)
	follows := []*line{teacher.line(followLine), opener.line(followLine)}
	h.bounds("before the attack", both.creates("alone", samples/2))
	before, _ := h.memory()
	h.forgets()

	a := newAttack(h)
	beginning := make(chan waits, 1)
	go func() { beginning <- both.creates("beginning", samples) }()
	flooder := a.begins(h, teacher, opener, class)
	progress := a.waits()

	h.bounds("while the attack begins", <-beginning)
	if !progress { // what follows would take long, and tell nothing new
		a.report()
		h.remains(before)
		return
	}
	h.bounds("while it goes on", both.creates("attacked", samples))
	h.others(teacher, class, other)
	h.governs(teacher, works, flooder, class)
	watch.tells()
	for _, l := range follows {
		l.lasts()
	}
	a.report()
	a.end()
	h.remains(before)
}

// begins has all attackers come, or those of -only, and returns who floods. First come those who join, so that each
// attack is one of a room in which all are.
func (a *attack) begins(h *host, teacher, opener *person, class link) (flooder *person) {
	wanted := func(what string) bool { return h.only == "" || strings.Contains(","+h.only+",", ","+what+",") }
	learner := func(address byte, called string) *person {
		p := h.person(address)
		if got := p.joins(teacher, class, called); got.code != http.StatusCreated {
			a.Fatal(got)
		}
		return p
	}
	flooder = learner(2, "Flood")
	costs := learner(8, "Cost")
	nests, patches, puts := learner(7, "Nest"), learner(5, "End"), learner(6, "End, with puts")
	var fillers []*person
	for i := range 3 {
		fillers = append(fillers, learner(2, fmt.Sprint("Fill ", i)))
	}
	a.allows(opener)

	for _, attacks := range []struct {
		what  string
		begin func()
	}{
		{"stranger", func() { a.intrudes(h.person(3), teacher) }},
		{"open", func() { a.opens(h) }},
		{"opener", func() { a.nests(opener) }},
		{"type", func() { a.many(opener, manyTypes(h)) }},
		{"rule", func() { a.rules(opener) }},
		{"nest", func() {
			a.bodies(nests)
			a.bodies(opener) // in a room that understands CBOR
		}},
		{"values", func() {
			const may = 10_000 // at the same time as all other attacks
			a.values(nests, may, part)
			a.values(opener, may, part)
		}},
		{"cost", func() {
			for range h.atEdgeOr(1, 3) {
				a.costs(costs)
			}
		}},
		{"end", func() { a.ends(patches, puts, h.atEdgeOr(90, part(360))) }},
		{"fill", func() {
			for _, p := range fillers {
				a.fills(p)
			}
		}},
		{"join", func() {
			a.joins(func() *person { return h.person(2) }, teacher, class, 96, func(p *person) {
				if wanted("hold") {
					a.holds(p)
				}
			})
		}},
	} {
		if wanted(attacks.what) {
			attacks.begin()
		}
	}
	a.floods(flooder, wanted("flood"))
	return flooder
}

// atEdgeOr returns how much there is of something at the edge, where there is less memory, and natively.
func (h *host) atEdgeOr(edge, native int) int {
	if h.edge {
		return edge
	}
	return native
}

// all is for attackers who make all of their requests before the others are looked at.
func all(requests int) int { return requests }

// part is all in make test-long. In make test a third is enough: they make the rest while the others are looked at.
func part(requests int) int {
	if os.Getenv(long) != "" {
		return requests
	}
	return requests / 3
}

// manyTypes is how many small types an opener defines.
func manyTypes(h *host) int {
	if os.Getenv(long) != "" {
		return h.atEdgeOr(300, 3_000)
	}
	return h.atEdgeOr(100, 300)
}

// waits waits until all attackers have reached what their shares take, and reports whether they have.
func (a *attack) waits() bool {
	spent := make(chan struct{})
	go func() { a.spent.Wait(); close(spent) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-spent:
		return true
	case <-timer.C:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.Errorf("progress: attackers are not answered: %v", a.fresh)
		return false
	}
}
