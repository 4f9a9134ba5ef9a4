//go:build !js

package lessons_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lessons"
)

// TestReadmeUpToDate wants the line with the figures in the project's README.md to be true.
func TestReadmeUpToDate(t *testing.T) {
	const name = "../../README.md"
	is, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(is), "\n"+lessons.FiguresStart)
	_, after, ended := strings.Cut(rest, "\n")
	if !found || !ended {
		t.Fatalf("%s has no line that begins with %q", name, lessons.FiguresStart)
	}
	compare(t, name, before+"\n"+figures(t).String()+"\n"+after)
}
