package site

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// wasm compiles the binary that both the API's worker and the page run.
func (b *Builder) wasm(ctx context.Context) (files, error) {
	binary := filepath.Join(b.opt.Cache, "wasm", "tabernetes.wasm")
	err := b.gobuild(ctx, binary, "./wasm", []string{"-ldflags=-s -w"}, "GOOS=js", "GOARCH=wasm")
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	glue, err := wasmExec(ctx, b.opt.Root)
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(glue)
	if err != nil {
		return nil, err
	}
	if script, err = minifyScript(script); err != nil {
		return nil, err
	}
	return files{"tabernetes.wasm": data, "wasm_exec.js": script}, nil
}

// wasmExec is where this Go distribution keeps the JavaScript that its js/wasm
// binaries need. It must be the compiler's own, so it is never committed.
func wasmExec(ctx context.Context, dir string) (string, error) {
	goroot, err := command{dir: dir, args: []string{"go", "env", "GOROOT"}}.run(ctx)
	if err != nil {
		return "", err
	}
	return filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"), nil
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

// templates runs the templ generator when a *.templ file is newer than its Go
// file.
func (b *Builder) templates(ctx context.Context) (files, error) {
	stale, err := staleTemplates(b.opt.Root)
	if err != nil || len(stale) == 0 {
		return nil, err
	}
	_, err = command{dir: b.opt.Root, args: []string{"go", "tool", "templ", "generate", "-path", "web"}}.run(ctx)
	return nil, err
}

// staleTemplates lists the *.templ files below root/web that have no Go file as
// new as themselves.
func staleTemplates(root string) ([]string, error) {
	var stale []string
	err := filepath.WalkDir(filepath.Join(root, "web"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".templ") {
			return err
		}
		source, err := d.Info()
		if err != nil {
			return err
		}
		generated, err := os.Stat(strings.TrimSuffix(path, ".templ") + "_templ.go")
		if errors.Is(err, fs.ErrNotExist) || err == nil && generated.ModTime().Before(source.ModTime()) {
			stale = append(stale, path)
			return nil
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // no web directory, nothing to generate
	}
	return stale, err
}
