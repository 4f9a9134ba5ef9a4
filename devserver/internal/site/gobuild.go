package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
	"github.com/tabernetes/tabernetes/wasm/overlay"
	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// The packages of the binaries: the API server, what draws it, and the evaluator of CEL.
const (
	serverPackage = "./wasm"
	labPackage    = "./web/lab/main"
	celPackage    = "./wasm/cel"
)

// A program is a binary and the package that it is compiled from.
type program struct{ name, pkg string }

var binaries = []program{{"tabernetes.wasm", serverPackage}, {"lab.wasm", labPackage}}

// wasm compiles the page's binaries.
func (b *Builder) wasm(ctx context.Context) (files, error) {
	tricks, err := b.tricks(ctx)
	if err != nil {
		return nil, err
	}
	out := files{}
	link := "-ldflags=-s -w"
	if b.opt.Names {
		link = "-ldflags=-w"
	}
	for _, bin := range binaries {
		file := filepath.Join(b.opt.Cache, "wasm", bin.name)
		if out[bin.name], err = buildWasm(ctx, tricks, b.opt.Root, file, bin.pkg, link); err != nil {
			return nil, err
		}
	}
	if err := b.cel(ctx, tricks, out); err != nil {
		return nil, err
	}
	goroot, err := GoEnv(ctx, b.opt.Root, "GOROOT")
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(goScript(goroot))
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

// goScript is the file of the compiler's own JavaScript for its js/wasm binaries: never committed.
func goScript(goroot string) string {
	return filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")
}

// tricks returns the tricks that make the binaries smaller in this build, and prints a warning if the version of Go
// allows none.
func (b *Builder) tricks(ctx context.Context) (shrink.Set, error) {
	tricks, warning, err := Tricks(ctx, b.opt.Root, b.opt.GoVersion, b.opt.Without...)
	if err != nil {
		return tricks, err
	}
	if warning != "" {
		b.say("  warning: " + warning)
	}
	if b.opt.Dev {
		tricks = tricks.WithTraces()
	}
	return tricks, nil
}

// Tricks returns the tricks for the binaries of the project at root, except those that are named; with another Go than
// the project's go.mod pins, none, and a warning. version is the version of Go; empty: that of the go command.
func Tricks(
	ctx context.Context, root, version string, without ...string,
) (tricks shrink.Set, warning string, err error) {
	if tricks, err = shrink.All().Without(without...); err != nil {
		return tricks, "", err
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return tricks, "", err
	}
	if version == "" {
		if version, err = GoEnv(ctx, root, "GOVERSION"); err != nil {
			return tricks, "", err
		}
	}
	tricks, warning = shrink.For(tricks, string(gomod), version)
	return tricks, warning, nil
}

// buildWasm compiles a binary, the package pkg, into the file out, and returns it as the tricks change it. What it is
// compiled from and into stands in one directory, which is locked meanwhile.
func buildWasm(
	ctx context.Context, tricks shrink.Set, root, out, pkg string, flags ...string,
) ([]byte, error) {
	goroot, err := GoEnv(ctx, root, "GOROOT")
	if err != nil {
		return nil, err
	}
	o := overlay.Options{Root: root, GOROOT: goroot, Dir: filepath.Dir(out)}
	unlock, err := lockBuilds(ctx, out)
	if err != nil {
		return nil, err
	}
	defer unlock()
	instead, err := tricks.Overlay(o)
	if err != nil {
		return nil, err
	}
	flags = slices.Concat(flags, instead, tricks.Flags())
	if err := goBuild(ctx, root, out, pkg, flags, tricks.Env()...); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	if data, err = tricks.Rewrite(data); err != nil {
		return nil, fmt.Errorf("%s: %w", out, err)
	}
	return data, nil
}

// GoEnv returns a variable of the go command's environment in a directory.
func GoEnv(ctx context.Context, dir, name string) (string, error) {
	out, err := Go(ctx, dir, nil, "env", name)
	return strings.TrimSpace(string(out)), err
}

// Go runs the go command in a directory, with env added to the environment, and returns what it prints.
func Go(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	return command{dir: dir, args: append([]string{"go"}, args...), env: env}.run(ctx)
}

// compileShell compiles the page's renderer. It is a separate program so that
// a page is always rendered by the templates as they are now, however old the
// running devserver is.
func (b *Builder) compileShell(ctx context.Context) (string, error) {
	binary := filepath.Join(b.opt.Cache, "bin", "shell"+exeSuffix)
	return binary, buildTool(ctx, b.opt.Root, binary, "./devserver/internal/site/shell")
}

// buildTool compiles a program of the project that runs here alone into the file out, with the packages that the go
// command has compiled for other purposes already, which GoBuild would compile again.
func buildTool(ctx context.Context, root, out, pkg string) error {
	unlock, err := lockBuilds(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = Go(ctx, root, nil, "build", "-buildvcs=false", "-o", out, pkg)
	return err
}

// GoBuild compiles a package of the project into the file out. It leaves out what would make the result differ from one
// checkout or commit to the next; the go command itself skips what is up to date. Builds into one directory follow one
// another, also those of other processes.
func GoBuild(ctx context.Context, root, out, pkg string, flags []string, env ...string) error {
	unlock, err := lockBuilds(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	return goBuild(ctx, root, out, pkg, flags, env...)
}

// lockBuilds makes the directory of the file out, and waits until no other build writes to it.
func lockBuilds(ctx context.Context, out string) (unlock func(), err error) {
	lock, err := filelock.Wait(ctx, filepath.Join(filepath.Dir(out), "lock"))
	return func() { _ = lock.Close() }, err // nothing was written to it
}

func goBuild(ctx context.Context, root, out, pkg string, flags []string, env ...string) error {
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

// older reports whether one of the templates in dir has no Go file as new as
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
