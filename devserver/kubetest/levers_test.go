package kubetest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLevers pulls each lever of a new server, of a fork, and of a fork of what Main has prepared, in a bubble and
// outside of one. Main prepares outside of bubbles, so there the objects of the fork are of another time than the
// bubble's.
func TestLevers(t *testing.T) {
	cached := func(t *testing.T, s *Server, name string) bool {
		return strings.Contains(want(t, s.Client, 200, "GET", configMaps+"?resourceVersion=0", ""), `"name":"`+name+`"`)
	}
	levers := map[string]func(t *testing.T, s *Server, pass func(time.Duration)){
		"Lag": func(t *testing.T, s *Server, pass func(time.Duration)) {
			s.Lag(5 * time.Second)
			w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&resourceVersion="+version(t, s.Client))
			defer w.body.Close()
			want(t, s.Client, 201, "POST", configMaps, configMap("lag"))
			pass(4 * time.Second)
			if cached(t, s, "lag") {
				t.Error("the cache has the object before its delay has passed")
			}
			pass(2 * time.Second)
			if !cached(t, s, "lag") {
				t.Error("the cache has no object after its delay")
			}
			if got := w.next(); got != "ADDED lag" {
				t.Errorf("the watch has %q", got)
			}
			s.Lag(0)
			want(t, s.Client, 201, "POST", configMaps, configMap("no-lag"))
			if !cached(t, s, "no-lag") {
				t.Error("the cache is late although the delay has ended")
			}
		},
		"Freeze": func(t *testing.T, s *Server, pass func(time.Duration)) {
			s.Freeze(true)
			want(t, s.Client, 201, "POST", configMaps, configMap("frozen"))
			pass(time.Minute) // after minutes, history would be compacted, and the cache list again
			if cached(t, s, "frozen") {
				t.Error("the cache is not frozen")
			}
			s.Freeze(false)
			if !cached(t, s, "frozen") {
				t.Error("the cache stays frozen")
			}
		},
		"Cut": func(t *testing.T, s *Server, _ func(time.Duration)) {
			w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&resourceVersion="+version(t, s.Client))
			s.Cut()
			if got := w.next(); got != "" || w.Err() != nil {
				t.Errorf("the watch has %q, %v", got, w.Err())
			}
		},
		"Compact": func(t *testing.T, s *Server, _ func(time.Duration)) {
			from := version(t, s.Client)
			want(t, s.Client, 201, "POST", configMaps, configMap("compact"))
			s.Compact()
			w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&resourceVersion="+from)
			defer w.body.Close()
			if got := w.next(); got != "ERROR 410" {
				t.Errorf("the watch has %q", got)
			}
		},
		"Restart": func(t *testing.T, s *Server, _ func(time.Duration)) {
			w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&resourceVersion="+version(t, s.Client))
			s.Restart()
			if got := w.next(); got != "" || w.Err() != nil {
				t.Errorf("the watch has %q, %v", got, w.Err())
			}
		},
		"Chaos": func(t *testing.T, s *Server, pass func(time.Duration)) {
			w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&resourceVersion="+version(t, s.Client))
			s.Chaos(1, time.Second)
			pass(time.Hour)
			if got := w.next(); got != "" {
				t.Errorf("after an hour the watch has %q", got)
			}
			s.Chaos(0, 0)
		},
		"Advance": func(t *testing.T, s *Server, _ func(time.Duration)) {
			w := watch(t, t.Context(), s.Client,
				configMaps+"?watch=1&timeoutSeconds=600&resourceVersion="+version(t, s.Client))
			s.Advance(11 * time.Minute)
			if got := w.next(); got != "" || w.Err() != nil {
				t.Errorf("the watch has %q, %v", got, w.Err())
			}
		},
	}
	servers := map[string]func(t *testing.T) *Server{
		"New":  func(t *testing.T) *Server { return New(t) },
		"Fork": func(t *testing.T) *Server { return New(t).Fork(t) },
		"Main": func(t *testing.T) *Server { return Fork(t) },
	}
	run(tests(func() int {
		for name, lever := range levers {
			for from, server := range servers {
				t.Run(name+"/"+from, func(t *testing.T) {
					s := server(t)
					lever(t, s, s.Advance)
				})
				t.Run(name+"/"+from+"/in a bubble", func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { lever(t, server(t), time.Sleep) })
				})
			}
		}
		return 0
	}), func(t TB, s *Server) {
		s.Apply(t, "testdata")
		s.Do("POST", configMaps, configMap("before"))
	})
}
