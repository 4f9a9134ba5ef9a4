//go:build !js

package lessons_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/markdown"
)

// formatPage is the page that explains the format to authors.
const formatPage = "README.md"

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(formatPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A fenced block of the page, and the number of its first line.
type fenced struct {
	language, text string
	line           int
}

// blocks returns the fenced blocks of a Markdown text; those inside of others belong to them.
func blocks(t *testing.T, text string) []fenced {
	t.Helper()
	var out []fenced
	mark := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case mark == "" && strings.HasPrefix(line, "```"):
			language := strings.TrimLeft(line, "`")
			mark = line[:len(line)-len(language)]
			out = append(out, fenced{language: language, line: i + 2})
		case mark != "" && line == mark:
			mark = ""
		case mark != "":
			out[len(out)-1].text += line + "\n"
		}
	}
	if mark != "" || len(out) == 0 {
		t.Fatalf("%s: %d blocks, the last of them not closed", formatPage, len(out))
	}
	return out
}

// section returns the text below a heading of the page.
func section(t *testing.T, heading string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page(t), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", formatPage, heading)
	}
	text, _, _ := strings.Cut(rest, "\n## ")
	return text
}

// table returns the cells of the first table in a text, without its head.
func table(t *testing.T, text string) [][]string {
	t.Helper()
	var rows [][]string
	for line := range strings.SplitSeq(text, "\n") {
		inner, ok := strings.CutPrefix(line, "|")
		if ok {
			rows = append(rows, strings.Split(strings.TrimSuffix(inner, "|"), " | "))
		} else if len(rows) > 0 {
			break
		}
	}
	if len(rows) < 3 {
		t.Fatalf("%s: no table in %.60q…", formatPage, text)
	}
	return rows[2:]
}

// code returns the words of a text that stand between backquotes.
func code(text string) []string {
	var out []string
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// TestFormatPageExample plays the whole lesson that the page begins with, as lessons are
// played, and wants it to have one of each block.
func TestFormatPageExample(t *testing.T) {
	example := blocks(t, page(t))[0]
	l, err := format.Parse("01-labels.md", example.text)
	if err != nil {
		t.Fatalf("%s: the example, from line %d: %v", formatPage, example.line, err)
	}
	if err := markdown.Render(l); err != nil {
		t.Fatal(err)
	}
	step := &l.Steps[0]
	q, _ := step.Prediction()
	has := func(kind format.Kind) bool {
		return slices.ContainsFunc(step.Blocks, func(b format.Block) bool { return b.Kind == kind })
	}
	if len(l.Steps) != 1 || len(l.Setup) == 0 || q == nil || !has(format.HTTP) || !has(format.Hint) ||
		!has(format.Solution) ||
		len(step.Wrong) == 0 || len(step.Covers) == 0 || len(l.Outro) == 0 {
		t.Error("the example is not one step with one block of each kind at least")
	}
	for name, test := range map[string]func(*testing.T, *format.Lesson){"solution": solve, "wrong attempts": fail,
		"given back": tidyUp} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, l) }) })
	}
}

// TestFormatPageFragments parses the other blocks that the page shows, each as a part of a
// lesson of one step.
func TestFormatPageFragments(t *testing.T) {
	const (
		request = "```http\nGET /api/v1\n```\n"
		check   = "```check\n- It was read\n  second: GET /api/v1\n```\n"
	)
	seen := map[string]int{}
	for _, b := range blocks(t, page(t))[1:] {
		src := "---\nnamespaces: labels\n---\n\n# Title\n\n## Step\n\n"
		switch b.language {
		case "markdown":
			src += b.text + request + check
		case "http":
			src += "```http\n" + b.text + "```\n" + check
		case "check":
			src += request + "```check\n" + b.text + "```\n"
		default:
			t.Errorf("%s:%d: what is a block of %q?", formatPage, b.line, b.language)
			continue
		}
		seen[b.language]++
		if _, err := format.Parse("01-fragment.md", src); err != nil {
			t.Errorf("%s: the block from line %d: %v", formatPage, b.line, err)
		}
	}
	for _, language := range []string{"markdown", "http", "check"} {
		if seen[language] == 0 {
			t.Errorf("%s shows no block of %s", formatPage, language)
		}
	}
}

// requiring returns a lesson whose front matter has these lines.
func requiring(front string) (*format.Lesson, error) {
	return format.Parse("01-requiring.md", "---\n"+front+"---\n\n# Title\n\n## Step\n\n```http\nGET /api/v1\n```\n\n"+
		"```check\n- It was read\n  read: GET /api/v1\n```\n")
}

// TestFormatPageRequirements wants the table of what a lesson can require to have all keys,
// values that can be written so and differ, and the start that a lesson has without.
func TestFormatPageRequirements(t *testing.T) {
	silent, err := requiring("minutes: 1\n")
	if err != nil {
		t.Fatal(err)
	}
	spoilt, err := format.ParseSettings(spoilt)
	if err != nil {
		t.Fatal(err)
	}
	start := spoilt.With(silent.Requires)
	var keys []string
	for _, row := range table(t, section(t, "What a lesson starts with")) {
		key, usual := code(row[0])[0], code(row[2])[0]
		keys = append(keys, key)
		_, list, _ := strings.Cut(row[1], ": ")
		values := code(list)
		if !slices.Contains(values, usual) {
			t.Errorf("%s: the default start %s is not among the values %v", key, usual, values)
		}
		var met []format.Settings
		for _, value := range values {
			l, err := requiring("requires:\n  " + key + ": " + value + "\n")
			if err != nil {
				t.Errorf("%s: %s: %v", key, value, err)
				continue
			}
			got := spoilt.With(l.Requires)
			if got.Equal(start) != (value == usual) {
				t.Errorf("%s: %s, and the default start is said to be %s", key, value, usual)
			}
			if slices.ContainsFunc(met, got.Equal) {
				t.Errorf("%s: %s is the same as another value", key, value)
			}
			met = append(met, got)
		}
	}
	slices.Sort(keys)
	if known := slices.Sorted(slices.Values(format.RequirementKeys())); !slices.Equal(keys, known) {
		t.Errorf("%s has the keys\n%v\nand lessons can require\n%v", formatPage, keys, known)
	}
}

// TestFormatPageFrontMatter wants the table of the front matter to have the keys that the
// parser names when it meets another one.
func TestFormatPageFrontMatter(t *testing.T) {
	_, err := requiring("colour: red\n")
	if err == nil {
		t.Fatal("a key that nobody knows is accepted")
	}
	_, said, _ := strings.Cut(err.Error(), "there are ")
	known := strings.FieldsFunc(said, func(c rune) bool { return c < 'a' || c > 'z' })
	known = slices.DeleteFunc(known, func(word string) bool { return word == "and" || word == "in" || word == "practice" })
	var keys []string
	for _, row := range table(t, section(t, "The file")) {
		keys = append(keys, code(row[0])[0])
	}
	if !slices.Equal(keys, known) {
		t.Errorf("%s has the keys %v, and the parser %v", formatPage, keys, known)
	}
}

// TestParts wants each lesson to be in a part that the page lists, in the list's order.
func TestParts(t *testing.T) {
	var parts []string
	for line := range strings.SplitSeq(section(t, "The file"), "\n") {
		if part, ok := strings.CutPrefix(line, "- "); ok {
			parts = append(parts, part)
		}
	}
	at := 0
	for _, l := range ordered(t) {
		n := slices.Index(parts, l.Part)
		if n < at {
			t.Errorf("%s: the part %q is not among those of %s, or not in their order", l.File, l.Part, formatPage)
			continue
		}
		at = n
	}
	if at != len(parts)-1 {
		t.Errorf("the last lesson is in part %d of the %d in %s", at+1, len(parts), formatPage)
	}
}

// TestSettings wants the page to say of each setting what core/settings says, and each word that it has.
func TestSettings(t *testing.T) {
	text, n := section(t, "What a lesson starts with"), 0
	for _, s := range settings.All {
		if s.Key == "" {
			continue
		}
		n++
		_, row, found := strings.Cut(text, "\n| `"+s.Key+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		if !found || !strings.HasPrefix(row, s.Is) {
			t.Errorf("%s: %s, want %s", s.Key, row, s.Is)
		}
		for _, w := range s.Words {
			if !strings.Contains(row, "`"+w.Key+"`") {
				t.Errorf("%s: %s has no %s", s.Key, row, w.Key)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d settings", n)
	}
}
