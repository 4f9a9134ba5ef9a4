package nodes

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// TestAdmission wants Pods that do not fit their node to fail, as a kubelet has them fail, and to take no room.
func TestAdmission(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		wants := func(name corev1.ResourceName, quantity string) func(*corev1.Pod) {
			return func(p *corev1.Pod) {
				r := &p.Spec.Containers[0].Resources
				r.Requests = corev1.ResourceList{name: resource.MustParse(quantity)}
				r.Limits = r.Requests
			}
		}
		port := func(p *corev1.Pod) {
			p.Spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: 8080}}
		}
		for _, test := range []struct {
			name, reason, message string
			pod                   func(*corev1.Pod)
		}{
			{name: "three-of-four", pod: wants("cpu", "3")},
			{name: "two-more", pod: wants("cpu", "2"), reason: "OutOfcpu",
				message: "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"},
			{name: "one-more", pod: wants("cpu", "1")},
			{name: "memory", pod: wants("memory", "1Ti"), reason: "OutOfmemory",
				message: "Node didn't have enough resource: memory, requested: 1099511627776, used: 0, capacity: 17179869184"},
			{name: "not-counted", pod: wants("example.com/device", "1")},
			{name: "port", pod: port},
			{name: "port-again", pod: port, reason: "NodePorts",
				message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"},
			{name: "elsewhere", pod: func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} },
				reason:  "NodeAffinity",
				message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"},
			{name: "windows", pod: func(p *corev1.Pod) { p.Spec.OS = &corev1.PodOS{Name: corev1.Windows} },
				reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS"},
		} {
			c.create(test.name, test.pod)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			p, err := c.client.CoreV1().Pods("default").Get(t.Context(), test.name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s := &p.Status
			if test.reason == "" {
				if s.Phase != corev1.PodRunning {
					t.Errorf("%s: %+v", test.name, s)
				}
				continue
			}
			if s.Phase != corev1.PodFailed || s.Reason != test.reason || s.Message != "Pod was rejected: "+test.message ||
				s.StartTime == nil || len(s.Conditions) != 0 || len(s.ContainerStatuses) != 0 || s.PodIP != "" {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
		// A Pod that is gone leaves its room to others, also while the programs are new.
		err := c.client.CoreV1().Pods("default").Delete(t.Context(), "three-of-four",
			metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
		if err != nil {
			t.Fatal(err)
		}
		c.create("three-again", wants("cpu", "3"))
		time.Sleep(5 * time.Second)
		synctest.Wait()
		p, err := c.client.CoreV1().Pods("default").Get(t.Context(), "three-again", metav1.GetOptions{})
		if err != nil || p.Status.Phase != corev1.PodRunning {
			t.Errorf("%v %+v", err, p.Status)
		}
	})
}

// TestExtendedResources wants what people advertise by a Node's capacity to be allocatable, until it is there no more.
func TestExtendedResources(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		nodes := c.client.CoreV1().Nodes()
		for _, advertised := range []string{"4", "2", "null"} {
			_, err := nodes.Patch(t.Context(), "node-1", types.MergePatchType,
				[]byte(`{"status":{"capacity":{"example.com/device":`+advertised+`}}}`), metav1.PatchOptions{}, "status")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			n, err := nodes.Get(t.Context(), "node-1", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, there := n.Status.Allocatable["example.com/device"]
			if there != (advertised != "null") || there && got.String() != advertised || len(n.Status.Allocatable) < 4 {
				t.Errorf("%s: %v", advertised, n.Status.Allocatable)
			}
		}
	})
}
