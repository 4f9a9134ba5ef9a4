// Package kubectl builds the real kubectl for the page: the nested module wasm/kubectl, with patches.
//
// The module's files are copied to a directory of the cache, where `go mod vendor` gathers the sources of all that it
// needs: the go command's -overlay, which carries the patches and the stand-ins of wasm/overlay that are safe for it,
// refuses files of the module cache. The binary is rewritten as those of the page are (wasm/shrink), cut into parts,
// since some hosts take no file above 25 MB, and each part is compressed. A manifest lists the parts with their hashes,
// so that a page notices a damaged download, and loads again only the part that is.
//
// Invariants:
//   - The patches are rows of data (patches.go). A build fails if the original of one is not what it was written for.
//   - Nothing of the project is written, but in the cache and the directory that Build is given.
//   - One build at a time: a second one in the same cache waits, since it would write the same files.
//   - What is built depends on the sources, go.sum and the version of Go alone.
//
// Costs: the first build compiles 900 packages, in some minutes; a later one takes half a minute, and with the same
// sources it reads the cache. Brotli at its best takes minutes, once for each binary.
package kubectl

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

// moduleDir is the nested module, in the project.
const moduleDir = "wasm/kubectl"

// unused are the tricks that kubectl is built without: stand-ins that hold only what the server or the lab uses, and
// one that saves nothing here.
var unused = []string{"http", "crypto", "godebug"}

// Options say how kubectl is built.
type Options struct {
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

// Binary returns kubectl as WebAssembly.
func Binary(ctx context.Context, o Options) ([]byte, error) {
	b, err := newBuilder(ctx, o)
	if err != nil {
		return nil, err
	}
	return b.binary(ctx)
}

// module is the directory that has the module's files, and what it needs.
func (b *builder) module() string { return filepath.Join(b.Cache, "kubectl", "module") }

// binary returns kubectl, from the cache if it is there. Either way its sources are in the module's directory then.
func (b *builder) binary(ctx context.Context) ([]byte, error) {
	key, err := b.key()
	if err != nil {
		return nil, err
	}
	lock, err := filelock.Wait(ctx, filepath.Join(b.Cache, "kubectl", "lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	start := time.Now()
	if err := vendor(ctx, filepath.Join(b.Root, filepath.FromSlash(moduleDir)), b.module()); err != nil {
		return nil, err
	}
	file := filepath.Join(b.Cache, "kubectl", "binaries", key+".wasm")
	if data, err := os.ReadFile(file); err == nil {
		b.say("kubectl, from the cache: %s", site.Size(len(data)))
		return data, nil
	}
	b.say("%6.1f s  sources of %s gathered", time.Since(start).Seconds(), moduleDir)
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
	for _, dir := range []string{moduleDir, "wasm/shrink", "wasm/overlay", "devserver/internal/kubectl"} {
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
		own:      filepath.Join(b.Root, filepath.FromSlash(moduleDir), "patches"),
		out:      filepath.Join(b.Cache, "kubectl", "patched"),
	}.replacements(b.methods)
	if err != nil {
		return nil, err
	}
	overlaid, err := b.tricks.Overlay(overlay.Options{
		Root: b.Root, GOROOT: b.goroot, Dir: filepath.Join(b.Cache, "kubectl", "overlay"), Replace: instead,
	})
	if err != nil {
		return nil, err
	}
	version, err := kubectlVersion(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	out := filepath.Join(b.Cache, "kubectl", "linked.wasm")
	args := []string{"build", "-mod=vendor", "-buildvcs=false", "-o", out, "-ldflags=-s -w" +
		" -X k8s.io/component-base/version.gitVersion=" + version +
		" -X k8s.io/client-go/pkg/version.gitVersion=" + version}
	args = append(append(args, overlaid...), b.tricks.Flags()...)
	if _, err := site.Go(ctx, dir, append(b.tricks.Env(), "GOWORK=off"), append(args, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}

// kubectlVersion returns the version of Kubernetes that a go.mod requires k8s.io/kubectl of: v1.36.3 for v0.36.3.
func kubectlVersion(gomod string) (string, error) {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return "", err
	}
	_, version, found := strings.Cut(string(text), "k8s.io/kubectl v0.")
	if version, _, _ = strings.Cut(version, "\n"); !found {
		return "", fmt.Errorf("%s requires no k8s.io/kubectl", gomod)
	}
	return "v1." + strings.TrimSpace(version), nil
}

func (b *builder) say(format string, args ...any) {
	if b.Progress != nil {
		fmt.Fprintf(b.Progress, format+"\n", args...)
	}
}
