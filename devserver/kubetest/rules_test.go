package kubetest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	s := New(t)
	c := s.As("jane")
	for _, r := range []struct{ method, path, want string }{
		{"GET", "/api/v1/pods", "list pods"},
		{"GET", "/api/v1/namespaces/x/pods?watch=0", "list pods x/"},
		{"GET", "/api/v1/namespaces/x", "get namespaces x/x"},
		{"PUT", "/api/v1/namespaces/x/finalize", "update namespaces/finalize x/x"},
		{"POST", configMaps, "create configmaps default/"},
		{"PATCH", "/apis/apps/v1/namespaces/x/deployments/d/scale", "patch deployments.apps/scale x/d"},
		{"DELETE", "/apis/apps/v1/namespaces/x/deployments/d", "delete deployments.apps x/d"},
		{"DELETE", "/apis/apps/v1/namespaces/x/deployments", "deletecollection deployments.apps x/"},
		{"GET", "/version", "get /version"},
		{"GET", "/apis/apps/v1", "get /apis/apps/v1"},
		{"GET", "/api/v1/nodes/n", "get nodes n"},
	} {
		if _, _, err := c.Do(r.method, r.path, ""); err != nil {
			t.Fatal(err)
		}
		all := s.Requests()
		last := all[len(all)-1]
		if last.String() != r.want || last.User != "jane" || last.Code == 0 {
			t.Errorf("%s %s: %s by %q, %d; want %s", r.method, r.path, last, last.User, last.Code, r.want)
		}
	}
	if got := strings.Join(s.Writes(), "; "); got != "update namespaces/finalize x/x; create configmaps default/; "+
		"patch deployments.apps/scale x/d; delete deployments.apps x/d; deletecollection deployments.apps x/" {
		t.Errorf("writes are %s", got)
	}
	s.ForgetRequests()
	want(t, s.Client, 201, "POST", configMaps, configMap("a"))
	if all := s.Requests(); len(all) != 1 || string(all[0].Body) != configMap("a") || all[0].Code != 201 {
		t.Errorf("%+v", all)
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	s := New(t)
	b := s.Block("create", "configmaps", "")
	done := make(chan int)
	go func() {
		code, _, _ := s.Do("POST", configMaps, configMap("a"))
		done <- code
	}()
	if r := b.Await(t); r.Verb != "create" {
		t.Errorf("blocked is %s", r)
	}
	want(t, s.Client, 404, "GET", configMaps+"/a", "")
	b.Release()
	if code := <-done; code != 201 {
		t.Errorf("the request is answered with %d", code)
	}
	want(t, s.Client, 201, "POST", configMaps, configMap("b"))
	s.Block("", "", "") // until the end
	go func() { _, _, _ = s.Do("GET", configMaps, "") }()
}

func TestFail(t *testing.T) {
	t.Parallel()
	s := New(t)
	stop := s.Fail("get", "configmaps", "a", Failure{Code: 429, RetryAfter: 2 * time.Second, Times: 2})
	for range 2 {
		if body := want(t, s.Client, 429, "GET", configMaps+"/a", ""); !strings.Contains(body, `"retryAfterSeconds":2`) {
			t.Error(body)
		}
		want(t, s.Client, 404, "GET", configMaps+"/b", "")
	}
	want(t, s.Client, 404, "GET", configMaps+"/a", "")
	stop()
	stop = s.Fail("create", "configmaps", "", Failure{Drop: true, After: true})
	if _, _, err := s.Do("POST", configMaps, configMap("a")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a connection that is cut: %v", err)
	}
	stop()
	want(t, s.Client, 200, "GET", configMaps+"/a", "")
	stop = s.Fail("*", "*", "*", Failure{})
	want(t, s.Client, 500, "GET", "/version", "")
	stop()
	want(t, s.Client, 200, "GET", "/version", "")
}

// TestFaults makes requests with two servers of one seed: the same ones fail, and about as many as asked for.
func TestFaults(t *testing.T) {
	t.Parallel()
	outcomes := func(seed uint64) (all string, failed int) {
		s := New(t)
		s.Faults(seed, 0.3)
		for range 200 {
			code, _, err := s.Do("GET", configMaps, "")
			if all += fmt.Sprint(code, err, " "); err != nil || code != 200 {
				failed++
			}
		}
		return all, failed
	}
	a, failed := outcomes(1)
	if b, _ := outcomes(1); a != b {
		t.Errorf("%s\n%s", a, b)
	}
	if c, _ := outcomes(2); a == c {
		t.Error("another seed makes no difference")
	}
	if failed < 30 || failed > 90 {
		t.Errorf("%d of 200 failed", failed)
	}
}
