package clientgo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
)

// A test of code that uses client-go can have a whole API server in its own process, with real
// resourceVersions, watches, validation and conflicts, where a fake client has none of them. The
// levers then make happen what is rare in a cluster: here a watch from a resourceVersion that has
// been compacted.
func Example_testDouble() {
	cluster, err := core.New(core.Options{Clock: clock.Real(), Rand: rand.Reader})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(cluster)
	defer server.Close()
	defer cluster.Close() // first, since it ends open watches
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	maps := client.CoreV1().ConfigMaps("default")
	colour := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "colour"}, Data: map[string]string{"sky": "blue"}}
	old, err := maps.Create(ctx, colour, metav1.CreateOptions{})
	fmt.Println("created:", err == nil)

	// Of two updates of the same version the second is a conflict.
	changed := old.DeepCopy()
	changed.Data["sky"] = "grey"
	_, err = maps.Update(ctx, changed, metav1.UpdateOptions{})
	fmt.Println("updated:", err == nil)
	_, err = maps.Update(ctx, changed, metav1.UpdateOptions{})
	fmt.Println("conflict:", apierrors.IsConflict(err))

	// Compaction drops the history, so a watch from the old version gets a 410 in its stream.
	const compact = "/apis/sandbox.tabernetes.dev/v1/controlplanes/default/compact"
	err = client.CoreV1().RESTClient().Post().AbsPath(compact).Body([]byte(`{}`)).Do(ctx).Error()
	fmt.Println("compacted:", err == nil)
	watch, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: old.ResourceVersion})
	if err != nil {
		log.Fatal(err)
	}
	defer watch.Stop()
	event := <-watch.ResultChan()
	var expired *apierrors.StatusError
	err = apierrors.FromObject(event.Object)
	fmt.Println(event.Type, errors.As(err, &expired) && apierrors.IsResourceExpired(expired))
	// Output:
	// created: true
	// updated: true
	// conflict: true
	// compacted: true
	// ERROR true
}
