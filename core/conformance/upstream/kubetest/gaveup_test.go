package kubetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// TestWatchesGivenUp gives up 1,000 watches of client-go at random moments, by their context or by Stop, some of them
// while they wait by Latency or Block. Each is refused with the context's error, or has the events that the server sent
// and ends, after at most an event that says of itself that the client has given up: in process as over HTTPS.
func TestWatchesGivenUp(t *testing.T) {
	t.Parallel()
	const n, samples = 1000, 20
	s := kubetest.New(t, kubetest.Latency(0, 200*time.Microsecond))
	overHTTPS, err := clientcmd.RESTConfigFromKubeConfig(s.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	overHTTPS.QPS = -1
	held := s.Block("watch", "configmaps", "held")
	defer held.Release()
	for over, c := range map[string]*rest.Config{"in process": config(s.Client), "HTTPS": overHTTPS} {
		t.Run(over, func(t *testing.T) {
			maps := kubernetes.NewForConfigOrDie(c).CoreV1().ConfigMaps("default")
			if _, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			defer maps.Delete(context.Background(), "a", metav1.DeleteOptions{})
			start := time.Now()
			for range samples {
				w, err := maps.Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=a"})
				if err != nil {
					t.Fatal(err)
				}
				w.Stop()
			}
			longest := int(3 * time.Since(start) / samples)
			random := rand.New(rand.NewPCG(1, 2))
			gate := make(chan struct{}, 8)
			var all sync.WaitGroup
			var mu sync.Mutex
			outcomes := map[string]int{}
			for i := range n {
				o := metav1.ListOptions{FieldSelector: "metadata.name=a"}
				if i%50 == 0 {
					o.FieldSelector = "metadata.name=held"
				}
				patience, byStop := time.Duration(random.IntN(longest)), i%2 == 0
				gate <- struct{}{}
				all.Go(func() {
					defer func() { <-gate }()
					ctx, cancel := context.WithTimeout(context.Background(), patience)
					defer cancel()
					outcome := func() string {
						w, err := maps.Watch(ctx, o)
						if err != nil {
							if !errors.Is(err, context.DeadlineExceeded) {
								t.Errorf("a watch is refused: %v", err)
							}
							return "refused"
						}
						if strings.HasSuffix(o.FieldSelector, "held") {
							t.Error("a watch begins that the server has held back")
						}
						defer w.Stop()
						if byStop {
							time.AfterFunc(patience/4, w.Stop)
						}
						return ends(t, w)
					}()
					mu.Lock()
					defer mu.Unlock()
					outcomes[outcome]++
				})
			}
			all.Wait()
			t.Log(outcomes)
			if outcomes["refused"] == 0 || outcomes["refused"] == n {
				t.Errorf("the moments say nothing: %v", outcomes)
			}
		})
	}
}

// closed is what a body says that its reader has closed: in process, and with HTTP/2.
var closed = regexp.MustCompile(`invalid Read on closed Body|response body closed`)

// ends reads a watch until it ends, and returns how that came about.
func ends(t *testing.T, w watch.Interface) string {
	end := "ended"
	for e := range w.ResultChan() {
		switch o, _ := e.Object.(*metav1.Status); {
		case end != "ended":
			t.Errorf("after the client has given up: %v", e)
		case e.Type == watch.Added && e.Object.(metav1.Object).GetName() == "a":
		case e.Type == watch.Error && strings.Contains(o.Message, context.DeadlineExceeded.Error()):
			end = "ended with the context's error"
		case e.Type == watch.Error && closed.MatchString(o.Message): // which client-go may say of Stop
			end = "ended as closed"
		default:
			t.Errorf("an event that the server did not send: %s", fmt.Sprint(e))
		}
	}
	return end
}
