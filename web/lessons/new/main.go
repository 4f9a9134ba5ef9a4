//go:build !js

// Command new starts a lesson: it writes a file that can be played as it is, for its author
// to change, with the number that comes next.
//
//	make lesson NAME=labels
//
// It changes no file that is there. What is asked of the name is what web/lessons/README.md
// says: it is the lesson's id and its namespace.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/web/course"
)

//go:embed template.md
var template string

// lessons is where lessons are, seen from the project's root.
const lessons = "web/lessons"

// Errors of a name that no new lesson can have.
var (
	errName = errors.New("a lesson's name is made of words in lower-case letters and digits, " +
		"joined by -, such as list-then-watch")
	errTaken = errors.New("there is a lesson of that name")
)

// longest is how long a name may be, so that namespaces can be called like it, and like it
// with a letter more.
const longest = 60

func main() {
	if len(os.Args) != 2 || os.Args[1] == "" {
		fmt.Fprintln(os.Stderr, "make lesson NAME=slug starts a lesson; its name is its id, such as list-then-watch")
		os.Exit(2)
	}
	slug := os.Args[1]
	file, err := start(lessons, slug)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lesson:", err)
		os.Exit(1)
	}
	fmt.Printf(`%s can be played as it is. Change it, and play it:

  go test ./web/lessons -only %s
  make run

%s/README.md has the format. Then let COVERAGE.md and the figures follow:

  go test ./web/lessons -run UpToDate -update
`, filepath.ToSlash(file), slug, lessons)
}

// start writes the file of a new lesson into a directory of lessons, and returns its path.
// Errors are or wrap errName, errTaken, or what the file system says.
func start(dir, slug string) (string, error) {
	if len(slug) > longest {
		return "", fmt.Errorf("%q has %d characters, and may have %d: %w", slug, len(slug), longest, errName)
	}
	return course.NewFile(dir, slug, template, errName, errTaken)
}
