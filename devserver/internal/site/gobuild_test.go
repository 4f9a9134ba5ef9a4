package site

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// TestAnotherGo pretends that the go command is of another version than go.mod pins:
// the binaries are as the compiler writes them, which is said, and run.
func TestAnotherGo(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write(t, root, tree)
	var pinned, another bytes.Buffer
	o := Options{Root: root, Out: out, Quick: true, Progress: &pinned}
	index := build(t, newBuilder(t, o), Wasm).Index
	asCompiled := func() bool {
		return read(t, out, index.Path("tabernetes.wasm")) == read(t, root, ".cache/wasm/tabernetes.wasm")
	}
	if asCompiled() {
		t.Error("with the version that is pinned, nothing was rewritten")
	}
	if text := pinned.String(); strings.Contains(text, "warning") {
		t.Errorf("with the version that is pinned: %s", text)
	}
	o.GoVersion, o.Progress = "go1.99.1", &another
	index = build(t, newBuilder(t, o), Wasm).Index
	if text := another.String(); !strings.Contains(text, "warning: this is go1.99.1, and go.mod pins go1.") {
		t.Errorf("with another version: %s", text)
	}
	if !asCompiled() {
		t.Error("with another version, the binary was rewritten")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	goroot, err := GoEnv(t.Context(), root, "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(goroot, "lib", "wasm", "wasm_exec_node.js")
	for binary, want := range map[string]string{"tabernetes.wasm": "hello", "lab.wasm": "drawn"} {
		cmd := exec.Command(node, script, filepath.Join(out, index.Path(binary)))
		cmd.Env = []string{} // Go's runner refuses a large one
		if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), want) {
			t.Errorf("%s says %s, %v", binary, said, err)
		}
	}
}

// TestAnotherGoServes does so with the project itself, whose server then passes tests
// of the capstone's cluster. It compiles the standard library and all modules again.
func TestAnotherGoServes(t *testing.T) {
	if os.Getenv("TABERNETES_LONG") == "" {
		t.Skip("TABERNETES_LONG=1 builds the project as another version of Go does")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	b := newBuilder(t, Options{Root: root, Out: out, Cache: t.TempDir(), Quick: true, GoVersion: "go1.99.1"})
	index := build(t, b, Wasm).Index
	file, err := filepath.Abs(filepath.Join(out, index.Path("tabernetes.wasm")))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "--test", "web/course/capstone/cluster.test.js")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "TABERNETES_WASM="+file)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestTricksRefuses: a trick that there is not is an error, and so is a project
// without go.mod.
func TestTricksRefuses(t *testing.T) {
	root := t.TempDir()
	if _, _, err := Tricks(t.Context(), root, ""); err == nil {
		t.Error("a directory without go.mod has tricks")
	}
	write(t, root, tree)
	if _, _, err := Tricks(t.Context(), root, "", "nothing"); err == nil {
		t.Error("a trick that there is not was left out")
	}
}

func TestOlder(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	for _, c := range []struct {
		name  string
		times map[string]int // minutes
		want  bool
	}{
		{"generated later", map[string]int{"a.templ": 1, "a_templ.go": 2}, false},
		{"generated together", map[string]int{"a.templ": 1, "a_templ.go": 1}, false},
		{"changed since", map[string]int{"a.templ": 3, "a_templ.go": 2}, true},
		{"never generated", map[string]int{"a.templ": 1}, true},
		{"one of two", map[string]int{"a.templ": 1, "a_templ.go": 2, "b.templ": 1}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			var templates []string
			for name, minute := range c.times {
				write(t, dir, map[string]string{name: ""})
				if err := os.Chtimes(filepath.Join(dir, name), at(minute), at(minute)); err != nil {
					t.Fatal(err)
				}
				if strings.HasSuffix(name, ".templ") {
					templates = append(templates, name)
				}
			}
			if got, err := older(dir, templates); got != c.want || err != nil {
				t.Errorf("older = %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

// TestBuildsFollowOneAnother builds while another process, as it were, holds the directory that is written to.
func TestBuildsFollowOneAnother(t *testing.T) {
	root := t.TempDir()
	write(t, root, tree)
	cache := filepath.Join(root, ".cache")
	lock, err := filelock.Wait(t.Context(), filepath.Join(cache, "wasm", "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	// Long enough for a build that does not wait to write its first file, at least.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = buildWasm(ctx, shrink.All(), root, filepath.Join(cache, "wasm", "lab.wasm"), labPackage)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a build while another has the directory: %v, want that it waits", err)
	}
	if _, err := os.Stat(filepath.Join(cache, "wasm", "overlay.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was written while another had the directory: %v", err)
	}
}
