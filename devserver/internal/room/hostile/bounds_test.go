package hostile

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// Bounds of what is promised to the others while a class is attacked.
const (
	// latency is that of a create, as the median, on a machine that has nothing else to do. If others have a part of the
	// machine's time, so much less is left for the servers, and it may take so many times as long. How fast the machine
	// is cannot be known: only make test-long checks this bound, and make test allows ten times as much. A member who
	// is starved waits for seconds.
	latency = 20 * time.Millisecond
	// slower is how many times as long it may take as on a server that is not attacked, on the same machine at the same
	// time, if that is more.
	slower = 4
	// samples is how many creates are measured; below the share of a member.
	samples = 100
	// ofClass is how much more memory a devserver may take for an attacked class and the room of an opener, in bytes: some
	// 400 MiB were measured, most of which is history, which may take 64 MiB in each, and as much again as Go's collector
	// leaves. The limits would allow more if all that they bound was taken at the same moment: memory.Bound.
	ofClass = 640 << 20
	// ofClassAtTheEdge is that of the engine, in which the class and an opener have rooms.
	ofClassAtTheEdge = 640 << 20
)

// A pair of people make the same requests at the same time: one in the class that is attacked, the other in a room on a
// server that nobody attacks, if there is one. What the machine does besides slows both down, the attack one of them.
type pair struct{ works, control *person }

// control starts a server for that.
func control(t *testing.T) *person {
	h := native(t)
	teacher, p := h.person(1), h.person(9)
	teacher.opens()
	if a := p.joins(teacher, teacher.invites("a link"), "Grace"); a.code != http.StatusCreated {
		t.Fatal(a)
	}
	return p
}

// waits are how long creates take, as the median; without a control that is 0. others is the part of the machine's
// time that other processes had.
type waits struct {
	works, control time.Duration
	others         float64
}

// creates has both create objects, at a pace below a member's share.
func (p pair) creates(name string, n int) waits {
	all := []*series{{person: p.works}}
	if p.control != nil {
		all = append(all, &series{person: p.control})
	}
	pace := time.NewTicker(time.Second / 15)
	defer pace.Stop()
	start, before := time.Now(), p.machine()
	for i := range n {
		<-pace.C
		if time.Since(start) > patience {
			p.works.Errorf("creates, %s: only %d of %d are answered within %v", name, i, n, patience)
			break
		}
		var both sync.WaitGroup
		for _, s := range all {
			both.Go(func() { s.create(fmt.Sprintf("%s-%d", name, i)) })
		}
		both.Wait()
	}
	w := waits{works: all[0].median(name), others: p.machine().others(before)}
	if p.control != nil {
		w.control = all[1].median(name)
	}
	return w
}

// A series is how long the creates of a person take, and those that were refused.
type series struct {
	*person
	times   []time.Duration
	refused []answer
}

func (s *series) create(name string) {
	start := time.Now()
	a, err := s.try(s.Context(), "POST", configMaps, configMap(name, 300))
	s.times = append(s.times, time.Since(start))
	if err != nil {
		a.text = []byte(err.Error())
	}
	if a.code != http.StatusCreated {
		s.refused = append(s.refused, a)
	}
}

// median returns the median, and fails the test if a create was refused.
func (s *series) median(name string) time.Duration {
	if n := len(s.refused); n > 0 {
		s.Errorf("creates, %s: %d of %d are refused, the last: %v", name, n, len(s.times), s.refused[n-1])
	}
	slices.Sort(s.times) // there is one at least
	return s.times[len(s.times)/2]
}

// bounds checks how long creates take, natively: at the edge all rooms of a machine share one thread with the attack.
func (h *host) bounds(when string, w waits) {
	h.Helper()
	h.Logf("create by another member, median: %v %s; %v where nobody attacks, at the same time; other work had %.0f %% "+
		"of the machine", w.works.Round(time.Microsecond), when, w.control.Round(time.Microsecond), 100*w.others)
	alone := time.Duration(float64(latency) / (1 - w.others))
	if os.Getenv(long) == "" {
		alone *= 10
	}
	if most := max(alone, slower*w.control); w.works > most && !h.edge {
		h.Errorf("latency: the median of a create is %v %s, at most %v should be", w.works, when, most)
	}
}

// remains checks how much more memory the server has taken, at most, than before the attack.
func (h *host) remains(before int64) {
	h.Helper()
	now, most := h.memory()
	if most == 0 {
		h.Log("the memory of the server is not known")
		return
	}
	bound := int64(ofClass)
	if h.edge {
		bound = ofClassAtTheEdge
	}
	h.Logf("memory of the server: %d MiB before the attack, at most %d MiB since, %d MiB now; bound: %d MiB", before>>20,
		most>>20, now>>20, (before+bound)>>20)
	if most > before+bound {
		h.Errorf("memory: the server took %d MiB, at most %d MiB should be", most>>20, (before+bound)>>20)
	}
}

// measures bounds the memory of the server, with so many rooms.
func (h *host) measures(rooms int) {
	now, most := h.memory()
	if most == 0 {
		h.Log("the memory of the server is not known")
		return
	}
	bound := memory.Bound(quota, rooms)
	h.Logf("memory of the server: %d MiB, at most %d MiB so far; bound with %d rooms: %d MiB", now>>20, most>>20, rooms,
		bound>>20)
	if most > bound && !h.edge {
		h.Errorf("memory: the server took %d MiB, at most %d MiB should be", most>>20, bound>>20)
	}
}
