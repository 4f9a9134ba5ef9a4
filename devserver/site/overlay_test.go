package site

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverlay: the binary's net/http opens no connections, but answers.
func TestOverlay(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	file, err := writeOverlay(context.Background(), root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := command{dir: root, args: []string{"go", "list", "-overlay=" + file, "-deps", "net/http"}, env: wasmEnv}.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	for _, p := range packages {
		if p == "net" || p == "crypto/tls" {
			t.Errorf("%s is in it", p)
		}
	}
	if last := packages[len(packages)-1]; last != "net/http" {
		t.Errorf("it is %s", last)
	}
}

func TestOwnHTTPAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module tiny.example/x\n\ngo 1.26\n",
		"wasm/main.go": `package main

import "net/http"

func main() {
	var h http.Handler = http.NotFoundHandler2
	_ = h
	_, _, _ = http.MethodGet, http.StatusText(http.StatusTeapot), http.DetectContentType(nil)
}
`,
	})
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := writeOverlay(context.Background(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	compile := func() error {
		return GoBuild(context.Background(), dir, filepath.Join(dir, "out.wasm"), "./wasm", []string{"-overlay=" + overlay}, wasmEnv...)
	}
	if err := compile(); err == nil || !strings.Contains(err.Error(), "undefined: http.NotFoundHandler2") {
		t.Errorf("a name that there is not: %v", err)
	}
	write(t, dir, map[string]string{"wasm/main.go": strings.Replace(read(t, dir, "wasm/main.go"), "http.NotFoundHandler2", "http.HandlerFunc(http.NotFound)", 1)})
	if err := compile(); err != nil {
		t.Error(err)
	}
}
