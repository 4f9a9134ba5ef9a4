package site

import (
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// list has go list print something of each package that a binary is linked from.
func list(t *testing.T, binary, format string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := writeOverlay(context.Background(), root, binary, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"go", "list"}, flags, []string{"-deps", "-f", format, binary})
	out, err := command{dir: root, args: args, env: wasmEnv}.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// importers lists the packages that the binaries are linked from, each with those
// of them that import it.
func importers(t *testing.T) map[string][]string {
	t.Helper()
	const format = `{{.ImportPath}} {{join .Imports " "}}`
	of := map[string][]string{}
	for line := range strings.Lines(list(t, serverPackage, format) + list(t, labPackage, format)) {
		packages := strings.Fields(line)
		of[packages[0]] = append(of[packages[0]], "")
		for _, p := range packages[1:] {
			of[p] = append(of[p], packages[0])
		}
	}
	return of
}

// TestOverlay: the binary opens no connections, interprets no templates and does
// without the modules of the one that is replaced.
func TestOverlay(t *testing.T) {
	of := importers(t)
	for _, p := range []string{"net/http", "html/template", "math/big", "regexp", replacedModule} {
		if of[p] == nil {
			t.Errorf("%s is not in it, and needs no version of its own", p)
		}
	}
	for _, p := range []string{"crypto/tls", "crypto/x509", "text/template", "github.com/modern-go/reflect2"} {
		if of[p] != nil {
			t.Errorf("%s is in it, for %q", p, of[p])
		}
	}
}

// TestNoLargeNumbers: what mentions large numbers does not meet any. See package
// wasm/big.
func TestNoLargeNumbers(t *testing.T) {
	const project = "github.com/tabernetes/tabernetes/"
	of := importers(t)
	for p, known := range map[string][]string{
		"math/big":         {"encoding/asn1", "crypto/x509/pkix"},
		"encoding/asn1":    {"crypto/x509/pkix", project + "core/kinds"},
		"crypto/x509/pkix": {project + "core/kinds"},
	} {
		for _, by := range of[p] {
			if by != "" && !slices.Contains(known, by) {
				t.Errorf("%s imports %s", by, p)
			}
		}
	}
	files, err := filepath.Glob("../../core/kinds/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	withNumber := regexp.MustCompile(`pkix\.(CertificateList|TBSCertificateList|RevokedCertificate)\b`)
	for _, file := range files {
		if found := withNumber.FindString(read(t, "", file)); found != "" {
			t.Errorf("%s: %s", file, found)
		}
	}
}

// TestExpressions: the lab's expressions are those that package wasm/regexp is tested
// with, in an order that matters to nobody.
func TestExpressions(t *testing.T) {
	const structural = "github.com/tabernetes/tabernetes/core/structural" // whose expressions only the API server has
	call := regexp.MustCompile("regexp\\.(?:Must)?Compile\\(([^)\n]*`[^`]*`|[^)\n]*)\\)")
	found := map[string]bool{}
	for line := range strings.Lines(list(t, labPackage, `{{if not .Standard}}{{.ImportPath}} {{.Dir}} {{join .GoFiles " "}}{{end}}`)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == structural {
			continue
		}
		for _, file := range f[2:] {
			for _, m := range call.FindAllStringSubmatch(read(t, "", filepath.Join(f[1], file)), -1) {
				found[strings.Trim(m[1], "`")] = true
			}
		}
	}
	known := map[string]bool{}
	for line := range strings.Lines(read(t, "", "../../wasm/regexp/testdata/expressions.txt")) {
		known[strings.TrimSuffix(line, "\n")] = true
	}
	if !maps.Equal(found, known) {
		t.Errorf("the lab has the expressions\n%q, but expressions.txt\n%q", slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(known)))
	}
}

func TestOwnHTTPAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module tiny.example/x\n\ngo 1.26\n",
		"wasm/main.go": `package main

import "net/http"

func main() {
	var h http.Handler = http.NotFoundHandler2
	_ = h
	_, _, _ = http.MethodGet, http.StatusText(http.StatusTeapot), http.DetectContentType(nil)
}
`,
	})
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := writeOverlay(context.Background(), root, serverPackage, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	flags = flags[:1] // the module is not the project
	compile := func() error {
		return GoBuild(context.Background(), dir, filepath.Join(dir, "out.wasm"), "./wasm", flags, wasmEnv...)
	}
	if err := compile(); err == nil || !strings.Contains(err.Error(), "undefined: http.NotFoundHandler2") {
		t.Errorf("a name that there is not: %v", err)
	}
	write(t, dir, map[string]string{"wasm/main.go": strings.Replace(read(t, dir, "wasm/main.go"), "http.NotFoundHandler2", "http.HandlerFunc(http.NotFound)", 1)})
	if err := compile(); err != nil {
		t.Error(err)
	}
}
