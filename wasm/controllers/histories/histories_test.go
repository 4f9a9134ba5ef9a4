package histories

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var only = flag.String("only", "", "the only history that happens; empty: all of them")

// quiet is how long nobody may have written in a namespace for a step to have ended.
const quiet = 4 * time.Second

// A history is what a person does with a cluster, step by step.
type history struct {
	name  string
	steps []step
}

// A step is what a person asks for, and when the controllers have done it.
type step struct {
	do    []call
	until func(objects) bool
}

// A call is a request; its path is relative to the namespace, and {pod} in it is the name of the first Pod.
type call struct{ method, path, body string }

// objects are those of a namespace as they are, by resource/name.
type objects map[string]map[string]any

// field returns a field of an object, or nil.
func (o objects) field(object, path string) any {
	var value any = o[object]
	for key := range strings.SplitSeq(path, ".") {
		m, _ := value.(map[string]any)
		value = m[key]
	}
	return value
}

// is returns a condition: a field has a value. Numbers are compared as they are printed.
func is(object, path string, want any) func(objects) bool {
	return func(o objects) bool { return fmt.Sprint(o.field(object, path)) == fmt.Sprint(want) }
}

// has returns a condition: there are so many objects of a resource.
func has(resource string, n int) func(objects) bool {
	return func(o objects) bool {
		found := 0
		for name := range o {
			if strings.HasPrefix(name, resource+"/") {
				found++
			}
		}
		return found == n
	}
}

// condition returns a condition: that of an object's status with a type has a status and, unless it is empty, a reason.
func condition(object, kind, status, reason string) func(objects) bool {
	return func(o objects) bool {
		list, _ := o.field(object, "status.conditions").([]any)
		for _, one := range list {
			c, _ := one.(map[string]any)
			if c["type"] == kind && c["status"] == status && (reason == "" || c["reason"] == reason) {
				return true
			}
		}
		return false
	}
}

// events returns a condition: there are so many Events with a reason, or more.
func events(reason string, n int) func(objects) bool {
	return func(o objects) bool {
		found := 0
		for name := range o {
			if strings.HasPrefix(name, "events/") && o.field(name, "reason") == reason {
				found++
			}
		}
		return found >= n
	}
}

func all(conditions ...func(objects) bool) func(objects) bool {
	return func(o objects) bool {
		for _, c := range conditions {
			if !c(o) {
				return false
			}
		}
		return true
	}
}

// available returns a condition: the Deployment web has so many replicas, all of its template.
func available(n int) func(objects) bool {
	return all(is("deployments/web", "status.availableReplicas", n), is("deployments/web", "status.updatedReplicas", n),
		is("deployments/web", "status.replicas", n), has("pods", n))
}

// A run is one of several histories at the same time, each in a separate namespace.
type run struct {
	client *http.Client // of people, through the recorder
	url    string
	mu     sync.Mutex
	lives  map[string]*life // by namespace
}

// A life is a history while it runs.
type life struct {
	names
	objects objects
	step    stepRecorder
	wrote   chan struct{} // has an element when somebody has written
}

// saw takes a write of anybody.
func (r *run) saw(w write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lives[w.namespace]
	if l == nil {
		return
	}
	if w.after != nil {
		l.knows(strings.SplitN(w.object, "/", 2)[0], w.after)
		l.objects[w.object] = w.after
	} else if delete(l.objects, w.object); w.object == "namespaces/"+l.own {
		clear(l.objects) // whose deletions were of whole collections
	}
	if program, _, _ := strings.Cut(w.who, " "); program == "kube-controller-manager" || program == "kube-scheduler" {
		l.step.add(&l.names, w)
	}
	select {
	case l.wrote <- struct{}{}:
	default:
	}
}

// live lets a history happen, and returns what controllers wrote. The first step is that of the namespace.
func (r *run) live(ctx context.Context, h history, namespace string) (record, error) {
	l := &life{
		names:   names{own: namespace, namespace: "NAMESPACE", uids: map[string]string{}},
		objects: objects{}, step: stepRecorder{}, wrote: make(chan struct{}, 1),
	}
	r.mu.Lock()
	r.lives[namespace] = l
	r.mu.Unlock()
	if err := r.ask(ctx, "POST", "/api/v1/namespaces", fmt.Sprintf(`{"metadata":{"name":%q}}`, namespace)); err != nil {
		return nil, err
	}
	steps := append([]step{{until: all(has("serviceaccounts", 1), has("configmaps", 1))}}, h.steps...)
	var got record
	for i, s := range steps {
		for _, c := range s.do {
			if err := r.call(ctx, l, c); err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
		}
		if err := r.settle(ctx, l, s.until); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		r.mu.Lock()
		got = append(got, l.step.instances(func(name string) bool { return l.objects[name] != nil }))
		l.step = stepRecorder{}
		r.mu.Unlock()
	}
	return got, nil
}

// settle waits until a condition is met and nobody has written for some time.
func (r *run) settle(ctx context.Context, l *life, until func(objects) bool) error {
	still := time.NewTimer(quiet)
	defer still.Stop()
	for {
		select {
		case <-l.wrote:
			still.Reset(quiet)
		case <-still.C:
			r.mu.Lock()
			met := until(l.objects)
			r.mu.Unlock()
			if met {
				return nil
			}
		case <-ctx.Done():
			r.mu.Lock()
			defer r.mu.Unlock()
			return fmt.Errorf("it does not come to an end: %w; there are %q", ctx.Err(), slices.Sorted(maps.Keys(l.objects)))
		}
	}
}

// call makes a request of a history.
func (r *run) call(ctx context.Context, l *life, c call) error {
	path := strings.ReplaceAll(c.path, "NAMESPACE", l.own)
	if strings.Contains(path, "{pod}") {
		r.mu.Lock()
		first := ""
		for name := range maps.Keys(l.objects) {
			if pod, ok := strings.CutPrefix(name, "pods/"); ok && (first == "" || pod < first) {
				first = pod
			}
		}
		r.mu.Unlock()
		path, c.body = strings.ReplaceAll(path, "{pod}", first), strings.ReplaceAll(c.body, "{pod}", first)
	}
	return r.ask(ctx, c.method, path, c.body)
}

func (r *run) ask(ctx context.Context, method, path, body string) error {
	in, err := http.NewRequestWithContext(ctx, method, r.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	in.Header.Set("User-Agent", "person")
	in.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		in.Header.Set("Content-Type", "application/strategic-merge-patch+json")
	}
	out, err := r.client.Do(in)
	if err != nil {
		return err
	}
	defer out.Body.Close()
	text, err := io.ReadAll(out.Body)
	if out.StatusCode >= 300 && out.StatusCode != http.StatusTooManyRequests {
		return fmt.Errorf("%s %s: %d %s", method, path, out.StatusCode, text)
	}
	return err
}

// liveAll lets all histories happen, so many at the same time. Namespaces are their names with an ending.
func (r *run) liveAll(ctx context.Context, t *testing.T, ending string, atOnce int) map[string]record {
	t.Helper()
	var mu sync.Mutex
	var living sync.WaitGroup
	room := make(chan struct{}, atOnce)
	records := map[string]record{}
	for _, h := range histories {
		if *only != "" && h.name != *only {
			continue
		}
		living.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			got, err := r.live(ctx, h, "history-"+h.name+ending)
			if err != nil {
				t.Errorf("%s: %v", h.name, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			records[h.name] = got
		})
	}
	living.Wait()
	return records
}
