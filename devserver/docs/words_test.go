package docs

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// said matches words as they are written in a sentence, and not as names.
func said(words string) *regexp.Regexp {
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
	read := 0
	err := filepath.WalkDir(root+"/web", func(file string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(file), root+"/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "clients" || d.Name() == "shots"):
			return filepath.SkipDir
		case d.IsDir(), strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, ".test.js"),
			strings.HasSuffix(name, "_templ.go"), regexp.MustCompile(`/[A-Z]+\.md$`).MatchString(name),
			!regexp.MustCompile(`\.(go|templ|md|js)$`).MatchString(name):
			return nil
		}
		text, err := os.ReadFile(file)
		read++
		for n, line := range shown(t, name, string(text)) {
			for _, turn := range turns {
				if found := turn.words.FindString(line); found != "" {
					t.Errorf("%s:%d: %q: rather %s", name, n, strings.TrimSpace(found), turn.better)
				}
			}
		}
		return err
	})
	if err != nil || read < 200 {
		t.Errorf("%d files were read: %v", read, err)
	}
}
