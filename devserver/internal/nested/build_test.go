package nested

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// programs are all of them.
var programs = []Program{Kubectl, Controllers}

// TestVersion wants the version that programs say to be that of the modules, and the real server's that the project
// follows.
func TestVersion(t *testing.T) {
	for _, p := range programs {
		if got, err := Version("../../../" + p.dir + "/go.mod"); err != nil || got != "v1.36.3" {
			t.Errorf("%s: %q, %v", p.Name, got, err)
		}
	}
	other := filepath.Join(t.TempDir(), "go.mod")
	if err := os.WriteFile(other, []byte("module other\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Version(other); err == nil {
		t.Errorf("%q of a module that does not need it", got)
	}
}

// TestKey wants another key, and so another binary, for other sources and other tricks, and the same for tests.
func TestKey(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{Kubectl.dir, "wasm/shrink", "wasm/overlay", "devserver/internal/nested"} {
		if err := site.WriteFile(filepath.Join(root, filepath.FromSlash(dir), "a.go"), []byte("package a\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := site.WriteFile(filepath.Join(root, "go", "VERSION"), []byte("go1\n")); err != nil {
		t.Fatal(err)
	}
	b := &builder{Options: Options{Program: Kubectl, Root: root}, methods: true, goroot: filepath.Join(root, "go")}
	key := func() string {
		t.Helper()
		k, err := b.key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	seen := map[string]string{key(): "the first"}
	other := func(what string) {
		t.Helper()
		if was := seen[key()]; was != "" {
			t.Errorf("%s: the key is that of %s", what, was)
		}
		seen[key()] = what
	}
	for _, file := range []string{Kubectl.dir + "/patches/x.txt", "wasm/shrink/a.go", "wasm/overlay/a.go", "go/VERSION"} {
		if err := site.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte("package other\n")); err != nil {
			t.Fatal(err)
		}
		other(file)
	}
	b.methods = false
	other("without methods")
	tricks, err := b.tricks.Without("jumps")
	if err != nil {
		t.Fatal(err)
	}
	b.tricks = tricks
	other("without jumps")
	was := key()
	file := filepath.Join(root, "devserver", "internal", "nested", "a_test.go")
	if err := site.WriteFile(file, []byte("package a\n")); err != nil {
		t.Fatal(err)
	}
	if key() != was {
		t.Error("a test changes the key")
	}
}
