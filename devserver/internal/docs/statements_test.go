package docs

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A statement is a number that a page says, and where the code has it.
type statement struct {
	page, around string // the pattern's one group is the number as the page writes it
	file, owner  string // the pattern's one group is an expression of Go or JavaScript
	unit         int64  // what the page's number counts, in that of the code; 0: the same
}

const (
	coreReadme       = "core/README.md"
	devserverReadme  = "devserver/README.md"
	playwrightReadme = "playwright/README.md"
	webReadme        = "web/README.md"
	second           = 1_000_000_000 // of the code's nanoseconds
	ki, mi           = 1 << 10, 1 << 20
)

var statements = []statement{
	{coreReadme, `\| a body \| (\S+) MiB \| 413`, "core/wellknown/wellknown.go", `MaxBody = (.*)`, mi},
	{coreReadme, `\| (\d+) levels; a real server takes 10,000`, "core/object/limits.go", `MaxDepth = (.*)`, 0},
	{coreReadme, `\| (\S+); a real server has limits of bytes`, "core/object/limits.go", `MaxValues = (.*)`, 0},
	{coreReadme, `that a custom object gets \| (\S+), and`, "core/internal/structural/default.go",
		`maxDefaults = (.*)`, 0},
	{coreReadme, `that are listed \| (\S+), the first`, "core/internal/field/field.go", `MaxErrors = (.*)`, 0},
	{coreReadme, `bytes that they copy \| (\S+) and`, "core/patch/patch.go", `MaxOperations = (.*)`, 0},
	{coreReadme, `bytes that they copy \| \S+ and (\S+) MiB`, "core/patch/patch.go", `MaxCopied     = (.*?) //`, mi},
	{coreReadme, `label or field selector \| (\S+);`, "core/internal/selector/labels.go", `MaxRequirements = (.*)`, 0},
	{coreReadme, `\| (\d+) levels of schemas`, "core/internal/structural/size.go", `MaxDepth = (.*)`, 0},
	{coreReadme, `and (\d+) MiB of memory in use`, "core/internal/structural/size.go", `MaxMemory = (.*)`, mi},
	{coreReadme, `a version takes (\d+) KiB`, "core/internal/customresource/tracker.go", `memoryOfVersion = (.*)`, ki},
	{coreReadme, `definitions of a cluster \| (\S+); a real`, "core/internal/customresource/tracker.go",
		`MaxVersions = (.*)`, 0},
	{coreReadme, `patterns of a schema \| (\S+) instr`, "core/internal/structural/pattern.go", `MaxProgram = (.*)`, 0},
	{coreReadme, `each, (\S+) together;`, "core/internal/structural/pattern.go", `MaxPrograms = (.*)`, 0},
	{coreReadme, `patterns in CEL rules \| (\S+) instructions`, "core/internal/structural/pattern.go",
		`MaxProgram = (.*)`, 0},
	{coreReadme, `(\d+) levels of an expression`, "core/expression/syntax/syntax.go", `maxDepth      = (.*)`, 0},
	{coreReadme, `rules of a schema \| (\S+) characters; a real`, "core/internal/structural/rulework.go",
		`MaxExpression = (.*)`, 0},
	{coreReadme, `characters; a real server takes (\S+), and for`, "core/expression/syntax/syntax.go",
		`maxCharacters = (.*)`, 0},
	{coreReadme, `columns of a custom resource \| (\d+);`, "core/schema/custom.go", `MaxColumns = (.*)`, 0},
	{coreReadme, `(\d+) levels of filters`, "core/internal/tables/path.go", `maxPathDepth = (.*)`, 0},
	{coreReadme, `and (\S+) values that those of all`, "core/internal/tables/path.go", `maxWork = (.*)`, 0},
	{coreReadme, `objects of (\S+) values, their`, "core/internal/kinds/shape/diff.go", `maxValues = (.*)`, 0},
	{coreReadme, `their texts (\d+) KiB`, "core/internal/kinds/shape/diff.go", `maxText   = (.*)`, ki},
	{coreReadme, `ports of one number \| (\d+);`, "core/internal/kinds/pod/volumepaths.go", `maxCompared = (.*)`, 0},
	{coreReadme, `OpenAPI documents \| (\d+) MiB`, "core/apiserver/documentcache.go", `DocumentBytes = (.*)`, mi},
	{coreReadme, `longer than (\d+) MiB one`, "core/apiserver/documentcache.go", `longDocument = (.*)`, mi},
	{coreReadme, "`spec.faults` has at most (\\d+) rows", "core/internal/faults/faults.go", `MaxRows = (.*)`, 0},
	{coreReadme, `more than (\d+) pieces`, "core/source/source.go", `MaxSpans = (.*)`, 0},
	{coreReadme, `at most (\d+) times; expr`, "core/source/source.go", `MaxVerdicts   = (.*)`, 0},
	{coreReadme, `cut after (\d+) characters`, "core/source/source.go", `maxExpression = (.*)`, 0},
	{coreReadme, `token of at most (\d+) char`, "core/source/source.go", `maxRequest = (.*)`, 0},
	{coreReadme, `1 to (\d+) s late`, "core/internal/chaos/plan.go", `maxLate = (.*)`, 0},
	{coreReadme, "\\| `objects` \\| (\\S+) \\|", "core/room/quotas.go", `"objects", (\w+)`, 0},
	{coreReadme, "\\| `bytes` \\| (\\S+) MiB", "core/room/quotas.go", `"bytes", (.*?),`, mi},
	{coreReadme, "\\| `objectsPerMember` \\| (\\S+) \\|", "core/room/quotas.go", `"objectsPerMember", (\w+)`, 0},
	{coreReadme, "\\| `bytesPerMember` \\| (\\S+) MiB", "core/room/quotas.go", `"bytesPerMember", (.*?),`, mi},
	{coreReadme, "\\| `requestsPerSecond` \\| (\\S+) \\|", "core/room/quotas.go", `"requestsPerSecond", (\w+)`, 0},
	{coreReadme, `save up those of (\d+) seconds`, "core/room/shares.go", `burstSeconds = (\w+)`, 0},
	{coreReadme, "\\| `watchesPerMember` \\| (\\S+) \\|", "core/room/quotas.go", `"watchesPerMember", (\w+)`, 0},
	{coreReadme, "\\| `watches` \\| (\\S+) \\|", "core/room/quotas.go", `"watches", (\w+)`, 0},
	{coreReadme, `\(at least (\d+)\), and`, "core/room/joins.go", `fewJoins = (.*)`, 0},
	{coreReadme, `at most (\d+) reads and`, "core/room/shares.go", `atOnce = (.*)`, 0},
	{coreReadme, `Each (\d+) KiB of a body`, "core/room/shares.go", `bodyUnit, answerUnit = (.*?),`, ki},
	{coreReadme, `each (\d+) KiB of an answer`, "core/room/shares.go", `bodyUnit, answerUnit = .*?, (.*)`, ki},

	{devserverReadme, `(\S+) reading and`, "core/apiserver/limits.go", `Limits\{Reads: (\w+)`, 0},
	{devserverReadme, `reading and (\S+) writing requests`, "core/apiserver/limits.go", `Writes: (\w+)`, 0},
	{devserverReadme, `its head (\d+) seconds`, "devserver/internal/front/server.go", `ReadHeaderTimeout: (.*),`, second},
	{devserverReadme, `URL and headers of a request \| (\d+) KiB`, "devserver/internal/front/server.go",
		`maxHeader = (.*)`, ki},
	{devserverReadme, `\*\*(\d+) GiB \+`, "devserver/internal/memory/memory.go", `Base int64 = (.*)`, 1 << 30},
	{devserverReadme, `history of a room \| (\d+) MiB`, "devserver/internal/memory/memory.go",
		`RoomQuota int64 = (.*)`, mi},
	{devserverReadme, `requests to rooms \| (\d+) MiB, of which a room has a quarter \|`,
		"devserver/internal/memory/memory.go", `Bodies int64 = (.*)`, mi},
	{devserverReadme, `custom resources \| (\d+) MiB`, "devserver/internal/memory/memory.go", `InFlight int64 = (.*)`, mi},
	{devserverReadme, `all clusters that are kept \| (\d+) MiB`, "core/apiserver/documentcache.go",
		`DocumentBytes = (.*)`, mi},
	{devserverReadme, `memory of the objects and their history; (\d+) GiB`, "core/core.go",
		`DefaultQuota = (.*)`, 1 << 30},
	{devserverReadme, `the record of the head (\d+) KiB`, "devserver/internal/data/disk.go", `maxRecord = (.*)`, ki},
	{devserverReadme, `A page has room for (\d+) MiB`, "devserver/internal/record/open.go", `pageMemory = (.*)`, mi},
	{devserverReadme, `of 7.0 MB \(at most (\S+)\)`, "devserver/internal/site/onefile.go",
		`OneFileBound = (.*)`, 1_000_000},
	{devserverReadme, `half as large again \(at most (\S+) MB\)`, "devserver/internal/site/onefile.go",
		`OneFileRulesBound = (.*)`, 1_000_000},
	{devserverReadme, `get of 2 KB \|.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`"get", (.*?),`, 0},
	{devserverReadme, `page of 500 of 2 KB \|.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`"page of 500", (.*?),`, 0},
	{devserverReadme, `by a label, among 5,000 \|.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`by a label", (.*?),`, 0},
	{devserverReadme, `list of 10,000 of 2 KB \|.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`"list of 10,000", (.*?),`, 0},
	{devserverReadme, `create of 2 KB, in memory \|.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`"create", (.*?),`, 0},
	{devserverReadme, `to 100 watches \| 0.*?\| (0\.\d) \|`, "devserver/internal/bench/compare/comparisons.go",
		`watchers receive", (.*?),`, 0},
	{devserverReadme, `in a room .*? KB \| (\d+) KB \|`, "devserver/internal/bench/watches.go", `mostWatch = (.*)`, ki},

	{contributing, `lines of at most (\d+) characters`, "devserver/internal/docs/source_test.go",
		`longestLine = (\d+)`, 0},
	{contributing, `that count take (\d+) hours at most`, "web/lessons/length.go", `MostMinutes = (.*)`, 60},
	{contributing, `files below (\d+) lines`, "devserver/internal/docs/source_test.go", `longestFile = (\d+)`, 0},

	{webReadme, `does not within (\d+) s`, "web/shim/boot.js", `SILENCE = (.*);`, 1000},
	{webReadme, `of the room, for (\d+) s at most`, "web/room/replica.js", `PATIENCE = (.*);`, 1000},
	{webReadme, `style sheets \| (\d+) \|`, "devserver/internal/site/bundle.go", `EngineChrome, Version: "(.*?)"`, 0},
	{webReadme, `style sheets \| \d+ \| (\d+) \|`, "devserver/internal/site/bundle.go",
		`EngineFirefox, Version: "(.*?)"`, 0},
	{webReadme, `style sheets \| \d+ \| \d+ \| (\S+) \|`, "devserver/internal/site/bundle.go",
		`EngineSafari, Version: "(.*?)"`, 0},
	{webReadme, `then every (\d+) s, or`, "web/room/replica.js", `LONGEST = (.*);`, 1000},

	{playwrightReadme, `answered request, warm cache \| \d+ ms \| (\d+) ms`, "playwright/bench.js",
		`open:.*bound: (.*?),`, 0},
	{playwrightReadme, `2 KB, median \| \S+ ms \| (\S+) ms`, "playwright/bench.js", `get:.*bound: (.*?),`, 0},
	{playwrightReadme, `ms without \| \S+ to \S+ ms \| (\S+) ms`, "playwright/bench-lab.js", `extra:.*bound: (.*?),`, 0},
	{playwrightReadme, `processor time \| \d+ ms \| (\d+) ms`, "playwright/bench-lab.js", `TASK = .*bound: (.*?),`, 0},
	{playwrightReadme, `50,000 events, at rest \| \d+ MB \| (\d+) MB`, "playwright/bench-lab.js",
		`memory:.*bound: (.*?),`, 0},
	{playwrightReadme, `\| (\d+) each \|`, "playwright/lighthouse.js", `BOUND = (.*);`, 0},
	{playwrightReadme, `first command, warm cache \| \S+ s \| (\d+) s`, "playwright/bench-terminal.js",
		`first: \[.*, (\w+)\]`, 1000},
	{playwrightReadme, `a later command, median \| \S+ s \| (\S+) s`, "playwright/bench-terminal.js",
		`later: \[.*, (\w+)\]`, 1000},
	{playwrightReadme, `after (\d+) commands, at rest`, "playwright/bench-terminal.js", `default: "(\d+)"`, 0},
	{playwrightReadme, `300 commands, at rest \| \d+ MB \| (\d+) MB`, "playwright/bench-terminal.js",
		`memory: \[.*, (\w+)\]`, 0},
}

// TestStatements compares the numbers that pages say with those of the code.
func TestStatements(t *testing.T) {
	for _, s := range statements {
		page := strings.Join(strings.Fields(read(t, s.page)), " ")
		said := regexp.MustCompile(s.around).FindStringSubmatch(page)
		owner := regexp.MustCompile(s.owner).FindStringSubmatch(read(t, s.file))
		if len(said) != 2 || len(owner) != 2 {
			t.Errorf("%s: %q is not there, or %s has no %q", s.page, s.around, s.file, s.owner)
			continue
		}
		got, err := strconv.ParseFloat(strings.ReplaceAll(said[1], ",", ""), 64)
		if err != nil {
			t.Errorf("%s: %q: %v", s.page, said[0], err)
			continue
		}
		if want := value(t, owner[1]) / float64(cmp.Or(s.unit, 1)); got != want {
			t.Errorf("%s says %q; %s has %v", s.page, said[0], s.file, want)
		}
	}
}

// value returns the value of a constant expression; times are in nanoseconds.
func value(t *testing.T, expression string) float64 {
	t.Helper()
	expression = strings.NewReplacer("time.Second", "1_000_000_000", "time.Minute", "60_000_000_000").Replace(expression)
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	f, _ := constant.Float64Val(constant.ToFloat(v.Value))
	return f
}

var (
	testLink = regexp.MustCompile(`\[((?:Test|Fuzz)[A-Z]\w+(?:, (?:Test|Fuzz)[A-Z]\w+)*)\]\(([^)]+)\)`)
	command  = regexp.MustCompile("`go run \\./devserver ([a-z][a-z-]*)([^`]*)`(?:, `([a-z]+)`)?")
	flagRow  = regexp.MustCompile("(?m)^\\| `(--[a-z-]+)")
	subject  = regexp.MustCompile(`^[^ :]+(?:, [^ :]+)*: [a-z]`)
)

// TestLinkedTestsExist wants the tests that pages name to be in the files to which the links lead.
func TestLinkedTestsExist(t *testing.T) {
	n := 0
	for _, p := range pages(t) {
		for _, m := range testLink.FindAllStringSubmatch(p.text, -1) {
			source := read(t, path.Join(path.Dir(p.name), m[2]))
			for name := range strings.SplitSeq(m[1], ", ") {
				if n++; !strings.Contains(source, "\nfunc "+name+"(") {
					t.Errorf("%s: %s has no %s", p.name, m[2], name)
				}
			}
		}
	}
	if n < 30 {
		t.Errorf("the pages name %d tests: not all were read", n)
	}
}

// TestCommandsExist wants the commands of the devserver that pages name, and the flags in its page, to be there.
func TestCommandsExist(t *testing.T) {
	commands, usage := read(t, "devserver/commands.go"), read(t, "devserver/usage.go")
	n := 0
	for _, p := range pages(t) {
		for _, m := range command.FindAllStringSubmatch(p.text, -1) {
			for _, name := range []string{m[1], m[3]} {
				if n++; name != "" && !regexp.MustCompile(`\n\t"`+name+`": `).MatchString(commands) {
					t.Errorf("%s: the devserver has no command %s", p.name, name)
				}
			}
		}
	}
	flags := flagRow.FindAllStringSubmatch(read(t, devserverReadme), -1)
	for _, m := range flags {
		if !regexp.MustCompile(`(?m)^  ` + m[1] + `\b`).MatchString(usage) {
			t.Errorf("%s: the devserver has no flag %s", devserverReadme, m[1])
		}
	}
	if n < 10 || len(flags) < 5 {
		t.Errorf("the pages name %d commands and %d flags: not all were read", n, len(flags))
	}
}

// TestTemplatesHaveNames wants practice templates to be named by what they are about, not by the number of a lesson.
func TestTemplatesHaveNames(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "web/course/practice/templates/*.md"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	for _, file := range files {
		if name := filepath.Base(file); !regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*\.md$`).MatchString(name) ||
			regexp.MustCompile(`^l\d`).MatchString(name) {
			t.Errorf("%s is not named by what it is about", name)
		}
	}
}

// TestSubjects wants the subjects of the last commits to be as CONTRIBUTING says.
func TestSubjects(t *testing.T) {
	said := regexp.MustCompile("`area: imperative`, at most (\\d+) characters").FindStringSubmatch(read(t, contributing))
	if len(said) != 2 {
		t.Fatal("CONTRIBUTING does not say how subjects are")
	}
	longest, _ := strconv.Atoi(said[1])
	log := exec.CommandContext(t.Context(), "git", "log", "-n", "10", "--no-merges", "--format=%s")
	log.Dir = root
	printed, err := log.Output()
	if err != nil {
		t.Skip("no git: ", err)
	}
	for line := range strings.Lines(string(printed)) {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) > longest || !subject.MatchString(line) {
			t.Errorf("not %s: %q", said[0], line)
		}
	}
}

// waitForOthers are the tests that wait for a time to pass: they run programs of others, which show nothing of what is
// waited for.
var waitForOthers = []string{
	"core/internal/plugins/policies/table_test.go", // when it records
	"devserver/internal/record/real_test.go",
	"devserver/internal/room/edge/sockets_test.go",
}

// TestNoTestSleeps wants tests to sleep in a loop only, which asks for a condition, or where the time is not real: in a
// bubble of testing/synctest.
func TestNoTestSleeps(t *testing.T) {
	for name, text := range sources(t) {
		if !strings.HasSuffix(name, "_test.go") || !strings.Contains(text, "time.Sleep") ||
			strings.Contains(text, `"testing/synctest"`) || slices.Contains(waitForOthers, name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, loop := n.(*ast.ForStmt); loop {
				return false
			}
			if s, is := n.(*ast.SelectorExpr); is && s.Sel.Name == "Sleep" {
				t.Errorf("%s sleeps", name)
			}
			return true
		})
	}
	for _, name := range waitForOthers {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
}
