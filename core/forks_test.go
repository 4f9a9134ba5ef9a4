package core

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
)

// TestForksAreIsolated writes at random in a family of clusters, of which some are forks of forks: what one of them
// writes is never seen in another.
func TestForksAreIsolated(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { t.Parallel(); runIsolated(t, seed, 150) })
	}
}

func FuzzForksAreIsolated(f *testing.F) {
	f.Add(uint64(100))
	f.Fuzz(func(t *testing.T, seed uint64) { runIsolated(t, seed, 60) })
}

func runIsolated(t *testing.T, seed uint64, operations int) {
	r := rand.New(rand.NewPCG(seed, 5))
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	family, has := []*Cluster{c}, []string{dump(c)}
	for op := range operations {
		n := r.IntN(len(family))
		one, name := family[n], fmt.Sprint("o", r.IntN(6))
		write := func(method, path, body string) { apitest.Do(one, method, path, body) } // which may be refused
		switch p := r.IntN(100); {
		case p < 30:
			write("POST", configMaps, fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":"%d"}}}`, name, r.IntN(3)))
		case p < 45:
			write("PATCH", configMaps+"/"+name,
				fmt.Sprintf(`{"metadata":{"labels":{"app":"%d"}},"data":{"v":"%d"}}`, r.IntN(3), op))
		case p < 55:
			write("DELETE", configMaps+"/"+name, "")
		case p < 62:
			write("POST", services, nodePort(name))
		case p < 66:
			write("DELETE", services+"/"+name, "")
		case p < 74:
			write("POST", tabs,
				fmt.Sprintf(`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":%q}}`, name))
		case p < 78:
			write("DELETE", tabs, "") // the whole collection
		case p < 82:
			category := fmt.Sprint("c", op)
			write("PATCH", definitions+"/crontabs.stable.example.com", `{"spec":{"names":{"categories":["`+category+`"]}}}`)
			s := follow(t, one, definitions+"?watch=1") // until the controller of definitions has accepted it
			for accepted := ""; accepted != category; {
				list, _ := at(s.Next(), "object.status.acceptedNames.categories").([]any)
				if len(list) > 0 {
					accepted = list[0].(string)
				}
			}
			s.Stop()
		case p < 86:
			write("POST", plane+"/compact", "{}")
		default:
			f, _ := forkOf(t, one, byte(op))
			if got := dump(f); got != has[n] {
				t.Fatalf("a fork has\n%s", differ(got, has[n]))
			}
			if len(family) < 5 {
				family, has = append(family, f), append(has, has[n])
			} else {
				other := r.IntN(len(family))
				family[other], has[other] = f, has[n]
				n = other
			}
		}
		for m, other := range family {
			got := dump(other)
			if m != n && got != has[m] {
				t.Fatalf("after operation %d on cluster %d, cluster %d has\n%s", op, n, m, differ(got, has[m]))
			}
			has[m] = got
		}
	}
}

// differ returns the first lines of two dumps that differ.
func differ(got, want string) string {
	b := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(b) || line != b[i] {
			return fmt.Sprintf("%s\nwant\n%s", line, b[min(i, len(b)-1)])
		}
	}
	return "no line"
}

// TestForksInParallel uses 200 forks at once, each with its own writes, lists and watch, while the cluster is
// written to as well: for the race detector.
func TestForksInParallel(t *testing.T) {
	c, _ := newCluster(t, Options{Controllers: true})
	must(t, c, 201, "POST", definitions, crontabs("crontabs", "CronTab", "ct"))
	condition(t, c, "crontabs", "Established", "True")
	for i := range 50 {
		must(t, c, 201, "POST", configMaps, configMap(fmt.Sprint("c", i), "1"))
	}
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			f, err := c.Fork(Options{Clock: clock.NewManual(start), Rand: rand.NewChaCha8([32]byte{byte(n), 9})})
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			before := at(must(t, f, 200, "GET", configMaps, ""), "metadata.resourceVersion")
			s := follow(t, f, fmt.Sprint(configMaps, "?watch=1&resourceVersion=", before))
			defer s.Stop()
			mine := fmt.Sprint("mine-", n)
			must(t, f, 201, "POST", configMaps, configMap(mine, "1"))
			must(t, f, 200, "PUT", configMaps+"/c7", configMap("c7", mine))
			must(t, f, 201, "POST", tabs, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}}`)
			for _, want := range []string{"ADDED " + mine, "MODIFIED c7"} {
				e := s.Next()
				if got := fmt.Sprint(e["type"], " ", at(e, "object.metadata.name")); got != want {
					t.Errorf("fork %d sees %s, want %s", n, got, want)
				}
			}
			must(t, f, 201, "POST", plane+"/compact", "{}")
		})
		if n%20 == 0 {
			must(t, c, 200, "PUT", configMaps+"/c9", configMap("c9", fmt.Sprint(n)))
		}
	}
	all.Wait()
	for _, item := range must(t, c, 200, "GET", configMaps, "")["items"].([]any) {
		if name := at(item, "metadata.name").(string); strings.HasPrefix(name, "mine") {
			t.Errorf("the cluster has %s", name)
		}
	}
}

// prepared returns a cluster of n ConfigMaps.
func prepared(t testing.TB, n int) *Cluster {
	c, _ := newCluster(t, Options{Clock: clock.Real()})
	for i := range n {
		r := httptest.NewRequest("POST", configMaps, strings.NewReader(
			fmt.Sprintf(`{"metadata":{"name":"c%06d","labels":{"app":"a","n":"%d"}},"data":{"v":"1"}}`, i, i)))
		w := &discard{header: http.Header{}}
		if c.ServeHTTP(w, r); w.code != 201 {
			t.Fatal(w.code)
		}
	}
	return c
}

// TestThousandForks keeps a thousand forks of a cluster with a thousand objects: each takes less than 64 KB.
func TestThousandForks(t *testing.T) {
	const forks = 1000
	c := prepared(t, 1000)
	all := make([]*Cluster, forks)
	before := apitest.InUse()
	for i := range all {
		f, err := c.Fork(Options{Clock: clock.Real(), Rand: randomness()})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = f
	}
	took := (apitest.InUse() - before) / forks
	t.Logf("a fork takes %d bytes", took)
	if took > 64<<10 {
		t.Errorf("a fork takes %d bytes", took)
	}
	for i, f := range all {
		must(t, f, 201, "POST", configMaps, configMap(fmt.Sprint("f", i), "1"))
	}
	for i, f := range all {
		if i%100 == 0 {
			must(t, f, 200, "GET", configMaps+fmt.Sprint("/f", i), "")
			must(t, f, 404, "GET", configMaps+fmt.Sprint("/f", i+1), "")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	runtime.KeepAlive(all)
}

// BenchmarkFork is a fork of a cluster and its end, without and with a write in it.
func BenchmarkFork(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		c := prepared(b, n)
		for _, writes := range []bool{false, true} {
			name := fmt.Sprintf("objects=%d", n)
			if writes {
				name += "/write"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f, err := c.Fork(Options{Clock: clock.Real(), Rand: randomness()})
					if err != nil {
						b.Fatal(err)
					}
					if writes {
						bench(b, f, 201, "POST", configMaps, configMap("new", "1"))
					}
					if err := f.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
