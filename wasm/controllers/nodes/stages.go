package nodes

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

//go:embed stages/*.yaml
var defaults embed.FS

// stagesCRD is the name of the CustomResourceDefinition by which people give Stages.
const stagesCRD = "stages.kwok.x-k8s.io"

// stages are the Stages that are played: those of this package, and those that people have made, which replace the ones
// of their name.
type stages struct {
	funcs template.FuncMap
	own   []*stage.Stage

	mu    sync.Mutex
	given map[string]*stage.Stage
	now   atomic.Pointer[played]
}

// played are Stages by the kind of their objects.
type played struct{ nodes, pods []*stage.Stage }

func (s *stages) forNodes() []*stage.Stage { return s.now.Load().nodes }
func (s *stages) forPods() []*stage.Stage  { return s.now.Load().pods }

// init reads the Stages of this package.
func (s *stages) init(funcs template.FuncMap) error {
	s.funcs, s.given = funcs, map[string]*stage.Stage{}
	files, err := fs.Glob(defaults, "stages/*.yaml")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := defaults.ReadFile(file)
		if err != nil {
			return err
		}
		objects, err := stage.Read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range objects {
			parsed, err := stage.Parse(o, funcs)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			s.own = append(s.own, parsed)
		}
	}
	s.arrange()
	return nil
}

// arrange makes the Stages those of this package and those that are given.
func (s *stages) arrange() {
	p := &played{}
	add := func(st *stage.Stage) {
		switch {
		case st == nil || st.APIVersion != "v1":
		case st.Kind == "Node":
			p.nodes = append(p.nodes, st)
		case st.Kind == "Pod":
			p.pods = append(p.pods, st)
		}
	}
	for _, st := range s.own {
		if _, ok := s.given[st.Name]; !ok {
			add(st)
		}
	}
	for _, st := range s.given {
		add(st)
	}
	s.now.Store(p)
}

// give takes a Stage that somebody has made or changed, or its end. A Stage that cannot be played leaves the ones of
// its name out, too: nobody should take another for it.
func (s *stages) give(o *unstructured.Unstructured, gone bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.arrange()
	if gone {
		delete(s.given, o.GetName())
		return nil
	}
	s.given[o.GetName()] = nil
	object := &stage.Object{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, object); err != nil {
		return err
	}
	parsed, err := stage.Parse(object, s.funcs)
	if err != nil {
		return err
	}
	if parsed != nil && (parsed.APIVersion != "v1" || parsed.Kind != "Pod" && parsed.Kind != "Node") {
		return fmt.Errorf("Stage %s: only Stages for v1 Pod and v1 Node are played here", o.GetName())
	}
	s.given[o.GetName()] = parsed
	return nil
}

// followStages follows the Stages that people make, while there is a CustomResourceDefinition for them.
func (k *Kubelets) followStages(ctx context.Context, all *sync.WaitGroup) {
	crds := schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	}
	var stop context.CancelFunc
	k.followDynamic(ctx, all, crds, fields.OneTermEqualSelector("metadata.name", stagesCRD).String(),
		func(o *unstructured.Unstructured, gone bool) {
			served := !gone && established(o)
			switch {
			case served && stop == nil:
				var within context.Context
				within, stop = context.WithCancel(ctx)
				k.followDynamic(within, all, schema.GroupVersionResource{
					Group: "kwok.x-k8s.io", Version: "v1alpha1", Resource: "stages",
				}, "", func(o *unstructured.Unstructured, gone bool) { k.sawStage(ctx, o, gone) })
			case gone && stop != nil:
				stop()
				stop = nil
				k.stages.withdraw()
				k.again()
			}
		})
}

// established reports whether the objects of a CustomResourceDefinition are served.
func established(o *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, v := range conditions {
		if c, ok := v.(map[string]any); ok && c["type"] == "Established" {
			return c["status"] == "True"
		}
	}
	return false
}

// withdraw leaves the Stages of this package alone.
func (s *stages) withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.given)
	s.arrange()
}

// sawStage takes a Stage as it is now, and says in an Event why it cannot be played.
func (k *Kubelets) sawStage(ctx context.Context, o *unstructured.Unstructured, gone bool) {
	if err := k.stages.give(o, gone); err != nil {
		about := &corev1.ObjectReference{APIVersion: stage.APIVersion, Kind: stage.Kind, Name: o.GetName(), UID: o.GetUID()}
		k.event(ctx, about, "", corev1.EventTypeWarning, "Invalid", err.Error())
	}
	k.again()
}

// again looks at all Nodes and Pods.
func (k *Kubelets) again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.started() {
		return
	}
	for name := range k.nodes {
		k.queue.Add(nodeKey(name))
	}
	for name := range k.pods {
		k.queue.Add(key{aPod, name})
	}
}

// followDynamic calls a function with each object of a resource as it is, and as it was once it is gone.
func (k *Kubelets) followDynamic(ctx context.Context, all *sync.WaitGroup, resource schema.GroupVersionResource,
	selector string, saw func(o *unstructured.Unstructured, gone bool)) {
	client := k.dynamic.Resource(resource)
	k.follow(ctx, all, &unstructured.Unstructured{}, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			return client.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			return client.Watch(ctx, o)
		},
	}, func(o runtime.Object, gone bool) { saw(o.(*unstructured.Unstructured), gone) })
}

// functions are the template functions that depend on the time, and on the nodes.
func (k *Kubelets) functions() template.FuncMap {
	now := func() string { return k.clock.Now().UTC().Format(time.RFC3339Nano) }
	start := now()
	ip := func(name string) string {
		k.mu.Lock()
		defer k.mu.Unlock()
		if n := k.nodes[name]; n != nil && n.object != nil {
			return internalIP(n.object, n)
		}
		return ""
	}
	podIP := func(node string, hostNetwork bool, uid, name, namespace string) string {
		if hostNetwork {
			return ip(node)
		}
		p, object := k.podOf(types.NamespacedName{Namespace: namespace, Name: name})
		n, on := k.nodeOf(node)
		if p == nil || n == nil || string(object.UID) != uid {
			return ""
		}
		w := &podWorker{k: k, p: p, o: object, n: n, node: on}
		w.keepAddress()
		return w.address()
	}
	return template.FuncMap{
		"Now": now, "StartTime": func() string { return start }, "Version": func() string { return Version },
		"NodeIP": func() string { return "" }, "NodeName": func() string { return "" },
		"NodePort":   func() int { return 10250 },
		"NodeIPWith": ip, "NodeIPsWith": func(node string) []string { return []string{ip(node)} },
		"PodIPWith": podIP,
		"PodIPsWith": func(node string, hostNetwork bool, uid, name, namespace string) []string {
			return []string{podIP(node, hostNetwork, uid, name, namespace)}
		},
	}
}
