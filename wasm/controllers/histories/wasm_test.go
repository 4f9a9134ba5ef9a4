package histories

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/manager"
	"github.com/tabernetes/tabernetes/wasm/controllers/nodes"
	"github.com/tabernetes/tabernetes/wasm/controllers/scheduler"
)

var parts = flag.String("parts", "",
	"the directory with the parts of the program for a page: its histories happen in Node")

// TestHistoriesInWasm wants the program as a page has it to write the same as the original beside the real server. It
// runs in Node, with the page's clock, and time passes as it does.
func TestHistoriesInWasm(t *testing.T) {
	if *parts == "" {
		t.Skip("needs the program as it is built for a page: -parts; make test-controllers-long")
	}
	file := join(t, *parts)
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js")
	host := filepath.FromSlash("../../../devserver/internal/nested/testdata/run.mjs")
	r := &run{lives: map[string]*life{}}
	r.serve(t, newRecorder(kubetest.New(t).Transport(), r.saw))
	r.publish(t, "testdata/ca.crt")
	for name, flag := range map[string]string{
		manager.Name: "--leader-elect=false", scheduler.Name: "--leader-elect=false", nodes.Name: "--nodes=1",
	} {
		begin(t, name, "node", host, script, file, name, "--master="+r.url, flag)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(len(histories))*most)
	defer cancel()
	start := time.Now()
	// One after another: of many the Events, which one client sends after the other, would come in later steps.
	judge(t, r.liveAll(ctx, t, "", 1))
	t.Logf("%.0f s", time.Since(start).Seconds())
}

// join makes a file of the parts of a program, of which the directory has one.
func join(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "controllers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Parts []struct{ Name string } }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, p := range manifest.Parts {
		part, err := os.ReadFile(filepath.Join(dir, p.Name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part...)
	}
	file := filepath.Join(t.TempDir(), "controllers.wasm")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// publish makes the certificate of a file the one that namespaces get. The program in a page has no files.
func (r *run) publish(t *testing.T, file string) {
	t.Helper()
	certificate, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": "kube-root-ca.crt"}, "data": map[string]any{"ca.crt": string(certificate)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ask(t.Context(), http.MethodPost, "/api/v1/namespaces/kube-system/configmaps", string(body)); err != nil {
		t.Fatal(err)
	}
}
