package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMakefileNames wants the folders and the tests that the Makefile has lists of to be there: what is renamed would
// silently be tested in another way, or not at all.
func TestMakefileNames(t *testing.T) {
	makefile := strings.ReplaceAll(read(t, "Makefile"), "\\\n", " ")
	list := func(name string) string {
		found := regexp.MustCompile(`(?m)^` + name + ` := (.*)$`).FindStringSubmatch(makefile)
		if found == nil {
			t.Fatalf("the Makefile has no %s", name)
		}
		return found[1]
	}
	for _, name := range []string{"RACED", "UNRACED", "LATER", "HAVE_LARGE", "TORTURE", "HOSTILE"} {
		for folder := range strings.FieldsSeq(list(name)) {
			if strings.ContainsAny(folder, "$*()%") {
				continue // what make works out
			}
			if tests, _ := filepath.Glob(filepath.Join(root, folder, "*_test.go")); len(tests) == 0 {
				t.Errorf("%s has %s, which has no tests", name, folder)
			}
		}
	}
	var tests strings.Builder
	for folder := range strings.FieldsSeq(list("HAVE_LARGE")) {
		files, _ := filepath.Glob(filepath.Join(root, folder, "*_test.go"))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(b)
		}
	}
	names := regexp.MustCompile(`\w+`).FindAllString(strings.TrimPrefix(list("LARGE"), "^Test"), -1)
	for _, name := range names {
		if !strings.Contains(tests.String(), "\nfunc Test"+name+"(") {
			t.Errorf("LARGE has %s, and %s have no such test", name, list("HAVE_LARGE"))
		}
	}
	if len(names) < 10 {
		t.Errorf("only %d large tests", len(names))
	}
}
