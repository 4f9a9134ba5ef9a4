package hostile

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// An attack is all that hostile people do at the same time, until it is stopped.
type attack struct {
	*testing.T
	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
	// spent are attackers that have not yet reached what their share takes.
	spent sync.WaitGroup
	// pace is the least time between two requests of an attacker.
	pace time.Duration

	mu    sync.Mutex
	fresh map[string]int         // how many are not spent, by what they do
	codes map[string]map[int]int // by what is done, how often it was answered with a code
	worst map[string]answer      // by what is done, an answer that no request should get
}

// atEdge is the pace there, where the front and all rooms of a machine share one thread: who takes all of that takes it
// from everybody.
const atEdge = 50 * time.Millisecond

func newAttack(h *host) *attack {
	t := h.T
	a := &attack{T: t, fresh: map[string]int{}, codes: map[string]map[int]int{}, worst: map[string]answer{}}
	a.ctx, a.stop = context.WithCancel(t.Context())
	if h.edge {
		a.pace = atEdge
	}
	t.Cleanup(a.end)
	return a
}

// end stops the attack and waits for its end.
func (a *attack) end() {
	a.stop()
	a.wg.Wait()
}

// saw notes an answer: what a server says of a bad request, of full shares, or of a request that took too long is
// right, an internal error is not.
func (a *attack) saw(what string, got answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.codes[what] == nil {
		a.codes[what] = map[int]int{}
	}
	a.codes[what][got.code]++
	if got.code == http.StatusInternalServerError {
		a.worst[what] = got
	}
}

// does makes a request and notes its answer, whose code is 0 if there is none.
func (a *attack) does(p *person, what, method, path string, body []byte) answer {
	got, err := p.try(a.ctx, method, path, body)
	if a.ctx.Err() == nil {
		if err != nil {
			got = answer{text: []byte(err.Error())}
		}
		a.saw(what, got)
	}
	return got
}

// report prints what was done, and fails for each internal error.
func (a *attack) report() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(a.codes)) {
		a.Logf("%-28s answers by code: %v", what, a.codes[what])
		if worst, ok := a.worst[what]; ok {
			a.Errorf("internal errors: %s: %d times %v", what, a.codes[what][worst.code], worst)
		}
	}
}

// count changes how many attackers are not spent.
func (a *attack) count(what string, by int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh[what] += by
}

// goes runs an attacker, which calls spent when it has reached what its share takes, and goes on.
func (a *attack) goes(what string, f func(spent func())) {
	a.spent.Add(1)
	a.count(what, 1)
	var once sync.Once
	spent := func() {
		once.Do(func() {
			a.count(what, -1)
			a.spent.Done()
		})
	}
	a.wg.Go(func() {
		defer spent()
		f(spent)
	})
}

// again calls f until the attack ends; it waits before the next time, as if there was a network.
func (a *attack) again(wait time.Duration, f func(n int)) {
	for n := 0; a.ctx.Err() == nil; n++ {
		f(n)
		a.pause(max(wait, a.pace))
	}
}

func (a *attack) pause(wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.ctx.Done():
	}
}

// configMap is an object with so many bytes of data.
func configMap(name string, size int) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":%q},"data":{"v":%q}}`, name, strings.Repeat("x", size))
}

// fills creates objects of 1 MB until it is refused, then smaller ones until nothing is left.
func (a *attack) fills(p *person) {
	const largest, least = 1 << 20, 1 << 10
	a.goes("fill", func(spent func()) {
		size := largest - 1<<10
		a.again(20*time.Millisecond, func(n int) {
			got := a.does(p, "fill", "POST", configMaps, configMap(fmt.Sprintf("%s-%d", p.name, n), size))
			switch {
			case got.code == http.StatusCreated, got.code == http.StatusTooManyRequests:
			case size > least:
				size /= 2
			default:
				spent()
			}
		})
	})
}

// floods leaves objects behind, and then makes requests as fast as they are answered, if it goes on.
func (a *attack) floods(p *person, goesOn bool) {
	const objects = 40
	a.goes("flood", func(spent func()) {
		for n := 0; n < objects && a.ctx.Err() == nil; n++ {
			a.does(p, "flood: create", "POST", configMaps, configMap(fmt.Sprintf("%s-flood-%d", p.name, n), 100))
		}
		if !goesOn {
			return
		}
		for range 3 {
			a.wg.Go(func() {
				a.again(0, func(n int) {
					if n == 100 {
						spent()
					}
					a.does(p, "flood: list", "GET", configMaps, nil)
				})
			})
		}
		a.again(0, func(n int) {
			a.does(p, "flood: update", "PUT", fmt.Sprintf("%s/%s-flood-%d", configMaps, p.name, n%objects),
				configMap(fmt.Sprintf("%s-flood-%d", p.name, n%objects), n%2000))
		})
	})
}

// joins makes as many members as one link and one address allow; each is handed to hold.
func (a *attack) joins(stranger func() *person, room *person, by link, members int, hold func(*person)) {
	a.goes("join", func(spent func()) {
		var all sync.WaitGroup
		for i := range members {
			all.Go(func() {
				p := stranger()
				p.at, p.token = room.at, by.token
				got := a.does(p, "join", "POST", theRoom+"/join", fmt.Appendf(nil, `{"displayName":"Joiner %d"}`, i))
				if p.joined(got); got.code == http.StatusCreated {
					hold(p)
				}
			})
		}
		all.Wait()
		spent()
		p := stranger()
		p.at, p.token = room.at, by.token
		a.again(100*time.Millisecond, func(n int) {
			a.does(p, "join, later", "POST", theRoom+"/join", fmt.Appendf(nil, `{"displayName":"Later %d"}`, n))
		})
	})
}

// holds opens as many watches as it can, and reads none of them.
func (a *attack) holds(p *person) {
	a.goes("hold", func(spent func()) {
		for refused := 0; refused < 3 && a.ctx.Err() == nil; {
			code, err := p.watches(a.ctx)
			if a.ctx.Err() != nil {
				return
			}
			if code != http.StatusOK {
				refused++
			}
			got := answer{code: code}
			if err != nil {
				got.text = []byte(err.Error())
			}
			a.saw("hold", got)
		}
	})
}

// nested is a schema of objects in objects.
func nested(depth int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, depth) + `{"type":"string"}` + strings.Repeat("}}", depth)
}

// definition is a CustomResourceDefinition with a schema.
func definition(n int, schema string) []byte {
	return fmt.Appendf(nil, `{"metadata":{"name":"deep%ds.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"deep%[1]ds","singular":"deep%[1]d","kind":"Deep%[1]d"},"versions":[{"name":"v1","served":true,
"storage":true,"schema":{"openAPIV3Schema":%[2]s}}]}}`, n, schema)
}

// schemas are those that cost most to keep or to build documents of: deep, as deep as may be, and wide.
func schemas() []string {
	return []string{nested(4900), nested(1000), nested(150), nested(60), wide(20_000)}
}

// nests is for a teacher: it defines deep types and asks for their documents.
func (a *attack) nests(p *person) {
	a.goes("opener", func(spent func()) {
		for n, schema := range schemas() {
			a.does(p, "nest: definition", "POST", crds, definition(n, schema))
		}
		a.again(50*time.Millisecond, func(n int) {
			a.does(p, "nest: OpenAPI v2", "GET", "/openapi/v2", nil)
			a.does(p, "nest: OpenAPI v3", "GET", "/openapi/v3/apis/example.com/v1", nil)
			spent()
		})
	})
}

// bodies sends values in values, of which the API cannot make sense.
func (a *attack) bodies(p *person) {
	const depth = 9_900
	deep := strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
	lists := strings.Repeat("[", 300_000) + strings.Repeat("]", 300_000)
	a.goes("nest", func(spent func()) {
		a.again(20*time.Millisecond, func(n int) {
			a.does(p, "nest: body", "POST", configMaps, []byte(`{"metadata":{"name":"deep"},"data":`+deep+`}`))
			a.does(p, "nest: list", "POST", configMaps, []byte(`{"metadata":{"name":"deep"},"data":`+lists+`}`))
			a.does(p, "nest: patch", "PATCH", configMaps+"/kube-root-ca.crt", []byte(`{"metadata":{"annotations":`+deep+`}}`))
			if n == 2 {
				spent()
			}
		})
	})
}

// intrudes is for a stranger: it has no token, guesses, and sends what is no request.
func (a *attack) intrudes(p *person, room *person) {
	p.at, p.token = room.at, "guess"
	body := configMap("guess", 3<<20)
	a.goes("stranger", func(spent func()) {
		a.again(0, func(n int) {
			a.does(p, "stranger: guess", "GET", configMaps, nil)
			if n%50 == 0 {
				a.does(p, "stranger: body", "POST", configMaps, body)
			}
			if n == 50 {
				spent()
			}
		})
	})
	a.goes("stranger", func(spent func()) {
		address := strings.TrimPrefix(p.url, "http://")
		for range 50 { // requests that do not end
			conn, err := p.dialer.DialContext(a.ctx, "tcp", address)
			if err != nil {
				return
			}
			p.Cleanup(func() { conn.Close() })
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 9\r\n\r\n{", theRoom, address)
		}
	})
}
