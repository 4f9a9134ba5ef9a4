package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	pods  = flag.Int("pods", 0, "measure as many Pods; 0: nothing")
	nodes = flag.Int("nodes", 500, "how many nodes there are")
	qps   = flag.Int("qps", 1000, "requests per second of each client of the manager and the scheduler; "+
		"0: as few as by default, so that 10,000 Pods take eight minutes at least")
	real = flag.String("real", "", "the directory of etcd, kube-apiserver, kube-controller-manager, kube-scheduler and "+
		"kwok, to be measured too")
	stages = flag.String("stages", "", "the directory kustomize/stage of kwok's sources")
)

// deployments is how many have the Pods.
const deployments = 10

// most is how long the Pods may take.
const most = 40 * time.Minute

// TestPods measures this project's programs, and the original ones if they are named.
func TestPods(t *testing.T) {
	if *pods == 0 {
		t.Skip("it runs for minutes: -pods 10000")
	}
	t.Run("tabernetes", func(t *testing.T) {
		c := newCluster(t)
		c.startOwn()
		c.measure()
	})
	if *real == "" {
		return
	}
	t.Run("originals", func(t *testing.T) {
		c := newCluster(t)
		c.startOriginals()
		c.measure()
	})
}

// A cluster is what runs in one measurement.
type cluster struct {
	t          *testing.T
	dir        string
	kubeconfig string
	client     kubernetes.Interface
	processes  []process
}

// A process is one program of it.
type process struct {
	name string
	*exec.Cmd
}

func newCluster(t *testing.T) *cluster {
	dir := t.TempDir()
	return &cluster{t: t, dir: dir, kubeconfig: filepath.Join(dir, "kubeconfig")}
}

// start starts a program, which ends with the measurement.
func (c *cluster) start(name, file string, args ...string) {
	c.t.Helper()
	log, err := os.Create(filepath.Join(c.t.ArtifactDir(), name+".log"))
	if err != nil {
		c.t.Fatal(err)
	}
	p := process{name, exec.Command(file, args...)}
	p.Stdout, p.Stderr, p.Dir = log, log, c.dir
	if err := p.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.processes = append(c.processes, p)
	c.t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait() // killed
		_ = log.Close()
	})
}

// limits are the flags of both programs for their clients' limits.
func limits() []string {
	if *qps == 0 {
		return nil
	}
	return []string{fmt.Sprintf("--kube-api-qps=%d", *qps), fmt.Sprintf("--kube-api-burst=%d", 2**qps)}
}

// measure makes the Pods, and prints what they took.
func (c *cluster) measure() {
	ctx, cancel := context.WithTimeout(c.t.Context(), most)
	defer cancel()
	begun := time.Now()
	c.poll(ctx, "all nodes are ready", func() bool {
		list, err := c.client.CoreV1().Nodes().List(ctx, meta.ListOptions{})
		ready := 0
		for _, n := range list.Items {
			for _, condition := range n.Status.Conditions {
				if condition.Type == core.NodeReady && condition.Status == core.ConditionTrue {
					ready++
				}
			}
		}
		return err == nil && ready == *nodes
	})
	c.t.Logf("%d nodes are ready after %.1f s; load %s", *nodes, time.Since(begun).Seconds(), load())
	before := c.used()
	created := make(chan time.Duration, 1)
	all, err := c.client.CoreV1().Pods("default").List(ctx, meta.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	begun = time.Now()
	go func() {
		created <- c.seen(ctx, begun,
			meta.ListOptions{ResourceVersion: all.ResourceVersion, FieldSelector: "spec.nodeName!="})
	}()
	for i := range deployments {
		labels := map[string]string{"app": fmt.Sprint("web-", i)}
		replicas := int32(*pods / deployments)
		_, err := c.client.AppsV1().Deployments("default").Create(ctx, &apps.Deployment{
			ObjectMeta: meta.ObjectMeta{Name: labels["app"]},
			Spec: apps.DeploymentSpec{
				Replicas: &replicas, Selector: &meta.LabelSelector{MatchLabels: labels},
				Template: core.PodTemplateSpec{
					ObjectMeta: meta.ObjectMeta{Labels: labels},
					Spec:       core.PodSpec{Containers: []core.Container{{Name: "c", Image: "i"}}},
				},
			},
		}, meta.CreateOptions{})
		if err != nil {
			c.t.Fatal(err)
		}
	}
	running := c.seen(ctx, begun,
		meta.ListOptions{ResourceVersion: all.ResourceVersion, FieldSelector: "status.phase=Running"})
	c.t.Logf("%d Pods: all are bound after %.1f s, and run after %.1f s; load %s", *pods, (<-created).Seconds(),
		running.Seconds(), load())
	c.print(before)
}

// seen returns after which time as many Pods as there are to be were seen by a watch with a selector.
func (c *cluster) seen(ctx context.Context, begun time.Time, options meta.ListOptions) time.Duration {
	names := map[string]bool{}
	for len(names) < *pods/deployments*deployments {
		w, err := c.client.CoreV1().Pods("default").Watch(ctx, options)
		if err != nil {
			c.t.Error(err)
			return 0
		}
		for e := range w.ResultChan() {
			p, ok := e.Object.(*core.Pod)
			if !ok || e.Type == watch.Deleted {
				c.t.Errorf("%s %v", e.Type, e.Object)
				return 0
			}
			options.ResourceVersion, names[p.Name] = p.ResourceVersion, true
			if len(names) == *pods/deployments*deployments {
				break
			}
		}
		w.Stop()
	}
	return time.Since(begun)
}

// poll waits until something is so.
func (c *cluster) poll(ctx context.Context, what string, done func() bool) {
	c.t.Helper()
	err := wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(context.Context) (bool, error) {
		return done(), nil
	})
	if err != nil {
		c.t.Fatalf("waited in vain until %s: %v", what, err)
	}
}

// reach waits until there is a kubeconfig by which the server says that it is ready.
func (c *cluster) reach() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 2*time.Minute)
	defer cancel()
	c.poll(ctx, "the server is ready", func() bool {
		config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
		if err != nil {
			return false
		}
		config.QPS, config.ContentType = -1, "application/vnd.kubernetes.protobuf"
		c.client = kubernetes.NewForConfigOrDie(config)
		said, err := c.client.CoreV1().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err == nil && string(said) == "ok"
	})
}

// startOwn starts this project's programs, as devserver --control-plane does.
func (c *cluster) startOwn() {
	server, program := filepath.Join(c.dir, "devserver"), filepath.Join(c.dir, "tabernetes-controllers")
	for file, from := range map[string]string{server: "../../../devserver", program: "../"} {
		build := exec.CommandContext(c.t.Context(), "go", "build", "-trimpath", "-o", file, ".")
		build.Dir = from
		if said, err := build.CombinedOutput(); err != nil {
			c.t.Fatalf("go build: %v\n%s", err, said)
		}
	}
	c.start("devserver", server, "--api-only", "--addr", "127.0.0.1:0", "--kubeconfig", c.kubeconfig)
	c.reach()
	for _, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		c.start(name, program, append([]string{name, "--kubeconfig=" + c.kubeconfig}, limits()...)...)
	}
	c.start("kubelets", program, "kubelets", "--kubeconfig="+c.kubeconfig, fmt.Sprint("--nodes=", *nodes))
}

// print prints what each process took, from when the nodes were ready until all Pods ran.
func (c *cluster) print(before []usage) {
	var table strings.Builder
	var total usage
	row := func(name string, u usage) {
		fmt.Fprintf(&table, "\n%-24s %8.1f %8.0f %8.0f", name, u.processor.Seconds(), u.memory, u.most)
	}
	fmt.Fprintf(&table, "%-24s %8s %8s %8s", "", "CPU s", "RSS MB", "at most")
	for i, u := range c.used() {
		u.processor -= before[i].processor
		row(c.processes[i].name, u)
		total.processor, total.memory, total.most = total.processor+u.processor, total.memory+u.memory, total.most+u.most
	}
	row("together", total)
	c.t.Log(table.String())
}

// A usage is what a process took: memory in MB.
type usage struct {
	processor    time.Duration
	memory, most float64
}

// used returns what each process took until now.
func (c *cluster) used() []usage {
	c.t.Helper()
	var all []usage
	for _, p := range c.processes {
		u, err := used(p.Process.Pid)
		if err != nil {
			c.t.Fatalf("%s: %v", p.name, err)
		}
		all = append(all, u)
	}
	return all
}

// used reads what Linux says of a process.
func used(pid int) (usage, error) {
	dir := fmt.Sprint("/proc/", pid)
	status, err := os.ReadFile(dir + "/status")
	stat, err2 := os.ReadFile(dir + "/stat")
	if err := errors.Join(err, err2); err != nil {
		return usage{}, err
	}
	var u usage
	for line := range strings.Lines(string(status)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			u.memory = kb / 1000
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			u.most = kb / 1000
		}
	}
	// The fields after the program's name, which is in parentheses; the 12th and 13th are hundredths of a second.
	_, fields, _ := strings.Cut(string(stat), ") ")
	var user, system int64
	if f := strings.Fields(fields); len(f) > 12 {
		_, err = fmt.Sscan(f[11]+" "+f[12], &user, &system)
	}
	u.processor = time.Duration(user+system) * 10 * time.Millisecond
	return u, err
}

// load is how many processes want to work on the machine, on average of a minute.
func load() string {
	said, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return err.Error()
	}
	return strings.Fields(string(said))[0]
}
