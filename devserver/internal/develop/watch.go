package develop

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// quietTime is how long no source must change before a build: editors and version control write many files at once.
const quietTime = 120 * time.Millisecond

// watched are the directories whose files make the site or the server.
var watched = []string{"core", "wasm", "web", "devserver"}

// watch rebuilds what each change of the sources affects until ctx is done.
func (k *Keeper) watch(ctx context.Context, root string, builder *site.Builder) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching the sources: %w", err)
	}
	defer watcher.Close()
	for _, name := range watched {
		if err := watchTree(watcher, filepath.Join(root, name)); err != nil {
			return fmt.Errorf("watching the sources: %w", err)
		}
	}
	if err := watcher.Add(root); err != nil { // go.mod, package.json
		return fmt.Errorf("watching the sources: %w", err)
	}
	fmt.Println("watching the sources; Ctrl-C stops")

	var pending effect
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-watcher.Errors:
			// Events were lost: everything may have changed.
			fmt.Fprintln(os.Stderr, "watching the sources:", err)
			pending = pending.and(effect{steps: site.All})
			timer.Reset(quietTime)
		case event := <-watcher.Events:
			if event.Has(fsnotify.Create) {
				if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
					if err := watchTree(watcher, event.Name); err != nil {
						fmt.Fprintln(os.Stderr, "watching the sources:", err)
					}
				}
			}
			rel, err := filepath.Rel(root, event.Name)
			if err != nil || event.Op == fsnotify.Chmod {
				continue
			}
			if e := effectOf(filepath.ToSlash(rel)); e != (effect{}) {
				pending = pending.and(e)
				timer.Reset(quietTime)
			}
		case <-timer.C:
			todo := pending
			pending = effect{}
			if k.rebuild(ctx, root, todo, builder) {
				return nil // this process is about to be replaced
			}
		}
	}
}

// effect is what a change makes necessary.
type effect struct {
	steps  site.Step
	server bool // the server itself has to be rebuilt and restarted
}

func (e effect) and(o effect) effect { return effect{e.steps | o.steps, e.server || o.server} }

// effectOf returns what a change of the file at a path in the project affects.
func effectOf(path string) effect {
	base := path[strings.LastIndexByte(path, '/')+1:]
	top, _, inside := strings.Cut(path, "/")
	switch {
	case path == "go.mod":
		return effect{site.Wasm | site.Page, true}
	case path == "package-lock.json":
		return effect{steps: site.Scripts}
	case !inside || !slices.Contains(watched, top) || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_"):
		return effect{}
	case strings.HasPrefix(path, "wasm/kubectl/"), strings.HasPrefix(path, "wasm/controllers/"):
		// separate modules: the next start builds them, when they are asked for
		return effect{}
	case strings.HasSuffix(base, "_test.go") || strings.Contains(path, "/testdata/"):
		return effect{}
	}
	web := top == "web"
	switch filepath.Ext(base) {
	case ".templ":
		return effect{steps: site.Templates | site.Wasm | site.Page}
	case ".go":
		switch {
		case strings.HasPrefix(path, "devserver/internal/site/shell/"):
			return effect{steps: site.Page}
		case top == "devserver", strings.HasPrefix(path, "wasm/shrink/"), path == "wasm/overlay/"+base:
			return effect{server: true} // builds the site
		case top == "core":
			return effect{site.Wasm | site.Page, true}
		}
		return effect{steps: site.Wasm | site.Page}
	case ".js", ".mjs", ".ts":
		if strings.HasSuffix(path, ".d.ts") || strings.HasSuffix(path, ".test.js") {
			return effect{}
		}
		if top == "devserver" {
			return effect{server: true} // embedded
		}
		if strings.HasPrefix(path, "web/sw/") || top == "core" {
			return effect{steps: site.Files | site.Scripts}
		}
		return effect{steps: site.Scripts}
	case ".css":
		if web {
			return effect{steps: site.Styles}
		}
	}
	// The rest may be embedded by a Go package of the lab or the core, as the tables of
	// resource types are.
	switch {
	case strings.HasPrefix(path, "web/lessons/"), strings.HasPrefix(path, "web/course/practice/"):
		return effect{steps: site.Page}
	case strings.HasPrefix(path, "web/sw/"):
		return effect{steps: site.Files}
	case strings.HasPrefix(path, "web/samples/"):
		return effect{steps: site.Files | site.Wasm}
	case top == "core":
		return effect{site.Wasm | site.Page, true}
	case web:
		return effect{steps: site.Wasm | site.Page}
	}
	return effect{}
}

// rebuild brings the site, and if need be the server, up to date, and tells the
// pages that are open. It reports whether the server is to be replaced.
func (k *Keeper) rebuild(ctx context.Context, root string, todo effect, builder *site.Builder) bool {
	start := time.Now()
	report, err := builder.Build(ctx, todo.steps)
	if ctx.Err() != nil {
		return false
	}
	replaced := false
	if err == nil && todo.server {
		binary := filepath.Join(root, ".cache", "bin", "devserver")
		if runtime.GOOS == "windows" {
			binary += ".exe"
		}
		if err = site.GoBuild(ctx, root, binary, "./devserver", nil); err == nil {
			fmt.Println("the server itself changed")
			replaced = k.Restart.request(binary)
		}
	}
	if report != nil {
		k.Page.Show(k.Dir, report.Index)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		fmt.Fprintf(os.Stderr, "%v\n", err)
		k.Page.Fail(err)
	case replaced:
		// Its pages reload when they find the new server.
	case len(report.Changed) == 0:
		fmt.Printf("rebuilt in %.1f s: nothing changed\n", time.Since(start).Seconds())
		k.Reloads.Send("styles", "") // removes what a failed build left
	default:
		event := "reload"
		if !slices.ContainsFunc(report.Changed, func(name string) bool {
			return name != "app.css" && name != "app.css.map" && name != "sw.js"
		}) {
			event = "styles"
		}
		fmt.Printf("rebuilt in %.1f s: %s\n", time.Since(start).Seconds(), strings.Join(report.Changed, ", "))
		k.Reloads.Send(event, "")
	}
	return replaced
}

// watchTree watches a directory and all below it.
func watchTree(watcher *fsnotify.Watcher, dir string) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() {
			return nil
		}
		if name := d.Name(); path != dir && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		return watcher.Add(path)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a directory that came and went, or is not there yet
	}
	return err
}
