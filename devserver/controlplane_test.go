package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestControlPlane wants a Deployment's Pod to run on a node of the programs beside the server and to have a log, and
// the programs to end with the server.
func TestControlPlane(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("builds the controllers, which takes minutes: make test-controllers-long")
	}
	cmd, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--control-plane", "--nodes", "1")
	url, ok := strings.CutPrefix(line, "listening on ")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	const web = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{` +
		`"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{` +
		`"containers":[{"name":"c","image":"i"}]}}}}`
	made, err := http.Post(url+"/apis/apps/v1/namespaces/default/deployments", "application/json",
		strings.NewReader(web))
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(made.Body)
	if made.Body.Close(); made.StatusCode != http.StatusCreated {
		t.Fatalf("%d %s", made.StatusCode, answer)
	}
	const running = "/api/v1/namespaces/default/pods?watch=1&timeoutSeconds=900&" +
		"fieldSelector=status.phase%3DRunning,spec.nodeName%3Dnode-1"
	r, err := http.Get(url + running)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var event struct {
		Object struct{ Metadata struct{ Name string } }
	}
	err = json.NewDecoder(r.Body).Decode(&event)
	pod := event.Object.Metadata.Name
	if err != nil || !strings.HasPrefix(pod, "web-") {
		t.Errorf("no Pod runs: %q, %v", pod, err)
	}
	log, err := http.Get(url + "/api/v1/namespaces/default/pods/" + pod + "/log")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := io.ReadAll(log.Body)
	if log.Body.Close(); log.StatusCode != http.StatusOK || err != nil || !strings.Contains(string(lines), "on node-1") {
		t.Errorf("its log: %d %q, %v", log.StatusCode, lines, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
