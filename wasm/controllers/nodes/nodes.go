package nodes

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Version is the version of the kubelets.
const Version = "v1.36.3"

// Back-offs of a kubelet: the first, the longest, and how long it takes until a failure is noticed.
const (
	firstBackOff = 10 * time.Second
	mostBackOff  = 300 * time.Second
	noticed      = time.Second
)

// ManagedAnnotation is the annotation of Nodes that others have made, and that are to have a kubelet, too; kwok's. Its
// value does not matter.
const ManagedAnnotation = "kwok.x-k8s.io/node"

// Options say what nodes there are and how they reach the API.
type Options struct {
	// Config is how the API is reached. Its limits, content types and transport are used as they are.
	Config *rest.Config
	// Impersonate makes the writes of each node those of the user system:node:NAME, for clusters with RBAC. The config's
	// user has to be allowed to impersonate.
	Impersonate bool
	// Clock is the cluster's time. Nil: the host's.
	Clock clock.WithTicker
	// Below returns a random number that is at least 0 and below n. Nil: that of math/rand/v2.
	Below func(n int64) int64
	// Nodes are registered if they do not exist.
	Nodes []Node
	// All gives a kubelet to every Node, no matter who has made it. Otherwise those of Nodes have one, and those with the
	// ManagedAnnotation.
	All bool
	// LeaseDuration is how long the Leases of nodes last, in whole seconds; 0: 40 s. They are renewed four times in that
	// time.
	LeaseDuration time.Duration
	// Workers is how many requests are made at once; 0: 4.
	Workers int
}

// Kubelets are the kubelets of a cluster.
type Kubelets struct {
	options Options
	clock   clock.WithTicker
	below   func(int64) int64
	client  kubernetes.Interface
	dynamic dynamic.Interface
	queue   workqueue.TypedDelayingInterface[key]
	// crashed and unpulled are the back-offs of containers, and of images of Pods.
	crashed, unpulled *flowcontrol.Backoff
	correlator        *record.EventCorrelator
	lastEvent         atomic.Int64
	stages            stages

	mu    sync.Mutex
	nodes map[string]*node
	pods  map[types.NamespacedName]*pod
	// admitted are, by node, the Pods that take room there.
	admitted map[string]map[*pod]struct{}
	ready    chan struct{} // closed once Nodes and Pods are known
}

// key is what the queue is of: a Node, the Lease of one, or a Pod.
type key struct {
	what keyKind
	types.NamespacedName
}

type keyKind byte

const (
	aNode keyKind = iota
	aLease
	aPod
)

// New returns the kubelets, which do nothing until Run.
func New(o Options) (*Kubelets, error) {
	if o.Config == nil {
		return nil, errors.New("nodes: no Config")
	}
	k := &Kubelets{options: o, clock: o.Clock, below: o.Below, nodes: map[string]*node{},
		pods: map[types.NamespacedName]*pod{}, admitted: map[string]map[*pod]struct{}{}, ready: make(chan struct{})}
	if k.clock == nil {
		k.clock = clock.RealClock{}
	}
	if k.below == nil {
		k.below = rand.Int64N
	}
	config := rest.CopyConfig(o.Config)
	config.UserAgent = "kubelet/" + Version + " (linux/amd64) kubernetes/stand-in"
	if o.Impersonate {
		config.Wrap(impersonating)
	}
	if k.options.LeaseDuration < 4*time.Second {
		if k.options.LeaseDuration != 0 {
			return nil, errors.New("nodes: Leases last four seconds at least")
		}
		k.options.LeaseDuration = leaseDuration
	}
	if k.options.Workers <= 0 {
		k.options.Workers = 4
	}
	var err error
	if k.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if k.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	for i := range o.Nodes {
		spec := o.Nodes[i].withDefaults(i)
		if k.nodes[spec.Name] != nil {
			return nil, fmt.Errorf("nodes: two Nodes are named %q", spec.Name)
		}
		k.nodes[spec.Name] = &node{name: spec.Name, spec: &spec}
	}
	k.queue = workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[key]{Clock: k.clock})
	k.crashed = flowcontrol.NewFakeBackOff(firstBackOff, mostBackOff, k.clock)
	k.unpulled = flowcontrol.NewFakeBackOff(firstBackOff, mostBackOff, k.clock)
	k.correlator = record.NewEventCorrelator(k.clock)
	return k, k.stages.init(k.functions())
}

// Run runs the kubelets until the context ends.
func (k *Kubelets) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	defer k.queue.ShutDown()
	nodes := k.client.CoreV1().Nodes()
	pods := k.client.CoreV1().Pods("")
	nodesSynced := k.follow(ctx, &all, &corev1.Node{}, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return nodes.List(ctx, o)
		},
		WatchFuncWithContext: nodes.Watch,
	}, k.sawNode)
	bound := fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	podsSynced := k.follow(ctx, &all, &corev1.Pod{}, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = bound
			return pods.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = bound
			return pods.Watch(ctx, o)
		},
	}, k.sawPod)
	k.followStages(ctx, &all)
	if !cache.WaitForCacheSync(ctx.Done(), nodesSynced, podsSynced) {
		return ctx.Err()
	}
	k.begin()
	for range k.options.Workers {
		all.Go(func() {
			for k.work(ctx) {
			}
		})
	}
	<-ctx.Done()
	return ctx.Err()
}

// begin registers the Nodes that are not there, and looks at everything once.
func (k *Kubelets) begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.ready)
	for name := range k.nodes {
		k.queue.Add(nodeKey(name))
	}
	for name := range k.pods {
		k.queue.Add(key{aPod, name})
	}
}

// started reports whether all Nodes and Pods are known.
func (k *Kubelets) started() bool {
	select {
	case <-k.ready:
		return true
	default:
		return false
	}
}

// work does what is due next; false: there will be no more.
func (k *Kubelets) work(ctx context.Context) bool {
	what, end := k.queue.Get()
	if end {
		return false
	}
	defer k.queue.Done(what)
	if ctx.Err() != nil {
		return false
	}
	var next time.Time
	var err error
	switch what.what {
	case aNode:
		next, err = k.syncNode(ctx, what.Name)
	case aLease:
		next, err = k.renew(ctx, what.Name)
	case aPod:
		next, err = k.syncPod(ctx, what.NamespacedName)
	}
	if err != nil && ctx.Err() == nil {
		klog.FromContext(ctx).Error(err, "Will try again", "object", what.NamespacedName)
		next = k.clock.Now().Add(retryAfter)
	}
	if !next.IsZero() {
		k.queue.AddAfter(what, next.Sub(k.clock.Now()))
	}
	return true
}

// retryAfter is how long after a request that has failed it is made again.
const retryAfter = 5 * time.Second

// follow calls a function with each object of a type as it is, and with nil once it is gone.
func (k *Kubelets) follow(ctx context.Context, all *sync.WaitGroup, kind runtime.Object, lw *cache.ListWatch,
	saw func(o runtime.Object, gone bool)) cache.InformerSynced {
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.ToListWatcherWithWatchListSemantics(lw, k.client), ObjectType: kind,
		Transform: withoutManagers,
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { saw(o.(runtime.Object), false) },
			UpdateFunc: func(_, o any) { saw(o.(runtime.Object), false) },
			DeleteFunc: func(o any) {
				if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
					o = last.Obj
				}
				saw(o.(runtime.Object), true)
			},
		},
	})
	all.Go(func() { informer.RunWithContext(ctx) })
	return informer.HasSynced
}

// newer reports whether an object is newer than what is known.
func newer(o, known metav1.Object) bool {
	c, err := resourceversion.CompareResourceVersion(o.GetResourceVersion(), known.GetResourceVersion())
	return err != nil || c > 0
}

// withoutManagers leaves out of an object what takes half of its memory and nobody here reads.
func withoutManagers(o any) (any, error) {
	if m, ok := o.(metav1.Object); ok {
		m.SetManagedFields(nil)
	}
	return o, nil
}

// user is the key of a context's user.
type user struct{}

// as returns a context whose requests are those of a node.
func as(ctx context.Context, node string) context.Context {
	return context.WithValue(ctx, user{}, node)
}

// impersonating makes requests those of the node of their context.
func impersonating(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if name, ok := r.Context().Value(user{}).(string); ok {
			r = r.Clone(r.Context())
			r.Header.Set("Impersonate-User", "system:node:"+name)
			r.Header.Set("Impersonate-Group", "system:nodes")
		}
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
