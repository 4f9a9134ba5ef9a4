package modules

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

const project = "github.com/tabernetes/tabernetes"

// A user is a module outside whose tests import the double. Its go.mod is that of a published module, or has one
// requirement.
type user struct {
	name, version string
	published     bool // what counts is the go.mod of that module, not a requirement of it
}

// users are what people add the double to: client-go alone, what kubebuilder scaffolds, and the requirements of two
// large projects.
var users = []user{
	{"k8s.io/client-go", "v0.34.0", false},
	{"k8s.io/client-go", "v0.35.0", false},
	{"k8s.io/client-go", "v0.36.3", false},
	{"sigs.k8s.io/controller-runtime", "v0.22.0", false},
	{"sigs.k8s.io/controller-runtime", "v0.24.1", false},
	{"sigs.k8s.io/cluster-api", "v1.12.0", true},
	{"github.com/kubernetes-sigs/kro", "v0.9.4", true},
}

// added is what a user of the double gets at most into a go.mod that has client-go: the project, what it stores and
// encodes with, and what the evaluator of CEL needs.
var added = []string{
	"cel.dev/expr", "github.com/antlr4-go/antlr/v4", "github.com/google/btree", "github.com/google/cel-go",
	"github.com/stoewer/go-strcase", project, "golang.org/x/exp", "google.golang.org/genproto/googleapis/api",
	"google.golang.org/genproto/googleapis/rpc",
}

// TestOutside adds the double to the go.mod of each user, and wants it to raise no version of what is there. It asks
// the module proxy for the go.mod files of all that they need.
func TestOutside(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("make test-upstream-long runs it: it downloads much")
	}
	here, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range users {
		t.Run(u.name+"@"+u.version, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "go.mod")
			write(t, file, u.goMod(t, dir))
			before := versions(t, dir)
			edit(t, dir, "-require="+project+"@v0.0.0", "-replace="+project+"="+here)
			after := versions(t, dir)
			if len(before) < 10 || len(after) <= len(before) {
				t.Fatalf("there are %d modules before and %d after", len(before), len(after))
			}
			for _, name := range slices.Sorted(maps.Keys(before)) {
				if semver.Compare(after[name], before[name]) > 0 {
					t.Errorf("%s is raised from %s to %s", name, before[name], after[name])
				}
			}
			if u.published {
				return
			}
			test := "package user\n\nimport (\n\t_ \"" + project + "/devserver/kubetest\"\n\t_ \"" + u.name + "/%s\"\n)\n"
			imported := map[bool]string{true: "rest", false: "pkg/client"}[strings.HasSuffix(u.name, "client-go")]
			write(t, filepath.Join(dir, "user_test.go"), fmt.Sprintf(test, imported))
			run(t, dir, "mod", "tidy")
			var got []string
			for name, version := range required(t, dir) {
				if before[name] == "" {
					got = append(got, name)
				}
				t.Log(name, before[name], version)
			}
			for _, name := range got {
				if !slices.Contains(added, name) {
					t.Errorf("%s is added", name)
				}
			}
		})
	}
}

// moduleLine is the line of a go.mod that names the module; replaced are the directives that hold for its own
// repository alone.
var (
	moduleLine = regexp.MustCompile(`(?m)^module .*$`)
	replaced   = regexp.MustCompile(`(?ms)^(replace|exclude|tool) (\(.*?^\)|[^(\n]*$)`)
)

// goMod returns the go.mod of a user without the double.
func (u user) goMod(t *testing.T, dir string) string {
	t.Helper()
	if !u.published {
		return fmt.Sprintf("module example.com/user\n\ngo 1.26.0\n\nrequire %s %s\n", u.name, u.version)
	}
	write(t, filepath.Join(dir, "go.mod"), "module example.com/user\n")
	var found struct{ GoMod string }
	if err := json.Unmarshal(run(t, dir, "mod", "download", "-json", u.name+"@"+u.version), &found); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(found.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	return moduleLine.ReplaceAllString(replaced.ReplaceAllString(string(text), ""), "module example.com/user")
}

// versions returns the version of each module that a module may get code from.
func versions(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(run(t, dir, "list", "-mod=mod", "-m", "-f", "{{.Path}} {{.Version}}", "all"))) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = version
	}
	return all
}

// required returns what the go.mod of a module requires.
func required(t *testing.T, dir string) map[string]string {
	t.Helper()
	var file struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(run(t, dir, "mod", "edit", "-json"), &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, r := range file.Require {
		all[r.Path] = r.Version
	}
	return all
}

func edit(t *testing.T, dir string, flags ...string) {
	t.Helper()
	run(t, dir, append([]string{"mod", "edit"}, flags...)...)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs the go command in a directory, and returns what it prints.
func run(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var wrong strings.Builder
	c.Stderr = &wrong
	printed, err := c.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, wrong.String())
	}
	return printed
}
