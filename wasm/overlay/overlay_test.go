package overlay

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The project and its two binaries.
const (
	root   = "../.."
	server = "./wasm"
	lab    = "./web/lab/main"
)

// goCommand runs the go command for WebAssembly in dir and returns what it says.
func goCommand(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	return string(out) + errs.String(), err
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := goCommand(t, ".", "env", "GOROOT")
	if err != nil {
		t.Fatal(err, out)
	}
	return strings.TrimSpace(out)
}

// flags returns the flags for a binary with some of the stand-ins.
func flags(t *testing.T, binary string, has func(name string) bool) []string {
	t.Helper()
	o := Options{Root: root, GOROOT: goroot(t), Dir: t.TempDir(), Has: has}
	if binary == lab {
		o.Lab, o.Templates = true, filepath.Join(root, "web")
	}
	flags, err := Flags(o)
	if err != nil {
		t.Fatal(err)
	}
	return flags
}

func all(string) bool { return true }

// list has go list print something of each package that a binary is linked from.
func list(t *testing.T, binary, format string) string {
	t.Helper()
	args := slices.Concat([]string{"list"}, flags(t, binary, all), []string{"-deps", "-f", format, binary})
	out, err := goCommand(t, root, args...)
	if err != nil {
		t.Fatal(err, out)
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// importers lists the packages that the binaries are linked from, each with those
// of them that import it.
func importers(t *testing.T) map[string][]string {
	t.Helper()
	const format = `{{.ImportPath}} {{join .Imports " "}}`
	importers := map[string][]string{}
	for line := range strings.Lines(list(t, server, format) + list(t, lab, format)) {
		packages := strings.Fields(line)
		importers[packages[0]] = append(importers[packages[0]], "")
		for _, p := range packages[1:] {
			importers[p] = append(importers[p], packages[0])
		}
	}
	return importers
}

// TestOverlay: the binary opens no connections, interprets no templates and does
// without the modules of the one that is replaced.
func TestOverlay(t *testing.T) {
	importing := importers(t)
	for _, p := range []string{"net/http", "html/template", "math/big", "regexp", module} {
		if importing[p] == nil {
			t.Errorf("%s is not in it, and needs no version of its own", p)
		}
	}
	for _, p := range []string{"crypto/tls", "crypto/x509", "crypto/internal/fips140/aes", "crypto/internal/fips140/sha3",
		"text/template", "github.com/modern-go/reflect2"} {
		if importing[p] != nil {
			t.Errorf("%s is in it, for %q", p, importing[p])
		}
	}
}

// TestNoLargeNumbers: what mentions large numbers does not meet any. See package
// big.
func TestNoLargeNumbers(t *testing.T) {
	const project = "github.com/tabernetes/tabernetes/core/"
	importing := importers(t)
	for p, known := range map[string][]string{
		"math/big":         {"encoding/asn1", "crypto/x509/pkix"},
		"encoding/asn1":    {"crypto/x509/pkix", project},
		"crypto/x509/pkix": {project},
	} {
		for _, importer := range importing[p] {
			if importer != "" && !slices.ContainsFunc(known, func(known string) bool {
				return importer == known || known == project && strings.HasPrefix(importer, project)
			}) {
				t.Errorf("%s imports %s", importer, p)
			}
		}
	}
	withNumber := regexp.MustCompile(`pkix\.(CertificateList|TBSCertificateList|RevokedCertificate)\b`)
	readers := 0
	err := filepath.WalkDir("../../core", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		source := read(t, path)
		if strings.Contains(source, `"crypto/x509/pkix"`) {
			readers++
		}
		if found := withNumber.FindString(source); found != "" {
			t.Errorf("%s: %s", path, found)
		}
		return nil
	})
	if err != nil || readers == 0 {
		t.Fatalf("%d files that import crypto/x509/pkix, %v", readers, err)
	}
}

// TestExpressions: the lab's expressions are those that package regexp is tested
// with, in an order that matters to nobody.
func TestExpressions(t *testing.T) {
	// Its expressions are those of the API server alone.
	const structural = "github.com/tabernetes/tabernetes/core/internal/structural"
	call := regexp.MustCompile("regexp\\.(?:Must)?Compile\\(([^)\n]*`[^`]*`|[^)\n]*)\\)")
	found := map[string]bool{}
	const format = `{{if not .Standard}}{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}}{{end}}`
	for line := range strings.Lines(list(t, lab, format)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == structural {
			continue
		}
		for _, file := range f[2:] {
			for _, m := range call.FindAllStringSubmatch(read(t, filepath.Join(f[1], file)), -1) {
				found[strings.Trim(m[1], "`")] = true
			}
		}
	}
	known := map[string]bool{}
	for line := range strings.Lines(read(t, "regexp/testdata/expressions.txt")) {
		known[strings.TrimSuffix(line, "\n")] = true
	}
	if !maps.Equal(found, known) {
		t.Errorf("the lab has the expressions\n%q, but expressions.txt\n%q",
			slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(known)))
	}
}

// TestStandInIsCompiled: a binary of another module has the stand-ins' names, and no others.
func TestStandInIsCompiled(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module tiny.example/x\n\ngo 1.26\n")
	instead := flags(t, server, func(name string) bool { return name != moduleName }) // the module is not the project
	compile := func(handler string) (string, error) {
		write(t, filepath.Join(dir, "main.go"), `package main

import "net/http"

func main() {
	var h http.Handler = `+handler+`
	_ = h
	_, _, _ = http.MethodGet, http.StatusText(http.StatusTeapot), http.DetectContentType(nil)
}
`)
		return goCommand(t, dir, slices.Concat([]string{"build"}, instead, []string{"-o", "out.wasm", "."})...)
	}
	out, err := compile("http.NotFoundHandler()")
	if err == nil || !strings.Contains(out, "undefined: http.NotFoundHandler") {
		t.Errorf("a name that there is not: %v %s", err, out)
	}
	if out, err := compile("http.HandlerFunc(http.NotFound)"); err != nil {
		t.Error(err, out)
	}
}

// TestRandom runs a program that reads randomness by the stand-in, which also compiles for this host.
func TestRandom(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module tiny.example/x\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), `package main

import (
	"crypto/rand"
	"fmt"
	"io"
)

func main() {
	seen := [256]bool{}
	b := make([]byte, 1<<16)
	n, err := io.ReadFull(rand.Reader, b)
	kinds := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			kinds++
		}
	}
	fmt.Print(n, err, kinds)
}
`)
	instead := flags(t, server, func(name string) bool { return name == "crypto" })
	cmd := exec.Command("go", slices.Concat([]string{"run"}, instead, []string{"."})...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "65536 <nil> 256" {
		t.Errorf("%v: %s", err, out)
	}
}

// TestLeftOut: what is not wanted is neither in the overlay nor in the flags.
func TestLeftOut(t *testing.T) {
	for _, name := range Names() {
		got := flags(t, lab, func(n string) bool { return n == name })
		if (len(got) == 2) != (name == moduleName) {
			t.Errorf("with %s alone, the flags are %q", name, got)
		}
		file, _ := strings.CutPrefix(got[len(got)-1], "-overlay=")
		if text := read(t, file); strings.Count(text, "\n") < 4 {
			t.Errorf("with %s alone, the overlay is %s", name, text)
		}
	}
	got := flags(t, lab, func(string) bool { return false })
	if text := read(t, strings.TrimPrefix(got[0], "-overlay=")); len(got) != 1 || strings.Contains(text, ".go") {
		t.Errorf("without all of them, the flags are %q, the overlay %s", got, text)
	}
}
