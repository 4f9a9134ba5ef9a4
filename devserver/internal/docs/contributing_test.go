package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const contributing = ".github/CONTRIBUTING.md"

var (
	code        = regexp.MustCompile("`([^`\n]+)`")
	placeholder = regexp.MustCompile(`<[a-z]+>`)
	// folders are those that a path in a page begins with.
	folders = regexp.MustCompile(`^(core|wasm|web|devserver|playwright|\.github)/`)
	// flowRow is a row of a table: a file, and what it declares.
	flowRow = regexp.MustCompile("(?m)^\\| `([^`]+\\.(?:go|js))` \\| (`[^|]+`) \\|")
	// listItem is a step of how something is added, and word a name that the code has to have.
	listItem = regexp.MustCompile(`(?m)^\d+\. .*(?:\n   .*)*`)
	word     = regexp.MustCompile(`^[A-Za-z]+$`)
	target   = regexp.MustCompile("`make ([a-z-]+)")
	testRun  = regexp.MustCompile("`go test \\./([a-z/]+) -run '?([A-Za-z|]+)'?`")
)

// named returns the paths that a text names in backquotes.
func named(text string) []string {
	var out []string
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		for word := range strings.FieldsSeq(m[1]) {
			word = strings.TrimPrefix(word, "./")
			if folders.MatchString(word+"/") || word == "Makefile" || word == "README.md" {
				out = append(out, word)
			}
		}
	}
	return out
}

// matching returns the files and folders of this name; <words> stand for any name.
func matching(name string) []string {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(placeholder.ReplaceAllString(name, "*"))))
	if err != nil {
		return nil
	}
	return found
}

// exists reports whether there is a file or folder of this name; <words> stand for any name.
func exists(name string) bool { return len(matching(name)) > 0 }

// declares reports whether a Go or JavaScript file declares a name: a function, a type, a class, or a
// method as Type.method.
func declares(source, name string) bool {
	pattern := `(?m)^(export )?(default )?(async )?(func|function\*?|type|class|const|var) ` + name + `\b`
	if typ, method, ok := strings.Cut(name, "."); ok {
		pattern = `(?m)^func \(\w+ \*?` + typ + `\) ` + method + `\(`
	}
	return regexp.MustCompile(pattern).MatchString(source)
}

// TestContributingPaths checks that the files and folders that the page names exist.
func TestContributingPaths(t *testing.T) {
	names := named(pages(t)[contributing].text)
	for _, name := range names {
		if !exists(name) {
			t.Errorf("%s names %s, which does not exist", contributing, name)
		}
	}
	if len(names) < 80 {
		t.Errorf("%s names %d paths: not all of them were read", contributing, len(names))
	}
}

// TestContributingFlows checks that the functions of the flows are in the files that the page says.
func TestContributingFlows(t *testing.T) {
	rows := flowRow.FindAllStringSubmatch(pages(t)[contributing].text, -1)
	for _, row := range rows {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(row[1])))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range code.FindAllStringSubmatch(row[2], -1) {
			if !declares(string(source), m[1]) {
				t.Errorf("%s: %s does not declare %s", contributing, row[1], m[1])
			}
		}
	}
	if len(rows) < 35 {
		t.Errorf("%s has %d rows in its flows: not all of them were read", contributing, len(rows))
	}
}

// TestContributingSteps checks that the names in the steps of how something is added are those of the
// files that the step names.
func TestContributingSteps(t *testing.T) {
	words := 0
	for _, step := range listItem.FindAllString(pages(t)[contributing].text, -1) {
		var source strings.Builder
		for _, name := range named(step) {
			for _, file := range matching(name) {
				if text, err := os.ReadFile(file); err == nil { // else it is a folder
					source.Write(text)
				}
			}
		}
		for _, m := range code.FindAllStringSubmatch(step, -1) {
			if !word.MatchString(m[1]) || exists(m[1]) {
				continue
			}
			words++
			if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(source.String()) {
				t.Errorf("%s: no file of this step has %s:\n%s", contributing, m[1], step)
			}
		}
	}
	if words < 10 {
		t.Errorf("the steps of %s have %d names: not all of them were read", contributing, words)
	}
}

// TestContributingTargets checks that the Makefile has the targets that the pages name.
func TestContributingTargets(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range pages(t) {
		for _, m := range target.FindAllStringSubmatch(p.text, -1) {
			n++
			if !strings.Contains(string(makefile), "\n"+m[1]+":") {
				t.Errorf("%s: the Makefile has no target %s", p.name, m[1])
			}
		}
	}
	if n == 0 {
		t.Error("the pages name no target")
	}
}

// TestContributingTests checks that the packages have the tests that the pages say to run.
func TestContributingTests(t *testing.T) {
	n := 0
	for _, p := range pages(t) {
		for _, m := range testRun.FindAllStringSubmatch(p.text, -1) {
			tests := ""
			files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(m[1]), "*_test.go"))
			for _, file := range files {
				source, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tests += string(source)
			}
			for name := range strings.SplitSeq(m[2], "|") {
				n++
				if !regexp.MustCompile(`(?m)^func (Test|Example)\w*` + name).MatchString(tests) {
					t.Errorf("%s: %s has no test %s", p.name, m[1], name)
				}
			}
		}
	}
	if n == 0 {
		t.Error("the pages name no test")
	}
}

func TestDeclares(t *testing.T) {
	const source = "func F() {}\nfunc (s *T) M() {}\ntype T struct{}\nexport async function g() {}\nexport class C {}\n"
	for name, want := range map[string]bool{
		"F": true, "T.M": true, "T": true, "g": true, "C": true,
		"M": false, "U.M": false, "T.N": false, "G": false, "Fun": false,
	} {
		if got := declares(source, name); got != want {
			t.Errorf("declares(%q) = %t", name, got)
		}
	}
}

func TestNamed(t *testing.T) {
	const text = "`core` `core/mvcc` `go test ./web/lessons -run X` `web/<a>/x.go` `other/x` web/none `T.core/x`"
	if got := strings.Join(named(text), " "); got != "core core/mvcc web/lessons web/<a>/x.go" {
		t.Errorf("named: %s", got)
	}
	for name, want := range map[string]bool{
		"core/mvcc": true, "core/none": false, "web/panels/<name>/view.templ": true, "web/<a>/none": false,
	} {
		if got := exists(name); got != want {
			t.Errorf("exists(%q) = %t", name, got)
		}
	}
}

// budget is a part of make test with its seconds, in .ci/ledger and in CONTRIBUTING; testTakes is what the latter says
// of the whole, and beside what .ci/test runs side by side.
var (
	budget    = regexp.MustCompile(`\b([a-z]+)=(\d+)\b`)
	budgetRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| (\\d+) \\|")
	testTakes = regexp.MustCompile("`make test` takes at most (\\d+) minutes")
	beside    = regexp.MustCompile(`(?m)^beside (.*)$`)
)

// TestContributingBudgets wants the page to have the budgets of .ci/ledger, in its order, and .ci/test to run each of
// the parts.
func TestContributingBudgets(t *testing.T) {
	makefile, runs := read(t, "Makefile"), strings.Fields(read(t, ".ci/test"))
	pairs := func(found [][]string) (all []string) {
		for _, m := range found {
			all = append(all, m[1]+" "+m[2])
		}
		return all
	}
	want := pairs(budget.FindAllStringSubmatch(read(t, ".ci/ledger"), -1))
	if got := pairs(budgetRow.FindAllStringSubmatch(read(t, contributing), -1)); !slices.Equal(got, want) {
		t.Errorf("%s says %q, .ci/ledger %q", contributing, got, want)
	}
	for _, pair := range want {
		part, _, _ := strings.Cut(pair, " ")
		if !slices.Contains(runs, part) || !strings.Contains(makefile, "\ntest-"+part+":") {
			t.Errorf(".ci/test does not run %s", part)
		}
	}
	if len(want) < 10 {
		t.Errorf("only %d parts", len(want))
	}
}

// TestBudgetsAddUp wants the budgets to be what CONTRIBUTING says of all tests together. Of the parts that go side by
// side two run at the same time.
func TestBudgetsAddUp(t *testing.T) {
	seconds, sum := map[string]int{}, 0
	for _, b := range budget.FindAllStringSubmatch(read(t, ".ci/ledger"), -1) {
		seconds[b[1]], _ = strconv.Atoi(b[2])
		sum += seconds[b[1]]
	}
	for _, line := range beside.FindAllStringSubmatch(read(t, ".ci/test"), -1) {
		together, longest := 0, 0
		for part := range strings.FieldsSeq(line[1]) {
			together += seconds[part]
			longest = max(longest, seconds[part])
		}
		sum -= together - max(longest, together/2)
	}
	said := testTakes.FindStringSubmatch(read(t, contributing))
	if len(said) != 2 {
		t.Fatal("CONTRIBUTING does not say how long make test takes")
	}
	if minutes, _ := strconv.Atoi(said[1]); sum > minutes*60 || sum <= (minutes-1)*60 {
		t.Errorf("the budgets add up to %d seconds, not to %d minutes", sum, minutes)
	}
}
