package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The project and its two binaries.
const (
	root   = "../.."
	server = "./wasm"
	lab    = "./web/lab/main"
)

// goCommand runs the go command for WebAssembly in dir and returns what it says.
func goCommand(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	return string(out) + errs.String(), err
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := goCommand(t, ".", "env", "GOROOT")
	if err != nil {
		t.Fatal(err, out)
	}
	return strings.TrimSpace(out)
}

// flags returns the flags for binaries with some of the stand-ins.
func flags(t *testing.T, has func(name string) bool) []string {
	t.Helper()
	flags, err := Flags(Options{Root: root, GOROOT: goroot(t), Dir: t.TempDir(), Has: has})
	if err != nil {
		t.Fatal(err)
	}
	return flags
}

func all(string) bool { return true }

// list has go list print something of each package that a binary is linked from.
func list(t *testing.T, binary, format string) string {
	t.Helper()
	args := slices.Concat([]string{"list"}, flags(t, all), []string{"-deps", "-f", format, binary})
	out, err := goCommand(t, root, args...)
	if err != nil {
		t.Fatal(err, out)
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// importers lists the packages that the binaries are linked from, each with those
// of them that import it.
func importers(t *testing.T) map[string][]string {
	t.Helper()
	const format = `{{.ImportPath}} {{join .Imports " "}}`
	importers := map[string][]string{}
	for line := range strings.Lines(list(t, server, format) + list(t, lab, format)) {
		packages := strings.Fields(line)
		importers[packages[0]] = append(importers[packages[0]], "")
		for _, p := range packages[1:] {
			importers[p] = append(importers[p], packages[0])
		}
	}
	return importers
}

// TestOverlay: the binaries open no connections, and have no ciphers.
func TestOverlay(t *testing.T) {
	importing := importers(t)
	if importing["net/http"] == nil {
		t.Error("net/http is not in it, and needs no stand-in")
	}
	for _, p := range []string{
		"crypto/tls", "crypto/x509", "crypto/internal/fips140/aes", "crypto/internal/fips140/sha3",
	} {
		if importing[p] != nil {
			t.Errorf("%s is in it, for %q", p, importing[p])
		}
	}
}

// TestStandInIsCompiled: a binary of another module has the stand-ins' names, and no others.
func TestStandInIsCompiled(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module tiny.example/x\n\ngo 1.26\n")
	instead := flags(t, all)
	compile := func(handler string) (string, error) {
		write(t, filepath.Join(dir, "main.go"), `package main

import "net/http"

func main() {
	var h http.Handler = `+handler+`
	_ = h
	_, _, _ = http.MethodGet, http.StatusText(http.StatusTeapot), http.DetectContentType(nil)
}
`)
		return goCommand(t, dir, slices.Concat([]string{"build"}, instead, []string{"-o", "out.wasm", "."})...)
	}
	out, err := compile("http.NotFoundHandler()")
	if err == nil || !strings.Contains(out, "undefined: http.NotFoundHandler") {
		t.Errorf("a name that there is not: %v %s", err, out)
	}
	if out, err := compile("http.HandlerFunc(http.NotFound)"); err != nil {
		t.Error(err, out)
	}
}

// TestRandom runs a program that reads randomness by the stand-in, which also compiles for this host.
func TestRandom(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module tiny.example/x\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), `package main

import (
	"crypto/rand"
	"fmt"
	"io"
)

func main() {
	seen := [256]bool{}
	b := make([]byte, 1<<16)
	n, err := io.ReadFull(rand.Reader, b)
	kinds := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			kinds++
		}
	}
	fmt.Print(n, err, kinds)
}
`)
	instead := flags(t, func(name string) bool { return name == "crypto" })
	cmd := exec.Command("go", slices.Concat([]string{"run"}, instead, []string{"."})...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "65536 <nil> 256" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestLeftOut: what is not wanted is not in the overlay.
func TestLeftOut(t *testing.T) {
	for name, wanted := range map[string]bool{"nothing": false, "http": true, "slices": true} {
		file, _ := strings.CutPrefix(flags(t, func(n string) bool { return n == name })[0], "-overlay=")
		text := read(t, file)
		if strings.Contains(text, ".go") != wanted || strings.Contains(text, "/net/http/") != (name == "http") {
			t.Errorf("with %s alone, the overlay is %s", name, text)
		}
	}
}
