// Package storages compares what the project says of resource types with the sources of their storages in Kubernetes.
package storages

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	returns  = regexp.MustCompile(`(?m)^\s*ReturnDeletedObject:\s+true,`)
	resource = regexp.MustCompile(`(?m)^\s*DefaultQualifiedResource:\s+\w+\.Resource\("(\w+)"\),`)
	group    = regexp.MustCompile(`(?m)^const GroupName = "(.*)"`)
)

// TestDeleted wants the list of types whose DELETE is answered with the object to be that of the storages that say
// so. The project's rows are compared with the list where they are (core/schema).
func TestDeleted(t *testing.T) {
	printed, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	module := strings.TrimSpace(string(printed))
	read := func(parts ...string) string {
		text, err := os.ReadFile(filepath.Join(parts...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	registry := filepath.Join(module, "pkg", "registry")
	var is []string
	err = filepath.WalkDir(registry, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text := read(path)
		if !returns.MatchString(text) {
			return nil
		}
		below, _ := filepath.Rel(registry, path)
		in, _, _ := strings.Cut(filepath.ToSlash(below), "/")
		if in == "testapigroup" { // no server has it
			return nil
		}
		names := resource.FindAllStringSubmatch(text, -1)
		match := group.FindStringSubmatch(read(module, "pkg", "apis", in, "register.go"))
		if len(names) != 1 || match == nil {
			t.Errorf("%s: %v in %v", below, names, match)
			return nil
		}
		if match[1] == "" {
			match[1] = "core"
		}
		is = append(is, match[1]+" "+names[0][1])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(is)
	want := strings.Split(strings.TrimSpace(read("..", "..", "..", "..", "schema", "testdata", "deleted.txt")), "\n")
	if !slices.Equal(is, want) {
		t.Errorf("the storages say\n%s\nand the list\n%s", strings.Join(is, "\n"), strings.Join(want, "\n"))
	}
}
