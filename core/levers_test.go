package core

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
)

const plane = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default"

func TestNewClusterHasTheSystemNamespaces(t *testing.T) {
	c, _ := newCluster(t, Options{})
	list := must(t, c, 200, "GET", "/api/v1/namespaces", "")
	var names []string
	for _, item := range list["items"].([]any) {
		names = append(names, at(item, "metadata.name").(string))
		if phase := at(item, "status.phase"); phase != "Active" {
			t.Errorf("phase %v", phase)
		}
	}
	if got := strings.Join(names, " "); got != "default kube-node-lease kube-public kube-system" {
		t.Errorf("namespaces: %s", got)
	}
}

func TestCompactDropsHistory(t *testing.T) {
	c, _ := newCluster(t, Options{})
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	last := at(must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2")), "metadata.resourceVersion").(string)
	exact := configMaps + "?resourceVersionMatch=Exact&resourceVersion="
	must(t, c, 200, "GET", exact+first, "")
	must(t, c, 201, "POST", plane+"/compact", "{}")
	if reason := must(t, c, 410, "GET", exact+first, "")["reason"]; reason != "Expired" {
		t.Errorf("reason %v", reason)
	}
	must(t, c, 200, "GET", exact+last, "")
	must(t, c, 201, "POST", plane+"/compact", "") // again: nothing to do
	must(t, c, 400, "POST", plane+"/compact", `{"revision":1000000}`)
	must(t, c, 400, "POST", plane+"/compact", `{"revision":"x"}`)
	must(t, c, 404, "POST", "/apis/sandbox.tabernetes.dev/v1/controlplanes/other/compact", "{}")
	must(t, c, 405, "GET", plane+"/compact", "")
}

func TestDisconnectCutsWatches(t *testing.T) {
	c, _ := newCluster(t, Options{})
	w := follow(t, c, configMaps+"?watch=1")
	revisions := follow(t, c, plane+"/revisions")
	revisions.Next()
	must(t, c, 201, "POST", plane+"/disconnect", "{}")
	if e := w.Next(); e != nil {
		t.Errorf("a cut watch got %v", e)
	}
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	for {
		frame := revisions.Next()
		if frame == nil {
			t.Fatal("the revisions stream was cut as well")
		}
		if at(frame, "commit.name") == "a" {
			break
		}
	}
}

func TestRevisionsStreamEveryCommit(t *testing.T) {
	c, _ := newCluster(t, Options{})
	before := at(must(t, c, 200, "GET", plane, ""), "status.revision").(float64)
	created := must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	s := follow(t, c, fmt.Sprintf("%s/revisions?since=%.0f", plane, before))
	state := s.Next()
	if state["type"] != "STATE" || at(state, "state.head") != before+2 {
		t.Fatalf("first frame %v", state)
	}
	must(t, c, 200, "DELETE", configMaps+"/a", "")
	want := []string{"ADDED", "MODIFIED", "DELETED"}
	for len(want) > 0 {
		frame := s.Next()
		if frame["type"] == "STATE" {
			continue
		}
		if at(frame, "commit.verb") != want[0] || at(frame, "commit.name") != "a" ||
			at(frame, "commit.namespace") != "default" ||
			at(frame, "commit.resource") != "configmaps" || at(frame, "commit.kind") != "ConfigMap" ||
			at(frame, "commit.uid") != at(created, "metadata.uid") {
			t.Errorf("commit %v, want %s", frame, want[0])
		}
		want = want[1:]
	}
	must(t, c, 201, "POST", plane+"/compact", "{}")
	for {
		frame := s.Next()
		if frame["type"] == "STATE" && at(frame, "state.compacted") == before+3 {
			break
		}
	}
	must(t, c, 400, "GET", plane+"/revisions?since=x", "")
}

func TestResetMakesANewCluster(t *testing.T) {
	c, _ := newCluster(t, Options{})
	s := follow(t, c, plane+"/revisions")
	old := at(s.Next(), "state.cluster")
	w := follow(t, c, configMaps+"?watch=1")
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 201, "POST", plane+"/reset", "{}")
	must(t, c, 404, "GET", configMaps+"/a", "")
	for s.Next() != nil {
	}
	for w.Next() != nil {
	}
	again := follow(t, c, plane+"/revisions")
	if now := at(again.Next(), "state.cluster"); now == old || now == "" {
		t.Errorf("cluster %v after %v", now, old)
	}
}

func TestSnapshotRestoresTheCluster(t *testing.T) {
	c, _ := newCluster(t, Options{})
	created := must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	must(t, c, 201, "POST", plane+"/reset", "{}")
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	got := must(t, c, 200, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+
		at(created, "metadata.resourceVersion").(string), "")
	if v := at(got["items"].([]any)[0], "data.v"); v != "1" {
		t.Errorf("the past holds %v", v)
	}
	must(t, c, 400, "PUT", plane+"/snapshot", "garbage")
	must(t, c, 400, "PUT", plane+"/snapshot", "")
	must(t, c, 200, "GET", configMaps+"/a", "")
}

func TestControlPlaneIsValidated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	put := func(spec string) string {
		return fmt.Sprintf(`{"metadata":{"name":"default"},"spec":%s}`, spec)
	}
	for _, bad := range []string{
		`{"history":{"retentionSeconds":0}}`, `{"history":{"retentionSeconds":"soon"}}`,
		`{"watch":{"bookmarkSeconds":1.5}}`, `{"watch":{"bookmarkSeconds":-1}}`, `{"controllers":{"enabled":"yes"}}`,
		`{"watch":[1]}`, `"x"`,
		`{"cache":{"replicas":[]}}`, `{"cache":{"replicas":[{},{},{},{}]}}`, `{"cache":{"replicas":{}}}`,
		`{"cache":{"replicas":[1]}}`,
		`{"cache":{"replicas":[{"lagSeconds":-1}]}}`, `{"cache":{"replicas":[{"lagSeconds":3601}]}}`,
		`{"cache":{"replicas":[{"frozen":1}]}}`,
		`{"clock":{"paused":"no"}}`, `{"compatibility":{"resourceVersionMatch":"honor"}}`,
		`{"compatibility":{"resourceVersionMatch":true}}`,
	} {
		if got := must(t, c, 422, "PUT", plane, put(bad)); got["reason"] != "Invalid" {
			t.Errorf("%s: %v", bad, got)
		}
	}
	must(t, c, 200, "PUT", plane, put(`{"history":{"retentionSeconds":60}}`))
	if got := c.current.Load().history.Retention(); got != time.Minute {
		t.Errorf("retention %v", got)
	}
	// Names are compared as they are written.
	must(t, c, 200, "PUT", plane, put(`{"history":{"RetentionSeconds":1}}`))
	if got := c.current.Load().history.Retention(); got != 5*time.Minute {
		t.Errorf("retention %v", got)
	}
	must(t, c, 405, "DELETE", plane, "")
	// Fields that exist only in reads are not stored when they are sent back.
	_, read := call(t, c, "GET", plane, "")
	before := at(must(t, c, 200, "GET", plane, ""), "status.revision")
	must(t, c, 200, "PUT", plane, read)
	if after := at(must(t, c, 200, "GET", plane, ""), "status.revision"); after != before {
		t.Errorf("writing back what was read took a revision: %v after %v", after, before)
	}
}

func TestHistoryIsCompactedByAge(t *testing.T) {
	c, clock := newCluster(t, Options{})
	first := at(must(t, c, 201, "POST", configMaps, configMap("a", "1")), "metadata.resourceVersion").(string)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
	clock.AwaitTimers(1)
	clock.Advance(4 * time.Minute)
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "3"))
	must(t, c, 200, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+first, "")
	s := follow(t, c, plane+"/revisions")
	clock.AwaitTimers(1)
	clock.Advance(6 * time.Minute)
	for frame := s.Next(); ; frame = s.Next() {
		if frame["type"] == "STATE" && at(frame, "state.compacted").(float64) > 0 {
			break
		}
	}
	must(t, c, 200, "GET", configMaps+"?resourceVersionMatch=Exact&resourceVersion="+first, "") // from a snapshot
	clock.Advance(15 * time.Second)
	awaitGone(t, c, configMaps+"?resourceVersionMatch=Exact&resourceVersion="+first)
}

// awaitGone reads until the answer is 410: history is compacted, and caches look at that, beside requests.
func awaitGone(t *testing.T, c *Cluster, path string) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; runtime.Gosched() {
		code, text := call(t, c, "GET", path, "")
		if code == 410 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("GET %s: %d, want 410: %.300s", path, code, text)
		}
	}
}

func TestTokenIsWhatTheDocumentationShows(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for _, name := range []string{"a", "b", "c"} {
		must(t, c, 201, "POST", configMaps, configMap(name, "1"))
	}
	list := must(t, c, 200, "GET", configMaps+"?limit=2", "")
	raw, err := base64.RawURLEncoding.DecodeString(at(list, "metadata.continue").(string))
	if err != nil {
		t.Fatal(err)
	}
	var token map[string]any
	if err := json.Unmarshal(raw, &token); err != nil {
		t.Fatal(err)
	}
	if token["v"] != "meta.k8s.io/v1" || token["start"] != "/b\x00" ||
		fmt.Sprintf("%.0f", token["rv"]) != at(list, "metadata.resourceVersion") {
		t.Errorf("token %s", raw)
	}
	if at(list, "metadata.remainingItemCount") != 1.0 {
		t.Errorf("remaining %v", at(list, "metadata.remainingItemCount"))
	}
}

// TestEndOfTime moves the clock year by year: as far as times can be saved, and no further.
func TestEndOfTime(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Storage: storage})
	const year = `{"seconds":31536000}`
	for range 235 {
		must(t, c, 201, "POST", plane+"/advance", year)
	}
	if got := must(t, c, 400, "POST", plane+"/advance", year); at(got, "message") !=
		"seconds: the clock cannot be moved to the year 2262" {
		t.Error(at(got, "message"))
	}
	made := must(t, c, 201, "POST", configMaps, configMap("late", ""))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	again := reopen(t, storage)
	after := must(t, again, 201, "POST", configMaps, configMap("later", ""))
	if then, now := at(made, "metadata.creationTimestamp").(string),
		at(after, "metadata.creationTimestamp").(string); !strings.HasPrefix(then, "2261-") || now < then {
		t.Errorf("made at %s, and the next at %s", then, now)
	}
}
