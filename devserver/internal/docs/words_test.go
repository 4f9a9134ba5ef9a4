package docs

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A turn is a literary or stilted way to say something, which texts that users read do without.
type turn struct {
	words  *regexp.Regexp
	better string
}

// turns are those that were found and replaced.
var turns = []turn{
	{said(`told`), "gets, receives; says for a rule"},
	{said(`tells? (?:of|everybody)|telling of`), "reports, delivers, shows"},
	{said(`anew`), "again"},
	{said(`in vain`), "without success"},
	{said(`once more`), "again"},
	{said(`for ever`), "forever"},
	{said(`stands? (?:still|there|here|below|alone|open|in the way)`), "is stopped, is"},
	{said(`(?:goes|go|went|going) on`), "continues"},
	{said(`(?:becomes?|became|comes?|came) of`), "happens to"},
	{said(`whoever|whatever (?:is|was) (?:at hand|there)`), "anyone who, the client that"},
	{said(`mend(?:s|ed|ing)?`), "fix"},
	{said(`hears? of`), "learns of"},
	{said(`(?:take[sn]?|took|taking) away`), "removes, deletes"},
	{said(`(?:puts?|putting) back`), "restores"},
	{said(`let it begin|all objects go|time goes on|counts? for nothing`), "start, delete, runs, is ignored"},
	{said(`one after the other`), "one after another"},
	{said(`the very (?:same|one)`), "exactly the same"},
	{said(`has no say`), "cannot choose"},
	{said(`as if nothing were`), "again"},
}

// ofComments are more of them, which comments and Markdown do without.
var ofComments = []turn{
	{said(`of (?:my|your|its|his|her|our|their) own`), "its own, a separate one"},
	{said(`(?:is|are|was|were|be) none`), "or nil; without one; nothing"},
	{said(`gone on`), "continued"},
}

// said matches words as they are written in a sentence, also across the end of a line, and not as names.
func said(words string) *regexp.Regexp {
	words = strings.ReplaceAll(words, " ", `\s`)
	return regexp.MustCompile(`(?i)(?:^|[^-\w.{$])(?:` + words + `)(?:$|[^-\w.]|\.(?:$|\W))`)
}

var (
	comment = regexp.MustCompile(`^\s*(?://|/?\*)`)
	quoted  = regexp.MustCompile("\"[^\"\n]*\"|`[^`\n]*`")
	// requests and conditions are code, in lessons and practice
	aside = regexp.MustCompile(`^\s*(?:[\w$]+: |(?:GET|POST|PUT|PATCH|DELETE) |\{|# @)`)
)

// shown returns the lines of a file that hold texts which users read, by number; nil if it has none.
func shown(t *testing.T, name, text string) map[int]string {
	t.Helper()
	lines := map[int]string{}
	switch ext := filepath.Ext(name); {
	case ext == ".go":
		files := token.NewFileSet()
		file := files.AddFile(name, -1, len(text))
		var s scanner.Scanner
		s.Init(file, []byte(text), nil, 0)
		for pos, tok, lit := s.Scan(); tok != token.EOF; pos, tok, lit = s.Scan() {
			if tok != token.STRING || !strings.Contains(lit, " ") {
				continue // names have no spaces
			}
			for i, line := range strings.Split(lit, "\n") {
				lines[files.Position(pos).Line+i] += line + "\n"
			}
		}
	case ext == ".js":
		for i, line := range strings.Split(text, "\n") {
			if !comment.MatchString(line) {
				lines[i+1] = strings.Join(quoted.FindAllString(line, -1), "\n")
			}
		}
	default: // templates and Markdown
		for i, line := range strings.Split(text, "\n") {
			if ext == ".templ" {
				line, _, _ = strings.Cut(line, " // ")
			}
			if !comment.MatchString(line) && !aside.MatchString(line) {
				lines[i+1] = line
			}
		}
	}
	return lines
}

// TestWords wants plain words in what users of the page read: lessons, practice, templates, and strings of the scripts.
func TestWords(t *testing.T) {
	other := regexp.MustCompile(`/[A-Z]+\.md$|(?:_test\.go|\.test\.js)$`)
	wantPlain(t, []string{"web"}, 200, turns, func(name, text string) map[int]string {
		if other.MatchString(name) || !regexp.MustCompile(`\.(go|templ|md|js)$`).MatchString(name) {
			return nil
		}
		return shown(t, name, text)
	})
}

// commented are the files and folders whose comments and Markdown are in plain words.
var commented = []string{
	".ci", ".github", "Makefile", "README.md", "core", "devserver", "playwright", "wasm", "web",
}

// TestCommentWords wants plain words in what readers of the source read: comments, and Markdown.
func TestCommentWords(t *testing.T) {
	wantPlain(t, commented, 1700, slices.Concat(turns, ofComments), func(name, text string) map[int]string {
		if name == "devserver/internal/docs/words_test.go" {
			return nil // it lists the turns
		}
		return comments(name, text)
	})
}

// wantPlain reports each turn in the lines that read takes from the files of some folders, of which there are at least
// some. read returns nil for a file without such lines.
func wantPlain(t *testing.T, folders []string, least int, turns []turn, read func(name, text string) map[int]string) {
	t.Helper()
	var patterns []string
	for _, turn := range turns {
		patterns = append(patterns, turn.words.String())
	}
	some := regexp.MustCompile(strings.Join(patterns, "|")) // quicker than each of them
	found := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"testdata", "clients", "results", "shots", "node_modules"}, d.Name()):
				return filepath.SkipDir
			case d.IsDir(), strings.HasSuffix(name, "_templ.go"):
				return nil
			}
			text, err := os.ReadFile(file)
			lines := read(name, string(text))
			if lines == nil {
				return err
			}
			found++
			var all strings.Builder // a line for each of the file
			for n := range strings.Count(string(text), "\n") + 1 {
				all.WriteString(strings.ReplaceAll(lines[n+1], "\n", " ") + "\n")
			}
			if !some.MatchString(all.String()) {
				return err
			}
			for _, turn := range turns {
				for _, at := range turn.words.FindAllStringIndex(all.String(), -1) {
					words := all.String()[at[0]:at[1]]
					line := 1 + strings.Count(all.String()[:at[0]], "\n") + len(words) - len(strings.TrimLeft(words, "\n"))
					t.Errorf("%s:%d: %q: rather %s", name, line, strings.Join(strings.Fields(words), " "), turn.better)
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found < least {
		t.Errorf("only %d files were read", found)
	}
}

var (
	slashes = regexp.MustCompile(`^\s*\*(?:\s(.*))?$|(?:^|\s)(?://|/\*\*?) ?(.*)$`)
	hashes  = regexp.MustCompile(`(?:^|\s)#(?:\s(.*))?$`)
)

// comments returns the text of a file's comments, or all of a Markdown file, by line; nil if its language is not known.
func comments(name, text string) map[int]string {
	var comment *regexp.Regexp
	switch filepath.Ext(name) {
	case ".md":
	case ".go", ".templ", ".js", ".mjs", ".ts", ".css":
		comment = slashes
	case "", ".sh", ".yml", ".yaml":
		comment = hashes
	default:
		return nil
	}
	lines := map[int]string{}
	for i, line := range strings.Split(text, "\n") {
		if comment == nil {
			lines[i+1] = strings.TrimSpace(line)
		} else if m := comment.FindStringSubmatch(line); m != nil {
			inside, _, _ := strings.Cut(strings.Join(m[1:], ""), "*/")
			lines[i+1] = strings.TrimSpace(inside)
		}
	}
	return lines
}
