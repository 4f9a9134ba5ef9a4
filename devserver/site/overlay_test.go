package site

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// importers lists the packages that the binary is linked from, each with those
// of them that import it.
func importers(t *testing.T) map[string][]string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flags, err := writeOverlay(context.Background(), root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := slices.Concat([]string{"go", "list"}, flags, []string{"-deps", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./wasm", "./wasm/lab"})
	out, err := command{dir: root, args: args, env: wasmEnv}.run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]string{}
	for line := range strings.Lines(string(out)) {
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
	for _, p := range []string{"net/http", "html/template", "math/big", replacedModule} {
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
	flags, err := writeOverlay(context.Background(), root, t.TempDir())
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
