//go:build !js

// Command new starts a scene: it writes a file that can be played as it is, for its author to change, with the number
// that comes next.
//
//	make scene NAME=labels
//
// It changes no file that is there. The name is the scene's id, by which links name it.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson"
)

//go:embed template.md
var template string

// scenes is where scenes are, seen from the project's root.
const scenes = "web/scenes"

// Errors of a name that no new scene can have.
var (
	errName = errors.New("a scene's name is made of words in lower-case letters and digits, " +
		"joined by -, such as stale-read")
	errTaken = errors.New("there is a scene of that name")
)

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" {
		fmt.Fprintln(os.Stderr, "make scene NAME=slug starts a scene; its name is its id, such as stale-read")
		os.Exit(2)
	}
	slug := os.Args[1]
	file, err := start(scenes, slug)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scene:", err)
		os.Exit(1)
	}
	fmt.Printf(`%s can be played as it is. Change it, and play it:

  go test ./web/scenes -only %s
  make run    # then open #scene=%s

%s/README.md has the format.
`, filepath.ToSlash(file), slug, slug, scenes)
}

// start writes the file of a new scene into a directory of scenes, and returns its path. Errors are or wrap errName,
// errTaken, or what the file system says.
func start(dir, slug string) (string, error) {
	if !nameForm.MatchString(slug) {
		return "", fmt.Errorf("%q: %w", slug, errName)
	}
	names, err := lesson.Files(os.DirFS(dir))
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no scenes in %s: this has to run in the project's root", dir)
	}
	last := 0
	for _, name := range names {
		number, id, _ := strings.Cut(strings.TrimSuffix(name, ".md"), "-")
		if id == slug {
			return "", fmt.Errorf("%s: %w", filepath.Join(dir, name), errTaken)
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		last = max(last, n)
	}
	text, err := course.Fill(template, map[string]string{"slug": slug})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("%02d-%s.md", last+1, slug))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return path, errors.Join(err, f.Close())
}
