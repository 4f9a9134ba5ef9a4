package clientgo

import (
	"context"
	"net/url"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// TestInformerUnderSeededChaos runs an informer on a cluster in which watches are cut, history is
// compacted and caches are delayed at random, while writers write and the clock is advanced. At the
// end its store equals a new list.
func TestInformerUnderSeededChaos(t *testing.T) {
	const objects, writers, writes, perSecond = 200, 2, 300, 10
	inBothWays(t, func(ctx context.Context, t *testing.T, c *cluster, _ bool) {
		c.fill(ctx, objects)
		i := c.informer(ctx)
		c.set(ctx, `{"cache":{"replicas":[{},{}]},"chaos":{"enabled":true,"seed":11,"intervalSeconds":1}}`)
		before := len(c.asked())
		c.writeMeanwhile(ctx, 2, writers, writes, objects, func(n int) {
			if n%perSecond == 0 {
				c.act(ctx, "advance", `{"seconds":1}`)
			}
		})
		// The acts that are due are carried out one after another, also after the last write.
		var object struct {
			Status struct{ Chaos struct{ Acts int } }
		}
		least := writers*writes/perSecond - 1
		err := wait.PollUntilContextCancel(ctx, 5*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			err := c.read(ctx, &object)
			return object.Status.Chaos.Acts >= least, err
		})
		if err != nil {
			t.Errorf("there were %d acts, at least %d are expected: %v", object.Status.Chaos.Acts, least, err)
		}
		c.set(ctx, `{"chaos":{"enabled":false}}`)
		c.awaitFresh(ctx, i)
		if !slices.ContainsFunc(c.asked()[before:], func(q url.Values) bool { return q.Get("watch") == "true" }) {
			t.Error("the informer never had to watch again")
		}
	})
}
