package clientgo

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// informer follows the config maps until the test ends.
type informer struct {
	cache.SharedIndexInformer
	news chan struct{} // receives after something has changed
}

func (c *cluster) informer(ctx context.Context) informer {
	c.t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(c.client, 0, informers.WithNamespace(namespace))
	i := informer{factory.Core().V1().ConfigMaps().Informer(), make(chan struct{}, 1)}
	changed := func() {
		select {
		case i.news <- struct{}{}:
		default:
		}
	}
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { changed() }, UpdateFunc: func(any, any) { changed() }, DeleteFunc: func(any) { changed() },
	})
	if err != nil {
		c.t.Fatal(err)
	}
	factory.Start(ctx.Done())
	c.t.Cleanup(func() { cancel(); factory.Shutdown() })
	if !cache.WaitForCacheSync(ctx.Done(), i.HasSynced) {
		c.t.Fatal("the informer does not get ready")
	}
	return i
}

// holds returns the content of the informer's store: names and versions.
func (i informer) holds() map[string]string {
	out := map[string]string{}
	for _, obj := range i.GetStore().List() {
		cm := obj.(*corev1.ConfigMap)
		out[cm.Name] = cm.ResourceVersion
	}
	return out
}

// awaitFresh waits until the informer's store equals a new list. Nobody may write meanwhile.
func (c *cluster) awaitFresh(ctx context.Context, i informer) {
	c.t.Helper()
	list, err := c.configMaps().List(ctx, metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	want := map[string]string{}
	for _, cm := range list.Items {
		want[cm.Name] = cm.ResourceVersion
	}
	for !maps.Equal(i.holds(), want) {
		select {
		case <-i.news:
		case <-ctx.Done():
			c.t.Fatalf("the informer has %d objects, and a fresh list %d", len(i.holds()), len(want))
		}
	}
}

// inBothWays runs a test with its own cluster for each way in which an informer can begin.
func inBothWays(t *testing.T, run func(ctx context.Context, t *testing.T, c *cluster, watchList bool)) {
	for _, watchList := range []bool{true, false} {
		t.Run(fmt.Sprintf("WatchList=%v", watchList), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			run(fixture.Context(t), t, newCluster(t), watchList)
		})
	}
}

// TestInformer starts an informer in both ways: with a list, and with a watch list.
func TestInformer(t *testing.T) {
	inBothWays(t, func(ctx context.Context, t *testing.T, c *cluster, watchList bool) {
		c.fill(ctx, 100)
		before := len(c.asked())
		i := c.informer(ctx)
		asked := c.asked()[before:]
		if streams := asked[0].Get("sendInitialEvents") == "true"; streams != watchList {
			t.Errorf("it begins with %v", asked[0])
		}
		c.awaitFresh(ctx, i)
		for n := range 20 {
			switch n % 3 {
			case 0:
				c.create(ctx, fmt.Sprintf("new-%d", n))
			case 1:
				if err := c.configMaps().Delete(ctx, named(n), metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			default:
				cm, err := c.configMaps().Get(ctx, named(n), metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				cm.Labels = map[string]string{"n": fmt.Sprint(n)}
				if _, err := c.configMaps().Update(ctx, cm, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			c.awaitFresh(ctx, i)
		}
	})
}

// TestInformerInChaos runs an informer of 5,000 objects while writers write and levers are used. At
// the end its store equals a new list.
func TestInformerInChaos(t *testing.T) {
	const objects, writers, writes = 5000, 4, 300
	inBothWays(t, func(ctx context.Context, t *testing.T, c *cluster, _ bool) {
		c.fill(ctx, objects)
		i := c.informer(ctx)
		chaos := []func(){
			func() { c.set(ctx, `{"cache":{"replicas":[{},{"lagSeconds":1},{"frozen":true}]}}`) },
			func() { c.act(ctx, "disconnect", "{}") },
			func() { c.act(ctx, "compact", "{}") },
			func() { c.set(ctx, `{"cache":{"replicas":[{"frozen":true}]}}`) },
			func() { c.act(ctx, "disconnect", "{}"); c.act(ctx, "compact", "{}") },
			func() { c.set(ctx, `{"cache":{"replicas":[{"lagSeconds":1},{}]}}`) },
			func() { c.act(ctx, "disconnect", "{}") },
			func() { c.act(ctx, "advance", `{"seconds":3600}`) },
		}
		c.writeMeanwhile(ctx, 1, writers, writes, objects, func(n int) {
			if n%(writers*writes/len(chaos)) == 0 {
				chaos[n*len(chaos)/(writers*writes)-1]()
			}
		})
		c.set(ctx, `{"cache":{"replicas":[{}]}}`)
		c.awaitFresh(ctx, i)
	})
}

// writeMeanwhile lets writers write to random objects, and calls act after each write with
// how many there were.
func (c *cluster) writeMeanwhile(ctx context.Context, seed uint64, writers, writes, objects int, act func(n int)) {
	ticks := make(chan struct{})
	var writing, acting sync.WaitGroup
	acting.Go(func() {
		n := 0
		for range ticks {
			n++
			act(n)
		}
	})
	for w := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for range writes {
				c.writeSomething(ctx, random, objects)
				ticks <- struct{}{}
			}
		})
	}
	writing.Wait()
	close(ticks)
	acting.Wait()
}

// writeSomething creates, changes or deletes a random object.
func (c *cluster) writeSomething(ctx context.Context, random *rand.Rand, objects int) {
	name := named(random.IntN(objects + objects/10))
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
		Data: map[string]string{"v": fmt.Sprint(random.Int())}}
	var err error
	switch random.IntN(3) {
	case 0:
		_, err = c.configMaps().Create(ctx, cm, metav1.CreateOptions{})
	case 1:
		_, err = c.configMaps().Update(ctx, cm, metav1.UpdateOptions{})
	default:
		err = c.configMaps().Delete(ctx, name, metav1.DeleteOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsAlreadyExists(err) {
		c.t.Error(err)
	}
}
