package core

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/apitest"
	"github.com/tabernetes/tabernetes/core/journal"
)

// shows returns the time that a cluster's clock shows, since the start.
func shows(t *testing.T, c *Cluster) time.Duration {
	t.Helper()
	now, err := time.Parse(time.RFC3339Nano, at(must(t, c, 200, "GET", plane, ""), "status.clock.now").(string))
	if err != nil {
		t.Fatal(err)
	}
	return now.Sub(start)
}

// TestSpeed makes a cluster's clock faster and slower: its times never go back, history is compacted by it, and a
// stream says how fast it is, and since when.
func TestSpeed(t *testing.T) {
	c, host := newCluster(t, Options{})
	s := follow(t, c, plane+"/revisions")
	await := func(what, clock string) {
		t.Helper()
		for frame := s.Next(); frame != nil; frame = s.Next() {
			if frame["type"] == "STATE" && fmt.Sprint(at(frame, "state.clock")) == clock {
				return
			}
		}
		t.Fatalf("%s: no such state", what)
	}
	await("as it is", "map[offsetSeconds:0 paused:false]")
	last := ""
	for i, step := range []struct {
		spec string
		want time.Duration // on the clock, a second later
	}{
		{`{"clock":{"rate":10}}`, 10 * time.Second}, {`{"clock":{"rate":60}}`, 70 * time.Second},
		{`{"clock":{"paused":true}}`, 70 * time.Second}, {`{"clock":{"paused":false}}`, 130 * time.Second},
		{`{"clock":{"rate":1}}`, 131 * time.Second}, {`{"clock":{"rate":60}}`, 191 * time.Second},
	} {
		setSpec(t, c, step.spec)
		host.Advance(time.Second)
		made := at(must(t, c, 201, "POST", configMaps, configMap(fmt.Sprint("a", i), "1")), "metadata.creationTimestamp")
		if got := shows(t, c); got != step.want || made.(string) < last {
			t.Errorf("%s: %v, want %v; created at %v after %s", step.spec, got, step.want, made, last)
		}
		last = made.(string)
	}
	since := start.Add(5 * time.Second).Format(time.RFC3339)
	await("faster", "map[offsetSeconds:126 paused:false rate:60 since:"+since+"]")
	must(t, c, 201, "POST", plane+"/advance", `{"seconds":60}`)
	await("moved", "map[offsetSeconds:186 paused:false rate:60 since:"+since+"]")
	host.Advance(time.Second)
	if got := shows(t, c); got != 311*time.Second {
		t.Errorf("after it was moved it shows %v", got)
	}
	setSpec(t, c, `{"clock":{"paused":true}}`)
	await("paused", "map[now:"+start.Add(311*time.Second).Format(time.RFC3339)+" offsetSeconds:0 paused:true rate:60]")
	setSpec(t, c, `{"clock":{"paused":false}}`)

	version := at(must(t, c, 200, "GET", configMaps+"/a0", ""), "metadata.resourceVersion").(string)
	must(t, c, 200, "PUT", configMaps+"/a0", configMap("a0", "2"))
	for range 20 { // twenty minutes of the cluster's
		host.Advance(time.Second)
	}
	awaitGone(t, c, configMaps+"?resourceVersionMatch=Exact&resourceVersion="+version)

	_, refused := call(t, c, "PATCH", plane, `{"spec":{"clock":{"rate":3600}}}`)
	if !strings.Contains(refused, "spec.clock.rate: Invalid value: 3600: must be between 1 and 60, inclusive") {
		t.Errorf("%s", refused)
	}
}

// TestSpeedIsKept wants a clock to be as fast as it was after a reload, and in a snapshot's cluster.
func TestSpeedIsKept(t *testing.T) {
	storage := journal.NewMemory(nil)
	c, host := newCluster(t, Options{Storage: storage})
	setSpec(t, c, `{"clock":{"rate":60}}`)
	host.Advance(time.Minute)
	must(t, c, 201, "POST", configMaps, configMap("a", "1"))
	saved := apitest.Do(c, "GET", plane+"/snapshot", "").Body.String()
	expect := func(c *Cluster, advance func(time.Duration), want time.Duration) {
		t.Helper()
		before := shows(t, c)
		advance(time.Second)
		if got := shows(t, c); before != want || got != want+time.Minute {
			t.Errorf("it shows %v, and a second later %v", before, got)
		}
	}
	again, other := newCluster(t, Options{Storage: journal.NewMemory(storage.Bytes())})
	expect(again, other.Advance, time.Hour)
	setSpec(t, c, `{"clock":{"rate":1}}`)
	host.Advance(time.Second)
	must(t, c, 201, "PUT", plane+"/snapshot", saved)
	expect(c, host.Advance, time.Hour+time.Second)
}
