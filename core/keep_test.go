package core

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
)

// watchedAt returns the events that a watch from a revision gets at once from an API server, or the
// code of its error.
func watchedAt(t *testing.T, c *Cluster, server int, from string) string {
	t.Helper()
	w := apitest.Do(c, "GET", configMaps+"?watch=1&timeoutSeconds=-1&resourceVersion="+from, "", "Tabernetes-Replica",
		fmt.Sprint(server))
	var events []string
	for line := range strings.Lines(w.Body.String()) {
		e := parsed(t, line)
		if e["type"] == "ERROR" {
			return fmt.Sprint(at(e, "object.code"), " ", at(e, "object.message"))
		}
		events = append(events, fmt.Sprint(e["type"], " ", at(e, "object.metadata.name")))
	}
	return strings.Join(events, ", ")
}

// TestCacheOutlivesCompaction watches from before a compaction at servers whose caches keep
// compacted events for different times.
func TestCacheOutlivesCompaction(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, clock := newCluster(t, Options{Storage: storage})
	setSpec(t, c, `{"cache":{"replicas":[{},{"keepSeconds":60},{"keepSeconds":20,"lagSeconds":5}]}}`)
	version := func(obj map[string]any) string { return at(obj, "metadata.resourceVersion").(string) }
	first := version(must(t, c, 201, "POST", configMaps, configMap("a", "1")))
	must(t, c, 201, "POST", configMaps, configMap("b", "1"))
	token := at(must(t, c, 200, "GET", configMaps+"?limit=1", ""), "metadata.continue").(string)
	clock.Advance(10 * time.Second)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 200, "DELETE", configMaps+"/b", "")
	clock.Advance(10 * time.Second)
	last := version(must(t, c, 201, "POST", configMaps, configMap("c", "1")))
	must(t, c, 201, "POST", plane+"/compact", "")

	const all = "ADDED b, MODIFIED a, DELETED b, ADDED c"
	tooOld := func(horizon string) string {
		return fmt.Sprintf("410 too old resource version: %s (%s)", first, horizon)
	}
	for _, test := range []struct {
		passed time.Duration // since the test before
		want   []string      // of a watch from the first revision at each server
	}{
		{0, []string{tooOld(last), all, tooOld(fmt.Sprint(toInt(first) + 1))}},
		{30 * time.Second, []string{tooOld(last), all, tooOld(last)}},
		{10 * time.Second, []string{tooOld(last), tooOld(fmt.Sprint(toInt(first) + 1)), tooOld(last)}},
		{20 * time.Second, []string{tooOld(last), tooOld(last), tooOld(last)}},
	} {
		clock.Advance(test.passed)
		for server, want := range test.want {
			if got := watchedAt(t, c, server, first); got != want {
				t.Errorf("%v later, server %d: %s, want %s", test.passed, server, got, want)
			}
		}
		// What etcd answers is 410 at each of them.
		for server := range test.want {
			for _, query := range []string{"resourceVersionMatch=Exact&resourceVersion=" + first, "limit=1&continue=" +
				url.QueryEscape(token)} {
				code, obj, _ := getFrom(t, c, fmt.Sprint(server), configMaps+"?"+query)
				if code != 410 || obj["reason"] != "Expired" {
					t.Errorf("server %d: %s: %d %v", server, query, code, obj["reason"])
				}
			}
		}
	}
}

func toInt(text string) (n int64) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

// TestWatchGoesOnBeyondCompaction checks that a client which reconnects continues without a list,
// and that the watch it opens is like any other.
func TestWatchGoesOnBeyondCompaction(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"cache":{"replicas":[{"keepSeconds":60}]}}`)
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	must(t, c, 201, "POST", plane+"/compact", "")
	w := follow(t, c, configMaps+"?watch=1&resourceVersion="+first)
	expect := func(want string) {
		t.Helper()
		if e := w.Next(); fmt.Sprint(e["type"], " ", at(e, "object.data.v")) != want {
			t.Fatalf("event %v, want %s", e, want)
		}
	}
	expect("MODIFIED 2")
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	must(t, c, 201, "POST", plane+"/compact", "")
	expect("MODIFIED 3")
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":600}`) // reads all events that are too old by then
	must(t, c, 200, "DELETE", configMaps+"/a", "")
	expect("DELETED 3")
}

// TestKeptIsInMemory checks that kept events are neither in the log nor in a snapshot, and gone
// after a restart.
func TestKeptIsInMemory(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	setSpec(t, c, `{"cache":{"replicas":[{"keepSeconds":3600}]}}`)
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "was-kept"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	must(t, c, 201, "POST", plane+"/compact", "")
	if got := watchedAt(t, c, 0, first); got != "MODIFIED a, MODIFIED a" {
		t.Fatalf("before: %s", got)
	}
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	if strings.Contains(saved, "was-kept") {
		t.Error("the snapshot has what is kept")
	}
	again := reopen(t, storage)
	if got := watchedAt(t, again, 0, first); !strings.HasPrefix(got, "410") {
		t.Errorf("after a restart: %s", got)
	}
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	if got := watchedAt(t, c, 0, first); !strings.HasPrefix(got, "410") {
		t.Errorf("after the snapshot was put back: %s", got)
	}
}

// TestKeptEventsAreDroppedFirst checks that kept events are the first to be dropped when the quota is reached.
func TestKeptEventsAreDroppedFirst(t *testing.T) {
	c, _ := newCluster(t, Options{Quota: smallQuota})
	setSpec(t, c, `{"cache":{"replicas":[{"keepSeconds":86400}]}}`)
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	value := strings.Repeat("x", 50_000)
	for n := range 60 { // which is three times the quota
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(n, value)))
		if n == 5 {
			must(t, c, 201, "POST", plane+"/compact", "")
			if got := watchedAt(t, c, 0, first); strings.HasPrefix(got, "410") {
				t.Fatalf("before the quota is used up: %s", got)
			}
		}
	}
	if got := watchedAt(t, c, 0, first); !strings.HasPrefix(got, "410") {
		t.Errorf("it is kept all the same: %.100s", got)
	}
}

func TestKeepIsValidated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for keep, want := range map[string]string{
		"-1":    "-1: must be between 0 and 86400, inclusive",
		"86401": "86401: must be between 0 and 86400, inclusive",
		`"1"`:   `"1": must be a whole number of seconds`,
	} {
		got := must(t, c, 422, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"cache":{"replicas":[{},{"keepSeconds":`+
			keep+`}]}}}`)
		if message := got["message"].(string); !strings.Contains(message,
			"spec.cache.replicas[1].keepSeconds: Invalid value: "+want) {
			t.Errorf("%s: %s", keep, message)
		}
	}
}
