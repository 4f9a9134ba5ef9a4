// Package site builds the static site: the page with its lessons, the scripts
// and styles, the WebAssembly binary, the service worker and everything they
// need, into one directory that any static host can serve.
//
// A build is a set of steps (wasm, scripts, styles, files, page), each of which
// turns sources into files held in memory. A Builder remembers what each step
// made, so that a later build repeats only the steps asked for. The service
// worker comes last, since it names all the other files with their hashes.
// Files in the output directory are replaced only when their content changed,
// by renaming, so that a server reading it never sees half a file.
//
// Costs: the go command and esbuild do their own caching; what is slow beside
// them, brotli at its best quality (half a minute for the binary), is kept by
// content hash in the cache directory.
package site

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Options say what to build, and where.
type Options struct {
	// Root is the directory of the project's go.mod. Required.
	Root string
	// Out is the directory that the site is written to. Required.
	Out string
	// Cache keeps what is costly to make again. Empty: Root/.cache.
	Cache string
	// Dev makes a build for developing: nothing compressed, scripts with source
	// maps, a binary whose panics name files and lines, a page that follows the
	// builds, a service worker that asks the network first.
	Dev bool
	// Devserver is for a site that a devserver serves: its page offers that
	// server's cluster beside its own.
	Devserver bool
	// Quick compresses quickly rather than well.
	Quick bool
	// GoVersion is the version of Go that the binaries are compiled with, as `go env
	// GOVERSION` says it. Empty: what it says.
	GoVersion string
	// Nested are directories with what package nested builds, by the names of the programs: their files go into the
	// site. It has no others.
	Nested map[string]string
	// Later is for a server that builds programs of Nested when a page first asks for them: pages ask for those that are
	// not there yet. Other pages do not ask for what their site has not.
	Later bool
	// Without names tricks of package shrink that the binaries do without.
	Without []string
	// Names keeps the names of functions in the binaries, for profiles of them.
	Names bool
	// Progress is where each finished step is reported, a line each. Nil: nowhere.
	Progress io.Writer
}

// Step names a part of the site that can be built by itself.
type Step uint

// The steps of a build. What depends on another step's result is brought up to
// date by itself: asking for Wasm alone also renews the service worker.
const (
	Templates Step = 1 << iota // *_templ.go from *.templ
	Wasm                       // tabernetes.wasm, wasm_exec.js, licenses.txt
	Scripts                    // app.js and the other scripts, the capstone's frame
	Styles                     // app.css
	Files                      // samples, icon, manifest, descriptions.txt
	Page                       // index.html, with the lessons

	All = Templates | Wasm | Scripts | Styles | Files | Page
)

// A Builder builds one site, again and again. It is safe for concurrent use;
// builds follow one another.
type Builder struct {
	opt Options

	mu    sync.Mutex
	files map[Step]files // what each step made last

	progress sync.Mutex // held while a line is written
}

// files are a step's products: path in the site -> content.
type files map[string][]byte

// SetNested changes where a program of Options.Nested is for the builds that follow; "": the site has none.
func (b *Builder) SetNested(program, dir string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opt.Nested = maps.Clone(b.opt.Nested)
	if b.opt.Nested == nil {
		b.opt.Nested = map[string]string{}
	}
	b.opt.Nested[program] = dir
}

// New returns a Builder. It fails when Root is not a Go module's directory.
func New(o Options) (*Builder, error) {
	if o.Root == "" || o.Out == "" {
		return nil, errors.New("site: Options needs a Root and an Out")
	}
	if _, err := os.Stat(filepath.Join(o.Root, "go.mod")); err != nil {
		return nil, fmt.Errorf("site: %s is not the project's directory: %w", o.Root, err)
	}
	if o.Cache == "" {
		o.Cache = filepath.Join(o.Root, ".cache")
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	return &Builder{opt: o, files: map[Step]files{}}, nil
}

// A Report is the result of a build.
type Report struct {
	// Changed are the files of the site that are new, different or gone.
	Changed []string
	// Index lists the whole site as it is now.
	Index *Index
}

// Build runs the steps and brings Out up to date. When steps fail, the site keeps what they made last, everything else
// is still written, and the error has each failure.
func (b *Builder) Build(ctx context.Context, steps Step) (*Report, error) {
	b.mu.Lock()
	defer b.mu.Unlock()

	if steps&Templates != 0 {
		// First and alone: the other steps compile what it generates.
		if err := b.run(ctx, Templates, "templ", b.templates); err != nil {
			return nil, err
		}
	}
	type job struct {
		step Step
		name string
		make func(context.Context) (files, error)
	}
	var shell string // the compiled page renderer
	jobs := []job{
		{Wasm, "wasm", b.wasm},
		{Page, "page", func(ctx context.Context) (files, error) {
			var err error
			shell, err = b.compileShell(ctx)
			return nil, err
		}},
		{Scripts, "scripts", b.scripts},
		{Styles, "styles", b.styles},
		{Files, "files", b.static},
	}
	var wg sync.WaitGroup
	errs := make([]error, len(jobs)+1)
	var lock sync.Mutex
	made := map[Step]files{}
	for i, j := range jobs {
		if steps&j.step == 0 {
			continue
		}
		wg.Go(func() {
			report := j.step != Page // which is not yet made
			errs[i] = b.timed(ctx, j.name, report, func() (files, error) {
				f, err := j.make(ctx)
				if report {
					lock.Lock()
					made[j.step] = b.kept(j.step, f, err)
					lock.Unlock()
				}
				return f, err
			})
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for s, f := range made {
		b.files[s] = f
	}
	// The page names the size of the binary.
	if shell != "" || (steps&Wasm != 0 && b.files[Page] != nil) {
		errs[len(jobs)] = b.run(ctx, Page, "page", func(ctx context.Context) (files, error) {
			return b.page(ctx, shell)
		})
	}
	report, err := b.publish(ctx)
	return report, errors.Join(append(errs, err)...)
}

// run runs one step and keeps its result.
func (b *Builder) run(ctx context.Context, s Step, name string, do func(context.Context) (files, error)) error {
	return b.timed(ctx, name, true, func() (files, error) {
		f, err := do(ctx)
		b.files[s] = b.kept(s, f, err)
		return f, err
	})
}

// kept returns the files of a step from now on: what it made or, if it failed, what it could make over what it made
// last.
func (b *Builder) kept(s Step, f files, err error) files {
	if err == nil {
		return f
	}
	all := files{}
	maps.Copy(all, b.files[s])
	maps.Copy(all, f)
	return all
}

// timed runs a step, names it in its error and reports how long it took.
func (b *Builder) timed(ctx context.Context, name string, report bool, do func() (files, error)) error {
	start := time.Now()
	f, err := do()
	took := time.Since(start).Seconds()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		b.report(name, took, "failed")
		return fmt.Errorf("%s: %w", name, err)
	}
	if report && (len(f) > 0 || took > 0.2) {
		b.report(name, took, f.sizes())
	}
	return nil
}

// report says how long a step took and what it made.
func (b *Builder) report(name string, seconds float64, result string) {
	b.say(fmt.Sprintf("  %-10s %6.1f s  %s", name, seconds, result))
}

// say writes a line of progress. Steps run side by side, so lines queue.
func (b *Builder) say(line string) {
	b.progress.Lock()
	defer b.progress.Unlock()
	fmt.Fprintln(b.opt.Progress, line)
}

// sizes sums up a step's products for the progress lines.
func (f files) sizes() string {
	n := 0
	for _, data := range f {
		n += len(data)
	}
	switch len(f) {
	case 0:
		return ""
	case 1:
		return Size(n)
	}
	return fmt.Sprintf("%s in %d files", Size(n), len(f))
}

// Size writes a number of bytes for a reader, in decimal units.
func Size(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.2f MB", float64(n)/1e6)
	case n >= 1_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d B", n)
}
