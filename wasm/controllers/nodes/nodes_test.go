package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

func (c *cluster) node(name string) *corev1.Node {
	c.t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

// ready returns the status of a Node's Ready condition, and its reason.
func ready(n *corev1.Node) string {
	c := nodeCondition(&n.Status, corev1.NodeReady)
	if c == nil {
		return "none"
	}
	return string(c.Status) + " " + c.Reason
}

// TestObjects compares a Node, its Lease and a Pod with what kubelets make of them, with the managers of their fields.
func TestObjects(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: []Node{{Labels: map[string]string{"zone": "a"}}}})
		time.Sleep(5 * time.Second)
		c.create("web", func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "a"}}
		})
		time.Sleep(5 * time.Second)
		lease, err := c.client.CoordinationV1().Leases("kube-node-lease").Get(t.Context(), "node-1", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pod := c.pod("web")
		pod.Spec = corev1.PodSpec{}
		var text strings.Builder
		for _, o := range []metav1.Object{c.node("node-1"), lease, pod} {
			var managers []string
			for _, m := range o.GetManagedFields() {
				managers = append(managers, strings.TrimSpace(fmt.Sprint("# ", m.Manager, " ", m.Operation, " ", m.Subresource)))
			}
			o.SetManagedFields(nil)
			o.SetResourceVersion("")
			data, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&text, "%s\n%s---\n", strings.Join(managers, "\n"), data)
		}
		names := uid.ReplaceAllString(text.String(), "UID")
		// Ids of containers follow from the Pod's uid.
		for _, s := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
			names = strings.ReplaceAll(names, strings.TrimPrefix(s.ContainerID, "containerd://"), "ID-OF-"+s.Name)
		}
		compare(t, t.Name(), names)
	})
}

// TestHeartbeats counts the writes of nodes that nothing happens to, and wants them spread.
func TestHeartbeats(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 10)})
		time.Sleep(30 * time.Second)
		c.took()
		fullest := 0
		for range 40 {
			time.Sleep(time.Second / 4)
			synctest.Wait()
			n := c.took()
			fullest = max(fullest, n["PUT leases"])
		}
		if fullest > 3 {
			t.Errorf("%d of 10 leases renewed within a quarter of a second", fullest)
		}
		time.Sleep(time.Hour)
		n := c.took()
		t.Log(showCounts(n))
		if leases := n["PUT leases"]; leases < 3550 || leases > 3650 {
			t.Errorf("%d renewals in an hour, want 3600", leases)
		}
		// Every five minutes, and at most half a minute more.
		if patches := n["PATCH nodes/status"]; patches < 10*10 || patches > 10*12 {
			t.Errorf("%d reports of a status in an hour", patches)
		}
		if len(n) != 2 {
			t.Errorf("other writes: %s", showCounts(n))
		}
	})
}

// TestStopped wants a node that has died to do nothing, and to take up its work when it is back.
func TestStopped(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		c.create("web", nil)
		time.Sleep(5 * time.Second)
		c.stop(`"yes"`)
		time.Sleep(time.Second)
		c.took()
		remove(nil)(c)
		c.create("another", nil)
		time.Sleep(10 * time.Minute)
		if n := c.took(); len(n) > 0 {
			t.Errorf("a dead node writes: %s", showCounts(n))
		}
		if p := c.pod("web"); p == nil || p.DeletionTimestamp == nil {
			t.Error("the Pod of a dead node is gone")
		}
		c.stop("null")
		time.Sleep(20 * time.Second)
		if p := c.pod("web"); p != nil {
			t.Errorf("the deleted Pod is still there: %s", describe(p))
		}
		if p := c.pod("another"); p.Status.Phase != corev1.PodRunning {
			t.Errorf("the new Pod: %s", describe(p))
		}
		if n := c.took(); n["PUT leases"] == 0 {
			t.Errorf("no renewals: %s", showCounts(n))
		}
	})
}

// TestNotReady gives a node a reason not to be ready, and takes it away; then the node is marked as lost, as the
// controller of nodes does it.
func TestNotReady(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		for _, step := range []struct {
			do   func()
			want string
		}{
			{func() {}, "True KubeletReady"},
			{func() { c.label("nodes", "node-1", "node-not-ready"+suffix, `"true"`) }, "False KubeletNotReady"},
			{func() { c.label("nodes", "node-1", "node-not-ready"+suffix, "null") }, "True KubeletReady"},
			{func() {
				n := c.node("node-1")
				nodeCondition(&n.Status, corev1.NodeReady).Status = corev1.ConditionUnknown
				if _, err := c.client.CoreV1().Nodes().UpdateStatus(t.Context(), n, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			}, "True KubeletReady"},
		} {
			step.do()
			time.Sleep(5 * time.Second)
			if got := ready(c.node("node-1")); got != step.want {
				t.Errorf("%s, want %s", got, step.want)
			}
		}
		want := []string{"Normal Starting Starting kubelet.",
			"Normal NodeReady Node node-1 status is now: NodeReady (3 times)",
			"Normal NodeNotReady Node node-1 status is now: NodeNotReady"}
		for _, w := range want {
			if all := c.events("node-1"); !slices.Contains(all, w) {
				t.Errorf("no %q in %q", w, all)
			}
		}
	})
}

// TestOthersNodes wants Nodes that others have made to have a kubelet if they ask for it, and Nodes that are deleted to
// stay away.
func TestOthersNodes(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: []Node{{Name: "own"}}})
		for name, annotations := range map[string]map[string]string{"theirs": nil, "fake": {ManagedAnnotation: "fake"}} {
			_, err := c.client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations}}, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(5 * time.Second)
		for name, want := range map[string]string{"own": "True KubeletReady", "fake": "True KubeletReady", "theirs": "none"} {
			if got := ready(c.node(name)); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		c.create("web", func(p *corev1.Pod) { p.Spec.NodeName = "fake" })
		c.create("lost", func(p *corev1.Pod) { p.Spec.NodeName = "theirs" })
		time.Sleep(5 * time.Second)
		if p := c.pod("web"); p.Status.Phase != corev1.PodRunning || !strings.HasPrefix(p.Status.PodIP, "10.") {
			t.Errorf("on a node of others: %s, %s", describe(p), p.Status.PodIP)
		}
		if p := c.pod("lost"); p.Status.StartTime != nil {
			t.Errorf("on a node without a kubelet: %s", describe(p))
		}
		if err := c.client.CoreV1().Nodes().Delete(t.Context(), "own", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		c.took()
		time.Sleep(time.Minute)
		if n := c.took(); n["POST nodes"] > 0 {
			t.Errorf("after a deletion: %s", showCounts(n))
		}
	})
}

// TestAgain stops the program and starts it again: nothing is written, and addresses stay taken.
func TestAgain(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		_, stop := c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		c.create("web", nil)
		time.Sleep(5 * time.Second)
		stop()
		c.took()
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(time.Minute)
		if n := c.took(); n["PUT leases"] == 0 || len(n) != 1 {
			t.Errorf("writes: %s", showCounts(n))
		}
		c.create("another", nil)
		time.Sleep(5 * time.Second)
		a, b := c.pod("web"), c.pod("another")
		if a.Status.PodIP == "" || b.Status.PodIP == "" || a.Status.PodIP == b.Status.PodIP {
			t.Errorf("addresses %q and %q", a.Status.PodIP, b.Status.PodIP)
		}
	})
}

// TestFull wants more Pods than a node has addresses for to run, without one.
func TestFull(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: []Node{{PodCIDR: "10.1.1.0/29"}}})
		time.Sleep(5 * time.Second)
		for i := range 6 {
			c.create(fmt.Sprint("web-", i), nil)
		}
		time.Sleep(5 * time.Second)
		seen := map[string]int{}
		for i := range 6 {
			seen[c.pod(fmt.Sprint("web-", i)).Status.PodIP]++
		}
		if got := showCounts(seen); got != ": 1, 10.1.1.2: 1, 10.1.1.3: 1, 10.1.1.4: 1, 10.1.1.5: 1, 10.1.1.6: 1" {
			t.Errorf("addresses: %s", got)
		}
	})
}

// TestRecreated wants a Pod that takes the place of another of its name to be a new one.
func TestRecreated(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		for range 3 {
			c.create("web", nil)
			time.Sleep(5 * time.Second)
			if p := c.pod("web"); p.Status.Phase != corev1.PodRunning || p.Status.PodIP == "" {
				t.Errorf("%s at %s", describe(p), p.Status.PodIP)
			}
			none := int64(0)
			remove(&none)(c)
		}
	})
}

// TestStages gives Stages as API objects: kwok's own in place of those here, one that is wrong, and none any more.
func TestStages(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		post := func(path string, text []byte) {
			t.Helper()
			data, err := yaml.YAMLToJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			r := c.client.Discovery().RESTClient().Post().AbsPath(path).Body(data).SetHeader("Content-Type", "application/json")
			if err := r.Do(t.Context()).Error(); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		const stages = "/apis/kwok.x-k8s.io/v1alpha1/stages"
		post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", []byte(CRD))
		time.Sleep(time.Second)
		for _, name := range []string{"pod-create", "pod-ready", "pod-complete", "pod-delete", "pod-init-container-running",
			"pod-init-container-completed"} {
			text, err := os.ReadFile("stage/testdata/kwok/pod/general/" + name + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			post(stages, text)
		}
		for name, spec := range map[string]string{
			"wrong": `{resourceRef: {kind: Pod}, selector: {matchExpressions: [{key: "[", operator: Exists}]}}`,
			"other": `{resourceRef: {apiGroup: apps/v1, kind: Deployment}, selector: {}}`,
		} {
			post(stages, fmt.Appendf(nil, "{apiVersion: %s, kind: Stage, metadata: {name: %s}, spec: %s}",
				stage.APIVersion, name, spec))
		}
		time.Sleep(time.Second)
		history := c.history("web")
		c.create("web", func(p *corev1.Pod) {
			for _, s := range []string{"pod-create", "pod-ready", "pod-delete"} {
				p.Annotations[s+suffix+"/delay"], p.Annotations[s+suffix+"/jitter-delay"] = "2s", "2s"
			}
		})
		time.Sleep(20 * time.Second)
		remove(nil)(c)
		time.Sleep(30 * time.Second)
		compare(t, t.Name(), history()+"\n\n"+strings.Join(append(append(c.events("web"), c.events("wrong")...),
			c.events("other")...), "\n"))

		r := c.client.Discovery().RESTClient().Delete().AbsPath(
			"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/stages.kwok.x-k8s.io")
		if err := r.Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		c.create("web", nil)
		time.Sleep(800 * time.Millisecond)
		synctest.Wait()
		if p := c.pod("web"); p.Status.Phase != corev1.PodRunning {
			t.Errorf("without the definition: %s", describe(p))
		}
	})
}

// TestPause wants two Stages that undo each other to write at most ten times a second.
func TestPause(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		k, _ := c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		for from, to := range map[string]string{"tick": "tock", "tock": "tick"} {
			text := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"resourceRef":{"kind":"Node"},
				"selector":{"matchLabels":{"clock":%q}},"weight":100,
				"next":{"patches":[{"template":"metadata: {labels: {clock: %s}}"}]}}}`, from, from, to)
			o := &unstructured.Unstructured{}
			if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
				t.Fatal(err)
			}
			if err := k.stages.give(o, false); err != nil {
				t.Fatal(err)
			}
		}
		c.took()
		c.label("nodes", "node-1", "clock", `"tick"`)
		time.Sleep(time.Minute)
		n := c.took()
		if n := n["PATCH nodes"]; n < 400 || n > 610 {
			t.Errorf("%d patches in a minute, want 600 at most", n)
		}
	})
}

func TestImpersonate(t *testing.T) {
	var got []string
	next := roundTripper(func(r *http.Request) (*http.Response, error) {
		got = append(got, r.Header.Get("Impersonate-User")+" "+r.Header.Get("Impersonate-Group"))
		return nil, nil
	})
	for _, ctx := range []context.Context{t.Context(), as(t.Context(), "n")} {
		r, _ := http.NewRequestWithContext(ctx, "GET", "http://x", nil)
		_, _ = impersonating(next).RoundTrip(r)
	}
	if want := []string{" ", "system:node:n system:nodes"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("without a Config")
	}
	if _, err := New(Options{Config: &rest.Config{}, Nodes: []Node{{Name: "a"}, {Name: "a"}}}); err == nil {
		t.Error("two Nodes of one name")
	}
}
