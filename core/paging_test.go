package core

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// TestPaging pages through a type that is written meanwhile, while etcd is compacted, caches forget, and time passes.
// The pages of a list are the state of one revision. If that is compacted there is a 410, whose token continues with
// the state of a later one. No object is there twice, and one that stays is there once.
func TestPaging(t *testing.T) {
	went := map[string]int{}
	for seed := range uint64(6) {
		p := newPaged(t, seed, went)
		steps := []func(){p.write, p.write, p.disturb, p.page, p.page, p.page, p.page}
		for range 500 {
			steps[p.random.IntN(len(steps))]()
		}
		p.finish()
	}
	t.Log(went)
	for _, way := range []string{"whole", "continued after a 410", "410 at its beginning"} {
		if went[way] == 0 {
			t.Errorf("no list is %s", way)
		}
	}
}

// TestPagingAtOnce does the same with all of them at the same time.
func TestPagingAtOnce(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("one request runs at a time there")
	}
	first := newPaged(t, 0, map[string]int{})
	var all []*paged
	var wg sync.WaitGroup
	for i := range 8 {
		p := *first
		p.random, p.went = rand.New(rand.NewPCG(uint64(i), 2)), map[string]int{}
		all = append(all, &p)
		step := []func(){p.write, p.page, p.page, p.disturb}[i%4]
		wg.Go(func() {
			for range 300 {
				step()
			}
		})
	}
	wg.Wait()
	for _, p := range all {
		p.finish()
	}
}

// A paged type is that of ConfigMaps, with lists of it that are under way.
type paged struct {
	testing.TB
	c      *Cluster
	manual *clock.Manual
	random *rand.Rand
	lists  []*pagedList
	writes *writes
	went   map[string]int
}

// writes is an extension that notes the writes of ConfigMaps.
type writes struct {
	mu  sync.Mutex
	all []noted
}

// A noted write is that of an object at a revision.
type noted struct {
	key     string
	rev     int64
	deleted bool
	odd     bool
}

func (w *writes) Extend(*extension.Instance) (extension.Additions, error) {
	return extension.Additions{Observe: func(bucket, key string, value []byte, rev int64) {
		if bucket != "v1/configmaps" {
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all = append(w.all, noted{key, rev, value == nil, strings.Contains(string(value), `"odd":"1"`)})
	}}, nil
}

// A pagedList is a list that is read in pages.
type pagedList struct {
	path, token string
	prefix      string // of its keys
	odd         bool   // whether it selects
	parts       []pagedPart
	ended       bool
}

// A pagedPart are the pages of one revision.
type pagedPart struct {
	rev int64
	// keys are KEY@REVISION; remaining is what the last page said of what remains, -1 if it did not.
	keys      []string
	remaining int
}

// The objects are k-0 to k-39 in two namespaces; the first staying ones are written and never deleted.
const (
	pagedNames = 40
	staying    = 10
)

func newPaged(t testing.TB, seed uint64, went map[string]int) *paged {
	w := &writes{}
	c, manual := newCluster(t, Options{Extensions: []extension.Extension{w}})
	p := &paged{TB: t, c: c, manual: manual, random: rand.New(rand.NewPCG(seed, 1)), writes: w, went: went}
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"other"}}`)
	for i := range staying {
		p.put("default", i)
		p.put("other", i)
	}
	return p
}

func (p *paged) put(namespace string, i int) {
	path := "/api/v1/namespaces/" + namespace + "/configmaps"
	body := fmt.Sprintf(`{"metadata":{"name":"k-%d","labels":{"odd":"%d"}},"data":{"v":"%d"}}`, i, i%2, p.random.Int())
	if code, _ := call(p, p.c, "PUT", fmt.Sprint(path, "/k-", i), body); code == 404 {
		call(p, p.c, "POST", path, body)
	}
}

func (p *paged) write() {
	namespace, i := []string{"default", "other"}[p.random.IntN(2)], p.random.IntN(pagedNames)
	if i < staying || p.random.IntN(2) == 0 {
		p.put(namespace, i)
		return
	}
	call(p, p.c, "DELETE", fmt.Sprintf("/api/v1/namespaces/%s/configmaps/k-%d", namespace, i), "")
}

// disturb makes the past go away, or answers come from elsewhere.
func (p *paged) disturb() {
	switch at := p.newest(); p.random.IntN(9) {
	case 0:
		call(p, p.c, "POST", wellknown.ControlPlane+"/compact", `{}`)
	case 1, 2:
		call(p, p.c, "POST", wellknown.ControlPlane+"/compact", fmt.Sprintf(`{"revision":%d}`, at-p.random.Int64N(30)))
	case 3:
		forgets := []string{"etcd", "caches"}[p.random.IntN(2)]
		call(p, p.c, "POST", wellknown.ControlPlane+"/compact", fmt.Sprintf(`{"forgets":%q}`, forgets))
	case 4:
		call(p, p.c, "POST", wellknown.ControlPlane+"/restart", `{}`)
	case 5:
		call(p, p.c, "POST", wellknown.ControlPlane+"/advance", fmt.Sprintf(`{"seconds":%d}`, p.random.IntN(400)))
	default:
		p.manual.Advance(time.Duration(p.random.IntN(20)) * time.Second)
	}
}

func (p *paged) newest() int64 {
	p.writes.mu.Lock()
	defer p.writes.mu.Unlock()
	return p.writes.all[len(p.writes.all)-1].rev
}

// page reads the next page of one of at most five lists.
func (p *paged) page() {
	i := p.random.IntN(5)
	for len(p.lists) <= i {
		p.lists = append(p.lists, p.begin())
	}
	if p.next(p.lists[i]); p.lists[i].ended {
		p.check(p.lists[i])
		p.lists[i] = p.begin()
	}
}

// begin returns a list whose first page is to be read.
func (p *paged) begin() *pagedList {
	l := &pagedList{path: "/api/v1/configmaps?limit=" + strconv.Itoa(1+p.random.IntN(9))}
	if p.random.IntN(3) == 0 {
		l.path, l.prefix = strings.Replace(l.path, "/configmaps", "/namespaces/other/configmaps", 1), "other/"
	}
	if l.odd = p.random.IntN(3) == 0; l.odd {
		l.path += "&labelSelector=odd%3D1"
	}
	return l
}

// next reads the next page.
func (p *paged) next(l *pagedList) {
	query := ""
	if l.token != "" {
		query = "&continue=" + url.QueryEscape(l.token)
	} else if at := p.newest(); len(l.parts) == 0 {
		query = []string{"", "&resourceVersion=0", fmt.Sprint("&resourceVersion=", at),
			fmt.Sprint("&resourceVersionMatch=NotOlderThan&resourceVersion=", at),
			fmt.Sprint("&resourceVersionMatch=Exact&resourceVersion=", max(2, at-p.random.Int64N(20))),
		}[p.random.IntN(5)]
	}
	code, answer := apitest.Object(p, p.c, "GET", l.path+query, "")
	meta := answer["metadata"].(map[string]any)
	token, _ := meta["continue"].(string)
	switch {
	case code == 410 && answer["reason"] == "Expired" && l.token == "":
		l.ended = true
		return
	case code == 410 && answer["reason"] == "Expired" && token != "" && len(l.parts) > 0:
		l.token = token
		l.parts = append(l.parts, pagedPart{remaining: -1})
		return
	case code != 200:
		p.Fatalf("GET %s%s: %d %v", l.path, query, code, answer)
	}
	rev, _ := strconv.ParseInt(meta["resourceVersion"].(string), 10, 64)
	if len(l.parts) == 0 {
		l.parts = []pagedPart{{rev: rev}}
	}
	part := &l.parts[len(l.parts)-1]
	if part.rev == 0 {
		part.rev = rev
	}
	if part.rev != rev {
		p.Errorf("%s: a page of revision %d follows one of %d", l.path, rev, part.rev)
	}
	part.remaining = -1
	if n, ok := meta["remainingItemCount"].(float64); ok {
		part.remaining = int(n)
	}
	for _, item := range answer["items"].([]any) {
		meta := item.(map[string]any)["metadata"].(map[string]any)
		part.keys = append(part.keys, fmt.Sprint(meta["namespace"], "/", meta["name"], "@", meta["resourceVersion"]))
	}
	l.token, l.ended = token, token == ""
}

// finish checks lists as far as they are read.
func (p *paged) finish() {
	for _, l := range p.lists {
		p.check(l)
	}
}

// check compares what a list has had with the writes. All of them have been noted.
func (p *paged) check(l *pagedList) {
	if len(l.parts) == 0 {
		if l.ended {
			p.went["410 at its beginning"]++
		}
		return
	}
	after := ""
	for i, part := range l.parts {
		last := i == len(l.parts)-1
		if part.rev == 0 && last {
			return // nothing was read after a 410
		}
		want := p.state(part.rev, l, after)
		n := len(part.keys)
		if n > len(want) || last && l.ended && n < len(want) || fmt.Sprint(part.keys) != fmt.Sprint(want[:n]) {
			p.Errorf("%s, part %d of %d at revision %d, after %q:\n%v\nwant\n%v", l.path, i, len(l.parts), part.rev, after,
				part.keys, want)
			return
		}
		if part.remaining >= 0 && part.remaining != len(want)-n || part.remaining >= 0 && l.odd {
			p.Errorf("%s: %d remain of %d after %d", l.path, part.remaining, len(want), n)
		}
		if n > 0 {
			after, _, _ = strings.Cut(part.keys[n-1], "@")
		}
	}
	if !l.ended {
		return
	}
	if len(l.parts) > 1 {
		p.went["continued after a 410"]++
	} else {
		p.went["whole"]++
	}
}

// state returns what is after a key at a revision, in order.
func (p *paged) state(rev int64, l *pagedList, after string) (keys []string) {
	p.writes.mu.Lock()
	defer p.writes.mu.Unlock()
	latest := map[string]noted{}
	for _, w := range p.writes.all {
		if w.rev <= rev {
			latest[w.key] = w
		}
	}
	for _, key := range slices.Sorted(maps.Keys(latest)) {
		w := latest[key]
		if !w.deleted && key > after && strings.HasPrefix(key, l.prefix) && (w.odd || !l.odd) {
			keys = append(keys, fmt.Sprint(key, "@", w.rev))
		}
	}
	return keys
}
