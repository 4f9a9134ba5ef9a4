package nodes

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

const suffix = ".stage.kwok.x-k8s.io"

// failing makes a Pod one in which something goes wrong, with details as annotations.
func failing(stage string, details ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Labels[stage+suffix] = "true"
		for i := 0; i < len(details); i += 2 {
			p.Annotations[stage+suffix+"/"+details[i]] = details[i+1]
		}
	}
}

// TestPods compares what watches see of Pods, and the Events about them, with what they see of a kubelet's.
func TestPods(t *testing.T) {
	always, never := corev1.ContainerRestartPolicyAlways, corev1.RestartPolicyNever
	probe := func(initial, period int32) *corev1.Probe {
		return &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}},
			InitialDelaySeconds: initial, PeriodSeconds: period,
		}
	}
	for _, test := range []struct {
		name    string
		pod     func(*corev1.Pod)
		then    func(*cluster)
		seconds int
	}{
		{name: "runs", seconds: 60},
		{name: "deleted", seconds: 60, then: remove(nil)},
		{name: "deleted before it has begun", seconds: 60, pod: func(p *corev1.Pod) {
			p.Annotations["pod-ready"+suffix+"/delay"] = "1h"
		}, then: remove(nil)},
		{name: "deleted and does not end", seconds: 60, pod: func(p *corev1.Pod) {
			p.Annotations["pod-terminated"+suffix+"/delay"] = "1h"
		}, then: remove(nil)},
		{name: "init containers and a sidecar", seconds: 60, pod: func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "a"}, {Name: "side", Image: "b:1",
				RestartPolicy: &always}, {Name: "second", Image: "b:1"}}
		}, then: remove(nil)},
		{name: "probes", seconds: 90, pod: func(p *corev1.Pod) {
			p.Spec.Containers[0].StartupProbe = probe(3, 5)
			p.Spec.Containers[0].ReadinessProbe = probe(12, 10)
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "another", Image: "nginx:1.29"})
		}},
		{name: "crashes", seconds: 150, pod: failing("pod-container-running-failed", "exit-code", "3", "delay", "2s")},
		{name: "out of memory", seconds: 10, pod: failing("pod-container-running-failed", "exit-code", "137",
			"reason", "OOMKilled")},
		{name: "fails for good", seconds: 30, pod: func(p *corev1.Pod) {
			failing("pod-container-running-failed")(p)
			p.Spec.RestartPolicy = never
		}},
		{name: "completes", seconds: 30, pod: func(p *corev1.Pod) {
			p.Annotations["pod-complete"+suffix+"/delay"] = "3s"
			p.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
		}},
		{name: "of a Job", seconds: 30, pod: func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "batch/v1", Kind: "Job", Name: "j", UID: "u"}}
			p.Spec.RestartPolicy = never
		}},
		{name: "active for too long", seconds: 30, pod: func(p *corev1.Pod) {
			p.Spec.ActiveDeadlineSeconds = ptr.To[int64](10)
		}},
		{name: "another image", seconds: 10, then: func(c *cluster) {
			c.patch(`{"spec":{"containers":[{"name":"web","image":"nginx:1.30"}]}}`)
		}},
		{name: "readiness gates", seconds: 10, pod: func(p *corev1.Pod) {
			p.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "example.com/open"}}
		}, then: func(c *cluster) {
			c.patch(`{"status":{"conditions":[{"type":"example.com/open","status":"True"}]}}`, "status")
			time.Sleep(5 * time.Second)
			c.patch(`{"status":{"conditions":[{"type":"example.com/open","status":"False"}]}}`, "status")
		}},
		{name: "init container fails", seconds: 60, pod: func(p *corev1.Pod) {
			failing("pod-init-container-running-failed")(p)
			p.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "a"}}
		}},
		{name: "image is missing", seconds: 60, pod: failing("pod-image-pull-failed"), then: func(c *cluster) {
			c.label("pods", "web", "pod-image-pull-failed"+suffix, "null")
			time.Sleep(30 * time.Second)
		}},
		{name: "evicted", seconds: 10, pod: failing("pod-evicted", "delay", "3s")},
		{name: "not ready", seconds: 25, pod: failing("pod-readiness-failed"), then: func(c *cluster) {
			c.label("pods", "web", "pod-readiness-failed"+suffix, "null")
		}},
		{name: "liveness", seconds: 35, pod: failing("pod-liveness-failed")},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			inCluster(t, func(t *testing.T, c *cluster) {
				c.run(Options{Nodes: make([]Node, 1)})
				time.Sleep(5 * time.Second)
				history := c.history("web")
				c.create("web", test.pod)
				time.Sleep(time.Duration(test.seconds) * time.Second)
				synctest.Wait()
				if test.then != nil {
					test.then(c)
					time.Sleep(time.Minute)
				}
				compare(t, t.Name(), history()+"\n\n"+uid.ReplaceAllString(strings.Join(c.events("web"), "\n"), "UID")+"\n\n"+
					showCounts(c.took()))
			})
		})
	}
}

var update = flag.Bool("update", false, "write what tests see to testdata")

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// compare compares what a test sees with the file of its name.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got = strings.TrimSpace(got) + "\n"
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant (-update writes it)\n%s", got, want)
	}
}

// patch changes the Pod by a strategic merge patch.
func (c *cluster) patch(body string, subresource ...string) {
	c.t.Helper()
	_, err := c.client.CoreV1().Pods("default").Patch(context.Background(), "web", types.StrategicMergePatchType,
		[]byte(body), metav1.PatchOptions{}, subresource...)
	if err != nil {
		c.t.Error(err)
	}
}

// remove deletes a Pod.
func remove(grace *int64) func(*cluster) {
	return func(c *cluster) {
		err := c.client.CoreV1().Pods("default").Delete(context.Background(), "web",
			metav1.DeleteOptions{GracePeriodSeconds: grace})
		if err != nil {
			c.t.Error(err)
		}
	}
}
