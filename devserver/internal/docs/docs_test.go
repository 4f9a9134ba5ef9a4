package docs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the project's directory.
const root = "../../.."

// skipped are directories of what is built, installed or measured here.
var skipped = map[string]bool{
	".git": true, ".cache": true, "node_modules": true, "dist": true, "results": true, "shots": true,
}

// A page is a Markdown file.
type page struct {
	name string // relative to the project's directory, with slashes
	text string // without fenced blocks
}

// pages returns the project's Markdown files by name.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skipped[d.Name()]:
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".md"):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		name = filepath.ToSlash(name)
		found[name] = page{name, unfenced(string(text))}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// unfenced returns a text with the lines of its fenced blocks empty.
func unfenced(text string) string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(mark) >= 3:
			fence = mark
		case fence == "":
			continue
		case line == fence:
			fence = ""
		}
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	linkTarget = regexp.MustCompile(`\]\(([^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?: "[^"]*")?\)|(?m:^\[[^\]]+\]: (\S+)$)`)
	headline   = regexp.MustCompile(`(?m)^#{1,6} (.+?)\s*$`)
	linkText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// links returns the targets of a page's links and pictures.
func (p page) links() []string {
	var out []string
	for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(p.text, "``"), -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}

// anchors returns the names by which the page's headings can be linked to, as GitHub makes them.
func (p page) anchors() map[string]bool {
	out := map[string]bool{}
	for _, m := range headline.FindAllStringSubmatch(p.text, -1) {
		anchor := strings.Map(func(c rune) rune {
			switch {
			case c == ' ':
				return '-'
			case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
				return unicode.ToLower(c)
			}
			return -1
		}, linkText.ReplaceAllString(m[1], "$1"))
		out[anchor] = true
	}
	return out
}

var (
	benchRows = regexp.MustCompile(`(?s)\nconst ROWS = \[\n(.*?)\n\];`)
	benchRow  = regexp.MustCompile(`\{([^{}]*)\}`)
)

// benchNames returns the names of the examples that web/bench/examples.js has: the addresses #bench-NAME of the lab.
func benchNames(source string) map[string]bool {
	names := map[string]bool{}
	for _, rows := range benchRows.FindAllStringSubmatch(source, -1) {
		for _, row := range benchRow.FindAllStringSubmatch(rows[1], -1) {
			for entry := range strings.SplitSeq(row[1], ",") {
				name, _, _ := strings.Cut(entry, ":")
				if name = strings.TrimSpace(name); name != "" {
					names[name] = true
				}
			}
		}
	}
	return names
}

// broken returns what is wrong with a page's links: nothing, or one line for each. In lessons, #bench and #bench-NAME
// are addresses of the lab, NAME being one of the bench's examples.
func broken(all map[string]page, p page, benches map[string]bool) []string {
	var out []string
	for _, link := range p.links() {
		if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
			continue
		}
		if strings.HasPrefix(p.name, "web/lessons/") && (link == "#bench" || strings.HasPrefix(link, "#bench-")) {
			if name, named := strings.CutPrefix(link, "#bench-"); named && !benches[name] {
				out = append(out, p.name+": "+link+": the bench has no such example")
			}
			continue
		}
		file, anchor, hasAnchor := strings.Cut(link, "#")
		target := p.name
		if file != "" {
			target = path.Join(path.Dir(p.name), file)
		}
		if strings.HasPrefix(file, "/") || target == ".." || strings.HasPrefix(target, "../") {
			out = append(out, p.name+": "+link+" leads out of the project")
			continue
		}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
			out = append(out, p.name+": "+link+" does not exist")
			continue
		}
		if other, isPage := all[target]; hasAnchor && isPage && !other.anchors()[anchor] {
			out = append(out, p.name+": "+link+": "+target+" has no such heading")
		}
	}
	return out
}

// TestBenchNames wants all examples of the bench to be found that are files, and nothing that is no name.
func TestBenchNames(t *testing.T) {
	names := benchNames(read(t, "web/bench/examples.js"))
	files, err := filepath.Glob(filepath.Join(root, "web/bench/examples/*.test.yaml"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".test.yaml"); !names[name] {
			t.Errorf("%s is not in %v", name, names)
		}
	}
	for name := range names {
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(name) {
			t.Errorf("%q is not a name", name)
		}
	}
}

// TestLinks follows every relative link and anchor of every page.
func TestLinks(t *testing.T) {
	all, links := pages(t), 0
	benches := benchNames(read(t, "web/bench/examples.js"))
	for _, p := range all {
		links += len(p.links())
		for _, problem := range broken(all, p, benches) {
			t.Error(problem)
		}
	}
	if all["README.md"].text == "" || links < 100 {
		t.Errorf("%d pages with %d links: not all of them were read", len(all), links)
	}
}

// TestBroken wants every kind of broken link to be found, and no other.
func TestBroken(t *testing.T) {
	text := "# A: `b`, c\n## D_e-f\n```\n# no heading [x](nowhere)\n```\n`[x](nowhere)`\n"
	for link, want := range map[string]string{
		"[x](#a-b-c)":                       "",
		"[x](#d_e-f)":                       "",
		"[x](#no-heading-x)":                "README.md: #no-heading-x: README.md has no such heading",
		"[x](core/README.md#other)":         "",
		"[x](core/README.md#d)":             "README.md: core/README.md#d: core/README.md has no such heading",
		"[x](core)":                         "",
		"![x](core/nothing.png)":            "README.md: core/nothing.png does not exist",
		"[x](../secret)":                    "README.md: ../secret leads out of the project",
		"[x](/core)":                        "README.md: /core leads out of the project",
		"[x](https://host.example/nothing)": "",
		"[x]: nowhere":                      "README.md: nowhere does not exist",
		`[x](nowhere "title")`:              "README.md: nowhere does not exist",
		"[x](#bench-one)":                   "README.md: #bench-one: README.md has no such heading",
	} {
		all := map[string]page{
			"README.md":      {"README.md", unfenced(text + link + "\n")},
			"core/README.md": {"core/README.md", "# Other\n"},
		}
		if got := strings.Join(broken(all, all["README.md"], nil), "\n"); got != want {
			t.Errorf("%s: %q instead of %q", link, got, want)
		}
	}
	const name = "web/lessons/01-addresses.md"
	for link, want := range map[string]string{
		"#bench":     "",
		"#bench-one": "",
		"#bench-two": name + ": #bench-two: the bench has no such example",
		"#benches":   name + ": #benches: " + name + " has no such heading",
	} {
		all := map[string]page{name: {name, "[x](" + link + ")\n"}}
		if got := strings.Join(broken(all, all[name], map[string]bool{"one": true}), "\n"); got != want {
			t.Errorf("%s: %q instead of %q", link, got, want)
		}
	}
}
