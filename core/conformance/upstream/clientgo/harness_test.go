package clientgo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	typedv1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const namespace = "default"

// cluster is a server on loopback with a client for it.
type cluster struct {
	t      testing.TB
	url    string
	client *kubernetes.Clientset

	mu       sync.Mutex
	requests []url.URL // of the reads of config maps
}

func newCluster(t testing.TB) *cluster {
	t.Helper()
	c := &cluster{t: t}
	c.url = fixture.Serve(t, core.Options{}, func(server http.Handler) *httptest.Server {
		return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				c.mu.Lock()
				c.requests = append(c.requests, *r.URL)
				c.mu.Unlock()
			}
			server.ServeHTTP(w, r)
		}))
	})
	var err error
	c.client, err = kubernetes.NewForConfig(&rest.Config{
		Host:          c.url,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked returns the queries of the reads so far.
func (c *cluster) asked() []url.Values {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []url.Values
	for _, u := range c.requests {
		out = append(out, u.Query())
	}
	return out
}

func (c *cluster) configMaps() typedv1.ConfigMapInterface {
	return c.client.CoreV1().ConfigMaps(namespace)
}

// act calls an act of the ControlPlane.
func (c *cluster) act(ctx context.Context, name, body string) {
	c.t.Helper()
	if err := c.client.CoreV1().RESTClient().Post().AbsPath(wellknown.ControlPlane,
		name).Body([]byte(body)).Do(ctx).Error(); err != nil {
		c.t.Errorf("%s: %v", name, err)
	}
}

// set changes settings of the ControlPlane.
func (c *cluster) set(ctx context.Context, spec string) {
	c.t.Helper()
	err := c.client.CoreV1().RESTClient().Patch(types.MergePatchType).AbsPath(wellknown.ControlPlane).Body([]byte(
		`{"spec":` + spec + `}`)).Do(ctx).Error()
	if err != nil {
		c.t.Errorf("%s: %v", spec, err)
	}
}

// read reads the ControlPlane.
func (c *cluster) read(ctx context.Context, into any) error {
	raw, err := c.client.CoreV1().RESTClient().Get().AbsPath(wellknown.ControlPlane).Do(ctx).Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

func named(i int) string { return fmt.Sprintf("c%05d", i) }

func (c *cluster) create(ctx context.Context, name string) *corev1.ConfigMap {
	c.t.Helper()
	cm, err := c.configMaps().Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	if err != nil {
		c.t.Error(err)
	}
	return cm
}

// fill creates n config maps, many at a time, and returns the last version.
func (c *cluster) fill(ctx context.Context, n int) string {
	c.t.Helper()
	const many = 8
	var working sync.WaitGroup
	for w := range many {
		working.Go(func() {
			for i := w; i < n; i += many {
				c.create(ctx, named(i))
			}
		})
	}
	working.Wait()
	list, err := c.configMaps().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		c.t.Fatal(err)
	}
	return list.ResourceVersion
}

// version returns a resourceVersion as a number.
func version(t testing.TB, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Errorf("resourceVersion: %v", err)
	}
	return n
}
