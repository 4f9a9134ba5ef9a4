package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// firstScript is written into the page, so that it runs before any other.
const firstScript = "first.js"

// bundles are the scripts of the site with the source each is bundled from. The
// worker is a classic one, which can import Go's wasm_exec.js.
var bundles = []struct {
	out, entry string
	format     api.Format
}{
	{firstScript, "web/page/first.js", api.FormatIIFE},
	{"app.js", "web/page/main.js", api.FormatESModule},
	{"worker.js", "wasm/host/worker.js", api.FormatIIFE},
	{"editor.js", "web/editor/editor.js", api.FormatESModule},
	{"fork.js", "web/room/fork.js", api.FormatESModule},
	{"room.js", "web/room/room.js", api.FormatESModule},
	{"share.js", "web/panels/share/share.js", api.FormatESModule},
	{"levels.js", "web/panels/levels/levels.js", api.FormatESModule},
	{"bench.js", "web/bench/page.js", api.FormatESModule},
	{"embed/embed.js", "web/snippet/embed.js", api.FormatIIFE},
	{"snippet.js", "web/snippet/frame.js", api.FormatESModule},
	{"snippet-shell.js", "web/snippet/shell.js", api.FormatESModule},
	{"capstone.js", "web/course/capstone/page.js", api.FormatESModule},
	{"capstone-judge.js", "web/course/capstone/judge.worker.js", api.FormatIIFE},
	{unpackScript, "web/unpack/main.js", api.FormatIIFE},
	{"terminal.js", "web/panels/terminal/terminal.js", api.FormatESModule},
	{"terminal-worker.js", "web/terminal/worker/worker.js", api.FormatIIFE},
	{"controlplane.js", "web/controlplane/controlplane.js", api.FormatESModule},
	{"controlplane-worker.js", "web/controlplane/worker/worker.js", api.FormatIIFE},
}

// goWorkers are workers that have Go's wasm_exec.js in their scripts. Several of one script are started side by side,
// or one right after another was ended: WebKit gives a worker whose script another one is loading just then no service
// worker, so that it cannot load anything else without the network. The worker of the page's cluster, which is started
// alone, loads wasm_exec.js from beside it as the lab does, so that a page downloads it once.
var goWorkers = []string{"terminal-worker.js", "controlplane-worker.js", "capstone-judge.js"}

// unpackScript is the script that unpacks LZMA. Only hosts that do not compress are asked for it.
const unpackScript = "unlzma.js"

// terminalSheet is the terminal's style sheet, which is loaded with it.
const terminalSheet = "web/panels/terminal/style/terminal.css"

// benchSheets make up bench.css, with darkSheet.
var benchSheets = []string{
	"web/style/base.css",
	"web/style/text.css",
	"web/style/editor.css",
	"web/bench/bench.css",
}

// lateFiles are files that the service worker does not download before they are used: with a program of a nested
// module, which they need.
var lateFiles = []string{
	"terminal.js", "terminal-worker.js", "terminal.css", "controlplane.js", "controlplane-worker.js",
}

// styleSheets make up app.css, in this order.
var styleSheets = []string{
	"web/style/base.css",
	"web/style/layout.css",
	"web/panels/console/console.css",
	"web/style/editor.css",
	"web/style/text.css",
	"web/style/rows.css",
	"web/panels/representations/representations.css",
	"web/panels/client/client.css",
	"web/panels/objects/objects.css", "web/panels/objects/bynode.css",
	"web/panels/share/share.css",
	"web/panels/stage/style/stage.css",
	"web/panels/stage/style/stage-rows.css",
	"web/panels/stage/style/stage-rollout.css",
	"web/panels/stage/style/stage-heads.css",
	"web/panels/stage/style/stage-add.css",
	"web/panels/stage/style/stage-plot.css",
	"web/panels/stage/style/stage-marks.css",
	"web/panels/stage/style/stage-tables.css",
	"web/style/dock.css",
	"web/style/menus.css",
	"web/panels/present/present.css",
	"web/panels/scenes/scenes.css",
	"web/panels/room/room.css",
	"web/panels/room/room-people.css",
	"web/style/narrow.css",
	"web/style/stacked.css",
	"web/style/phone.css",
	"web/style/phone-menus.css",
	"web/lesson/view/style/lesson.css",
	"web/lesson/view/style/lesson-requests.css",
	"web/lesson/view/style/lesson-bar.css",
	"web/lesson/view/style/lesson-goal.css",
	"web/course/course.css",
	"web/panels/scenes/doors.css",
	"web/panels/search/search.css",
	"web/panels/rules/rules.css",
	"web/shim/banner.css",
}

// darkSheet has one rule, for :root, which holds wherever the page is dark.
const darkSheet = "web/style/dark.css"

// engines are the oldest browsers that the site is translated for: the first
// with CSS nesting and popovers, which are newer than anything else that it
// cannot do without. web/README.md has the table, web/shim/features.js the check.
var engines = []api.Engine{
	{Name: api.EngineChrome, Version: "120"},
	{Name: api.EngineFirefox, Version: "125"},
	{Name: api.EngineSafari, Version: "17.2"},
}

// scripts bundles every script with what it imports into one file each.
func (b *Builder) scripts(ctx context.Context) (files, error) {
	made := files{}
	goroot, err := GoEnv(ctx, b.opt.Root, "GOROOT")
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range bundles {
		optional := s.out == firstScript || s.out == unpackScript || slices.Contains(lateFiles, s.out) ||
			forEmbeds(s.out) || forBench(s.out)
		if optional && !exists(filepath.Join(b.opt.Root, filepath.FromSlash(s.entry))) {
			continue // a page without it
		}
		var first []string
		if slices.Contains(goWorkers, s.out) {
			first = []string{goScript(goroot)}
		}
		f, err := b.bundle(api.BuildOptions{
			Inject: first,
			EntryPointsAdvanced: []api.EntryPoint{{
				InputPath:  filepath.Join(b.opt.Root, filepath.FromSlash(s.entry)),
				OutputPath: strings.TrimSuffix(s.out, ".js"),
			}},
			Format:  s.format,
			Loader:  map[string]api.Loader{".css": api.LoaderText, ".yaml": api.LoaderText}, // of scripts that are loaded late
			Plugins: []api.Plugin{siteURLs},
		})
		errs = append(errs, err)
		maps.Copy(made, f)
	}
	f, err := b.frame()
	maps.Copy(made, f)
	return made, errors.Join(append(errs, err)...)
}

// styles joins the style sheets into app.css.
func (b *Builder) styles(context.Context) (files, error) {
	dark, err := os.ReadFile(filepath.Join(b.opt.Root, filepath.FromSlash(darkSheet)))
	if err != nil {
		return nil, err
	}
	darkFor := func(selector string) string { return strings.Replace(string(dark), ":root", selector, 1) }
	darkRules := fmt.Sprintf("@media (prefers-color-scheme: dark) {\n%s}\n%s",
		darkFor(`:root:not([data-theme="light"])`), darkFor(`:root[data-theme="dark"]`))
	made := files{}
	for _, sheet := range []struct {
		name    string
		sources []string
		rules   string
	}{
		{"app.css", styleSheets, darkRules},
		{"bench.css", benchSheets, darkRules},
		{"terminal.css", []string{terminalSheet}, ""},
		{"snippet.css", []string{snippetSheet}, ""},
	} {
		var source strings.Builder
		for _, name := range sheet.sources {
			fmt.Fprintf(&source, "@import %q;\n", "./"+name)
		}
		last := sheet.sources[len(sheet.sources)-1]
		if sheet.name != "app.css" && !exists(filepath.Join(b.opt.Root, filepath.FromSlash(last))) {
			continue // a site without it
		}
		own, err := b.sheet(sheet.name, source.String()+sheet.rules)
		if err != nil {
			return made, err
		}
		maps.Copy(made, own)
	}
	return made, nil
}

// sheet bundles a style sheet.
func (b *Builder) sheet(name, source string) (files, error) {
	return b.bundle(api.BuildOptions{
		Stdin: &api.StdinOptions{
			Contents: source, ResolveDir: b.opt.Root, Sourcefile: name, Loader: api.LoaderCSS,
		},
		Outfile: filepath.Join(b.opt.Root, name), // never written
	})
}

// siteURLs leaves imports of the site's own files, as "/editor.js", to the
// browser, to be fetched when they are needed.
var siteURLs = api.Plugin{
	Name: "site-urls",
	Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^/"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if args.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		})
	},
}

// bundle runs esbuild with what is the same for all, in memory.
func (b *Builder) bundle(o api.BuildOptions) (files, error) {
	o.AbsWorkingDir = b.opt.Root
	if o.Outfile == "" {
		o.Outdir = b.opt.Root // never written
	}
	o.Bundle = true
	o.Engines = engines
	o.MinifyWhitespace, o.MinifyIdentifiers, o.MinifySyntax = true, true, true
	o.LegalComments = api.LegalCommentsNone // licenses.txt holds the notices
	o.LogLevel = api.LogLevelSilent
	if b.opt.Dev {
		o.Sourcemap = api.SourceMapLinked
	}
	result := api.Build(o)
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.TrimSpace(strings.Join(text, "")))
	}
	made := files{}
	for _, f := range result.OutputFiles {
		rel, err := filepath.Rel(b.opt.Root, f.Path)
		if err != nil {
			return nil, err
		}
		made[filepath.ToSlash(rel)] = f.Contents
	}
	return made, nil
}

// minifyScript makes a plain script smaller without changing what it is.
func minifyScript(source []byte) ([]byte, error) {
	result := api.Transform(string(source), api.TransformOptions{
		Engines:          engines,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.TrimSpace(strings.Join(text, "")))
	}
	return result.Code, nil
}

// sources reads every file below dir, but for Go's and those that start with a
// dot or an underscore, under the given prefix. A missing dir has none.
func sources(dir, prefix string) (files, error) {
	found := files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); path != dir && (name[0] == '.' || name[0] == '_') {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() || strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".templ") {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		found[prefix+filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return found, err
}
