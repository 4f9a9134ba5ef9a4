package clientgo

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// save returns a snapshot of the cluster, now or at a revision.
func (c *cluster) save(ctx context.Context, revision string) []byte {
	c.t.Helper()
	saved, err := c.client.CoreV1().RESTClient().Get().AbsPath(wellknown.ControlPlane, "snapshot").Param("revision",
		revision).
		SetHeader("Accept", "application/octet-stream").Do(ctx).Raw()
	if err != nil {
		c.t.Fatal(err)
	}
	return saved
}

func (c *cluster) putBack(ctx context.Context, saved []byte) {
	c.t.Helper()
	if err := c.client.CoreV1().RESTClient().Put().AbsPath(wellknown.ControlPlane,
		"snapshot").Body(saved).Do(ctx).Error(); err != nil {
		c.t.Fatal(err)
	}
}

// TestInformerOverForks runs an informer on a cluster that is compacted and restored, after which
// the informer continues, and then forked and reset, after which it lists again.
func TestInformerOverForks(t *testing.T) {
	inBothWays(t, func(ctx context.Context, t *testing.T, c *cluster, watchList bool) {
		c.fill(ctx, 50)
		past := c.create(ctx, "past").ResourceVersion
		i := c.informer(ctx)
		for n := range 20 {
			if err := c.configMaps().Delete(ctx, named(n), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			c.create(ctx, fmt.Sprintf("later-%d", n))
		}
		c.awaitFresh(ctx, i)

		fork, saved := c.save(ctx, past), c.save(ctx, "")
		before := len(c.asked())
		c.act(ctx, "compact", "{}")
		c.putBack(ctx, saved)
		c.create(ctx, "after")
		c.awaitFresh(ctx, i)
		for _, asked := range c.asked()[before:] {
			if asked.Get("resourceVersion") == "" && asked.Has("watch") || asked.Has("sendInitialEvents") {
				t.Errorf("of what nothing was lost, the informer asked %v", asked)
			}
		}

		if !watchList {
			return // it retries its list of a future version for 40 s before it lists again
		}
		c.putBack(ctx, fork)
		c.awaitFresh(ctx, i)
		if n := len(i.holds()); n != 51 {
			t.Errorf("of the fork it knows %d objects", n)
		}
		c.create(ctx, "in-fork")
		c.awaitFresh(ctx, i)
		c.act(ctx, "reset", "{}")
		c.awaitFresh(ctx, i)
		c.create(ctx, "afresh")
		c.awaitFresh(ctx, i)
		if _, ok := i.holds()["afresh"]; !ok || len(i.holds()) != 1 {
			t.Errorf("of the new cluster it knows %v", i.holds())
		}
	})
}
