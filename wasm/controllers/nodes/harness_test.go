package nodes

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
)

// cluster is an API server in the test's process, and a client of it. It notes the writes that others than the client
// make.
type cluster struct {
	t      testing.TB
	server *core.Cluster
	client kubernetes.Interface
	config *rest.Config

	mu     sync.Mutex
	writes []string
}

// client-go slows errors down by a time that it notes when the program starts, which is years after that of a bubble.
func init() { utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] }

// inCluster runs a test in a bubble of testing/synctest, in which time passes when all wait, with an API server.
func inCluster(t *testing.T, test func(*testing.T, *cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(t, newCluster(t))
	})
}

func newCluster(t testing.TB) *cluster {
	t.Helper()
	server, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.NewChaCha8(sha256.Sum256([]byte(t.Name())))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{t: t, server: server}
	c.config = &rest.Config{Host: "http://cluster.invalid", Transport: c, QPS: -1}
	own := rest.CopyConfig(c.config)
	own.UserAgent = "test"
	c.client = kubernetes.NewForConfigOrDie(own)
	return c
}

// run runs kubelets until the test ends, or the returned function is called.
func (c *cluster) run(o Options) (k *Kubelets, stop func()) {
	c.t.Helper()
	o.Config = c.config
	r := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	o.Below = func(n int64) int64 {
		mu.Lock()
		defer mu.Unlock()
		return r.Int64N(n)
	}
	k, err := New(o)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = k.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	c.t.Cleanup(stop)
	return k, stop
}

// RoundTrip serves a request of a client.
func (c *cluster) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	in := r.Clone(ctx)
	in.RequestURI, in.RemoteAddr, in.Host = r.URL.RequestURI(), "127.0.0.1:0", r.URL.Host
	if in.Body == nil {
		in.Body = http.NoBody
	}
	if r.Method != http.MethodGet && !strings.HasPrefix(r.UserAgent(), "test") {
		c.mu.Lock()
		c.writes = append(c.writes, r.Method+" "+r.URL.Path)
		c.mu.Unlock()
	}
	body, out := io.Pipe()
	w := &answer{header: http.Header{}, begun: make(chan int, 1), out: out}
	go func() {
		defer cancel()
		defer func() {
			w.WriteHeader(http.StatusOK)
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
			out.Close()
		}()
		c.server.ServeHTTP(w, in)
	}()
	stop := context.AfterFunc(r.Context(), func() { body.CloseWithError(r.Context().Err()) })
	select {
	case code := <-w.begun:
		return &http.Response{StatusCode: code, Status: fmt.Sprint(code), ProtoMajor: 1, ProtoMinor: 1,
			Header: w.header.Clone(), Body: closer{body, func() { stop(); cancel() }}, ContentLength: -1, Request: r}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type closer struct {
	*io.PipeReader
	also func()
}

func (c closer) Close() error {
	c.also()
	return c.PipeReader.Close()
}

type answer struct {
	header http.Header
	begun  chan int
	once   sync.Once
	out    *io.PipeWriter
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(code int)        { a.once.Do(func() { a.begun <- code }) }
func (a *answer) Flush()                      { a.WriteHeader(http.StatusOK) }
func (a *answer) Write(b []byte) (int, error) { a.Flush(); return a.out.Write(b) }

// pod returns a Pod as it is; nil if it does not exist.
func (c *cluster) pod(name string) *corev1.Pod {
	c.t.Helper()
	all, err := c.client.CoreV1().Pods("default").List(context.Background(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + name})
	if err != nil {
		c.t.Fatal(err)
	}
	if len(all.Items) == 0 {
		return nil
	}
	return &all.Items[0]
}

// create makes a Pod on node-1.
func (c *cluster) create(name string, change func(*corev1.Pod)) *corev1.Pod {
	c.t.Helper()
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}, Annotations: map[string]string{}},
		Spec:       corev1.PodSpec{NodeName: "node-1", Containers: []corev1.Container{{Name: "web", Image: "nginx:1.29"}}},
	}
	if change != nil {
		change(p)
	}
	made, err := c.client.CoreV1().Pods("default").Create(context.Background(), p, metav1.CreateOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	return made
}

// label sets a label of a Pod; null removes it.
func (c *cluster) label(resource, name, label, value string) {
	c.t.Helper()
	body := fmt.Sprintf(`{"metadata":{"labels":{%q:%s}}}`, label, value)
	r := c.client.CoreV1().RESTClient().Patch(types.MergePatchType).Resource(resource).Name(name).Body([]byte(body))
	if resource == "pods" {
		r = r.Namespace("default")
	}
	if err := r.Do(context.Background()).Error(); err != nil {
		c.t.Fatal(err)
	}
}

// events returns the Events about an object, in the order in which they were first reported.
func (c *cluster) events(name string) []string {
	c.t.Helper()
	all, err := c.client.CoreV1().Events("").List(context.Background(), metav1.ListOptions{
		FieldSelector: "involvedObject.name=" + name})
	if err != nil {
		c.t.Fatal(err)
	}
	slices.SortStableFunc(all.Items, func(a, b corev1.Event) int { return strings.Compare(a.Name, b.Name) })
	var texts []string
	for _, e := range all.Items {
		text := e.Type + " " + e.Reason + " " + e.Message
		if e.Count > 1 {
			text += fmt.Sprintf(" (%d times)", e.Count)
		}
		texts = append(texts, text)
	}
	return texts
}

// history follows a Pod and returns a line for each of its states, when the returned function is called.
func (c *cluster) history(name string) func() string {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w, err := c.client.CoreV1().Pods("default").Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		c.t.Fatal(err)
	}
	start := time.Now()
	var lines []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		last := ""
		for e := range w.ResultChan() {
			p, ok := e.Object.(*corev1.Pod)
			if !ok {
				continue
			}
			line := describe(p)
			if e.Type == "DELETED" {
				line = "DELETED"
			}
			if line != last {
				lines = append(lines, fmt.Sprintf("%6.1fs %s", time.Since(start).Seconds(), line))
			}
			last = line
		}
	}()
	end := func() {
		w.Stop()
		cancel()
		<-done
	}
	c.t.Cleanup(end)
	return func() string {
		synctest.Wait()
		end()
		return strings.Join(lines, "\n")
	}
}

// describe says in a line how a Pod is.
func describe(p *corev1.Pod) string {
	words := []string{string(p.Status.Phase)}
	if p.Status.Reason != "" {
		words = append(words, p.Status.Reason)
	}
	if p.DeletionTimestamp != nil {
		words = append(words, "deleted")
	}
	for _, s := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
		word := s.Name + ":"
		switch {
		case s.State.Running != nil:
			word += "running"
			if s.Ready {
				word += "+ready"
			}
		case s.State.Terminated != nil:
			word += fmt.Sprintf("%s(%d)", s.State.Terminated.Reason, s.State.Terminated.ExitCode)
		case s.State.Waiting != nil:
			word += s.State.Waiting.Reason
		}
		if s.RestartCount > 0 {
			word += fmt.Sprintf("/%d", s.RestartCount)
		}
		words = append(words, word)
	}
	for _, c := range p.Status.Conditions {
		if c.Status == corev1.ConditionTrue && c.Type != corev1.PodScheduled && c.Type != corev1.PodReadyToStartContainers {
			words = append(words, string(c.Type))
		}
	}
	return strings.Join(words, " ")
}

// took returns how often each kind of write was made, and forgets them.
func (c *cluster) took() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := map[string]int{}
	for _, w := range c.writes {
		method, path, _ := strings.Cut(w, " ")
		for _, kind := range []string{"leases", "events", "nodes", "pods"} {
			if strings.Contains(path, "/"+kind) {
				if strings.HasSuffix(path, "/status") {
					kind += "/status"
				}
				counts[method+" "+kind]++
				break
			}
		}
	}
	c.writes = nil
	return counts
}

func showCounts(m map[string]int) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%s: %d", k, m[k]))
	}
	return strings.Join(all, ", ")
}
