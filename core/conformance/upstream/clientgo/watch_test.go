package clientgo

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// seen returns a short description of an event.
func seen(e watch.Event) string {
	cm, ok := e.Object.(*corev1.ConfigMap)
	if !ok {
		return string(e.Type)
	}
	return string(e.Type) + " " + cm.Name + " " + cm.ResourceVersion
}

// TestOneOrder checks that many watchers see the writes of several writers in the same order.
func TestOneOrder(t *testing.T) {
	t.Parallel()
	const watchers, writers, writes = 50, 4, 75
	c, ctx := newCluster(t), fixture.Context(t)
	start := c.fill(ctx, 1)
	orders := make([][]string, watchers)
	var watching, writing sync.WaitGroup
	for i := range watchers {
		w, err := c.configMaps().Watch(ctx, metav1.ListOptions{ResourceVersion: start})
		if err != nil {
			t.Fatal(err)
		}
		watching.Go(func() {
			defer w.Stop()
			for e := range w.ResultChan() {
				if orders[i] = append(orders[i], seen(e)); strings.Contains(orders[i][len(orders[i])-1], " last ") {
					return
				}
			}
			t.Errorf("watcher %d ended early", i)
		})
	}
	for n := range writers {
		writing.Go(func() {
			for i := range writes {
				name := named(n*writes + i + 1)
				c.create(ctx, name)
				if i%3 == 0 {
					if err := c.configMaps().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	writing.Wait()
	c.create(ctx, "last")
	watching.Wait()
	if want := writers*(writes+writes/3) + 1; len(orders[0]) != want {
		t.Errorf("%d events, want %d", len(orders[0]), want)
	}
	for i, order := range orders {
		if !slices.Equal(order, orders[0]) {
			t.Errorf("watcher %d saw another order", i)
		}
	}
	last := int64(0)
	for _, e := range orders[0] {
		rev := version(t, e[strings.LastIndexByte(e, ' ')+1:])
		if rev <= last {
			t.Errorf("%s comes after %d", e, last)
		}
		last = rev
	}
}

// listWatch returns what client-go's tools take.
func (c *cluster) listWatch() *cache.ListWatch {
	return &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface,
		error) {
		return c.configMaps().Watch(ctx, o)
	}}
}

// TestRetryWatcher loses its connections, but no event.
func TestRetryWatcher(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	start := c.fill(ctx, 1)
	w, err := toolswatch.NewRetryWatcherWithContext(ctx, start, c.listWatch())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	expect := func(name string) {
		t.Helper()
		select {
		case e := <-w.ResultChan():
			if got := seen(e); !strings.HasPrefix(got, "ADDED "+name+" ") {
				t.Fatalf("%s, want %s", got, name)
			}
		case <-ctx.Done():
			t.Fatalf("%s does not come", name)
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		c.create(ctx, name)
		expect(name)
		c.act(ctx, "disconnect", "{}")
		c.create(ctx, name+"-missed")
		expect(name + "-missed")
	}
}

// TestRetryWatcherEndsWhenItIsTooLate watches from a version that has been compacted.
func TestRetryWatcherEndsWhenItIsTooLate(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	start := c.fill(ctx, 1)
	c.passTime(ctx)
	c.act(ctx, "compact", "{}")
	w, err := toolswatch.NewRetryWatcherWithContext(ctx, start, c.listWatch())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	e := <-w.ResultChan()
	if e.Type != watch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
		t.Errorf("%s %v, want an ERROR that says Expired", e.Type, e.Object)
	}
	select {
	case <-w.Done():
	case <-ctx.Done():
		t.Error("it goes on")
	}
}

// passTime creates some history.
func (c *cluster) passTime(ctx context.Context) {
	for _, name := range []string{"x", "y"} {
		c.create(ctx, name)
	}
}
