// Package envtestsuites runs the suites of others, which start a control plane with envtest, with the devserver's pair
// in the place of the real etcd and kube-apiserver.
//
// The suites are those of the modules' own sources, unmodified, each built with what its own go.mod requires. That
// compiles several Kubernetes clients, which takes minutes the first time, so it runs only with TABERNETES_LONG.
package envtestsuites

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// suites are the modules, and their packages that start envtest. Left out is pkg/client/apiutil of controller-runtime,
// whose suite downloads the real programs in any case.
//
// Of jobset's controllers the spec "VolumeClaimPolicies should create two PVC" deletes a JobSet whose Job the program
// may make again, as is seen with the real pair too: a spec that fails gets three attempts.
var suites = []struct {
	module   string
	packages []string
	args     []string
}{
	{module: "sigs.k8s.io/controller-runtime@v0.25.2", packages: []string{
		"./pkg/envtest", "./pkg/internal/testing/...", "./pkg/builder", "./pkg/cache",
		"./pkg/client", "./pkg/cluster", "./pkg/controller",
		"./pkg/controller/controllerutil", "./pkg/handler", "./pkg/internal/controller", "./pkg/internal/recorder",
		"./pkg/manager", "./pkg/manager/internal/integration", "./pkg/metrics/filters", "./pkg/reconcile", "./pkg/source",
		"./pkg/webhook",
	}},
	{module: "sigs.k8s.io/jobset@v0.11.1",
		packages: []string{"./test/integration/webhook", "./test/integration/controller"},
		args:     []string{"-args", "-ginkgo.flake-attempts=3"}},
}

// TestEnvtestSuites runs them. TABERNETES_REAL names a directory with the real etcd, kube-apiserver and kubectl: then
// each suite runs with those too, right after, for the time that it takes.
func TestEnvtestSuites(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("it takes minutes: set TABERNETES_LONG")
	}
	assets := filepath.Join(t.TempDir(), "assets")
	run(t, "../../../..", nil, "go", "run", "./devserver", "envtest", "--dir", assets)
	for _, s := range suites {
		dir := sources(t, s.module)
		for _, name := range s.packages {
			t.Run(s.module+"/"+name, func(t *testing.T) {
				args := append([]string{"test", "-vet=off", "-v", "-count=1", "-timeout=20m", name}, s.args...)
				for _, pair := range []string{assets, os.Getenv("TABERNETES_REAL")} {
					if pair == "" {
						continue
					}
					begin := time.Now()
					said := run(t, dir, []string{"KUBEBUILDER_ASSETS=" + pair, "GOFLAGS=-mod=mod", "GOWORK=off"}, "go", args...)
					t.Logf("with %s, compiling included: %s\n%s", pair, time.Since(begin).Round(time.Second), lines(said))
				}
			})
		}
	}
}

// run runs a command, which has to succeed, and returns what it says.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said)
	}
	return string(said)
}

var (
	summary = regexp.MustCompile(`(?m)^(ok  |Ran \d+ of|SUCCESS!|FAIL).*$`)
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// lines returns the lines with which suites and packages end.
func lines(said string) string {
	return strings.Join(summary.FindAllString(colours.ReplaceAllString(said, ""), -1), "\n")
}

// sources returns a copy of a module's sources. Unlike the module cache, it can be written to, and scripts in it can be
// started, as in a clone: tests start some, and the go command notes what it has found in go.sum.
func sources(t *testing.T, module string) string {
	t.Helper()
	elsewhere := t.TempDir() // where no go.mod says what may be downloaded
	var found struct{ Dir string }
	if err := json.Unmarshal([]byte(run(t, elsewhere, []string{"GOWORK=off", "GOFLAGS="},
		"go", "mod", "download", "-json", module)), &found); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(found.Dir)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o200
		if strings.HasSuffix(name, ".sh") {
			mode |= 0o111
		}
		return os.Chmod(name, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
