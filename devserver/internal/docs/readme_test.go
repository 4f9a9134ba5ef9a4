package docs

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// maxLines is how long the project's README may be.
const maxLines = 90

// TestReadmeIsShort wants a page that one reads to its end.
func TestReadmeIsShort(t *testing.T) {
	if lines := strings.Count(read(t, "README.md"), "\n"); lines > maxLines {
		t.Errorf("the README has %d lines, more than %d", lines, maxLines)
	}
}

// files counts the files that a pattern below the root has.
func files(t *testing.T, pattern string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(found), err)
	}
	return len(found)
}

// builtinTypes counts the resource types: one that several versions have counts once.
func builtinTypes() int {
	types := map[string]bool{}
	for _, r := range schema.Builtin().Resources() {
		types[r.Group+"/"+r.Plural] = true
	}
	return len(types)
}

// TestNumbersAreTrue computes the numbers that pages say: each is found by what is around it.
func TestNumbersAreTrue(t *testing.T) {
	open, closed := files(t, "core/conformance/testdata/recordings/*.json"),
		files(t, "core/conformance/testdata/recordings-rbac/*.json")
	all := builtinTypes()
	for _, n := range []struct {
		page, around string // whose one group is the number
		want         int
	}{
		{"core/README.md", `The (\d+) resource types of Kubernetes 1.36`, all},
		{"core/README.md", `of which (\d+) has two versions`, len(schema.Builtin().Resources()) - all},
		{"core/README.md", `All (\d+) conversations recorded from`, open + closed},
		{"core/README.md", `in the page the (\d+) that need no RBAC`, open},
	} {
		page := strings.Join(strings.Fields(read(t, n.page)), " ")
		found := regexp.MustCompile(n.around).FindStringSubmatch(page)
		if len(found) != 2 || found[1] != strconv.Itoa(n.want) {
			t.Errorf("%s says %q; it is %d", n.page, found, n.want)
		}
	}
}

// engine finds the browsers that the site is built for.
var engine = regexp.MustCompile(`api\.Engine(\w+), Version: "([\d.]+)"`)

// TestBrowsersAreNamed wants the README to name the browsers that the site is built for.
func TestBrowsersAreNamed(t *testing.T) {
	var names []string
	for _, e := range engine.FindAllStringSubmatch(read(t, "devserver/internal/site/bundle.go"), -1) {
		if e[1] == "Chrome" {
			e[1] = "Chrome and Edge"
		}
		names = append(names, e[1]+" "+e[2])
	}
	want := "The page runs in " + strings.Join(names, ", ") + " and newer."
	if page := strings.Join(strings.Fields(read(t, "README.md")), " "); len(names) < 3 || !strings.Contains(page, want) {
		t.Errorf("the README does not say: %s", want)
	}
}
