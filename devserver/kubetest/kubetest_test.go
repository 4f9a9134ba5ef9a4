package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestInProcess(t *testing.T) {
	t.Parallel()
	s := New(t)
	want(t, s.Client, 201, "POST", configMaps, configMap("a"))
	from := version(t, s.Client)
	ctx, cancel := context.WithCancel(context.Background())
	w := watch(t, ctx, s.Client, configMaps+"?watch=1&resourceVersion="+from)
	want(t, s.Client, 201, "POST", configMaps, configMap("b"))
	if got := w.next(); got != "ADDED b" {
		t.Errorf("the watch has %q", got)
	}
	if open := s.Watches(); len(open) != 1 || !strings.Contains(open[0].Opened, "kubetest.watch, ") {
		t.Errorf("open are %v", open)
	}
	cancel()
	if got := w.next(); got != "" || !errors.Is(w.Err(), context.Canceled) {
		t.Errorf("after its end the watch has %q, %v", got, w.Err())
	}
	for range 10_000 {
		if len(s.Watches()) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if open := s.Watches(); len(open) != 0 {
		t.Errorf("open are %v", open)
	}
	if s.socket.server != nil {
		t.Error("there is a socket")
	}
}

func TestOverHTTPS(t *testing.T) {
	t.Parallel()
	s := New(t)
	var config struct {
		Clusters []struct{ Cluster map[string]string }
		Users    []struct {
			User struct {
				Token, As string
				Groups    []string `json:"as-groups"`
			}
		}
	}
	if err := json.Unmarshal(s.As("jane", "devs", "ops").Kubeconfig(), &config); err != nil {
		t.Fatal(err)
	}
	if u := config.Users[0].User; u.As != "jane" || fmt.Sprint(u.Groups) != "[devs ops]" || u.Token == "" {
		t.Errorf("the user is %+v", u)
	}
	if config.Clusters[0].Cluster["server"] != s.URL() {
		t.Errorf("the server is %v, want %s", config.Clusters[0].Cluster, s.URL())
	}
	client := httpsClient(t, s)
	w, err := client.Get(s.URL() + configMaps)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if w.StatusCode != 200 || w.ProtoMajor != 2 {
		t.Errorf("%s by %s", w.Status, w.Proto)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	s := New(t, RBAC())
	want(t, s.Client, 200, "GET", configMaps, "")
	jane := s.As("jane", "devs")
	want(t, jane, 403, "GET", configMaps, "")
	s.ApplyText(t, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: devs}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: devs}]
`)
	f := s.Fork(t)
	want(t, jane, 200, "GET", configMaps, "")
	want(t, f.As("jane", "devs"), 200, "GET", configMaps, "")
	want(t, jane, 403, "POST", configMaps, configMap("a"))
}

func TestFork(t *testing.T) {
	t.Parallel()
	s := New(t, Seed(1))
	s.Apply(t, "testdata")
	want(t, s.Client, 201, "POST", configMaps, configMap("a"))
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			f := s.Fork(t)
			want(t, f.Client, 201, "POST", configMaps, configMap(fmt.Sprint("f", n)))
			want(t, f.Client, 200, "GET", "/apis/example.com/v1/namespaces/shop/orders/first", "")
			want(t, f.Client, 404, "GET", configMaps+fmt.Sprint("/f", n+1), "")
			want(t, f.Fork(t).Client, 200, "GET", configMaps+fmt.Sprint("/f", n), "")
		})
	}
	all.Wait()
	want(t, s.Client, 404, "GET", configMaps+"/f1", "")
}

// TestSeed checks that the same seed gives the same uids, and each fork others.
func TestSeed(t *testing.T) {
	t.Parallel()
	uid := func(s *Server, name string) string {
		want(t, s.Client, 201, "POST", configMaps, configMap(name))
		var obj struct{ Metadata struct{ UID string } }
		if err := json.Unmarshal([]byte(want(t, s.Client, 200, "GET", configMaps+"/"+name, "")), &obj); err != nil {
			t.Fatal(err)
		}
		return obj.Metadata.UID
	}
	a, b := New(t, Seed(7)), New(t, Seed(7))
	if x, y := uid(a, "a"), uid(b, "a"); x != y {
		t.Errorf("%s and %s", x, y)
	}
	x, y := uid(a.Fork(t), "x"), uid(a.Fork(t), "x")
	if again := uid(b.Fork(t), "x"); x == y || x != again {
		t.Errorf("%s, %s and %s again", x, y, again)
	}
}

func TestOpenWatches(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		f := &fake{}
		var options []Option
		if fails {
			options = append(options, FailOnOpenWatches())
		}
		s := New(f, options...)
		w := watch(t, t.Context(), s.Client, configMaps+"?watch=1")
		defer w.body.Close()
		f.end()
		told, other := f.logged, f.failed
		if fails {
			told, other = other, told
		}
		if len(other) != 0 || len(told) != 1 || !strings.Contains(told[0], "watch configmaps default/, opened at ") ||
			!strings.Contains(told[0], "harness_test.go:") {
			t.Errorf("fails: %t: told %q, and %q", fails, told, other)
		}
		if _, _, err := s.Do("GET", "/version", ""); !errors.Is(err, errEnded) {
			t.Errorf("after its end: %v", err)
		}
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	s := New(t)
	s.Webhook("system", "hooks", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct{ UID, Name string }
		}
		_ = json.NewDecoder(r.Body).Decode(&review)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":%t,
			"status":{"message":"not that one"}}}`, review.Request.UID, review.Request.Name != "bad")
	}))
	s.ApplyText(t, `
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: system}
spec: {ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: hooks.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: hooks, path: /validate}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
`)
	for _, s := range []*Server{s, s.Fork(t)} {
		want(t, s.Client, 201, "POST", configMaps, configMap("good"))
		if body := want(t, s.Client, 400, "POST", configMaps, configMap("bad")); !strings.Contains(body, "not that one") {
			t.Error(body)
		}
	}
}

// TestControllers deletes a namespace and the owner of an object, with controllers and without.
func TestControllers(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var options []Option
			if on {
				options = append(options, Controllers())
			}
			s := New(t, options...)
			s.Apply(t, "testdata")
			want(t, s.Client, 201, "POST", configMaps, configMap("owner"))
			var owner struct{ Metadata struct{ UID string } }
			if err := json.Unmarshal([]byte(want(t, s.Client, 200, "GET", configMaps+"/owner", "")), &owner); err != nil {
				t.Fatal(err)
			}
			want(t, s.Client, 201, "POST", configMaps, fmt.Sprintf(`{"metadata":{"name":"owned","ownerReferences":[
				{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q}]}}`, owner.Metadata.UID))
			want(t, s.Client, 200, "DELETE", configMaps+"/owner", "")
			want(t, s.Client, 200, "DELETE", "/api/v1/namespaces/shop", "")
			time.Sleep(time.Minute)
			code := map[bool]int{true: 404, false: 200}[on]
			want(t, s.Client, code, "GET", configMaps+"/owned", "")
			want(t, s.Client, code, "GET", "/api/v1/namespaces/shop", "")
			want(t, s.Client, code, "GET", "/apis/example.com/v1/namespaces/shop/orders/first", "")
		})
	}
}

// TestFakeTime waits for what takes minutes, in a bubble in which that takes none: a watch times out, latency passes.
func TestFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t, Latency(time.Minute, time.Minute), Seed(1))
		begun := time.Now()
		want(t, s.Client, 201, "POST", configMaps, configMap("a"))
		if took := time.Since(begun); took < time.Minute || took > 2*time.Minute {
			t.Errorf("a request took %v", took)
		}
		begun = time.Now()
		w := watch(t, t.Context(), s.Client, configMaps+"?watch=1&timeoutSeconds=600&resourceVersion="+version(t, s.Client))
		if got := w.next(); got != "" {
			t.Errorf("the watch has %s", got)
		}
		if took := time.Since(begun); took < 10*time.Minute {
			t.Errorf("the watch ended after %v", took)
		}
		s.Fork(t)
	})
}

func TestFeatureGates(t *testing.T) {
	t.Parallel()
	New(t, FeatureGates(map[string]bool{"WatchList": false}))
	f := &fake{}
	f.run(func() { New(f, FeatureGates(map[string]bool{"None": true})) })
	if f.end(); len(f.fatal) != 1 || !strings.Contains(f.fatal[0], "None") {
		t.Errorf("%q", f.fatal)
	}
}

// TestLeavesNothing counts goroutines before and after servers with sockets, forks and watches.
func TestLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		f := &fake{}
		s := New(f, Controllers(), RBAC())
		s.URL()
		s.Fork(f)
		w := watch(t, context.Background(), s.Client, configMaps+"?watch=1")
		f.end()
		w.body.Close()
	}
	for i := 0; runtime.NumGoroutine() > before && i < 10_000; i++ {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after: %s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
}

// TestTwoWrites deletes a Pod that has no node, which takes two writes: with Latency a watch sees them apart, as at the
// real server.
func TestTwoWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(t, Latency(2*time.Millisecond, 0))
		const pods = "/api/v1/namespaces/default/pods"
		want(t, s.Client, 201, "POST", pods, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
		w := watch(t, t.Context(), s.Client, pods+"?watch=1&resourceVersion="+version(t, s.Client))
		go func() { _, _, _ = s.Do("DELETE", pods+"/p", "") }() // what the watch has says how it went
		if got := w.next(); got != "MODIFIED p" {
			t.Errorf("first the watch has %q", got)
		}
		begun := time.Now()
		if got := w.next(); got != "DELETED p" || time.Since(begun) < 2*time.Millisecond {
			t.Errorf("%v later the watch has %q", time.Since(begun), got)
		}
	})
}
