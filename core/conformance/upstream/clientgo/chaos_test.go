package clientgo

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
)

// TestInformerUnderSeededChaos runs an informer on a cluster in which watches are cut, history is
// compacted and caches are delayed at random, while writers write and the clock is advanced. At the
// end its store equals a new list.
func TestInformerUnderSeededChaos(t *testing.T) {
	const objects, writers, writes, perSecond = 200, 2, 300, 10
	for _, watchList := range []bool{true, false} {
		t.Run(fmt.Sprintf("WatchList=%v", watchList), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			c, ctx := newCluster(t), bounded(t)
			c.fill(ctx, objects)
			i := c.informer(ctx)
			c.set(ctx, `{"cache":{"replicas":[{},{}]},"chaos":{"enabled":true,"seed":11,"intervalSeconds":1}}`)
			before := len(c.asked())
			ticks := make(chan struct{})
			var writing, moving sync.WaitGroup
			moving.Go(func() {
				n := 0
				for range ticks {
					if n++; n%perSecond == 0 {
						c.act(ctx, "advance", `{"seconds":1}`)
					}
				}
			})
			for w := range uint64(writers) {
				writing.Go(func() {
					random := rand.New(rand.NewPCG(2, w))
					for range writes {
						c.writeSomething(ctx, random, objects)
						ticks <- struct{}{}
					}
				})
			}
			writing.Wait()
			close(ticks)
			moving.Wait()
			var object struct {
				Status struct{ Chaos struct{ Acts int } }
			}
			if err := c.read(ctx, &object); err != nil {
				t.Fatal(err)
			}
			if least := writers*writes/perSecond - 1; object.Status.Chaos.Acts < least {
				t.Errorf("there were %d acts, at least %d are expected", object.Status.Chaos.Acts, least)
			}
			c.set(ctx, `{"chaos":{"enabled":false}}`)
			c.awaitFresh(ctx, i)
			if !slices.ContainsFunc(c.asked()[before:], func(q url.Values) bool { return q.Get("watch") == "true" }) {
				t.Error("the informer never had to watch again")
			}
		})
	}
}
