package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

// chaosOf returns the chaos part of the ControlPlane's status.
func chaosOf(t testing.TB, c *Cluster) (spec, status any) {
	t.Helper()
	obj := must(t, c, 200, "GET", plane, "")
	return at(obj, "spec.chaos"), at(obj, "status.chaos")
}

// settle waits until all acts that are due have been carried out, and returns the chaos state of
// the revisions stream: nil if chaos is not enabled.
func settle(t testing.TB, c *Cluster) map[string]any {
	t.Helper()
	i := c.current.Load()
	due := 0.0
	if plan, ok := i.chaos.Plan(); ok {
		due = float64(plan.Due(i.clock.Now()))
	}
	s := follow(t, c, plane+"/revisions?since=1000000")
	defer s.Stop()
	for {
		frame := s.Next()
		if frame == nil {
			t.Fatalf("%v acts are due and were not carried out", due)
		}
		chaos, _ := at(frame, "state.chaos").(map[string]any)
		if chaos == nil && due == 0 || chaos != nil && chaos["acts"] == due {
			return frame["state"].(map[string]any)
		}
	}
}

func TestChaosGetsASeedAndAStartTime(t *testing.T) {
	c, clock := newCluster(t, Options{})
	spec, status := chaosOf(t, c)
	want := map[string]any{"enabled": false, "intervalSeconds": 10.0, "acts": []any{"Cut", "Compact", "Lag"}}
	if !reflect.DeepEqual(spec, want) || status != nil {
		t.Fatalf("a new cluster has %v, %v", spec, status)
	}
	setSpec(t, c, `{"chaos":{"enabled":true}}`)
	spec, status = chaosOf(t, c)
	seed, _ := at(spec, "seed").(float64)
	if seed == 0 || seed > 1<<32 || at(status, "startTime") != start.Format(time.RFC3339) || at(status, "acts") != 0.0 {
		t.Fatalf("chaos has %v, %v", spec, status)
	}
	clock.Advance(2 * time.Second)
	const began = "status.chaos.startTime"
	later := start.Add(2 * time.Second).Format(time.RFC3339)
	for _, test := range []struct {
		spec string
		seed any
		is   string // startTime
	}{
		// another setting
		{`{"watch":{"bookmarkSeconds":7}}`, seed, start.Format(time.RFC3339)},
		// the same
		{fmt.Sprintf(`{"chaos":{"seed":%.0f,"acts":["Lag","Cut","Compact"]}}`, seed), seed, start.Format(time.RFC3339)},
		{`{"chaos":{"seed":0}}`, 0.0, later},
		{`{"chaos":{"enabled":false}}`, 0.0, ""},
		{`{"chaos":{"enabled":true}}`, 0.0, later},
		{`{"chaos":{"intervalSeconds":3}}`, 0.0, later},
	} {
		setSpec(t, c, test.spec)
		obj := must(t, c, 200, "GET", plane, "")
		if begun, _ := at(obj, began).(string); at(obj, "spec.chaos.seed") != test.seed || begun != test.is {
			t.Errorf("%s: %v from %q, want %v from %q", test.spec, at(obj, "spec.chaos"), begun, test.seed, test.is)
		}
	}
	setSpec(t, c, `{"chaos":{"seed":null}}`)
	if spec, _ := chaosOf(t, c); at(spec, "seed") == nil || at(spec, "seed") == 0.0 || at(spec, "seed") == seed {
		t.Errorf("without a seed it gets %v", spec)
	}

	// The server sets the start time; sending back what was read changes nothing.
	before := revision(t, c)
	_, read := call(t, c, "GET", plane, "")
	must(t, c, 200, "PUT", plane, read)
	must(t, c, 200, "PUT", plane, strings.ReplaceAll(read, `"startTime":"`+later, `"startTime":"2020-01-01T00:00:00Z`))
	if now := revision(t, c); now != before {
		t.Errorf("writing back what was read took %d revisions", now-before)
	}
	must(t, c, 200, "PATCH", plane+"?dryRun=All", `{"spec":{"chaos":{"enabled":true,"seed":5}}}`)
	if spec, _ := chaosOf(t, c); at(spec, "seed") == 5.0 {
		t.Error("a dry run changed the seed")
	}
}

func TestChaosIsValidated(t *testing.T) {
	c, _ := newCluster(t, Options{})
	for chaos, want := range map[string]string{
		`{"enabled":1}`: `spec.chaos.enabled: Invalid value: 1: must be true or false`,
		`{"seed":-1}`:   `spec.chaos.seed: Invalid value: -1: must be between 0 and 9007199254740991, inclusive`,
		`{"seed":9007199254740992}`: `spec.chaos.seed: Invalid value: 9007199254740992: must be between 0 and ` +
			`9007199254740991, inclusive`,
		`{"seed":1.5}`:            `spec.chaos.seed: Invalid value: 1.5: must be a whole number`,
		`{"seed":"x"}`:            `spec.chaos.seed: Invalid value: "x": must be a whole number`,
		`{"intervalSeconds":0}`:   `spec.chaos.intervalSeconds: Invalid value: 0: must be between 1 and 86400, inclusive`,
		`{"intervalSeconds":"1"}`: `spec.chaos.intervalSeconds: Invalid value: "1": must be a whole number of seconds`,
		`{"acts":[]}`:             `spec.chaos.acts: Invalid value: []: must have between 1 and 3 items`,
		`{"acts":"Cut"}`:          `spec.chaos.acts: Invalid value: "Cut": must be a list`,
		`{"acts":["cut"]}`:        `spec.chaos.acts[0]: Unsupported value: "cut": supported values: "Cut", "Compact", "Lag"`,
		`{"acts":["Cut",1]}`:      `spec.chaos.acts[1]: Unsupported value: 1: supported values: "Cut", "Compact", "Lag"`,
		`{"acts":["Cut","Cut"]}`:  `spec.chaos.acts[1]: Duplicate value: "Cut"`,
		`[]`:                      `spec.chaos: Invalid value: []: must be an object`,
	} {
		got := must(t, c, 422, "PUT", plane, `{"metadata":{"name":"default"},"spec":{"chaos":`+chaos+`}}`)
		if message := got["message"].(string); !strings.Contains(message, want) {
			t.Errorf("%s: %s, want %s", chaos, message, want)
		}
	}
}

// TestChaosIsRepeatable advances clusters with the same seed through the same time, one of which is
// restarted in between, and others with another seed.
func TestChaosIsRepeatable(t *testing.T) {
	run := func(seed, stop int) (acts []string) {
		storage := journal.NewMemory(nil)
		c, manual := newCluster(t, Options{Storage: storage})
		setSpec(t, c, fmt.Sprintf(`{"cache":{"replicas":[{},{}]},"chaos":{"enabled":true,"seed":%d,"intervalSeconds":4}}`,
			seed))
		for step := range 60 {
			must(t, c, 201, "POST", configMaps, configMap(fmt.Sprintf("c%d", step), "1"))
			if step == stop {
				manual = clock.NewManual(manual.Now())
				c, _ = newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes()), Clock: manual})
			}
			manual.Advance(time.Second)
			state := settle(t, c)
			acts = append(acts, fmt.Sprint(step, " ", at(state, "chaos"), state["compacted"], state["caches"]))
		}
		return acts
	}
	first := run(7, -1)
	for i, again := range [][]string{run(7, -1), run(7, 31)} {
		for step := range first {
			if first[step] != again[step] {
				t.Fatalf("run %d differs:\n%s\nat first\n%s", i+2, again[step], first[step])
			}
		}
	}
	for _, act := range []string{"act:Cut", "act:Compact", "act:Lag"} {
		if !strings.Contains(fmt.Sprint(first), act) {
			t.Errorf("there was no %s in\n%s", act, strings.Join(first, "\n"))
		}
	}
	if reflect.DeepEqual(first, run(8, -1)) {
		t.Error("another seed does the same")
	}
}

// TestChaosKinds runs clusters in which only one kind of act happens, at least once every
// two seconds.
func TestChaosKinds(t *testing.T) {
	begin := func(t *testing.T, act string) (*Cluster, *clock.Manual) {
		c, manual := newCluster(t, Options{})
		must(t, c, 201, "POST", configMaps, configMap("a", "1"))
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "2"))
		setSpec(t, c, `{"chaos":{"enabled":true,"seed":3,"intervalSeconds":1,"acts":["`+act+`"]}}`)
		return c, manual
	}
	t.Run("Cut", func(t *testing.T) {
		c, manual := begin(t, "Cut")
		w := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
		manual.Advance(2 * time.Second)
		if e := w.Next(); e != nil {
			t.Errorf("a cut watch got %v", e)
		}
		if got := at(settle(t, c), "compacted"); got != 0.0 {
			t.Errorf("it was compacted to %v", got)
		}
	})
	t.Run("Compact", func(t *testing.T) {
		c, manual := begin(t, "Compact")
		w := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(revision(t, c)))
		manual.Advance(10 * time.Second)
		head := revision(t, c)
		if got := at(settle(t, c), "compacted"); got != float64(head) { // one in ten has no effect
			t.Errorf("it was compacted to %v of %d", got, head)
		}
		must(t, c, 201, "POST", configMaps, configMap("b", "1"))
		if e := w.Next(); e["type"] != "ADDED" {
			t.Errorf("a watch that had missed nothing is told %v", e)
		}
	})
	t.Run("Lag", func(t *testing.T) {
		c, manual := begin(t, "Lag")
		settings := `{"cache":{"replicas":[{"lagSeconds":2},{"frozen":true},{}]}}`
		setSpec(t, c, settings)
		want := at(must(t, c, 200, "GET", plane, ""), "spec.cache")
		frozen := at(must(t, c, 200, "GET", plane, ""), "status.cacheRevisions").([]any)[1]
		own := []float64{2, 0, 0}
		chosen := map[int]bool{}
		for range 30 {
			manual.Advance(time.Second)
			state := settle(t, c)
			server := int(at(state, "chaos.last.server").(float64))
			late := at(state, "chaos.last.lagSeconds").(float64)
			chosen[server] = true
			i := c.current.Load()
			for n := range 3 {
				lag := own[n]
				if n == server {
					lag = max(lag, late)
				}
				if got := i.registry.Replicas.Cache(n).Spec(); got.Lag.Seconds() != lag || got.Frozen != (n == 1) {
					t.Fatalf("the cache of %d is %+v while %d is %v s late", n, got, server, late)
				}
			}
			if got := at(must(t, c, 200, "GET", plane, ""), "spec.cache"); !reflect.DeepEqual(got, want) {
				t.Fatalf("the settings are %v, were %v", got, want)
			}
		}
		if len(chosen) != 3 {
			t.Errorf("the servers %v were late", chosen)
		}
		must(t, c, 201, "POST", configMaps, configMap("b", "1"))
		caches := at(must(t, c, 200, "GET", plane, ""), "status.cacheRevisions").([]any)
		if head := float64(revision(t, c)); caches[0] == head || caches[1] != frozen {
			t.Errorf("caches %v of %v", caches, head)
		}
		// When chaos is switched off, its effects are undone before the request is answered.
		setSpec(t, c, `{"chaos":{"enabled":false}}`)
		for n := range 3 {
			if got := c.current.Load().registry.Replicas.Cache(n).Spec(); got.Lag.Seconds() != own[n] || got.Frozen != (n == 1) {
				t.Errorf("the cache of %d is %+v", n, got)
			}
		}
	})
}

// TestChaosEnds switches chaos off, stops the clock, and resets the cluster.
func TestChaosEnds(t *testing.T) {
	c, manual := newCluster(t, Options{})
	setSpec(t, c, `{"history":{"retentionSeconds":86400},"chaos":{"enabled":true,"seed":1,"intervalSeconds":1}}`)
	manual.Advance(5 * time.Second)
	settle(t, c)
	quiet := func(what string) {
		t.Helper()
		head := revision(t, c)
		w := follow(t, c, configMaps+"?watch=1&resourceVersion="+fmt.Sprint(head))
		compacted := c.current.Load().store.Status().Compacted
		manual.Advance(20 * time.Minute) // before the watch times out
		must(t, c, 201, "POST", configMaps, configMap(fmt.Sprintf("c%d", head), "1"))
		if e := w.Next(); e["type"] != "ADDED" {
			t.Errorf("%s: a watch is told %v", what, e)
		}
		if now := c.current.Load().store.Status().Compacted; now != compacted {
			t.Errorf("%s: the history of %d was compacted to %d", what, compacted, now)
		}
		w.Stop()
	}
	setSpec(t, c, `{"clock":{"paused":true}}`)
	quiet("the clock stands")
	setSpec(t, c, `{"clock":{"paused":false},"chaos":{"enabled":false}}`)
	quiet("it is off")
	if _, status := chaosOf(t, c); status != nil || settle(t, c)["chaos"] != nil {
		t.Errorf("it is off, and its status is %v", status)
	}
	setSpec(t, c, `{"chaos":{"enabled":true,"acts":["Cut","Lag"]}}`)
	_, saved := call(t, c, "GET", plane+"/snapshot", "")
	must(t, c, 201, "POST", plane+"/reset", "")
	setSpec(t, c, `{"history":{"retentionSeconds":86400}}`)
	quiet("the cluster was reset")
	// A cluster that is restored continues with its plan; acts that were due meanwhile are skipped.
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	if got := at(settle(t, c), "chaos.acts").(float64); got < 1198 || got > 1202 {
		t.Errorf("after 20 minutes and with an interval of a second there were %v acts", got)
	}
}

// TestChaosCatchesUp moves the clock by a year: only a few of the missed acts are made up for.
func TestChaosCatchesUp(t *testing.T) {
	c, _ := newCluster(t, Options{})
	setSpec(t, c, `{"chaos":{"enabled":true,"seed":1,"intervalSeconds":1}}`)
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":31536000}`)
	if got := at(settle(t, c), "chaos.acts").(float64); got < 31535999 {
		t.Errorf("there were %v acts", got)
	}
}

// TestControlPlaneAsATable reads what kubectl get prints.
func TestControlPlaneAsATable(t *testing.T) {
	c, manual := newCluster(t, Options{})
	setSpec(t, c, `{"chaos":{"enabled":true,"seed":3,"intervalSeconds":1,"acts":["Cut"]}}`)
	manual.Advance(2 * time.Second)
	acts := at(settle(t, c), "chaos.acts")
	w := apitest.Do(c, "GET", plane, "", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	var table struct {
		ColumnDefinitions []struct {
			Name, Description string
			Priority          int
		}
		Rows []struct{ Cells []any }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &table); err != nil || len(table.Rows) != 1 {
		t.Fatalf("%v in %s", err, w.Body)
	}
	var names []string
	for _, column := range table.ColumnDefinitions {
		names = append(names, fmt.Sprint(column.Name, column.Priority))
		if column.Description == "" {
			t.Errorf("nothing is said of %s", column.Name)
		}
	}
	if got := strings.Join(names, " "); got != "Name0 Revision0 Compacted0 Paused0 Chaos0 Seed1 Acts1 Last1 Age0" {
		t.Errorf("columns %s", got)
	}
	want := []any{"default", float64(revision(t, c)), 0.0, false, true, 3.0, acts, "Cut", "2s"}
	if got := table.Rows[0].Cells; !reflect.DeepEqual(got, want) {
		t.Errorf("cells %v, want %v", got, want)
	}
}
