package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// wasmEnv has the compiler take the budget for inlining that WasmFlags gives: only
// its new heuristics, an experiment, know of one. The Makefile sets the same for
// the tests.
var wasmEnv = []string{"GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=newinliner"}

// WasmFlags are the go command's flags for compiling the binary's packages.
// Tests with the same flags test what is shipped, and compile it once.
//
// Nothing is inlined: WebAssembly from Go is bulky, above all where calls are,
// and most of it runs rarely. That makes the binary a fifth smaller in brotli.
// The exception is the runtime, whose smallest functions are inlined, of 30 nodes
// where the compiler's own bound is 80. That adds 10 KB, and a small request takes
// as little time as if everything was inlined.
func WasmFlags() []string {
	const smallest = "-d=inlbudgetslack=-50"
	return []string{
		"-trimpath",
		"-gcflags=all=-l",
		"-gcflags=runtime=" + smallest,
		"-gcflags=internal/runtime/...=" + smallest,
		"-gcflags=internal/abi=" + smallest,
		"-gcflags=internal/goarch=" + smallest,
	}
}

// The packages of the two binaries: the API server, and what draws it.
const (
	serverPackage = "./wasm"
	labPackage    = "./web/lab/main"
)

var binaries = []struct{ name, pkg string }{{"tabernetes.wasm", serverPackage}, {"lab.wasm", labPackage}}

// wasm compiles the page's binaries.
func (b *Builder) wasm(ctx context.Context) (files, error) {
	out := files{}
	for _, bin := range binaries {
		file := filepath.Join(b.opt.Cache, "wasm", bin.name)
		if err := buildWasm(ctx, b.opt.Root, file, bin.pkg, "-ldflags=-s -w"); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if out[bin.name], err = rework(data, !b.opt.Dev); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	// The compiler's own JavaScript for its js/wasm binaries: never committed.
	goroot, err := goRoot(ctx, b.opt.Root)
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	if script, err = minifyScript(script); err != nil {
		return nil, err
	}
	licenses, err := b.licenses(ctx)
	if err != nil {
		return nil, err
	}
	out["wasm_exec.js"], out["licenses.txt"] = script, licenses
	return out, nil
}

// rework makes a module as Go's linker writes it lighter in brotli.
func rework(module []byte, shorten bool) ([]byte, error) {
	module, err := joinSegments(module)
	if err != nil {
		return nil, err
	}
	if shorten {
		module = shortenTraces(module)
	}
	return tighten(module)
}

// goRoot is where the Go distribution is that compiles the project.
func goRoot(ctx context.Context, dir string) (string, error) {
	out, err := command{dir: dir, args: []string{"go", "env", "GOROOT"}}.run(ctx)
	return strings.TrimSpace(string(out)), err
}

// compileShell compiles the page's renderer. It is a program of its own so that
// a page is always rendered by the templates as they are now, however old the
// running devserver is.
func (b *Builder) compileShell(ctx context.Context) (string, error) {
	binary := filepath.Join(b.opt.Cache, "bin", "shell"+exeSuffix)
	return binary, b.gobuild(ctx, binary, "./devserver/shell", nil)
}

// gobuild runs go build. It leaves out what would make the result differ from
// one checkout or commit to the next; the go command itself skips what is up to
// date.
func (b *Builder) gobuild(ctx context.Context, out, pkg string, flags []string, env ...string) error {
	return GoBuild(ctx, b.opt.Root, out, pkg, flags, env...)
}

// GoBuild compiles a package of the project into the file out, reproducibly.
func GoBuild(ctx context.Context, root, out, pkg string, flags []string, env ...string) error {
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	args := append([]string{"go", "build", "-trimpath", "-buildvcs=false", "-o", out}, flags...)
	_, err := command{dir: root, args: append(args, pkg), env: env}.run(ctx)
	return err
}

// templates runs the templ generator in each directory with a *.templ file that
// is newer than its Go file.
func (b *Builder) templates(ctx context.Context) (files, error) {
	dirs, err := templateDirs(b.opt.Root)
	if err != nil {
		return nil, err
	}
	for dir, names := range dirs {
		stale, err := older(dir, names)
		if err != nil {
			return nil, err
		}
		if stale {
			if err := generate(ctx, b.opt.Root, dir); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// older tells whether one of the templates in dir has no Go file as new as
// itself.
func older(dir string, templates []string) (bool, error) {
	for _, name := range templates {
		source, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return false, err
		}
		generated, err := os.Stat(filepath.Join(dir, generatedName(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if generated.ModTime().Before(source.ModTime()) {
			return true, nil
		}
	}
	return false, nil
}
