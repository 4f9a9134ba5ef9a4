package core

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
)

// clusterState is all the state that a snapshot has to restore.
type clusterState struct {
	cluster                 string
	head, compacted, offset any
	past                    string // a list from before the last write
}

func stateOf(t *testing.T, c *Cluster, then int64) clusterState {
	t.Helper()
	now := must(t, c, 200, "GET", plane, "")
	code, past := call(t, c, "GET", exact(configMaps, then), "")
	if code != 200 {
		t.Fatalf("the list as of %d: %d %s", then, code, past)
	}
	return clusterState{
		identity(t, c), at(now, "status.revision"), at(now, "status.compactedRevision"),
		at(now, "status.clock.offsetSeconds"), past,
	}
}

// remainingEvents returns the types of the events that a watch gets until it ends.
func remainingEvents(w *tail) string {
	var words []string
	for e := w.Next(); e != nil; e = w.Next() {
		word := e["type"].(string)
		if word == "ERROR" {
			word += fmt.Sprintf(" %v %v", at(e, "object.code"), at(e, "object.reason"))
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// TestSnapshotUndoesLevers uses each lever that drops history, and restores a snapshot from before: it is
// the same cluster again, and clients continue where they were.
func TestSnapshotUndoesLevers(t *testing.T) {
	for _, test := range []struct {
		act, body string
		words     string // the end of a watch from before
		after     string // and of one that began after it
	}{
		{"compact", "{}", "", ""},
		{"advance", `{"seconds":3000}`, "", ""},
		{"reset", "{}", "ERROR 410 Expired", "ERROR 410 Expired"},
		{"disconnect", "{}", "", ""},
	} {
		t.Run(test.act, func(t *testing.T) {
			storage := journal.NewMemory(nil)
			c, host := newCluster(t, Options{Storage: storage})
			must(t, c, 201, "POST", plane+"/advance", `{"seconds":100}`)
			must(t, c, 201, "POST", configMaps, configMap("a", "1"))
			then := revision(t, c)
			must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
			seen := revision(t, c)
			must(t, c, 201, "POST", configMaps, configMap("b", "1"))
			want := stateOf(t, c, then)
			if want.offset != 100.0 {
				t.Fatalf("the clock is %v s ahead", want.offset)
			}
			before := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
			code, saved := call(t, c, "GET", plane+"/snapshot", "")
			if code != 200 {
				t.Fatal(code)
			}
			must(t, c, 201, "POST", plane+"/"+test.act, test.body)
			if test.act == "compact" || test.act == "advance" {
				must(t, c, 410, "GET", exact(configMaps, then), "")
			}
			after := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
			host.Advance(20 * time.Second) // in which the clock continues
			must(t, c, 201, "PUT", plane+"/snapshot", saved)
			if got := stateOf(t, c, then); got != want {
				t.Errorf("put back is\n%+v\nwant\n%+v", got, want)
			}
			c.current.Load().history.CompactOld() // as soon as possible
			if got := stateOf(t, c, then); got != want {
				t.Errorf("some time later it is\n%+v\nwant\n%+v", got, want)
			}
			if got := remainingEvents(before); got != test.words {
				t.Errorf("a watch from before ends with %q, want %q", got, test.words)
			}
			if got := remainingEvents(after); got != test.after {
				t.Errorf("a watch from after the act ends with %q, want %q", got, test.after)
			}
			// A client that has seen a part continues from there.
			made := must(t, c, 201, "POST", configMaps, configMap("c", "1"))
			if got := at(made, "metadata.resourceVersion"); got != fmt.Sprint(want.head.(float64)+1) {
				t.Errorf("the next revision is %v after %v", got, want.head)
			}
			w := follow(t, c, fmt.Sprintf("%s?watch=1&resourceVersion=%d", configMaps, seen))
			for _, name := range []string{"b", "c"} {
				if e := w.Next(); e["type"] != "ADDED" || at(e, "object.metadata.name") != name {
					t.Errorf("a watch that goes on is told %v, want ADDED %s", e, name)
				}
			}
			if got := identity(t, reopen(t, storage)); got != want.cluster {
				t.Errorf("after a reload the cluster is %s, was %s", got, want.cluster)
			}
		})
	}
}

// TestSnapshotThatLosesWritesIsAnotherCluster restores a snapshot from before some writes, so that
// their revisions will be used again.
func TestSnapshotThatLosesWritesIsAnotherCluster(t *testing.T) {
	for _, storage := range []journal.Storage{nil, journal.NewMemory(nil)} {
		c, _ := newCluster(t, Options{Storage: storage})
		must(t, c, 201, "POST", configMaps, configMap("a", "1"))
		first := identity(t, c)
		_, saved := call(t, c, "GET", plane+"/snapshot", "")
		must(t, c, 201, "POST", configMaps, configMap("b", "1"))
		_, later := call(t, c, "GET", plane+"/snapshot", "")
		w := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
		must(t, c, 201, "PUT", plane+"/snapshot", saved)
		if got := remainingEvents(w); got != "ERROR 410 Expired" {
			t.Errorf("the watch ends with %q", got)
		}
		second := identity(t, c)
		if second == first {
			t.Error("it has the uid of the cluster that had come further")
		}
		// The first cluster had a later head when it ended, and that is restored.
		must(t, c, 201, "PUT", plane+"/snapshot", later)
		if got := identity(t, c); got != first {
			t.Errorf("the cluster as it ended is %s, was %s", got, first)
		}
		must(t, c, 201, "POST", configMaps, configMap("c", "1"))
		must(t, c, 201, "PUT", plane+"/snapshot", later)
		if got := identity(t, c); got == first || got == second {
			t.Errorf("it has an old uid, %s", got)
		}
		must(t, c, 404, "GET", configMaps+"/c", "")
	}
}

// TestForkIsAnotherCluster goes back to an older revision.
func TestForkIsAnotherCluster(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	n := revision(t, c)
	must(t, c, 201, "POST", configMaps, configMap("b", "1"))
	first := identity(t, c)
	w := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
	_, saved := call(t, c, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, n), "")
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	if got := remainingEvents(w); got != "ERROR 410 Expired" {
		t.Errorf("the watch ends with %q", got)
	}
	if identity(t, c) == first {
		t.Error("it has the uid of the cluster that it was forked from")
	}
}

// TestPausedClockIsRestored saves a cluster whose clock is paused, and restores it when the
// host's time has moved on.
func TestPausedClockIsRestored(t *testing.T) {
	c, host := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	runs := revision(t, c)
	must(t, c, 200, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"clock":{"paused":true}}}`)
	host.Advance(time.Hour)
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	_, fork := call(t, c, "GET", fmt.Sprintf("%s/snapshot?revision=%d", plane, runs), "")
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":600}`)
	host.Advance(time.Hour)
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	now := func() time.Duration { return c.current.Load().clock.Now().Sub(start) }
	if got := now(); got != 0 {
		t.Errorf("it stands at %v", got)
	}
	must(t, c, 200, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"clock":{"paused":false}}}`)
	host.Advance(time.Second)
	if got := now(); got != time.Second {
		t.Errorf("it goes on to %v", got)
	}
	// Restored to a time when the clock was not paused, it runs on from where it was.
	must(t, c, 201, "PUT", plane+"/snapshot", fork)
	host.Advance(time.Second)
	if got := now(); got != time.Second {
		t.Errorf("the fork's is at %v", got)
	}
}

// TestReplacedClusterCommitsNothing writes to a cluster that has been replaced, as can a request that
// began before.
func TestReplacedClusterCommitsNothing(t *testing.T) {
	for _, storage := range []journal.Storage{nil, journal.NewMemory(nil)} {
		c, _ := newCluster(t, Options{Storage: storage})
		old := c.current.Load()
		must(t, c, 201, "POST", plane+"/reset", "")
		w := apitest.Do(old.server, "POST", configMaps, configMap("a", "1"))
		if w.Code != 503 || w.Header().Get("Retry-After") != "1" {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}
