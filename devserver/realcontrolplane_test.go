package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/nested"
	"github.com/tabernetes/tabernetes/devserver/internal/programs"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestRealControlPlane wants the unmodified kube-controller-manager and kube-scheduler to roll out a Deployment, with
// the flags that README.md of wasm/controllers names.
func TestRealControlPlane(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("builds the original programs, which takes minutes: make test-controllers-long")
	}
	source, err := programs.Find()
	if err == nil {
		err = source.Ready(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	originals := buildOriginals(t)
	kubeconfig := filepath.Join(t.TempDir(), "lab.kubeconfig")
	_, line := start(t, "--addr", "127.0.0.1:0", "--api-only", "--kubeconfig", kubeconfig)
	url, ok := strings.CutPrefix(line, "listening on ")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	flags := []string{"--kubeconfig", kubeconfig}
	runBeside(t, filepath.Join(originals, "kube-controller-manager"), append(flags, "--secure-port=0")...)
	runBeside(t, filepath.Join(originals, "kube-scheduler"), append(flags, "--secure-port=0")...)
	runBeside(t, source.File(), append([]string{"kubelets", "--nodes=2"}, flags...)...)

	const deployments = "/apis/apps/v1/namespaces/default/deployments"
	request(t, "POST", url+deployments, `{"metadata":{"name":"web"},"spec":{"replicas":3,`+
		`"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},`+
		`"spec":{"containers":[{"name":"c","image":"i:1"}]}}}}`)
	rolledOut(t, url+deployments, 1)
	request(t, "PATCH", url+deployments+"/web",
		`{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i:2"}]}}}}`)
	rolledOut(t, url+deployments, 2)
	request(t, "DELETE", url+deployments+"/web", `{"propagationPolicy":"Foreground"}`)
	watch(t, url+deployments, func(event string, _ deployment) bool { return event == "DELETED" })
}

// buildOriginals builds the original programs of the version of Kubernetes that the module of controllers has, and
// returns their directory.
func buildOriginals(t *testing.T) string {
	t.Helper()
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(root, filepath.FromSlash(programs.ModuleDir))
	dir := filepath.Join(root, ".cache", "test", "originals")
	version, err := nested.Version(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// They need modules that the module of controllers does not.
	own := filepath.Join(t.TempDir(), "go.mod")
	for from, to := range map[string]string{"go.mod": own, "go.sum": strings.TrimSuffix(own, "mod") + "sum"} {
		data, err := os.ReadFile(filepath.Join(module, from))
		if err == nil {
			data = []byte(strings.ReplaceAll(string(data), "=> ../..", "=> "+root))
			err = os.WriteFile(to, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	packages := []string{"k8s.io/kubernetes/cmd/kube-controller-manager", "k8s.io/kubernetes/cmd/kube-scheduler"}
	env := []string{"GOWORK=off", "GOFLAGS=-mod=mod"}
	list := append([]string{"list", "-deps", "-modfile=" + own}, packages...)
	if _, err := site.Go(t.Context(), module, env, list...); err != nil {
		t.Skipf("the sources of the original programs are not at hand: %v", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = site.Go(t.Context(), module, env, append([]string{"build", "-buildvcs=false", "-modfile=" + own,
		"-ldflags=-s -w " + nested.VersionFlags(version), "-o", dir}, packages...)...)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runBeside runs a program until the test ends. What it printed is shown if the test has failed.
func runBeside(t *testing.T, file string, args ...string) {
	t.Helper()
	var printed strings.Builder
	c := exec.Command(file, args...)
	c.Stdout, c.Stderr, c.Dir = &printed, &printed, t.TempDir()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // killed
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(file), printed.String())
		}
	})
}

// request makes a request that has to succeed.
func request(t *testing.T, method, url, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if method == "PATCH" {
		r.Header.Set("Content-Type", "application/strategic-merge-patch+json")
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	if answer, _ := io.ReadAll(w.Body); w.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s", method, url, w.StatusCode, answer)
	}
}

// deployment is what the test looks at of one.
type deployment struct {
	Metadata struct{ Generation int }
	Status   struct{ ObservedGeneration, Replicas, UpdatedReplicas, AvailableReplicas int }
}

// rolledOut waits until a generation of the only Deployment has three replicas and no other has any.
func rolledOut(t *testing.T, url string, generation int) {
	t.Helper()
	watch(t, url, func(_ string, d deployment) bool {
		s := d.Status
		return s.ObservedGeneration == generation && s.Replicas == 3 && s.UpdatedReplicas == 3 && s.AvailableReplicas == 3
	})
}

// watch watches Deployments until one is as wanted.
func watch(t *testing.T, url string, wanted func(event string, d deployment) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url+"?watch=1&resourceVersion=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	var last deployment
	for events := json.NewDecoder(w.Body); ; {
		var e struct {
			Type   string
			Object deployment
		}
		if err := events.Decode(&e); err != nil {
			t.Fatalf("the Deployment is not as wanted, but %+v: %v", last, errors.Join(err, ctx.Err()))
		}
		if last = e.Object; wanted(e.Type, last) {
			return
		}
	}
}
