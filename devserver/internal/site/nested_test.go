package site

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kubectlBuilt makes a directory with what package kubectl builds.
func kubectlBuilt(t *testing.T, list string, parts ...string) string {
	t.Helper()
	dir := t.TempDir()
	made := map[string]string{"kubectl.json": list, "kubectl-licenses.txt": "licenses"}
	for _, name := range parts {
		made[name], made[name+".br"], made[name+".gz"] = "\x00asm of "+name, "brotli of "+name, "gzip of "+name
	}
	write(t, dir, made)
	return dir
}

func TestKubectlInTheSite(t *testing.T) {
	out := t.TempDir()
	write(t, out, map[string]string{"go.mod": "module x\n"})
	b := newBuilder(t, Options{Root: out, Out: out, Quick: true})
	b.files[Files] = files{"index.html": []byte("<!doctype html><title>page</title>")}
	publish := func() *Report {
		t.Helper()
		report, err := b.publish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	without := publish().Index
	b.SetNested("kubectl", kubectlBuilt(t, "one", "kubectl-0-a.wasm", "kubectl-1-b.wasm"))
	report := publish()
	if report.Index.Version != without.Version {
		t.Error("kubectl made another version of the page")
	}
	want := []string{"kubectl/kubectl-0-a.wasm", "kubectl/kubectl-1-b.wasm", "kubectl/kubectl-licenses.txt",
		"kubectl/kubectl.json"}
	if !slices.Equal(report.Changed, want) {
		t.Errorf("changed: %q", report.Changed)
	}
	if again := publish().Changed; len(again) != 0 {
		t.Errorf("changed without a change: %q", again)
	}

	h := Handler(os.DirFS(out), report.Index)
	for _, c := range []struct{ path, accepts, encoding, cache, body string }{
		{NestedList("kubectl"), "br", "", revalidate, "one"},
		{"/kubectl/kubectl-0-a.wasm", "br", "br", immutable, "brotli of kubectl-0-a.wasm"},
		{"/kubectl/kubectl-0-a.wasm", "gzip", "gzip", immutable, "gzip of kubectl-0-a.wasm"},
		{"/kubectl/kubectl-licenses.txt", "br", "", revalidate, "licenses"},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept-Encoding", c.accepts)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := w.Header()
		if w.Code != 200 || w.Body.String() != c.body || got.Get("Cache-Control") != c.cache ||
			got.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s: %d %v %q", c.path, w.Code, got, w.Body)
		}
	}
	if headers := read(t, out, HeadersFile); !strings.Contains(headers, "\n/kubectl/*.wasm\n  Cache-Control: "+immutable) {
		t.Errorf("static hosts are not told that parts never change:\n%s", headers)
	}

	b.SetNested("kubectl", kubectlBuilt(t, "two", "kubectl-0-c.wasm"))
	publish()
	if list := read(t, out, "kubectl", "kubectl.json"); list != "two" {
		t.Errorf("the list is %q", list)
	}
	for name, want := range map[string]bool{
		"kubectl-0-c.wasm": true, "kubectl-0-a.wasm": false, "kubectl-0-a.wasm.br": false,
	} {
		if _, err := os.Stat(filepath.Join(out, "kubectl", name)); (err == nil) != want {
			t.Errorf("%s is there: %t", name, err == nil)
		}
	}

	b.SetNested("kubectl", "")
	publish()
	if _, err := os.Stat(filepath.Join(out, "kubectl")); err == nil {
		t.Error("a site without kubectl has files of it")
	}
}

func TestKubectlMissing(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"go.mod": "module x\n"})
	b := newBuilder(t, Options{Root: dir, Out: dir, Nested: map[string]string{"kubectl": filepath.Join(dir, "none")}})
	if _, err := b.publish(t.Context()); err == nil {
		t.Error("a site was built without the kubectl that was asked for")
	}
}

// TestAbsent wants pages to ask for no program that their site has not, unless that is built when they do.
func TestAbsent(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		later  bool
		nested map[string]string
		want   string
	}{
		{false, nil, "kubectl controllers"}, {false, map[string]string{"kubectl": "x", "controllers": ""}, "controllers"},
		{false, map[string]string{"kubectl": "x", "controllers": "y"}, ""}, {true, nil, ""},
	} {
		b := newBuilder(t, Options{Root: root, Out: t.TempDir(), Later: c.later, Nested: c.nested})
		if got := b.absent(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestWorkersHaveGo wants the workers of such programs, and the judge's, to load nothing but their own scripts.
func TestWorkersHaveGo(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	made, err := newBuilder(t, Options{Root: root, Out: t.TempDir()}).scripts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{"capstone-judge.js"}, lateFiles...) {
		script := string(made[name])
		if !strings.HasSuffix(name, "-worker.js") && !strings.HasSuffix(name, "-judge.js") {
			continue
		}
		if !strings.Contains(script, "globalThis.Go=class") || strings.Contains(script, "importScripts") {
			t.Errorf("%s loads Go's script, or has none: %.200s", name, script)
		}
	}
}

// TestNestedIsLate wants the service worker to download what comes with such programs no earlier than they are used.
func TestNestedIsLate(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	built := t.TempDir()
	write(t, built, map[string]string{"kubectl.json": "the parts", "controllers.json": "others"})
	b := newBuilder(t, Options{
		Root: root, Out: t.TempDir(), Nested: map[string]string{"kubectl": built, "controllers": built},
	})
	all := files{"index.html": nil, "app.js": nil}
	for _, name := range lateFiles {
		all[name] = []byte(name)
	}
	worker, err := b.serviceWorker(all, &Index{Version: "v", Versioned: true})
	if err != nil {
		t.Fatal(err)
	}
	lists := regexp.MustCompile(`\[\{[^]]*\]`).FindAllString(string(worker), -1)
	at := slices.IndexFunc(lists, func(list string) bool { return strings.Contains(list, "build/v/app.js") })
	if len(lists) != 2 || at < 0 {
		t.Fatalf("lists of files: %q", lists)
	}
	first, late := lists[at], lists[1-at]
	for _, name := range append(slices.Clone(lateFiles), "kubectl/kubectl.json", "controllers/controllers.json") {
		if strings.Contains(first, name) || !strings.Contains(late, name) {
			t.Errorf("%s is downloaded first, or never kept", name)
		}
	}
	// The list of its parts is checked as well, but may have changed since.
	sum := sha256.Sum256([]byte("the parts"))
	want := `{url:"kubectl/kubectl.json",integrity:"sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `",changes:`
	if !strings.Contains(late, want) {
		t.Errorf("it lacks %s: %s", want, late)
	}
	for name, value := range map[string]string{policyHeader: CSP, resourceHeader: "same-origin"} {
		if !strings.Contains(string(worker), `"`+name+`":"`+value) {
			t.Errorf("it does not send %s: %s", name, value)
		}
	}
}
