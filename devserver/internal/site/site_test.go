// More than 400 lines: TestBuild follows one site through its life.
package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// goVersion is the version of Go, without the experiments that may follow it.
var goVersion, _, _ = strings.Cut(runtime.Version(), " ")

// tree is a project as small as the builder takes.
var tree = map[string]string{
	"go.mod":                  "module tiny\n\ngo 1.26\n\ntoolchain " + goVersion + "\n",
	"wasm/main.go":            "package main\n\nfunc main() { println(\"hello\") }\n",
	"web/lab/main/main.go":    "package main\n\nfunc main() { println(\"drawn\") }\n",
	"wasm/room/front/main.go": "package main\n\nfunc main() { println(\"front\") }\n",
	"devserver/internal/site/shell/main.go": `package main

import (
	"encoding/json"
	"io"
	"os"
)

func main() {
	in, _ := io.ReadAll(os.Stdin)
	os.WriteFile("shell-input.json", in, 0o644)
	var told struct { Assets map[string]string; CSP string }
	json.Unmarshal(in, &told)
	json.NewEncoder(os.Stdout).Encode(map[string]string{
		"index.html":      "<!doctype html><html><head><meta http-equiv=Content-Security-Policy content=\"" + told.CSP +
			"\">  <title>tiny</title>\n<link rel=stylesheet href=" + told.Assets["app.css"] + ">" +
			"</head><body><p>  one   two </p></body></html>",
		"course/one.html": "<p>  one   two </p>",
	})
}
`,
	"wasm/host/worker.js": "import { name } from './name.js';\n" +
		"postMessage(name); importScripts('wasm_exec.js');",
	"wasm/host/name.js":    "export const name = 'the worker';",
	"web/page/first.js":    "import { name } from '../../wasm/host/name.js';\nwindow.first = name;",
	"web/page/main.js":     "export const open = () => import('/editor.js');\nconsole.log('page');",
	"web/shim/banner.css":  ".banner { color: red }",
	"web/editor/editor.js": "export const edit = () => 1;",
	"web/room/fork.js":     "export const fork = () => 1;", "web/room/room.js": "export const room = () => 1;",
	"web/panels/share/share.js":           "export const share = () => 1;",
	"web/panels/levels/levels.js":         "export const mount = () => 1;",
	"web/course/capstone/page.js":         "export const run = () => 1;",
	"web/course/capstone/judge.worker.js": "postMessage(1);",
	"web/course/capstone/frame-worker.js": "postMessage('</script>');",
	"web/course/capstone/sandbox.js":      "new Worker(URL.createObjectURL(new Blob([GUEST])));",
	"web/course/capstone/sandbox.html": "<!doctype html>" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"{{CSP}}\"><script>{{SCRIPT}}</script>",
	"web/style/base.css":   ":root { --ink: #111111; }",
	darkSheet:              ":root { --ink: #eeeeee; }",
	"web/style/layout.css": "main { & > p { color: var(--ink) } }",
	"web/sw/sw.js": "self.addEventListener('install',\n" +
		"  () => console.log(VERSION, PRECACHE, NETWORK_FIRST));",
	"web/sw/static/icon.svg": "<svg xmlns=\"http://www.w3.org/2000/svg\"><!-- ours -->" +
		"<path d=\"M 0 0 L 1 1\"/></svg>",
	"web/sw/static/manifest.webmanifest": "{\n  \"name\": \"tiny\"\n}\n",
	"web/samples/guestbook.yaml":         strings.Repeat("kind: Service\n", 60),
	"web/samples/samples.go":             "package samples\n",
}

// The sheets that a test does not look at are empty.
func init() {
	for _, sheet := range styleSheets {
		if _, there := tree[sheet]; !there {
			tree[sheet] = ""
		}
	}
}

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func newBuilder(t *testing.T, o Options) *Builder {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func build(t *testing.T, b *Builder, steps Step) *Report {
	t.Helper()
	report, err := b.Build(context.Background(), steps)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestBuild follows one site through its life: built, changed, broken, fixed.
func TestBuild(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write(t, root, tree)
	var progress bytes.Buffer
	b := newBuilder(t, Options{Root: root, Out: out, Quick: true, Devserver: true, Progress: &progress})
	first := build(t, b, All)
	present := first.Index

	t.Run("files", func(t *testing.T) {
		want := []string{
			"app.css", "app.js", "bench.css", "bench.html", "bench.js", "capstone-frame.html", "capstone-judge.js",
			"capstone.js", "course/one.html",
			"editor.js", "embed/bench.html", "embed/capstone-frame.html", "embed/embed.js", "embed/frame.html",
			"embed/lab.html", "fork.js", "icon.svg", "index.html", "lab.wasm", "levels.js", "licenses.txt",
			"manifest.webmanifest", "room.js",
			"samples/guestbook.yaml", "share.js", "snippet.js", "sw.js", "tabernetes.wasm", "wasm_exec.js", "worker.js",
		}
		var got []string
		for _, a := range first.Index.Assets {
			got = append(got, a.Name)
			data := read(t, out, first.Index.Path(a.Name))
			if len(data) != a.Bytes || ContentHash([]byte(data)) != a.Hash {
				t.Errorf("%s is not what the index says", a.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("built %v, want %v", got, want)
		}
		if !slices.Equal(first.Changed, want) {
			t.Errorf("changed %v, want all", first.Changed)
		}
	})
	t.Run("index", func(t *testing.T) {
		opened, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(opened.Assets, first.Index.Assets) || opened.Version != first.Index.Version {
			t.Errorf("opened %+v, built %+v", opened, first.Index)
		}
	})
	t.Run("contents", func(t *testing.T) {
		for name, want := range map[string]string{
			"app.js":               `import("/editor.js")`, // left to the browser
			"worker.js":            "the worker",           // bundled in
			"app.css":              ".banner{color:red}",
			"index.html":           "<p>one two</p>",
			"course/one.html":      "<p>one two</p>",
			FrameFile:              "new Worker(URL.createObjectURL(",
			"icon.svg":             `<path d="M0 0 1 1"/>`,
			"manifest.webmanifest": `{"name":"tiny"}`,
			"licenses.txt":         "Redistributions of source code",
			"wasm_exec.js":         "globalThis.Go=class",
			"tabernetes.wasm":      "\x00asm",
			"lab.wasm":             "\x00asm",
		} {
			if got := read(t, out, first.Index.Path(name)); !strings.Contains(got, want) {
				t.Errorf("%s lacks %q: %.200s", name, want, got)
			}
		}
		worker := read(t, out, first.Index.Path("worker.js"))
		if strings.Contains(worker, "export") || strings.Contains(worker, "import ") {
			t.Errorf("worker.js is no classic script: %s", worker)
		}
		if got := read(t, out, "index.html"); strings.Contains(got, ReloadScript) {
			t.Errorf("a page not for developing follows builds: %s", got)
		}
	})
	t.Run("shell is told", func(t *testing.T) {
		var in Shell
		if err := json.Unmarshal([]byte(read(t, root, "shell-input.json")), &in); err != nil {
			t.Fatal(err)
		}
		if in.WasmBytes != len(read(t, out, first.Index.Path("tabernetes.wasm"))) {
			t.Errorf("told of %d bytes", in.WasmBytes)
		}
		if !in.Devserver || strings.Contains(in.CSP, "frame-ancestors") || !strings.Contains(in.CSP, "wasm-unsafe-eval") {
			t.Errorf("told %+v", in)
		}
		for name, url := range in.Assets {
			url = string(first.Index.withVersion([]byte(url)))
			if _, err := os.Stat(filepath.Join(out, url)); err != nil {
				t.Errorf("%s is at %s: %v", name, url, err)
			}
		}
	})
	t.Run("first script", func(t *testing.T) {
		page := read(t, out, "index.html")
		_, script, _ := strings.Cut(page, "<script>")
		script, rest, _ := strings.Cut(script, "</script>")
		hash := sha256.Sum256([]byte(script))
		source := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
		first := strings.Contains(script, "the worker") && strings.Contains(rest, "<title>")
		if !first || !strings.Contains(rest, "app.css") {
			t.Errorf("it is not the first of the page: %s", page)
		}
		for what, policy := range map[string]string{"page": page, "header": present.csp()} {
			if !strings.Contains(policy, "script-src 'self' 'wasm-unsafe-eval' "+source+";") {
				t.Errorf("the policy of the %s does not allow it: %s", what, policy)
			}
		}
	})
	t.Run("service worker", func(t *testing.T) {
		sw := read(t, out, "sw.js")
		for _, a := range first.Index.Assets {
			url := `"` + first.Index.Path(a.Name) + `"` // relative: the site may be below any path
			if a.Name == "index.html" {
				url = `url:""`
			}
			wanted := a.Name != "sw.js" && a.Name != FrameFile && !forEmbeds(a.Name) && !forBench(a.Name)
			if has := strings.Contains(sw, url); has != wanted {
				t.Errorf("sw.js keeping %s: %v", url, has)
			}
		}
		if !strings.Contains(sw, first.Index.Version) || strings.Contains(sw, "VERSION") {
			t.Errorf("sw.js without its version: %s", sw)
		}
	})
	t.Run("headers", func(t *testing.T) {
		sent, told := http.Header{}, http.Header{}
		SetSecurity(sent)
		sent.Set("Content-Security-Policy", first.Index.csp())
		all, rest, _ := strings.Cut(read(t, out, HeadersFile), "\n\n")
		frame, rest, _ := strings.Cut(rest, "\n\n")
		const policy = "\n  ! Content-Security-Policy\n  Content-Security-Policy: sandbox allow-scripts; default-src 'none'; "
		if !strings.HasPrefix(frame, "/"+first.Index.Path(FrameFile)+policy) {
			t.Errorf("of the capstone's frame it tells %s", frame)
		}
		lines := strings.Split(all, "\n")
		for _, line := range lines[1:] {
			name, value, _ := strings.Cut(strings.TrimPrefix(line, "  "), ": ")
			told.Set(name, value)
		}
		if lines[0] != "/*" || !reflect.DeepEqual(sent, told) ||
			!strings.Contains(told.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s tells %v of %v", HeadersFile, lines, sent)
		}
		for _, want := range []string{
			"/\n  Cache-Control: no-cache\n", "/sw.js\n  Cache-Control: no-cache\n",
			"/build/" + first.Index.Version + "/*\n  Cache-Control: public, max-age=31536000, immutable\n",
		} {
			if !strings.Contains(rest+"\n", want) {
				t.Errorf("%s lacks %q: %s", HeadersFile, want, rest)
			}
		}
	})
	t.Run("for pages of others", func(t *testing.T) { checkEmbeds(t, out, first.Index) })
	t.Run("brotli", func(t *testing.T) {
		binary := first.Index.Path("tabernetes.wasm")
		data, err := io.ReadAll(brotli.NewReader(strings.NewReader(read(t, out, binary+".br"))))
		if err != nil || string(data) != read(t, out, binary) {
			t.Errorf("tabernetes.wasm.br does not unpack to tabernetes.wasm: %v", err)
		}
		if _, err := os.Stat(filepath.Join(out, "icon.svg.br")); err == nil {
			t.Error("a file of a few bytes was compressed")
		}
	})
	t.Run("progress", func(t *testing.T) {
		if !strings.Contains(progress.String(), "wasm") || !strings.Contains(progress.String(), "MB") {
			t.Errorf("progress: %s", &progress)
		}
	})
	t.Run("again", func(t *testing.T) {
		if r := build(t, b, All); len(r.Changed) != 0 || r.Index.Version != first.Index.Version {
			t.Errorf("an equal build changed %v", r.Changed)
		}
		// Nor does another builder's.
		if r := build(t, newBuilder(t, b.opt), All); len(r.Changed) != 0 {
			t.Errorf("an equal build by another changed %v", r.Changed)
		}
	})
	t.Run("one step", func(t *testing.T) {
		write(t, root, map[string]string{"web/style/base.css": ":root{--ink:#222}"})
		r := build(t, b, Styles)
		want := []string{"app.css", "bench.css", "bench.html", "embed/bench.html", "embed/frame.html", "embed/lab.html",
			"index.html", "sw.js"} // the page and the bench share a sheet
		if !slices.Equal(r.Changed, want) {
			t.Errorf("changed %v, want %v", r.Changed, want)
		}
		page := read(t, out, "index.html")
		if !strings.Contains(page, "="+r.Index.Path("app.css")) || strings.Contains(page, first.Index.Version) {
			t.Errorf("the page has not the URLs of its build: %s", page)
		}
		if _, err := os.Stat(filepath.Join(out, "build", first.Index.Version)); err == nil {
			t.Error("files of the build before are still there")
		}
		present = r.Index
		if r.Index.Version == first.Index.Version {
			t.Error("the version stayed")
		}
	})
	t.Run("failure", func(t *testing.T) {
		before := read(t, out, present.Path("app.js"))
		write(t, root, map[string]string{"web/page/main.js": "function ("})
		_, err := b.Build(context.Background(), Scripts)
		if err == nil || !strings.Contains(err.Error(), "web/page/main.js:1") {
			t.Errorf("a syntax error was reported as: %v", err)
		}
		if read(t, out, present.Path("app.js")) != before {
			t.Error("a failed build replaced app.js")
		}
		write(t, root, map[string]string{"wasm/main.go": "package main\n\nfunc main() { nothing() }\n"})
		_, err = b.Build(context.Background(), Wasm)
		if err == nil || !strings.Contains(err.Error(), "undefined: nothing") {
			t.Errorf("a compile error was reported as: %v", err)
		}
		write(t, root, map[string]string{"wasm/main.go": tree["wasm/main.go"], "web/page/main.js": tree["web/page/main.js"]})
		build(t, b, Wasm|Scripts)
	})
	t.Run("file gone", func(t *testing.T) {
		if err := os.Remove(filepath.Join(root, "web/samples/guestbook.yaml")); err != nil {
			t.Fatal(err)
		}
		write(t, out, map[string]string{"not-ours.txt": "kept"})
		r := build(t, b, Files)
		want := []string{"bench.html", "embed/bench.html", "embed/frame.html", "embed/lab.html", "index.html",
			"samples/guestbook.yaml", "sw.js"}
		if !slices.Equal(r.Changed, want) {
			t.Errorf("changed %v, want %v", r.Changed, want)
		}
		for _, name := range []string{"samples/guestbook.yaml", "samples/guestbook.yaml.br"} {
			if _, err := os.Stat(filepath.Join(out, name)); err == nil {
				t.Errorf("%s is still there", name)
			}
		}
		read(t, out, "not-ours.txt")
	})
	t.Run("dev", func(t *testing.T) {
		o := b.opt
		o.Dev, o.Out = true, t.TempDir()
		r := build(t, newBuilder(t, o), All)
		if total := r.Index.Total(); strings.Contains(total, "brotli") {
			t.Errorf("compressed: %s", total)
		}
		got := read(t, o.Out, "index.html")
		if !strings.Contains(got, ReloadScript) || !strings.Contains(got, "=app.css") || strings.Contains(got, "build/") {
			t.Errorf("the page does not follow builds: %s", got)
		}
		if !strings.Contains(read(t, o.Out, "app.js"), "sourceMappingURL=app.js.map") {
			t.Error("app.js has no source map")
		}
		if strings.Contains(read(t, o.Out, "sw.js"), "app.js.map") {
			t.Error("the service worker keeps source maps")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := b.Build(ctx, All); err == nil {
			t.Error("a cancelled build succeeded")
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{{}, {Root: "."}, {Root: t.TempDir(), Out: t.TempDir()}} {
		if _, err := New(o); err == nil {
			t.Errorf("New(%+v) succeeded", o)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, text := range []string{"", "{", `{"assets":[{"name":"../secret"}]}`, `{"assets":[{"name":"/etc/passwd"}]}`} {
		dir := t.TempDir()
		if text != "" {
			write(t, dir, map[string]string{IndexFile: text})
		}
		if index, err := Open(dir); err == nil {
			t.Errorf("opened %q as %+v", text, index)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int]string{0: "0 B", 999: "999 B", 1000: "1.0 KB", 59_949: "59.9 KB", 2_300_000: "2.30 MB"} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}
