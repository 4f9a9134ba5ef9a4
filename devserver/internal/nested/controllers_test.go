package nested

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

const (
	node = `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1"},` +
		`"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}`
	deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":3,` +
		`"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},` +
		`"spec":{"containers":[{"name":"c","image":"i"}]}}}}`
)

// A podEvent is what the test reads of an event of a watch of Pods.
type podEvent struct {
	Object struct {
		Metadata struct{ Name string }
		Spec     struct{ NodeName string }
	}
}

// TestControllers wants a Deployment's Pods to be created and bound by both programs, in Node.
func TestControllers(t *testing.T) {
	args, url := inNode(t, Controllers), newServer(t)
	var logs [2]bytes.Buffer
	for i, name := range []string{"kube-controller-manager", "kube-scheduler"} {
		c := exec.CommandContext(t.Context(), "node", append(append([]string{}, args...), name, "--master="+url)...)
		c.Stdout, c.Stderr = &logs[i], &logs[i]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Wait() // the test's context has ended it
			if t.Failed() {
				t.Logf("%s:\n%s", name, &logs[i])
			}
		})
	}
	for path, body := range map[string]string{
		"/api/v1/nodes": node, "/apis/apps/v1/namespaces/default/deployments": deployment,
	} {
		r, err := http.Post(url+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(r.Body)
		if r.Body.Close(); r.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, r.StatusCode, answer)
		}
	}
	// The watch ends with its time limit if they are never bound.
	r, err := http.Get(url + "/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=120")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	bound := map[string]bool{}
	events := bufio.NewScanner(r.Body)
	events.Buffer(nil, 1<<20)
	for len(bound) < 3 && events.Scan() {
		var e podEvent
		if err := json.Unmarshal(events.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if e.Object.Spec.NodeName == "node-1" {
			bound[e.Object.Metadata.Name] = true
		}
	}
	if len(bound) != 3 {
		t.Errorf("%d of 3 Pods are bound: %v, %v", len(bound), bound, events.Err())
	}
}
