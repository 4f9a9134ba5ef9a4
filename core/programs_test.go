package core

import (
	"context"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// ticking are programs that wake each second of a cluster's time.
type ticking struct{ woken int }

func (*ticking) Show(*clock.Adjustable) {}

func (p *ticking) Settle(_ context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	p.woken++
	return a.Now().Truncate(time.Second).Add(time.Second), true, nil
}

// held is the Lease of a kube-controller-manager.
const held = `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kube-controller-manager"},` +
	`"spec":{"holderIdentity":"x","leaseDurationSeconds":15}}`

// TestAdvanceWithPrograms wants the lever to wait for programs that have the cluster's clock, and to say so where they
// have another one.
func TestAdvanceWithPrograms(t *testing.T) {
	const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
	seconds := 60
	advance := func(c *Cluster, query string) []string {
		t.Helper()
		w := httptest.NewRecorder()
		body := strings.NewReader(fmt.Sprintf(`{"seconds":%d}`, seconds))
		c.ServeHTTP(w, httptest.NewRequest("POST", plane+"/advance"+query, body))
		if w.Code != 201 {
			t.Fatal(w.Code, w.Body)
		}
		return w.Header()["Warning"]
	}
	programs := new(ticking)
	c, _ := newCluster(t, Options{Controllers: true, Programs: programs})
	must(t, c, 201, "POST", leases, held)
	if said := advance(c, ""); said != nil || programs.woken < 60 || programs.woken > 62 {
		t.Errorf("woken %d times, %q", programs.woken, said)
	}
	clock := c.current.Load().clock
	before, at := programs.woken, clock.Offset()
	seconds = 0
	if advance(c, ""); programs.woken != before+1 || clock.Offset() != at {
		t.Errorf("by no second: woken %d times, moved by %v", programs.woken-before, clock.Offset()-at)
	}
	seconds = 60
	c, _ = newCluster(t, Options{Controllers: true})
	if said := advance(c, ""); said != nil {
		t.Errorf("%q", said)
	}
	must(t, c, 201, "POST", leases, held)
	var said []string
	for said == nil { // until the controllers rest
		runtime.Gosched()
		said = advance(c, "?dryRun=All")
	}
	if !strings.Contains(said[0], "keeps the time of its machine") {
		t.Errorf("%q", said)
	}
}

// silent are programs that never say that they wait.
type silent struct {
	asked chan struct{}
	mu    sync.Mutex
	shown *clock.Adjustable // the last
}

func (p *silent) Show(a *clock.Adjustable) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = a
}

func (p *silent) Settle(ctx context.Context, a *clock.Adjustable) (time.Time, bool, error) {
	p.Show(a)
	p.asked <- struct{}{}
	<-ctx.Done()
	return time.Time{}, false, ctx.Err()
}

// TestAdvanceEnds wants the lever to end with its client, and with the cluster, whose successor's clock programs have.
func TestAdvanceEnds(t *testing.T) {
	p := &silent{asked: make(chan struct{})}
	c, _ := newCluster(t, Options{Programs: p})
	advance := func(ctx context.Context) <-chan int {
		ended := make(chan int)
		go func() {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(ctx, "POST", plane+"/advance", strings.NewReader(`{"seconds":60}`))
			defer func() {
				_ = recover() // of a client that has left
				ended <- w.Code
			}()
			c.ServeHTTP(w, r)
		}()
		return ended
	}
	ctx, cancel := context.WithCancel(t.Context())
	first, second := advance(ctx), advance(ctx)
	<-p.asked
	<-p.asked
	cancel()
	<-first
	<-second
	third := advance(t.Context())
	<-p.asked
	must(t, c, 201, "POST", plane+"/reset", "")
	if code := <-third; code != 409 {
		t.Error(code)
	}
	current := c.current.Load().clock
	for shown := (*clock.Adjustable)(nil); shown != current; runtime.Gosched() {
		p.mu.Lock()
		shown = p.shown
		p.mu.Unlock()
	}
}
