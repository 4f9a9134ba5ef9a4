package docs

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// moduleRow is a row of the table of what a user of core gets: a module and its version.
var moduleRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (v[^ ]+) \\|")

// read returns a file of the project.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestOutsideModule has a module outside that imports core, as a user's would, and wants what it gets into its
// go.mod to be what CONTRIBUTING says.
func TestOutsideModule(t *testing.T) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/user\n\ngo 1.26.0\n\nrequire github.com/tabernetes/tabernetes v0.0.0\n\n"+
		"replace github.com/tabernetes/tabernetes => "+here+"\n")
	write("user.go", "package user\n\nimport (\n\t_ \"github.com/tabernetes/tabernetes/core\"\n"+
		"\t_ \"github.com/tabernetes/tabernetes/core/room\"\n)\n")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write("go.sum", string(sums))
	list := exec.CommandContext(t.Context(), "go", "list", "-mod=mod", "-deps", "-f",
		"{{with .Module}}{{.Path}} {{.Version}}{{end}}", "./...")
	list.Dir = dir
	list.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off") // all is there: this module needs it too
	printed, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	got := map[string]string{}
	for line := range strings.Lines(string(printed)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if version != "" && name != "github.com/tabernetes/tabernetes" {
			got[name] = version
		}
	}
	want := map[string]string{}
	for _, row := range moduleRow.FindAllStringSubmatch(read(t, contributing), -1) {
		want[row[1]] = row[2]
	}
	if !maps.Equal(got, want) {
		t.Errorf("a user of core gets %v, and %s says %v", got, contributing, want)
	}
}

// TestModules keeps what CONTRIBUTING decides about modules: no replace in the root's go.mod, no workspace file,
// and nested modules only where the page says.
func TestModules(t *testing.T) {
	if text := read(t, "go.mod"); strings.Contains(text, "replace") {
		t.Error("go.mod replaces a module: go install of the devserver would refuse it")
	}
	tracked := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard",
		"*go.mod", "*go.work")
	tracked.Dir = root
	printed, err := tracked.Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	page := read(t, contributing)
	for _, name := range slices.Sorted(strings.FieldsSeq(string(printed))) {
		if folder := filepath.Dir(name); folder != "." && !strings.Contains(page, "`"+folder+"`") {
			t.Errorf("%s: %s says nothing of this module", name, contributing)
		}
		if filepath.Base(name) == "go.work" {
			t.Errorf("%s is in the tree: a workspace is used where GOWORK names it, and nowhere else", name)
		}
	}
}

// testedVersion finds where a page says which version of a module something is tested with.
var testedVersion = regexp.MustCompile(`(client-go|controller-runtime) (v[0-9]+\.[0-9]+\.[0-9]+)`)

// TestTestedVersions wants the double's README to name the versions that its tests are compiled with.
func TestTestedVersions(t *testing.T) {
	named := testedVersion.FindAllStringSubmatch(read(t, "devserver/kubetest/README.md"), -1)
	if len(named) < 2 {
		t.Errorf("there are %q", named)
	}
	upstream := read(t, "core/conformance/upstream/go.mod")
	for _, n := range named {
		if !strings.Contains(upstream, "/"+n[1]+" "+n[2]+"\n") {
			t.Errorf("nothing is tested with %s", n[0])
		}
	}
}
