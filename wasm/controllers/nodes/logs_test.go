package nodes

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestLogs(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		k, _ := c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		c.create("web", func(p *corev1.Pod) {
			failing("pod-container-running-failed", "exit-code", "3", "delay", "20s")(p)
			p.Spec.Containers[0].Args = []string{"-c", "x"}
			p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "slow", Image: "a:1"})
			p.Annotations["pod-container-running-failed"+suffix+"/container-name"] = "web"
		})
		get := func(ctx context.Context, path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			k.Handler().ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", path, nil))
			return w
		}
		const web = "/containerLogs/default/web/web"
		expect := func(path string, code int, want string) {
			t.Helper()
			if w := get(t.Context(), path); w.Code != code || w.Body.String() != want {
				t.Errorf("%s: %d %q, want %d %q", path, w.Code, w.Body, code, want)
			}
		}
		synctest.Wait()
		expect(web, 400, "container \"web\" in pod \"web\" is waiting to start: ContainerCreating")
		expect("/containerLogs/default/web/none", 404, "container \"none\" not found in pod \"web\"")
		expect("/containerLogs/default/none/web", 404, "pod \"none\" does not exist")
		expect(web+"?tailLines=x", 400, `{"message": "Unable to decode query."}`)

		followed := make(chan string)
		time.Sleep(10 * time.Second)
		go func() { followed <- get(t.Context(), web+"?follow=true").Body.String() }()
		first := "web: docker.io/library/nginx:1.29 has started on node-1 (restarts: 0)\nweb: it would run [\"-c\" \"x\"]\n"
		expect(web, 200, first)
		expect(web+"?tailLines=1", 200, "web: it would run [\"-c\" \"x\"]\n")
		expect(web+"?limitBytes=4", 200, "web:")
		expect(web+"?tailLines=1&timestamps=true", 200, "2000-01-01T00:00:05Z web: it would run [\"-c\" \"x\"]\n")
		expect(web+"?sinceSeconds=2", 200, "")
		expect(web+"?previous=true", 400, "previous terminated container \"web\" in pod \"web\" not found")
		time.Sleep(10*time.Second + 900*time.Millisecond)
		if text := <-followed; text != first+"web: exit code 3 (Error)\n" {
			t.Errorf("followed: %q", text)
		}
		time.Sleep(time.Second)
		expect(web+"?previous=true", 200, first+"web: exit code 3 (Error)\n")
		expect(web+"?tailLines=3", 200, strings.Replace(first, "restarts: 0", "restarts: 1", 1))

		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { get(ctx, web+"?follow=true"); close(ended) }()
		synctest.Wait()
		cancel()
		<-ended
		for path, want := range map[string]string{
			"/exec/default/web/web": notHere, "/attach/default/web/web": notHere, "/portForward/default/web": notHere,
			"/exec/default/none/web": "pod does not exist",
		} {
			w := httptest.NewRecorder()
			k.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
			if (w.Code == http.StatusNotImplemented) != (want == notHere) || w.Body.String() != want {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	})
}

// TestWithoutLog wants the texts of a kubelet for containers without a log.
func TestWithoutLog(t *testing.T) {
	waiting := func(reason string) *corev1.ContainerStatus {
		return &corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}
	}
	ended := waiting("CrashLoopBackOff")
	ended.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{}
	for _, test := range []struct {
		status   *corev1.ContainerStatus
		previous bool
		want     string
	}{
		{nil, false, `container "c" in pod "p" is not available`},
		{waiting("ErrImagePull"), false, `container "c" in pod "p" is waiting to start: image can't be pulled`},
		{waiting("ImagePullBackOff"), false,
			`container "c" in pod "p" is waiting to start: trying and failing to pull image`},
		{waiting("100%d"), false, `container "c" in pod "p" is waiting to start: 100%d`},
		{&corev1.ContainerStatus{}, false, `container "c" in pod "p" is waiting to start - no logs yet`},
		{waiting("PodInitializing"), true, `previous terminated container "c" in pod "p" not found`},
		{ended, false, ""}, {ended, true, ""},
	} {
		got := withoutLog(test.status, test.previous)
		if got != "" {
			got = fmt.Sprintf(got, "c", "p")
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestDeadNode wants requests about the Pods of a dead node to end without an answer.
func TestDeadNode(t *testing.T) {
	inCluster(t, func(t *testing.T, c *cluster) {
		k, _ := c.run(Options{Nodes: make([]Node, 1)})
		time.Sleep(5 * time.Second)
		c.create("web", nil)
		time.Sleep(10 * time.Second)
		patch := `{"metadata":{"annotations":{"` + StoppedAnnotation + `":""}}}`
		if _, err := c.client.CoreV1().Nodes().Patch(t.Context(), "node-1", types.MergePatchType, []byte(patch),
			metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		for _, path := range []string{"/containerLogs/default/web/web", "/exec/default/web/web"} {
			func() {
				defer func() {
					if p := recover(); p != http.ErrAbortHandler {
						t.Errorf("%s: %v", path, p)
					}
				}()
				k.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
			}()
		}
	})
}
