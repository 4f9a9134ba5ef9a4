// Package server starts a devserver for end-to-end specs.
package server

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Start builds a devserver of the project at root and starts it with arguments, and returns the file by which clients
// reach it. It ends with the test.
func Start(t *testing.T, root string, args ...string) (kubeconfig string) {
	t.Helper()
	dir := t.TempDir()
	program, file := filepath.Join(dir, "devserver"), filepath.Join(dir, "kubeconfig")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./devserver")
	build.Dir = root
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	run := exec.CommandContext(t.Context(), program, append([]string{"--api-only", "--addr", "127.0.0.1:0",
		"--kubeconfig", file}, args...)...)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	run.Stdout, run.Stderr, run.Dir = log, log, root
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Wait() // the test's context has ended it
		_ = log.Close()
	})
	// With a control plane, its programs may have to be compiled first.
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 15*time.Minute, true,
		func(ctx context.Context) (bool, error) {
			c, err := clientcmd.BuildConfigFromFlags("", file)
			if err != nil {
				return false, nil
			}
			got, err := kubernetes.NewForConfigOrDie(c).RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
			return err == nil && string(got) == "ok", nil
		})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		t.Fatalf("the devserver has not started: %v\n%s", err, said)
	}
	return file
}
