package inside

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
)

func TestQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var counted Queues
		queue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "web", MetricsProvider: &counted})
		defer queue.ShutDown()
		expect := func(when string, want Queue) {
			t.Helper()
			if got := counted.List(); !slices.Equal(got, []Queue{want}) {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
		}
		queue.Add("a")
		queue.Add("b")
		queue.Add("b")
		expect("two keys, one of them twice", Queue{"web", 2, 2, 0})
		key, _ := queue.Get()
		expect("one is worked on", Queue{"web", 1, 2, 0})
		queue.AddRateLimited(key)
		queue.Done(key)
		synctest.Wait()
		expect("it has failed, and waits to be added again", Queue{"web", 1, 2, 1})
		time.Sleep(5 * time.Millisecond)
		synctest.Wait()
		expect("it was added again", Queue{"web", 2, 3, 1})
	})
}

func TestLook(t *testing.T) {
	skips := metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: "some_controller", Name: "stale_sync_skips_total"},
		[]string{"group", "resource"})
	other := metrics.NewCounter(&metrics.CounterOpts{Name: "something_else"})
	for _, m := range []metrics.Registerable{skips, other} {
		if err := legacyregistry.Register(m); err != nil {
			t.Fatal(err)
		}
	}
	skips.WithLabelValues("", "pods").Add(3)
	other.Inc()
	got := Look(&Queues{})
	if want := (Value{"some_controller_stale_sync_skips_total", "resource=pods", 3}); !slices.Contains(got.Values, want) ||
		len(got.Values) > 1 || len(got.Queues) > 0 {
		t.Errorf("%+v, want %+v", got, want)
	}
}
