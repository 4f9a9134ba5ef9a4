//go:build !js

package nodes

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkPods lets Pods run: b.N of them, 20 on each node, with an API server in the same process. Run it with
// -benchtime=1000x.
func BenchmarkPods(b *testing.B) {
	c := newCluster(b)
	nodes := (b.N + 19) / 20
	c.run(Options{Nodes: make([]Node, nodes), Workers: 8})
	running := make(chan struct{})
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go c.countRunning(ctx, b.N, running)
	var made time.Duration
	begin := cpu()
	b.ResetTimer()
	for i := range b.N {
		c.create(fmt.Sprint("web-", i), func(p *corev1.Pod) { p.Spec.NodeName = fmt.Sprint("node-", i/20+1) })
	}
	made = cpu() - begin
	<-running
	used := cpu() - begin
	b.StopTimer()
	n := c.took()
	writes := 0
	for _, kind := range []string{"POST events", "PATCH events", "PATCH pods/status", "DELETE pods"} {
		writes += n[kind]
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(used.Seconds(), "cpu-s")
	b.ReportMetric(made.Seconds(), "cpu-s-until-created")
	b.ReportMetric(float64(writes)/float64(b.N), "writes/pod")
	b.ReportMetric(float64(n["PATCH pods/status"])/float64(b.N), "status-patches/pod")
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MB-heap")
	b.Log(showCounts(n))
}

// countRunning closes a channel when as many Pods run.
func (c *cluster) countRunning(ctx context.Context, n int, done chan struct{}) {
	w, err := c.client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		c.t.Error(err)
		return
	}
	seen := map[string]bool{}
	for e := range w.ResultChan() {
		p, ok := e.Object.(*corev1.Pod)
		if ok && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}) {
			seen[p.Name] = true
		}
		if len(seen) == n {
			close(done)
			return
		}
	}
}

// cpu returns the processor time of this process.
func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
