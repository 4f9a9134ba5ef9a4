package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestControlPlane wants a Deployment's Pod to be bound by the programs beside the server, and them to end with it.
func TestControlPlane(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("builds the controllers, which takes minutes: make test-controllers-long")
	}
	cmd, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--control-plane")
	url, ok := strings.CutPrefix(line, "listening on ")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	for path, body := range map[string]string{
		"/api/v1/nodes": `{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-1"},` +
			`"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}}`,
		"/apis/apps/v1/namespaces/default/deployments": `{"apiVersion":"apps/v1","kind":"Deployment",` +
			`"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{` +
			`"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
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
	const bound = "/api/v1/namespaces/default/pods?watch=1&fieldSelector=spec.nodeName%3Dnode-1&timeoutSeconds=900"
	r, err := http.Get(url + bound)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, err := bufio.NewReader(r.Body).ReadString('\n'); err != nil || !strings.Contains(text, `"name":"web-`) {
		t.Errorf("no Pod was bound: %q, %v", text, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
