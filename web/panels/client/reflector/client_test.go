package reflector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

const (
	added    = revisions.Added
	modified = revisions.Modified
	deleted  = revisions.Deleted
)

// scene runs a client against a server, in a bubble whose time is not real.
func scene(t *testing.T, mode Mode, play func(s *server, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.commit(added, "a")
		s.commit(added, "b")
		c := &Client{Transport: s, Clock: s, Path: "/api/v1/pods", Mode: mode, Cache: &objects.Store{}}
		ctx, cancel := context.WithCancel(t.Context())
		go c.Run(ctx)
		s.settle()
		play(s, c)
		cancel()
		s.settle()
		if got := c.State().String(); got != "stopped" {
			t.Errorf("%s, without a context", got)
		}
	})
}

// long is more than the longest delay.
const long = 2 * maxDelay

// marks returns the rows that differ: "b stale: …".
func marks(c *Client, s *server) string {
	var out []string
	for _, r := range c.Diff(s.tracker.Server()) {
		if r.Mark != Same {
			word, _, _ := strings.Cut(Marks[r.Mark], ":")
			out = append(out, r.Name+" "+word)
		}
	}
	return strings.Join(out, ", ")
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestCorrect(t *testing.T) {
	scene(t, Correct, func(s *server, c *Client) {
		expect(t, "state", c.State().String(), "watching after 12")
		s.commit(added, "c")
		s.commit(modified, "a")
		expect(t, "before the events", marks(c, s), "a not received yet, c not received yet")
		s.settle()
		expect(t, "cache", caches(c.Cache), "a@14 b@12 c@13")
		expect(t, "state", c.State().String(), "watching after 14")

		s.cut() // resumes
		s.commit(deleted, "b")
		s.settle()
		expect(t, "after a cut", caches(c.Cache), "a@14 c@13")

		s.commit(added, "") // of another resource
		s.bookmark()
		s.settle()
		expect(t, "after a bookmark", c.State().String(), "watching after 16")
		s.pass(shortWatch)
		s.compact()
		s.cut()
		s.settle()
		expect(t, "compacted at the bookmark", c.State().String(), "watching after 16")

		s.pass(shortWatch)
		s.cut()
		s.down = true
		s.commit(deleted, "a")
		s.commit(added, "d")
		s.compact()
		s.settle()
		expect(t, "away", c.State().String(), "backing off 0.8 s: connection refused")
		expect(t, "away", marks(c, s), "a not received yet, d not received yet")
		s.down = false
		s.pass(long)
		expect(t, "after a 410", caches(c.Cache), "c@13 d@18")
		expect(t, "after a 410", marks(c, s), "")
		if n := c.State().Counts; n.Lists != 2 || n.Bookmarks != 1 {
			t.Errorf("%+v", n)
		}
		want := []string{
			"?limit=500&resourceVersion=0",
			"?watch=1&allowWatchBookmarks=true&resourceVersion=12",
			"?watch=1&allowWatchBookmarks=true&resourceVersion=14",
			"?watch=1&allowWatchBookmarks=true&resourceVersion=16",
			"?watch=1&allowWatchBookmarks=true&resourceVersion=16", // refused
			"?watch=1&allowWatchBookmarks=true&resourceVersion=16", // 410
			"?resourceVersion=16",
			"?watch=1&allowWatchBookmarks=true&resourceVersion=18",
		}
		if !slices.Equal(s.requests, want) {
			t.Errorf("requests:\n%s", strings.Join(s.requests, "\n"))
		}
	})
}

// What each mistake does to the cache, and that the same does nothing to a client
// that makes none.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		play func(s *server)
		want string
	}{
		{SkipsMissed, func(s *server) {
			s.cut()
			s.commit(modified, "a")
			s.commit(deleted, "b")
			s.commit(added, "c")
		}, "a stale, b ghost, c missing"},
		{NewestObject, func(s *server) {
			s.commit(added, "")
			s.commit(added, "")
			s.compact()
			s.cut()
			s.commit(modified, "a")
			s.commit(deleted, "b")
			s.commit(added, "c")
		}, "a stale, b ghost, c missing"},
		{KeepsDeleted, func(s *server) {
			s.cut()
			s.commit(modified, "a")
			s.commit(deleted, "b")
			s.commit(added, "c")
			s.compact()
		}, "b ghost"},
	} {
		for _, mode := range []Mode{test.mode, Correct} {
			scene(t, mode, func(s *server, c *Client) {
				s.pass(shortWatch)
				test.play(s)
				s.pass(long)
				want := test.want
				if mode == Correct {
					want = ""
				}
				name := Modes[mode].ID + " in what is bad for " + Modes[test.mode].ID
				expect(t, name, marks(c, s), want)
				if mode == Correct {
					expect(t, name, caches(c.Cache), s.has())
				}
				// It does not get better by itself.
				for range 10 {
					s.commit(added, "")
					s.bookmark()
					s.pass(long)
				}
				expect(t, name+", much later", marks(c, s), want)
			})
		}
	}
}

// Without what is bad for it a mistake is not seen.
func TestMistakesAreNotSeenInCalm(t *testing.T) {
	for _, info := range Modes {
		scene(t, info.Mode, func(s *server, c *Client) {
			s.commit(modified, "a")
			s.commit(deleted, "b")
			s.commit(added, "c")
			s.settle()
			expect(t, info.ID, caches(c.Cache), s.has())
			expect(t, info.ID, marks(c, s), "")
		})
	}
}

// Whatever happens, the correct client has in the end what the server has, and the
// others do not always.
func TestAnyHistory(t *testing.T) {
	wrong := map[Mode]int{}
	for seed := range uint64(60) {
		for _, info := range Modes {
			scene(t, info.Mode, func(s *server, c *Client) {
				randomWrites(rand.New(rand.NewPCG(seed, 1)), s)
				s.pass(long)
				s.pass(long)
				expect(t, fmt.Sprint(info.ID, ", late, seed ", seed), lateOnes(c, s), "")
				switch {
				case info.Mode == Correct:
					expect(t, fmt.Sprint("seed ", seed), caches(c.Cache), s.has())
					expect(t, fmt.Sprint("seed ", seed), marks(c, s), "")
				case caches(c.Cache) != s.has():
					wrong[info.Mode]++
					if marks(c, s) == "" {
						t.Errorf("seed %d, %s: %s is not %s, but no row differs", seed, info.ID, caches(c.Cache), s.has())
					}
				}
			})
		}
	}
	for _, info := range Modes[1:] {
		if wrong[info.Mode] < 10 {
			t.Errorf("%s went wrong in %d of 60 histories", info.ID, wrong[info.Mode])
		}
	}
}

// lateOnes returns the names of rows that are marked Late.
func lateOnes(c *Client, s *server) string {
	var out []string
	for _, r := range c.Diff(s.tracker.Server()) {
		if r.Mark == Late {
			out = append(out, r.Name)
		}
	}
	return strings.Join(out, " ")
}

// randomWrites is a history of writes, cuts, compactions and failures.
func randomWrites(r *rand.Rand, s *server) {
	for range 60 {
		name := string(rune('a' + r.IntN(6)))
		switch n := r.IntN(20); {
		case n < 8 && s.live[name] == 0:
			s.commit(added, name)
		case n < 8:
			s.commit(modified, name)
		case n < 11 && s.live[name] > 0:
			s.commit(deleted, name)
		case n < 13:
			s.commit(added, "")
		case n == 13:
			s.bookmark()
		case n == 14:
			s.compact()
		case n < 17:
			s.cut()
		case n == 17:
			s.answers = append(s.answers, status([]int{429, 500, 503, 410}[r.IntN(4)], "Chaos"))
		case n == 18:
			s.down = true
		default:
			s.down = false
		}
		if r.IntN(3) > 0 {
			s.pass(time.Duration(r.IntN(3000)) * time.Millisecond)
		}
	}
	s.down, s.answers = false, nil
}

func TestPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		for i := range 1253 {
			s.commit(added, fmt.Sprintf("pod-%04d", i))
		}
		c := &Client{Transport: s, Clock: s, Path: "/api/v1/pods?labelSelector=a", Cache: &objects.Store{}, Consistent: true}
		var states []string
		c.Changed = func(o *objects.Object) { states = append(states, c.State().String()) }
		ctx, cancel := context.WithCancel(t.Context())
		defer s.settle()
		defer cancel()
		go c.Run(ctx)
		s.settle()
		if c.Cache.Len() != 1253 || c.Cache.Revision != s.rev {
			t.Errorf("%d objects at %d", c.Cache.Len(), c.Cache.Revision)
		}
		expect(t, "states", strings.Join(states, "; "), "listing; listing, page 2; listing, page 3; watching after 1263")
		expect(t, "a request", s.requests[1], "?labelSelector=a&limit=500&continue=1263.500")
	})
}

// A snapshot that is gone between two pages makes the client read all at once.
func TestPagesOfASnapshotThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		for i := range 600 {
			s.commit(added, fmt.Sprintf("pod-%04d", i))
		}
		c := &Client{Transport: s, Clock: s, Path: "/api/v1/pods", Cache: &objects.Store{}, Consistent: true}
		c.Changed = func(*objects.Object) {
			if c.State().Page == 2 && len(s.requests) == 1 {
				s.commit(deleted, "pod-0001")
				s.compact()
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer s.settle()
		defer cancel()
		go c.Run(ctx)
		s.settle()
		expect(t, "cache", caches(c.Cache), s.has())
		expect(t, "requests", strings.Join(s.requests, " "), "?limit=500 ?limit=500&continue=610.500  "+
			"?watch=1&allowWatchBookmarks=true&resourceVersion=611")
	})
}

// A list that breaks off leaves the cache as it was.
func TestAListThatFails(t *testing.T) {
	scene(t, Correct, func(s *server, c *Client) {
		s.pass(shortWatch)
		s.commit(added, "c")
		s.settle()
		s.answers = []Answer{
			status(500, "InternalError"), {200, "{"}, {Status: 502}, status(504, "ResourceVersionTooLarge"),
			status(403, "Forbidden"),
		}
		s.cut()
		s.settle()
		expect(t, "cache", caches(c.Cache), "a@11 b@12 c@13")
		for _, want := range []string{
			"backing off 0.8 s: 500 InternalError", // the watch
			"backing off 1.6 s: scan: not JSON",
			"backing off 3.2 s: 502 Bad Gateway",
			"backing off 6.4 s: 403 Forbidden", // without the version that was too large
			"watching after 13",
		} {
			expect(t, "state", c.State().String(), want)
			expect(t, "cache", caches(c.Cache), "a@11 b@12 c@13")
			s.pass(c.State().Delay)
		}
		expect(t, "the last list", s.requests[len(s.requests)-2], "?limit=500")
	})
}

// Delays grow up to the longest one, and start again after some calm.
func TestBackoff(t *testing.T) {
	scene(t, Correct, func(s *server, c *Client) {
		s.down = true
		s.cut()
		s.settle()
		var delays []string
		for range 8 {
			delays = append(delays, c.State().Delay.String())
			s.pass(c.State().Delay)
		}
		expect(t, "delays", strings.Join(delays, " "), "800ms 1.6s 3.2s 6.4s 12.8s 25.6s 30s 30s")
		s.down = false
		s.pass(maxDelay + resetAfter)
		s.down = true
		s.cut()
		s.settle()
		expect(t, "after calm", c.State().Delay.String(), "800ms")
		s.down = false
	})
}

// A watch that ends at once, again and again, is no busy loop.
func TestAWatchThatEndsAtOnce(t *testing.T) {
	scene(t, Correct, func(s *server, c *Client) {
		before := len(s.requests)
		for range 20 {
			s.cut()
			s.settle()
		}
		if n := len(s.requests) - before; n > 2 {
			t.Errorf("%d requests in no time", n)
		}
		expect(t, "state", c.State().String(), "backing off 0.8 s: the watch ended at once")
	})
}

func TestModes(t *testing.T) {
	for i, m := range Modes {
		if int(m.Mode) != i || ByID(m.ID) != m.Mode || m.Name == "" || !strings.HasSuffix(m.Note, ".") {
			t.Errorf("%d: %+v", i, m)
		}
	}
	if ByID("nonsense") != Correct {
		t.Error("an unknown mode is a mistake")
	}
}
