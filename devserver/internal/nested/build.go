// Package nested builds the programs of nested modules for the page, with patches: the real kubectl, and the real
// controllers.
//
// The module's files are copied to a directory of the cache, where `go mod vendor` gathers the sources of all that it
// needs: the go command's -overlay, which carries the patches and the stand-ins of wasm/overlay that are safe for it,
// refuses files of the module cache. The binary is rewritten as those of the page are (wasm/shrink), cut into parts,
// since some hosts take no file above 25 MB, and each part is compressed. A manifest lists the parts with their hashes,
// so that a page notices a damaged download, and loads again only the part that is.
//
// Invariants:
//   - The patches are rows of data (kubectl.go, controllers.go). A build fails if the original of one is not what it
//     was written for.
//   - Nothing of the project is written, but in the cache and the directory that Build is given.
//   - One build of a program at a time: a second one in the same cache waits, since it would write the same files.
//   - What is built depends on the sources, go.sum and the version of Go alone.
//
// Costs: the first build compiles some 900 packages, in minutes; a later one takes half a minute, and with the same
// sources it reads the cache. Brotli at its best takes minutes, once for each binary.
package nested

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/filelock"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
	"github.com/tabernetes/tabernetes/wasm/overlay"
	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// A Program is a nested module that is compiled for the page.
type Program struct {
	// Name is that of its files: those of Build begin with it.
	Name string

	dir     string // the module, in the project
	bound   int    // how much the binary may weigh in brotli, in bytes
	patches []patch
}

// unused are the tricks that programs are built without: stand-ins that hold only what the server or the lab uses, one
// that saves nothing here, and changes of modules, of which these programs have their own: patches.
var unused = []string{"http", "crypto", "godebug", "late"}

// Options say how a program is built.
type Options struct {
	Program
	// Root is the project's directory; Cache is kept between builds, and may be deleted.
	Root, Cache string
	// Without are the names of tricks that are left out, to see what they save; "methods" is the patch of text/template.
	Without []string
	// Progress gets a line for each step.
	Progress io.Writer
}

// A builder is one build.
type builder struct {
	Options
	tricks  shrink.Set
	methods bool // whether patches that only save weight are used
	goroot  string
}

// Binary returns a program as WebAssembly.
func Binary(ctx context.Context, o Options) ([]byte, error) {
	b, err := newBuilder(ctx, o)
	if err != nil {
		return nil, err
	}
	return b.binary(ctx)
}

// module is the directory that has the module's files, and what it needs.
func (b *builder) module() string { return b.cached("module") }

// cached returns a file of the program's directory in the cache.
func (b *builder) cached(name string) string { return filepath.Join(b.Cache, b.Name, name) }

// source returns a file of the module, in the project.
func (b *builder) source(name string) string {
	return filepath.Join(b.Root, filepath.FromSlash(b.dir), name)
}

// binary returns the program, from the cache if it is there. Either way its sources are in the module's directory then.
func (b *builder) binary(ctx context.Context) ([]byte, error) {
	key, err := b.key()
	if err != nil {
		return nil, err
	}
	lock, err := filelock.Wait(ctx, b.cached("lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	start := time.Now()
	if err := vendor(ctx, b.source(""), b.module()); err != nil {
		return nil, err
	}
	file := b.cached(filepath.Join("binaries", key+".wasm"))
	if data, err := os.ReadFile(file); err == nil {
		b.say("%s, from the cache: %s", b.Name, site.Size(len(data)))
		return data, nil
	}
	b.say("%6.1f s  sources of %s gathered", time.Since(start).Seconds(), b.dir)
	start = time.Now()
	data, err := b.compile(ctx, b.module())
	if err != nil {
		return nil, err
	}
	b.say("%6.1f s  compiled: %s", time.Since(start).Seconds(), site.Size(len(data)))
	start = time.Now()
	if data, err = b.tricks.Rewrite(data); err != nil {
		return nil, err
	}
	b.say("%6.1f s  rewritten: %s", time.Since(start).Seconds(), site.Size(len(data)))
	if err := os.RemoveAll(filepath.Dir(file)); err != nil { // binaries of other sources
		return nil, err
	}
	return data, site.WriteFile(file, data)
}

// newBuilder finds out what a build uses.
func newBuilder(ctx context.Context, o Options) (*builder, error) {
	b := &builder{Options: o, methods: true}
	without := slices.Clone(unused)
	for _, name := range o.Without {
		if name == "methods" {
			b.methods = false
		} else {
			without = append(without, name)
		}
	}
	tricks, warning, err := site.Tricks(ctx, o.Root, "", without...)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		b.say("warning: %s", warning)
		b.methods = false
	}
	b.tricks = tricks
	b.goroot, err = site.GoEnv(ctx, o.Root, "GOROOT")
	return b, err
}

// key names what the binary depends on.
func (b *builder) key() (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, b.goroot, b.methods, b.tricks.Flags(), b.tricks.Env())
	for _, name := range shrink.Names() {
		fmt.Fprintln(hash, name, b.tricks.Has(name))
	}
	version, err := os.ReadFile(filepath.Join(b.goroot, "VERSION"))
	if err != nil {
		return "", err
	}
	hash.Write(version)
	for _, dir := range []string{b.dir, "wasm/shrink", "wasm/overlay", "devserver/internal/nested"} {
		dir = filepath.Join(b.Root, filepath.FromSlash(dir))
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".md") {
				return err
			}
			data, err := os.ReadFile(file)
			fmt.Fprintln(hash, filepath.ToSlash(strings.TrimPrefix(file, b.Root)), len(data))
			hash.Write(data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// compile returns what Go's linker writes.
func (b *builder) compile(ctx context.Context, dir string) ([]byte, error) {
	instead, err := sources{
		vendor:   filepath.Join(dir, "vendor"),
		standard: filepath.Join(b.goroot, "src"),
		own:      b.source("patches"),
		out:      b.cached("patched"),
	}.replacements(b.patches, b.methods)
	if err != nil {
		return nil, err
	}
	overlaid, err := b.tricks.Overlay(overlay.Options{
		Root: b.Root, GOROOT: b.goroot, Dir: b.cached("overlay"), Replace: instead,
	})
	if err != nil {
		return nil, err
	}
	version, err := Version(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	out := b.cached("linked.wasm")
	args := []string{"build", "-mod=vendor", "-buildvcs=false", "-o", out, "-ldflags=-s -w " + VersionFlags(version)}
	args = append(append(args, overlaid...), b.tricks.Flags()...)
	if _, err := site.Go(ctx, dir, append(b.tricks.Env(), "GOWORK=off"), append(args, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// Version returns the version of Kubernetes whose client a go.mod requires: v1.36.3 for v0.36.3.
func Version(gomod string) (string, error) {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return "", err
	}
	_, version, found := strings.Cut(string(text), "k8s.io/client-go v0.")
	if version, _, _ = strings.Cut(version, "\n"); !found {
		return "", fmt.Errorf("%s requires no k8s.io/client-go", gomod)
	}
	return "v1." + strings.TrimSpace(version), nil
}

// VersionFlags returns the linker's flags by which programs know that they are of a version of Kubernetes.
func VersionFlags(version string) string {
	return "-X k8s.io/component-base/version.gitVersion=" + version +
		" -X k8s.io/client-go/pkg/version.gitVersion=" + version
}

func (b *builder) say(format string, args ...any) {
	if b.Progress != nil {
		fmt.Fprintf(b.Progress, format+"\n", args...)
	}
}
