package core

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/watchcache"
)

// TestCausesAreExplained checks that core/semantics and core/README.md explain the causes of core/watchcache, in the
// same words.
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
	var explained []string
	for _, c := range semantics.Causes() {
		explained = append(explained, c.ID)
		if !strings.Contains(table, "\n| `"+c.ID+"` | "+c.Sentence) {
			t.Errorf("core/README.md does not say of %s: %s", c.ID, c.Sentence)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(explained) {
		t.Errorf("core/README.md has %d causes, not %d", rows, len(explained))
	}
	all := []watchcache.Cause{
		watchcache.Busy, watchcache.Restarted, watchcache.Started, watchcache.Relisted, watchcache.Defined,
		watchcache.Forgotten, watchcache.Compacted,
	}
	for _, c := range all {
		if !slices.Contains(explained, string(c)) {
			t.Errorf("%s is not explained", c)
		}
	}
	if len(explained) != len(all) {
		t.Errorf("%d causes are explained, and there are %d", len(explained), len(all))
	}
}
