package site

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// ownHTTP is what the binary has instead of the standard library's net/http: see
// its package comment.
const ownHTTP = "wasm/http/http.go"

// keptHTTP are the files of net/http that the binary keeps.
var keptHTTP = map[string]bool{"method.go": true, "status.go": true, "sniff.go": true}

// buildWasm compiles the binary into the file out.
func buildWasm(ctx context.Context, root, out string, flags ...string) error {
	overlay, err := writeOverlay(ctx, root, filepath.Dir(out))
	if err != nil {
		return err
	}
	flags = append(flags, "-overlay="+overlay)
	return GoBuild(ctx, root, out, "./wasm", append(flags, WasmFlags()...), wasmEnv...)
}

// writeOverlay writes the file for the go command's -overlay that gives net/http
// the project's own few types instead of its files.
func writeOverlay(ctx context.Context, root, dir string) (string, error) {
	goroot, err := goRoot(ctx, root)
	if err != nil {
		return "", err
	}
	standard := filepath.Join(goroot, "src", "net", "http")
	entries, err := os.ReadDir(standard)
	if err != nil {
		return "", err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{filepath.Join(standard, "http.go"): filepath.Join(root, filepath.FromSlash(ownHTTP))}
	for _, e := range entries {
		name := filepath.Join(standard, e.Name())
		if _, ours := replace[name]; !ours && strings.HasSuffix(name, ".go") && !keptHTTP[e.Name()] {
			replace[name] = "" // as if it were not there
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}
