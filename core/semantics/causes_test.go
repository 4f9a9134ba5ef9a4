package semantics

import (
	"strings"
	"testing"
)

func TestCauses(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, c := range Causes() {
		if seen[c.ID] || seen[c.Sentence] {
			t.Errorf("%q is there twice, or has no ID", c.ID)
		}
		seen[c.ID], seen[c.Sentence] = true, true
		if len(c.Sentence) < 20 || len(c.Sentence) > 120 || strings.HasSuffix(c.Sentence, ".") {
			t.Errorf("%s: %q is not a line", c.ID, c.Sentence)
		}
		if got, ok := CauseOf(c.ID); !ok || got != c {
			t.Errorf("%s is found as %+v", c.ID, got)
		}
	}
	if _, ok := CauseOf(""); ok {
		t.Error("there is a cause without an ID")
	}
}
