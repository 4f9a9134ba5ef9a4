package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesAreCurrent generates all files again. It needs the release's modules in the module cache and
// does not fetch them.
func TestFilesAreCurrent(t *testing.T) {
	dirs, err := download("GOPROXY=off")
	if err != nil {
		t.Skip("the release's modules are not in the module cache: ", err)
	}
	out := t.TempDir()
	if err := generate(dirs, out); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = fs.WalkDir(os.DirFS(out), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		got, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		if want, err := os.ReadFile(filepath.Join("..", "..", "..", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate ./core/internal/generate (%v)", name, err)
		}
		return nil
	})
	if err != nil || n < 4 {
		t.Errorf("%d files, %v", n, err)
	}
}

// TestScriptsAreCurrent does the same for the scripts, which need no modules.
func TestScriptsAreCurrent(t *testing.T) {
	for name, script := range map[string]func() ([]byte, error){
		javaScriptFile: javaScript, settingsFile: settingsScript,
	} {
		got, err := script()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate ./core/internal/generate (%v)", name, err)
		}
	}
}

// TestLettersAreCurrent does the same for the table of letters.
func TestLettersAreCurrent(t *testing.T) {
	if want, err := os.ReadFile("../../room/letters.txt"); err != nil || !bytes.Equal(writeLetters(), want) {
		t.Errorf("%s is out of date: run go generate ./core/internal/generate (%v)", lettersFile, err)
	}
}

func TestProtobufTag(t *testing.T) {
	for _, c := range []struct {
		tag    string
		number int
		name   string
	}{
		{"bytes,13,rep,name=ownerReferences", 13, "ownerReferences"}, {"varint,1,opt,name=a,casttype=b", 1, "a"},
		{"bytes,1,req", 1, ""}, {"-", 0, ""}, {"", 0, ""},
	} {
		if number, name := protobufTag(c.tag); number != c.number || name != c.name {
			t.Errorf("%q: %d %q", c.tag, number, name)
		}
	}
}

func TestVerbLetters(t *testing.T) {
	if got, err := verbLetters([]string{"create", "delete", "deletecollection", "watch"}); got != "cdDw" || err != nil {
		t.Error(got, err)
	}
	for _, bad := range [][]string{{"watch", "get"}, {"proxy"}} {
		if _, err := verbLetters(bad); err == nil {
			t.Errorf("%v is fine", bad)
		}
	}
}

func TestNames(t *testing.T) {
	for group, want := range map[string]string{
		"": "k8s.io/api/core/v1", "rbac.authorization.k8s.io": "k8s.io/api/rbac/v1",
		"apiextensions.k8s.io": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	} {
		if got := packageOf(group, "v1"); got != want {
			t.Errorf("%q: %s", group, got)
		}
	}
	const definitions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
	if got := openAPIPackage("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"); got != definitions {
		t.Error(got)
	}
	if got := alias("k8s.io/api/core/v1"); got != "core/v1" {
		t.Error(got)
	}
}
