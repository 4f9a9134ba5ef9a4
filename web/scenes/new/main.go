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

	"github.com/tabernetes/tabernetes/web/course"
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
	return course.NewFile(dir, slug, template, errName, errTaken)
}
