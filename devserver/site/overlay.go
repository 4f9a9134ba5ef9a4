package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A stand is a package of the standard library of which the binaries have the
// project's own version: see the package comments of those.
type stand struct {
	path string
	own  string            // its only file, in the project
	kept func(string) bool // the files that stay beside it
	only string            // the only package of a binary that has it, all if ""
}

var stands = []stand{
	{path: "net/http", own: "wasm/http/http.go", kept: func(name string) bool {
		return name == "method.go" || name == "status.go" || name == "sniff.go"
	}},
	{path: "html/template", own: "wasm/template/template.go"},
	{path: "math/big", own: "wasm/big/big.go"},
	{path: "slices", own: "wasm/slices/sort.go", kept: func(name string) bool {
		return name != "zsortanyfunc.go" && name != "zsortordered.go"
	}},
	{path: "regexp", own: "wasm/regexp/regexp.go", only: labPackage},
}

// ownModule is the directory of the module that the binary has instead of
// replacedModule. The directory becomes a module only for that: the project's
// tests compare it with the other.
const (
	ownModule      = "wasm/jsoniter"
	replacedModule = "github.com/json-iterator/go"
)

// buildWasm compiles a binary, the package pkg, into the file out.
func buildWasm(ctx context.Context, root, out, pkg string, flags ...string) error {
	instead, err := writeOverlay(ctx, root, pkg, filepath.Dir(out))
	if err != nil {
		return err
	}
	return GoBuild(ctx, root, out, pkg, slices.Concat(flags, instead, WasmFlags()), wasmEnv...)
}

// writeOverlay writes into dir what makes the go command take the project's own
// packages for others in the binary of the package pkg, and returns the flags that
// have it read that.
func writeOverlay(ctx context.Context, root, pkg, dir string) ([]string, error) {
	goroot, err := goRoot(ctx, root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for _, s := range stands {
		if s.only != "" && s.only != pkg {
			continue
		}
		if err := s.replace(goroot, root, replace); err != nil {
			return nil, err
		}
	}
	if pkg == labPackage {
		if err := slimTemplates(root, dir, replace); err != nil {
			return nil, err
		}
	}
	// It has the two functions about large numbers, which wasm/big does not have.
	replace[filepath.Join(goroot, "src", "crypto", "rand", "util.go")] = ""
	module, modfile := filepath.Join(dir, "own.mod"), filepath.Join(dir, "page.mod")
	replace[filepath.Join(root, filepath.FromSlash(ownModule), "go.mod")] = module
	overlay := filepath.Join(dir, path.Base(pkg)+".overlay.json")
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return nil, err
	}
	project, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	project = fmt.Appendf(project, "\nreplace %s => %s\n", replacedModule, filepath.Join(root, filepath.FromSlash(ownModule)))
	for file, text := range map[string][]byte{
		overlay:                        text,
		module:                         []byte("module " + replacedModule + "\n\ngo 1.26\n"),
		modfile:                        project,
		filepath.Join(dir, "page.sum"): sums,
	} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return nil, err
		}
	}
	return []string{"-overlay=" + overlay, "-modfile=" + modfile}, nil
}

// replace notes what the files of a package become: its own file one of them, the
// others nothing, as if they were not there.
func (s stand) replace(goroot, root string, with map[string]string) error {
	dir := filepath.Join(goroot, "src", filepath.FromSlash(s.path))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && (s.kept == nil || !s.kept(e.Name())) {
			with[filepath.Join(dir, e.Name())] = ""
		}
	}
	with[filepath.Join(dir, "own.go")] = filepath.Join(root, filepath.FromSlash(s.own))
	return nil
}
