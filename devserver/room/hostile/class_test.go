package hostile

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/memory"
)

// Bounds of what is promised to the others while a class is attacked.
const (
	// latency is that of a create, as the median, beyond what it takes without an attack.
	latency = 20 * time.Millisecond
	// samples is how many creates are measured; below the share of a member.
	samples = 100
)

var only = flag.String("only", "", "of stranger, opener, fill, nest, flood, join and hold only those named here")

// TestHostileClass attacks a devserver.
func TestHostileClass(t *testing.T) { testHostileClass(t, native(t)) }

// TestHostileClassAtTheEdge attacks workerd.
func TestHostileClassAtTheEdge(t *testing.T) {
	t.Parallel() // there is no bound of the latency
	testHostileClass(t, atTheEdge(t))
}

func testHostileClass(t *testing.T, h *host) {
	teacher := h.person(1)
	teacher.opens()
	class, other := teacher.invites("a link"), teacher.invites("a link for others")
	works := h.person(9)
	if a := works.joins(teacher, class, "Grace"); a.code != http.StatusCreated {
		t.Fatal(a)
	}
	alone := works.creates("alone", samples/2)

	a := newAttack(h)
	beginning := make(chan time.Duration, 1)
	go func() { beginning <- works.creates("beginning", samples) }()
	flooder := a.begins(h, teacher, class)
	a.waits()

	first, attacked := <-beginning, works.creates("attacked", samples)
	t.Logf("create by another member, median: %v alone, %v while the attack begins, %v while it goes on", alone, first,
		attacked)
	if most := latency + alone; max(first, attacked) > most && !h.edge {
		t.Errorf("latency: the median of a create is %v while attacked, at most %v should be", max(first, attacked), most)
	}
	h.others(teacher, class, other)
	h.governs(teacher, works, flooder, class)
	a.report()
	a.end()
	h.measures(2)
}

// begins has all attackers come, or those of -only, and returns who floods.
func (a *attack) begins(h *host, teacher *person, class link) (flooder *person) {
	wanted := func(what string) bool { return *only == "" || strings.Contains(*only, what) }
	learner := func(called string) *person {
		p := h.person(2)
		if got := p.joins(teacher, class, called); got.code != http.StatusCreated {
			a.Fatal(got)
		}
		return p
	}
	if wanted("stranger") {
		a.intrudes(h.person(3), teacher)
	}
	if wanted("opener") {
		opener := h.person(4)
		opener.opens()
		a.nests(opener)
	}
	if wanted("fill") {
		for i := range 3 {
			a.fills(learner(fmt.Sprint("Fill ", i)))
		}
	}
	if wanted("nest") {
		a.bodies(learner("Nest"))
	}
	flooder = learner("Flood")
	a.floods(flooder, wanted("flood"))
	if wanted("join") {
		a.joins(func() *person { return h.person(2) }, teacher, class, 96, func(p *person) {
			if wanted("hold") {
				a.holds(p)
			}
		})
	}
	return flooder
}

// waits waits until all attackers have reached what their shares take.
func (a *attack) waits() {
	spent := make(chan struct{})
	go func() { a.spent.Wait(); close(spent) }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-spent:
	case <-timer.C:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.Errorf("progress: attackers are not answered: %v; answers by code: %v", a.fresh, a.codes)
	}
}

// creates creates objects, at a pace below a member's share, and returns how long each takes, as the median.
func (p *person) creates(name string, n int) time.Duration {
	p.Helper()
	var times []time.Duration
	pace := time.NewTicker(time.Second / 15)
	defer pace.Stop()
	refused := map[int][]answer{}
	for i := range n {
		<-pace.C
		start := time.Now()
		a, err := p.try(p.Context(), "POST", configMaps, configMap(fmt.Sprintf("%s-%d", name, i), 300))
		times = append(times, time.Since(start))
		if err != nil {
			a.text = []byte(err.Error())
		}
		if a.code != http.StatusCreated {
			refused[a.code] = append(refused[a.code], a)
		}
	}
	for _, all := range refused {
		p.Errorf("creates, %s: %d of %d are answered as one was: %v", name, len(all), n, all[0])
	}
	slices.Sort(times)
	return times[n/2]
}

// others come from addresses of their own while a room is attacked: by the link that is flooded, and by another one.
func (h *host) others(teacher *person, class, other link) {
	for i, by := range []link{class, other} {
		p := h.person(byte(20 + i))
		if a := p.joins(teacher, by, fmt.Sprint("Newcomer ", i)); a.code != http.StatusCreated {
			h.Errorf("join of another, by link %d: %v", i, a)
			continue
		}
		if code, err := p.watches(h.Context()); code != http.StatusOK {
			h.Errorf("watch of another: %d %v", code, err)
		}
		p.wants(http.StatusCreated, "create of a newcomer", "POST", configMaps, string(configMap(p.name, 300)))
	}
}

// governs has the teacher act while its room is attacked.
func (h *host) governs(teacher, works, flooder *person, class link) {
	start := time.Now()
	const frozen = `{"spec":{"frozen":%v}}`
	teacher.wants(http.StatusOK, "freeze", "PATCH", theRoom, fmt.Sprintf(frozen, true))
	works.wants(http.StatusForbidden, "frozen", "POST", configMaps, string(configMap("frozen", 300)))
	teacher.wants(http.StatusOK, "end of the freeze", "PATCH", theRoom, fmt.Sprintf(frozen, false))
	works.wants(http.StatusCreated, "create after a freeze", "POST", configMaps, string(configMap("thawed", 300)))
	teacher.invites("invite")

	teacher.wants(http.StatusOK, "end a link", "DELETE", sandbox+"/roomtokens/"+class.name, "")
	late := h.person(30)
	late.at, late.token = teacher.at, class.token
	late.wants(http.StatusUnauthorized, "a link that was ended", "POST", theRoom+"/join", `{"displayName":"Late"}`)

	teacher.wants(http.StatusOK, "remove", "DELETE", sandbox+"/members/"+flooder.name, "")
	flooder.wants(http.StatusUnauthorized, "removed", "GET", configMaps, "")
	mine := fmt.Sprintf("/%s-flood-0", flooder.name)
	teacher.wants(http.StatusOK, "purge, what there is", "GET", configMaps+mine, "")
	purge := fmt.Sprintf(`{"member":%q}`, flooder.name)
	if a := teacher.ask("POST", theRoom+"/purge", purge); a.code/100 != 2 {
		h.Errorf("purge: %v", a)
	} else {
		h.Logf("purge: %v", a)
	}
	teacher.wants(http.StatusNotFound, "purged", "GET", configMaps+mine, "")
	works.wants(http.StatusOK, "what others made stays", "GET", configMaps+"/attacked-0", "")
	h.Logf("the teacher governed in %v", time.Since(start).Round(time.Millisecond))

	if a := teacher.ask("GET", theRoom+"/usage", ""); a.code != http.StatusOK {
		h.Errorf("usage: %v", a)
	} else if usage := (struct {
		Members []struct {
			Name, DisplayName string
			Objects, Bytes    int64
		}
	}{}); json.Unmarshal(a.text, &usage) != nil || len(usage.Members) == 0 || !bytes.Contains(a.text, []byte(works.name)) {
		h.Errorf("usage: %v", a)
	} else {
		slices.SortFunc(usage.Members, func(a, b struct {
			Name, DisplayName string
			Objects, Bytes    int64
		}) int {
			return int(b.Bytes - a.Bytes)
		})
		for _, m := range usage.Members[:min(4, len(usage.Members))] {
			h.Logf("usage: %s has %d objects, %d bytes", m.DisplayName, m.Objects, m.Bytes)
		}
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
