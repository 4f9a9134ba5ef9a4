package clientgo

import (
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

func TestIncrements(t *testing.T) {
	t.Parallel()
	const increments = 100
	c, ctx := newCluster(t), fixture.Context(t)
	c.create(ctx, "counter")
	eager := wait.Backoff{Steps: 10_000, Duration: time.Millisecond, Jitter: 1}
	var working sync.WaitGroup
	for range increments {
		working.Go(func() {
			err := retry.RetryOnConflict(eager, func() error {
				cm, err := c.configMaps().Get(ctx, "counter", metav1.GetOptions{})
				if err != nil {
					return err
				}
				n, _ := strconv.Atoi(cm.Data["n"])
				cm.Data = map[string]string{"n": strconv.Itoa(n + 1)}
				_, err = c.configMaps().Update(ctx, cm, metav1.UpdateOptions{})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	cm, err := c.configMaps().Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if cm.Data["n"] != strconv.Itoa(increments) {
		t.Errorf("the counter is at %s", cm.Data["n"])
	}
}
