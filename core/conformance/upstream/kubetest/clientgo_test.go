package kubetest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// config returns the configuration of clients that use no socket.
func config(c *kubetest.Client) *rest.Config {
	return &rest.Config{Host: kubetest.Host, Transport: c.Transport(), QPS: -1}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
}

// TestClientGo uses client-go by a kubeconfig, and without a socket.
func TestClientGo(t *testing.T) {
	t.Parallel()
	s := kubetest.New(t)
	overHTTPS, err := clientcmd.RESTConfigFromKubeConfig(s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range []*rest.Config{overHTTPS, config(s.Client)} {
		client := kubernetes.NewForConfigOrDie(c)
		name := fmt.Sprint("c", n)
		if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap(name),
			metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap(name),
			metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			t.Errorf("a second one: %v", err)
		}
		list, err := client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{Limit: 1})
		if err != nil || len(list.Items) != 1 || (n == 1) != (list.Continue != "") {
			t.Errorf("a page: %v, %v", list, err)
		}
	}
	if got := s.Writes(); !slices.Equal(got, []string{"create configmaps default/c0", "create configmaps default/c0",
		"create configmaps default/c1", "create configmaps default/c1"}) {
		t.Errorf("writes: %q", got)
	}
}

// TestConflict has another client write between the read and the write of one, which a fake cannot show.
func TestConflict(t *testing.T) {
	t.Parallel()
	s := kubetest.New(t)
	maps := kubernetes.NewForConfigOrDie(config(s.Client)).CoreV1().ConfigMaps("default")
	mine, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	held := s.Block("update", "configmaps", "a")
	failed := make(chan error)
	go func() {
		mine.Data = map[string]string{"who": "me"}
		_, err := maps.Update(t.Context(), mine, metav1.UpdateOptions{})
		failed <- err
	}()
	held.Await(t)
	if code, body, err := s.Do(http.MethodPatch, "/api/v1/namespaces/default/configmaps/a",
		`{"data":{"who":"other"}}`); err !=
		nil || code != 200 {
		t.Fatal(code, body, err)
	}
	held.Release()
	if err := <-failed; !apierrors.IsConflict(err) {
		t.Errorf("the write over another one: %v", err)
	}
}

// TestInformerRecoversFromGone runs an informer in a bubble while its history is compacted and its watch is cut: it
// gets 410, waits, lists again, and has what was deleted meanwhile, in fake time.
func TestInformerRecoversFromGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.New(t)
		client := kubernetes.NewForConfigOrDie(config(s.Client))
		maps := client.CoreV1().ConfigMaps("default")
		for _, name := range []string{"stays", "goes"} {
			if _, err := maps.Create(t.Context(), configMap(name), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		factory := informers.NewSharedInformerFactory(client, 0)
		lister := factory.Core().V1().ConfigMaps().Lister().ConfigMaps("default")
		stop := make(chan struct{})
		factory.Start(stop)
		factory.WaitForCacheSync(stop)
		time.Sleep(time.Minute) // a watch that ends within a second and without an event counts as failed
		// Its next watch is refused until the history is gone. After 429 a reflector asks for the same watch again; after
		// other errors it lists again.
		down := s.Fail("watch", "configmaps", "", kubetest.Failure{Code: 429})
		s.Cut()
		if err := maps.Delete(t.Context(), "goes", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := maps.Create(t.Context(), configMap("new"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		s.Compact()
		synctest.Wait()
		if _, err := lister.Get("goes"); err != nil {
			t.Errorf("it knows of the deletion without a watch: %v", err)
		}
		down()
		s.ForgetRequests()
		time.Sleep(time.Minute)
		if _, err := lister.Get("goes"); !apierrors.IsNotFound(err) {
			t.Errorf("what was deleted is %v", err)
		}
		for _, name := range []string{"stays", "new"} {
			if _, err := lister.Get(name); err != nil {
				t.Error(err)
			}
		}
		var seen []string
		for _, r := range s.Requests() {
			seen = append(seen, fmt.Sprint(r.Verb, " ", r.Code))
		}
		// The first one gets 410 as an event; the second, with sendInitialEvents, begins with the state of now.
		if want := []string{"watch 200", "watch 200"}; !slices.Equal(seen, want) {
			t.Errorf("it recovered by %q, want %q", seen, want)
		}
		close(stop)
		factory.Shutdown()
	})
}
