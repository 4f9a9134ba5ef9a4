package core

import (
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/horizon"
)

// TestCausesAreExplained checks that core/README.md explains the causes of a 410, in the words of core/horizon.
func TestCausesAreExplained(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| `gone` | why |")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("core/README.md has no table of the causes")
	}
	for _, c := range horizon.Causes() {
		if !strings.Contains(table, "\n| `"+string(c)+"` | "+c.Sentence()) {
			t.Errorf("core/README.md does not say of %s: %s", c, c.Sentence())
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(horizon.Causes()) {
		t.Errorf("core/README.md has %d causes, not %d", rows, len(horizon.Causes()))
	}
}
