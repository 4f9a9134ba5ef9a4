package core

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
)

// getFrom makes a request to one API server and returns its answer, and which server answered.
func getFrom(t testing.TB, h http.Handler, replica, path string) (code int, body map[string]any, who string) {
	t.Helper()
	w := apitest.Do(h, "GET", path, "", "Tabernetes-Replica", replica)
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	return w.Code, body, w.Header().Get("Tabernetes-Replica")
}

// TestAnyVersionGoesBackInTime reads resourceVersion "0" from API servers of which one is stale.
func TestAnyVersionGoesBackInTime(t *testing.T) {
	c, _ := newCluster(t, Options{})
	if code, _, who := getFrom(t, c, "", configMaps); code != 200 || who != "" {
		t.Errorf("one API server: %d from %q", code, who)
	}
	setSpec(t, c, `{"cache":{"replicas":[{},{"frozen":true}]}}`)
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	for turn := range 6 {
		code, list, who := getFrom(t, c, "", configMaps+"?resourceVersion=0")
		want := map[string]int{"0": 1, "1": 0}
		if n := len(list["items"].([]any)); code != 200 || n != want[who] {
			t.Errorf("turn %d: %d, %d items from %s", turn, code, n, who)
		}
		if code, _, answered := getFrom(t, c, who, configMaps+"/a"); code != 200 || answered != who {
			t.Errorf("the most recent from %s: %d from %s", who, code, answered)
		}
	}
	if code, fault, _ := getFrom(t, c, "2", configMaps); code != 400 || fault["reason"] != "BadRequest" {
		t.Errorf("an API server that there is not: %d %v", code, fault)
	}
	caches := at(must(t, c, 200, "GET", plane, ""), "status.cacheRevisions").([]any)
	if len(caches) != 2 || caches[0] != caches[1].(float64)+1 {
		t.Errorf("positions %v", caches)
	}
}

// TestRevisionsStreamShowsSettings follows the state frames of the revisions stream through changes
// without a commit: the clock moves, and a cache with it.
func TestRevisionsStreamShowsSettings(t *testing.T) {
	c, clock := newCluster(t, Options{})
	s := follow(t, c, plane+"/revisions")
	await := func(what string, is func(state any) bool) {
		t.Helper()
		for {
			frame := s.Next()
			if frame == nil {
				t.Fatalf("%s: no such state", what)
			}
			if frame["type"] == "STATE" && is(frame["state"]) {
				return
			}
		}
	}
	behind := func(state any) float64 {
		return at(state, "head").(float64) - at(state, "caches").([]any)[0].(float64)
	}
	setSpec(t, c, `{"cache":{"replicas":[{"lagSeconds":60}]},"history":{"retentionSeconds":3600}}`)
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	await("behind", func(state any) bool { return behind(state) == 1 })
	advanced := make(chan int, 1)
	go func() { // beside the reader: a stream with a frame that is not read yet sets no timer
		clock.AwaitTimers(2) // history, and when the cache moves next
		advanced <- apitest.Do(c, "POST", plane+"/advance", `{"seconds":60}`).Code
	}()
	await("arrived", func(state any) bool { return behind(state) == 0 && at(state, "clock.offsetSeconds") == 60.0 })
	if code := <-advanced; code != 201 {
		t.Fatalf("advancing is answered by %d", code)
	}
	setSpec(t, c, `{"clock":{"paused":true}}`)
	await("paused", func(state any) bool { return at(state, "clock.paused") == true && at(state, "clock.now") != nil })
}

// TestAnHourCompactsAtAnyMoment moves the clock by an hour from many moments: what was replaced before is gone for all
// servers, also if they have not looked up the last compaction in it.
func TestAnHourCompactsAtAnyMoment(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"clock":{"paused":true}}`)
	must(t, c, 201, "POST", configMaps, configMap("a", "0"))
	for n := range 30 {
		version := versionOf(must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint("old ", n))))
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(n)))
		must(t, c, 201, "POST", plane+"/advance", `{"seconds":3600}`)
		must(t, c, 410, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+version, "")
		must(t, c, 201, "POST", plane+"/advance", `{"seconds":11}`)
	}
}

// TestClock moves a cluster's clock, also while it is paused.
func TestClock(t *testing.T) {
	c, host := newCluster(t, Options{})
	now := func() time.Time {
		t.Helper()
		now, err := time.Parse(time.RFC3339Nano, at(must(t, c, 200, "GET", plane, ""), "status.clock.now").(string))
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	start := now()
	setSpec(t, c, `{"clock":{"paused":true}}`)
	host.Advance(time.Hour)
	if got := now(); !got.Equal(start) {
		t.Errorf("paused: %v after %v", got, start)
	}
	token := at(must(t, c, 200, "GET", "/api/v1/namespaces?limit=1", ""), "metadata.continue")
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	page := fmt.Sprintf("/api/v1/namespaces?limit=1&continue=%s", token)
	must(t, c, 200, "GET", page, "")
	must(t, c, 201, "POST", plane+"/advance?dryRun=All", `{"seconds":600}`)
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":600}`)
	must(t, c, 200, "GET", page, "") // the caches' snapshots, until the compaction is looked up
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":15}`)
	must(t, c, 410, "GET", page, "")
	setSpec(t, c, `{"clock":{"paused":false}}`)
	host.Advance(time.Second)
	if got, want := now(), start.Add(616*time.Second); !got.Equal(want) {
		t.Errorf("going on: %v, want %v", got, want)
	}
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":0}`)
	if got, want := now(), start.Add(616*time.Second); !got.Equal(want) {
		t.Errorf("after no second: %v, want %v", got, want)
	}
	for _, bad := range []string{"", "{}", `{"seconds":-1}`, `{"seconds":1.5}`, `{"seconds":"1"}`,
		`{"seconds":99999999999}`, `{"minutes":1}`} {
		must(t, c, 400, "POST", plane+"/advance", bad)
	}
}

// TestWatchersAreReleased opens watches of all kinds, ends them in all ways, and checks that no
// watcher remains.
func TestWatchersAreReleased(t *testing.T) {
	c, _ := newCluster(t, Options{})
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	store := c.current.Load().store
	for store.Status().Watchers < 3 { // those of the controllers that are a part of the server (controller.Definitions)
		runtime.Gosched()
	}
	before := store.Status().Watchers
	var open []*tail
	for _, query := range []string{"", "&allowWatchBookmarks=true", "&resourceVersion=1",
		"&fieldSelector=metadata.name%3Da", "&timeoutSeconds=5", "&resourceVersion=1000000"} {
		open = append(open, follow(t, c, configMaps+"?watch=1"+query), follow(t, c, "/api/v1/configmaps?watch=1"+query))
	}
	if got := store.Status().Watchers; got != before+len(open) {
		t.Errorf("%d watchers, want %d more than %d", got, len(open), before)
	}
	for _, s := range open[:len(open)/2] {
		s.Stop()
	}
	must(t, c, 201, "POST", plane+"/disconnect", "")
	for _, s := range open {
		for s.Next() != nil {
		}
		s.Stop()
	}
	if got := store.Status().Watchers; got != before {
		t.Errorf("%d watchers are left, want %d", got, before)
	}
}

// TestOlderServer checks an API server that does not know resourceVersionMatch.
func TestOlderServer(t *testing.T) {
	c, _ := newCluster(t, Options{})
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	last := at(must(t, c, 201, "POST", configMaps, configMap("b", "1")), "metadata.resourceVersion").(string)
	exact := configMaps + "?resourceVersionMatch=Exact&resourceVersion=" + first
	version := func() any { return at(must(t, c, 200, "GET", exact, ""), "metadata.resourceVersion") }
	if got := version(); got != first {
		t.Errorf("version %v, want %v", got, first)
	}
	setSpec(t, c, `{"compatibility":{"resourceVersionMatch":"Ignore"}}`)
	if got := version(); got == first {
		t.Errorf("version %v, want the present one: %v or later", got, last)
	}
	must(t, c, 200, "GET", configMaps+"?resourceVersionMatch=Nonsense", "")
	// With a limit, a resourceVersion has always been exact: the KEP tells clients to fall back to
	// this.
	if got := at(must(t, c, 200, "GET", exact+"&limit=1", ""), "metadata.resourceVersion"); got != first {
		t.Errorf("a page: version %v, want %v", got, first)
	}
	w := follow(t, c, configMaps+"?watch=1&resourceVersion="+first+"&sendInitialEvents=true&resourceVersionMatch=Nonsense")
	if e := w.Next(); at(e, "object.metadata.name") != "b" {
		t.Errorf("the watch begins with %v, want what came after its version", e)
	}
}
