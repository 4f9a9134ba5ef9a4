package nodes

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// status returns a function that changes the status of the Pod web, as another client than its kubelet.
func status(patch string) func(*cluster) {
	return func(c *cluster) { c.patch(`{"status":`+patch+`}`, "status") }
}

// markNotReady does to a Pod what the controller of nodes does whose node it takes for lost.
func markNotReady(c *cluster) {
	status(fmt.Sprintf(`{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":%q}]}`,
		time.Now().UTC().Format(time.RFC3339)))(c)
}

// stop makes a node one whose kubelet does nothing; "null": one whose kubelet runs.
func (c *cluster) stop(value string) {
	c.t.Helper()
	_, err := c.client.CoreV1().Nodes().Patch(context.Background(), "node-1", types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%s}}}`, StoppedAnnotation, value), metav1.PatchOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
}

// nextPeriod sleeps until the moment after the one at which the kubelet of node-1 compares.
func nextPeriod() {
	at := (&node{name: "node-1"}).reconciles(time.Now())
	time.Sleep(time.Until(at) + time.Second)
	synctest.Wait()
}

// TestReconcile has others write into the status of a Pod that runs. What is the kubelet's it writes again, as it was
// and once, when its period ends; what is others' stays.
func TestReconcile(t *testing.T) {
	for _, test := range []struct {
		name   string
		pod    func(*corev1.Pod)
		stage  string // a Stage's patch of the status, played once
		others func(*cluster)
		back   bool
	}{
		{name: "Ready", others: markNotReady, back: true},
		{name: "the reason of a condition", back: true,
			others: status(`{"conditions":[{"type":"ContainersReady","status":"True","reason":"Other"}]}`)},
		{name: "a condition that is gone", back: true,
			others: status(`{"conditions":[{"type":"Initialized","$patch":"delete"}]}`)},
		{name: "a condition that the kubelet does not report", back: true,
			others: status(`{"conditions":[{"type":"PodResizePending","status":"True"}]}`)},
		{name: "PodScheduled", others: status(`{"conditions":[{"type":"PodScheduled","status":"False"}]}`), back: true},
		{name: "the phase", others: status(`{"phase":"Pending"}`), back: true},
		{name: "a container", back: true,
			others: status(`{"containerStatuses":[{"name":"web","image":"web","imageID":"","ready":false,"restartCount":7}]}`)},
		{name: "two at once", back: true, others: func(c *cluster) {
			markNotReady(c)
			status(`{"conditions":[{"type":"ContainersReady","status":"False"}],"message":"lost"}`)(c)
		}},
		{name: "Ready False, said by a Stage", back: true,
			stage:  `conditions: [{type: Ready, status: "False", reason: OnPurpose}]`,
			others: status(`{"conditions":[{"type":"Ready","status":"True","reason":""}]}`)},
		{name: "a Pod that is not ready", back: true,
			pod:    failing("pod-readiness-failed", "delay", "1s"),
			others: status(`{"conditions":[{"type":"Ready","status":"True","reason":"","message":""}]}`)},
		{name: "a condition of others", others: status(`{"conditions":[{"type":"example.com/a","status":"True"}]}`)},
		{name: "DisruptionTarget", others: status(`{"conditions":[{"type":"DisruptionTarget","status":"True"}]}`)},
		{name: "the time of a condition",
			others: status(`{"conditions":[{"type":"Ready","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`)},
		{name: "a phase that is terminal", others: status(`{"phase":"Failed"}`)},
		{name: "labels", others: func(c *cluster) { c.label("pods", "web", "a", `"b"`) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			inCluster(t, func(t *testing.T, c *cluster) {
				k, _ := c.run(Options{Nodes: make([]Node, 1)})
				if test.stage != "" {
					giveStage(t, k, test.stage)
				}
				time.Sleep(5 * time.Second)
				c.create("web", test.pod)
				time.Sleep(10 * time.Second)
				nextPeriod()
				before := c.pod("web").Status
				c.took()
				test.others(c)
				synctest.Wait()
				others := c.pod("web").Status
				at := (&node{name: "node-1"}).reconciles(time.Now())
				time.Sleep(time.Until(at) - time.Millisecond)
				synctest.Wait()
				if is := c.pod("web").Status; !reflect.DeepEqual(is, others) {
					t.Errorf("before the period ends:\n%s\nwant\n%s", text(is), text(others))
				}
				want, writes := others, 0
				if test.back {
					want, writes = before, 1
				}
				time.Sleep(time.Minute)
				if is := c.pod("web").Status; !reflect.DeepEqual(is, want) {
					t.Errorf("it is\n%s\nwant\n%s", text(is), text(want))
				}
				if n := c.took(); n["PATCH pods/status"] != writes {
					t.Errorf("writes: %s", showCounts(n))
				}
			})
		})
	}
}

// giveStage gives a Stage for Pods that are ready, and have no label "said"; they have it then.
func giveStage(t *testing.T, k *Kubelets, status string) {
	t.Helper()
	o := &unstructured.Unstructured{}
	err := json.Unmarshal(fmt.Appendf(nil, `{"metadata":{"name":"said"},"spec":{
		"resourceRef":{"apiGroup":"v1","kind":"Pod"},"selector":{"matchExpressions":[
			{"key":".metadata.labels.said","operator":"DoesNotExist"},
			{"key":".status.conditions[]? | select(.type == \"Ready\") | .status","operator":"In","values":["True"]}]},
		"weight":100,"steps":[{"patch":{"subresource":"status","root":"status","template":%q}},
			{"patch":{"root":"metadata","template":"labels: {said: \"yes\"}"}}]}}`, status), &o.Object)
	if err == nil {
		err = k.stages.give(o, false)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestReconcileLater wants a kubelet that did not run when others wrote to be heard again.
func TestReconcileLater(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		_, end := c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		c.create("web", nil)
		time.Sleep(10 * time.Second)
		before := c.pod("web").Status

		// A node that is silent for a while, not so long that its Pods are evicted.
		c.stop(`"yes"`)
		time.Sleep(time.Minute)
		markNotReady(c)
		time.Sleep(time.Minute)
		if p := c.pod("web"); podCondition(p.Status.Conditions, corev1.PodReady).Status != corev1.ConditionFalse {
			t.Errorf("a dead node's: %s", describe(p))
		}
		c.stop("null")
		nextPeriod()
		if is := c.pod("web").Status; !reflect.DeepEqual(is, before) {
			t.Errorf("the node is back:\n%s\nwant\n%s", text(is), text(before))
		}

		// A kubelet that is restarted does not remember since when the Pod was ready.
		end()
		markNotReady(c)
		time.Sleep(time.Minute)
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(time.Second)
		is := podCondition(c.pod("web").Status.Conditions, corev1.PodReady)
		if is.Status != corev1.ConditionTrue || time.Since(is.LastTransitionTime.Time) > 2*time.Second {
			t.Errorf("a kubelet that was restarted: %s", text(is))
		}
	})
}

func text(o any) string {
	data, _ := json.MarshalIndent(o, "", " ")
	return string(data)
}
