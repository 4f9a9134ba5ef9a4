package extension_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// project is what the paths of core's packages begin with.
const project = "github.com/tabernetes/tabernetes/core/"

// centre are the folders that know of no extension.
var centre = []string{"..", "../apiserver", "../registry", "../controlplane"}

// extensions are the folders of extensions, which the centre does not import, and words that are theirs alone: none
// is in a name or a comment of the centre.
var (
	extensions = []string{"room", "trial"}
	theirWords = `(?i)rooms?\b|^rooms?|relay|teacher|learner|^members?(Of|Prefix|Name)|replayed|hub\b`
)

// TestTheCentreKnowsNoExtension reads the centre's files, without their tests.
func TestTheCentreKnowsNoExtension(t *testing.T) {
	words, read := regexp.MustCompile(theirWords), 0
	for _, folder := range centre {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || name == "../doc.go" { // which has the list of all packages
				continue
			}
			read++
			for _, found := range foreignWords(t, name, nil, words) {
				t.Error(found)
			}
		}
	}
	if read < 80 {
		t.Errorf("only %d files were read", read)
	}
	wrong := "package x\n\nimport _ \"" + project + "room/live\"\n\n" +
		"// A Relay is one.\ntype x struct{ MemberPrefix, Room int }\n"
	if found := foreignWords(t, "x.go", wrong, words); len(found) != 4 {
		t.Errorf("of an import, a comment and two names were found %q", found)
	}
}

// foreignWords returns what of a file is of an extension. src is nil to read it.
func foreignWords(t *testing.T, name string, src any, words *regexp.Regexp) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	say := func(at token.Pos, what string) { found = append(found, set.Position(at).String()+": "+what) }
	for _, i := range file.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		folder, _, _ := strings.Cut(strings.TrimPrefix(path, project), "/")
		if strings.HasPrefix(path, project) && slices.Contains(extensions, folder) {
			say(i.Pos(), "imports "+path)
		}
	}
	for _, group := range file.Comments {
		if word := words.FindString(group.Text()); word != "" {
			say(group.Pos(), "a comment has "+word)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && words.MatchString(id.Name) {
			say(id.Pos(), id.Name)
		}
		return true
	})
	return found
}
