package core

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
)

const (
	smallQuota = 1 << 20
	// noSpace is what a kube-apiserver answers when its etcd has reached the quota.
	noSpace = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
		`"message":"etcdserver: mvcc: database space exceeded","code":500}` + "\n"
)

// refused checks that a write is refused because of the quota.
func refused(t *testing.T, c *Cluster, method, path, body string) {
	t.Helper()
	if code, text := call(t, c, method, path, body); code != 500 || text != noSpace {
		t.Fatalf("%s %s: %d %.300s", method, path, code, text)
	}
}

// fillUp creates ConfigMaps until there is no space, and returns how many there are.
func fillUp(t *testing.T, c *Cluster) (n int) {
	t.Helper()
	value := strings.Repeat("x", 50_000)
	for ; n < 100; n++ {
		code, text := call(t, c, "POST", configMaps, configMap(fmt.Sprint("big-", n), value))
		if code == 201 {
			continue
		}
		if code != 500 || text != noSpace {
			t.Fatalf("POST: %d %.300s", code, text)
		}
		break
	}
	for i := range 1000 { // fills the rest with small ones
		if code, _ := call(t, c, "POST", configMaps, configMap(fmt.Sprint("small-", i), "")); code != 201 {
			return n
		}
	}
	t.Fatal("it is never full")
	return 0
}

func TestQuota(t *testing.T) {
	saved := journal.NewMemory(nil)
	c, _ := newCluster(t, Options{Quota: smallQuota, Storage: saved})
	if code, text := call(t, c, "GET", "/readyz", ""); code != 200 {
		t.Fatalf("readyz at first: %d %s", code, text)
	}
	// What is not gone at once when it is deleted.
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"held","finalizers":["example.com/a","example.com/b"]}}`)
	must(t, c, 201, "POST", configMaps, `{"metadata":{"name":"held-too","finalizers":["example.com/a"]}}`)
	const pods = "/api/v1/namespaces/default/pods"
	must(t, c, 201, "POST", pods, `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c",`+
		`"image":"i"}]}}`)
	must(t, c, 201, "POST", pods, `{"metadata":{"name":"evicted"},"spec":{"nodeName":"n","containers":[{"name":"c",`+
		`"image":"i"}]}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces", `{"metadata":{"name":"ns"}}`)
	must(t, c, 201, "POST", "/api/v1/namespaces/ns/configmaps", configMap("within", ""))

	n := fillUp(t, c)
	if n < 15 || n > 25 {
		t.Fatalf("%d objects of 50 kB in 1 MiB", n)
	}

	// Updates that make an object larger are refused.
	refused(t, c, "POST", configMaps, configMap("another", ""))
	refused(t, c, "PUT", configMaps+"/big-0", configMap("big-0", strings.Repeat("y", 51_000)))
	if code, text := call(t, c, "GET", "/readyz", ""); code != 500 ||
		!strings.Contains(text, "[-]etcd failed: etcdserver: mvcc: database space exceeded: the objects take ") {
		t.Fatalf("readyz: %d %s", code, text)
	}
	if problem, _ := at(must(t, c, 200, "GET", plane, ""), "status.storage.problem").(string); !strings.Contains(problem,
		"database space exceeded") {
		t.Errorf("the ControlPlane says %q", problem)
	}

	// Reads and watches continue.
	list := must(t, c, 200, "GET", configMaps+"?limit=3", "")
	must(t, c, 200, "GET", configMaps+"/big-1", "")
	watch := follow(t, c, configMaps+"?watch=1&resourceVersion="+at(list, "metadata.resourceVersion").(string))

	// So do deletions, in all their steps.
	must(t, c, 200, "DELETE", configMaps+"/big-0", "")
	if e := watch.Next(); at(e, "type") != "DELETED" || at(e, "object.metadata.name") != "big-0" {
		t.Fatalf("the watch says %.200v", e)
	}
	watch.Stop()
	refill(t, c)
	must(t, c, 200, "DELETE", pods+"/p?gracePeriodSeconds=30", "") // the deletion timestamp makes it larger
	must(t, c, 200, "DELETE", pods+"/p?gracePeriodSeconds=0", "")
	must(t, c, 404, "GET", pods+"/p", "")
	must(t, c, 201, "POST", pods+"/evicted/eviction",
		`{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"evicted"}}`)
	refill(t, c)
	must(t, c, 200, "DELETE", configMaps+"/held", "")
	held := must(t, c, 200, "GET", configMaps+"/held", "")
	held["metadata"].(map[string]any)["finalizers"] = []any{"example.com/b"}
	text, err := json.Marshal(held)
	if err != nil {
		t.Fatal(err)
	}
	must(t, c, 200, "PUT", configMaps+"/held", string(text))
	must(t, c, 200, "PATCH", configMaps+"/held", `{"metadata":{"finalizers":null}}`)
	must(t, c, 404, "GET", configMaps+"/held", "")
	// A finalizer may also go before the deletion.
	refill(t, c)
	must(t, c, 200, "PATCH", configMaps+"/held-too", `{"metadata":{"finalizers":null}}`)
	refill(t, c)
	must(t, c, 200, "DELETE", "/api/v1/namespaces/ns", "")
	refill(t, c)
	must(t, c, 200, "DELETE", configMaps, "")

	// There is room again.
	if code, text := call(t, c, "GET", "/readyz", ""); code != 200 {
		t.Fatalf("readyz at the end: %d %s", code, text)
	}
	must(t, c, 201, "POST", configMaps, configMap("another", strings.Repeat("x", 50_000)))
	if size := c.current.Load().store.Status().Size; size > smallQuota {
		t.Errorf("%d bytes are kept", size)
	}
}

// refill uses up the space that was freed.
func refill(t *testing.T, c *Cluster) {
	t.Helper()
	for range 1000 {
		if code, text := call(t, c, "POST", configMaps, `{"metadata":{"generateName":"more-"}}`); code == 500 &&
			text == noSpace {
			return
		}
	}
	t.Fatal("it is never full")
}

// TestQuotaOfHistory checks that history is compacted before a write is refused.
func TestQuotaOfHistory(t *testing.T) {
	c, _ := newCluster(t, Options{Quota: smallQuota, Storage: journal.NewMemory(nil)})
	first := must(t, c, 201, "POST", configMaps, configMap("a", "0"))
	old := at(first, "metadata.resourceVersion").(string)
	for i := range 200 {
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(i, strings.Repeat("x", 50_000))))
		if size := c.current.Load().store.Status().Size; size > smallQuota {
			t.Fatalf("%d bytes are kept", size)
		}
	}
	must(t, c, 410, "GET", configMaps+"?resourceVersion="+old+"&resourceVersionMatch=Exact", "")
	// The last events are still there.
	last := must(t, c, 200, "GET", configMaps+"/a", "")
	must(t, c, 200, "PUT", configMaps+"/a", configMap("a", "end"))
	past := must(t, c, 200, "GET", configMaps+"?resourceVersion="+at(last, "metadata.resourceVersion").(string)+
		"&resourceVersionMatch=Exact", "")
	if v := past["items"].([]any)[0]; at(v, "data.v") != at(last, "data.v") {
		t.Error("the version before the last is another")
	}
	// History alone is no reason for a warning, however large it is.
	for i := range 1500 {
		must(t, c, 200, "PUT", configMaps+"/a", configMap("a", fmt.Sprint(i)))
	}
	if code, text := call(t, c, "GET", "/readyz", ""); code != 200 {
		t.Fatalf("readyz: %d %s", code, text)
	}
}

// TestQuotaOfDeletions checks that deletions do not take more and more space.
func TestQuotaOfDeletions(t *testing.T) {
	c, _ := newCluster(t, Options{Quota: smallQuota, Storage: journal.NewMemory(nil)})
	for i := range fillUp(t, c) {
		must(t, c, 200, "DELETE", configMaps+fmt.Sprint("/big-", i), "")
		if size := c.current.Load().store.Status().Size; size > smallQuota+60_000 {
			t.Fatalf("%d bytes are kept after %d deletions", size, i+1)
		}
	}
}

// TestQuotaExceededAtStart checks that a saved cluster beyond the quota can be opened, by a server
// that has something to add.
func TestQuotaExceededAtStart(t *testing.T) {
	saved := journal.NewMemory(nil)
	c, err := New(Options{Clock: clock.NewManual(start), Rand: randomness(), Storage: saved})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		must(t, c, 201, "POST", configMaps, configMap(fmt.Sprint("big-", i), strings.Repeat("x", 50_000)))
	}
	must(t, c, 200, "DELETE",
		"/apis/scheduling.k8s.io/v1/priorityclasses?fieldSelector=metadata.name%3Dsystem-node-critical", "")
	_, snapshot := call(t, c, "GET", plane+"/snapshot", "")
	c.Close()
	c, _ = newCluster(t, Options{Quota: smallQuota, Storage: journal.NewMemory(saved.Bytes())})
	must(t, c, 200, "GET", "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical", "")
	refused(t, c, "POST", configMaps, configMap("another", ""))
	// A snapshot that is sent is refused: there is a cluster already.
	if told := at(must(t, c, 400, "PUT", plane+"/snapshot", snapshot), "message"); !strings.Contains(told.(string),
		"takes more than") {
		t.Errorf("a snapshot that is too large: %v", told)
	}
	for i := range 40 {
		must(t, c, 200, "DELETE", configMaps+fmt.Sprint("/big-", i), "")
	}
	must(t, c, 201, "POST", configMaps, configMap("another", ""))
}
