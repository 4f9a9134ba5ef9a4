package site

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

func TestWeigh(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		"go.mod":         "module tiny.example/x\n\ngo 1.26\n",
		"wasm/main.go":   "package main\n\nimport \"tiny.example/x/inner\"\n\nfunc main() { inner.Twice(2) }\n",
		"inner/inner.go": "package inner\n\n//go:noinline\nfunc Twice(n int) int { println(n); return 2 * n }\n",
	})
	weights, err := Weigh(context.Background(), root, "./wasm", filepath.Join(root, "out.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	last := len(weights) - 1
	if weights[0].Package != "runtime" || weights[last].Package != "data of all packages" {
		t.Errorf("from %+v to %+v", weights[0], weights[last])
	}
	if !slices.IsSortedFunc(weights[:last], func(a, b Weight) int { return b.Brotli - a.Brotli }) {
		t.Error("not sorted by weight")
	}
	if !slices.ContainsFunc(weights, func(w Weight) bool { return w.Package == "tiny.example/x/inner" && w.Bytes > 0 }) {
		t.Errorf("inner is missing in %v", weights)
	}
}

func TestPackageFinder(t *testing.T) {
	find := packageFinder([]string{"net/http", "net", "runtime", "gopkg.in/yaml.v3", "crypto/internal/fips140/aes"})
	for name, want := range map[string]string{
		"net_http._ServeMux_.ServeHTTP":       "net/http",
		"net.Dial":                            "net",
		"main.main":                           "main",
		"go_main.main":                        "main",
		"gopkg.in_yaml.v3._Node_.Decode":      "gopkg.in/yaml.v3",
		"crypto_internal_fips140_aes.encrypt": "crypto/internal/fips140/aes",
		"type_.eq.net_http.Cookie":            "net/http",
		"memchr":                              "of no package",
		"":                                    "of no package",
	} {
		if got := find(name); got != want {
			t.Errorf("%q is of %q, want %q", name, got, want)
		}
	}
}
