package release

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// page and program are what the site of these tests has.
var page, program = strings.Repeat("<p>the page</p>", 100), strings.Repeat("\x00asm", 500)

// builtSite returns the folder of a small site.
func builtSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	index := site.Index{Version: "abc", Versioned: true}
	for name, text := range map[string]string{"index.html": page, "tabernetes.wasm": program,
		"descriptions.txt": "Pod\n", "licenses.txt": "licenses of the page\n"} {
		a := site.Asset{Name: name, Hash: site.ContentHash([]byte(text)), Bytes: len(text)}
		small, err := site.Compress(t.TempDir(), []byte(text), a.Hash, site.Quick)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, index.Path(name))
		if err := site.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if a.Brotli = len(small); small != nil {
			if err := site.WriteFile(path+".br", small); err != nil {
				t.Fatal(err)
			}
		}
		index.Assets = append(index.Assets, a)
	}
	slices.SortFunc(index.Assets, func(a, b site.Asset) int { return strings.Compare(a.Name, b.Name) })
	list, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	if err := site.WriteFile(filepath.Join(dir, site.IndexFile), list); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyProject copies the project into its own folder: what is part of the repository, with or without what only
// tests read.
func copyProject(t *testing.T, tests bool) string {
	t.Helper()
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	tracked := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	tracked.Dir = root
	names, err := tracked.Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	to := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if !tests && (strings.Contains(name, "testdata/") || strings.HasPrefix(name, "playwright/")) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed
		}
		if err == nil {
			err = site.WriteFile(filepath.Join(to, name), data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// TestRelease builds a release twice, in different folders, and runs the program in an empty one.
func TestRelease(t *testing.T) {
	built := builtSite(t)
	target := Target{runtime.GOOS, runtime.GOARCH}
	var outs []string
	for range 2 {
		out := t.TempDir()
		outs = append(outs, out)
		o := Options{Root: copyProject(t, false), Site: built, Out: out, Version: "v1.2.3-test", Targets: []Target{target}}
		if err := Build(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{target.Name(), target.ControlPlane(), SumsFile, ListFile, LicensesFile} {
		one, err := os.ReadFile(filepath.Join(outs[0], name))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(outs[1], name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs from one folder to the other", name)
		}
		t.Logf("%s: %s", name, site.Size(len(one)))
	}
	sums := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", SumsFile)
	sums.Dir = outs[0]
	if _, err := exec.LookPath("sha256sum"); err == nil {
		if said, err := sums.CombinedOutput(); err != nil || strings.Count(string(said), ": OK") != 4 {
			t.Errorf("%v\n%s", err, said)
		}
	}
	checkBill(t, filepath.Join(outs[0], ListFile))
	licenses, err := os.ReadFile(filepath.Join(outs[0], LicensesFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Tabernetes: LICENSE", "github.com/google/cel-go v", "k8s.io/kubernetes v", "std ", "licenses of the page",
	} {
		if !strings.Contains(string(licenses), want) {
			t.Errorf("%s has nothing of %q", LicensesFile, want)
		}
	}
	run(t, filepath.Join(outs[0], target.Name()))
}

// checkBill looks at the list of parts.
func checkBill(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list document
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if c := list.Metadata.Component; c.Version != "v1.2.3-test" || list.Format != "CycloneDX" {
		t.Errorf("%+v", list.Metadata)
	}
	names := map[string]bool{}
	for _, c := range list.Components {
		names[c.Name] = true
		if len(c.Licenses) == 0 {
			t.Errorf("the license of %s is not known", c.Name)
		}
	}
	for _, want := range []string{"std", "github.com/google/btree", "github.com/evanw/esbuild", "github.com/a-h/templ",
		"k8s.io/kubernetes"} {
		if !names[want] {
			t.Errorf("%s is not listed", want)
		}
	}
}

// start starts a program where no sources are, and returns its URL and the version that it says it is.
func start(t *testing.T, file string, args ...string) (url, version string) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), file, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), file, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	server.Dir = t.TempDir()
	server.Env = append(os.Environ(), "PATH=") // it builds nothing
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	listening := regexp.MustCompile(`^listening on (http://\S+)`)
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			url = found[1]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return url, string(said)
}

// run asks a released program for the page, for files with and without compression, and for the API.
func run(t *testing.T, file string) {
	t.Helper()
	url, version := start(t, file)
	if !strings.HasPrefix(version, "tabernetes v1.2.3-test, go") {
		t.Errorf("it says that it is %s", version)
	}
	get := func(path, accept string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", accept)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body := io.Reader(answer.Body)
		if answer.Header.Get("Content-Encoding") == "br" {
			body = brotli.NewReader(body)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return answer, string(text)
	}
	for _, c := range []struct{ path, accept, encoding, want string }{
		{"/", "br", "br", page},
		{"/", "identity", "", page},
		{"/build/abc/tabernetes.wasm", "gzip, br", "br", program},
		{"/build/abc/tabernetes.wasm", "gzip", "", program},
		{"/build/abc/descriptions.txt", "br", "", "Pod\n"},
	} {
		answer, text := get(c.path, c.accept)
		if answer.StatusCode != 200 || text != c.want || answer.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s, accepting %s: %s %v", c.path, c.accept, answer.Status, answer.Header)
		}
	}
	if answer, text := get("/api/v1/namespaces/default", "identity"); answer.StatusCode != 200 {
		t.Errorf("the API: %s %s", answer.Status, text)
	}
}

func TestParseTarget(t *testing.T) {
	if got, err := ParseTarget("windows/arm64"); err != nil || got.Name() != "tabernetes-windows-arm64.exe" {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"", "linux", "plan9/amd64", "linux/arm64/v8"} {
		if _, err := ParseTarget(bad); err == nil {
			t.Errorf("%q is a target", bad)
		}
	}
}
