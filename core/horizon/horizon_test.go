package horizon

import (
	"strings"
	"testing"
)

func TestCauses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Causes() {
		for form, text := range map[string]string{
			"Sentence": c.Sentence(), "Short": c.Short("pods", "22"), "Short, of any type": c.Short("", "22"),
		} {
			if len(text) < 20 || len(text) > 120 || strings.HasSuffix(text, ".") || seen[form+text] {
				t.Errorf("%s of %s: %q is not a line, or that of another cause", form, c, text)
			}
			seen[form+text] = true
			if strings.Contains(text, "TYPE") || strings.Contains(text, "  ") ||
				strings.HasPrefix(form, "Short") != strings.Contains(text, "22") {
				t.Errorf("%s of %s: %q", form, c, text)
			}
		}
		if moved := c.Moved("C1"); (moved == "") != (c == Started) || strings.Contains(moved, "SERVER") {
			t.Errorf("Moved of %s: %q", c, moved)
		}
	}
	if none := Cause("other"); none.Sentence()+none.Short("pods", "22")+none.Moved("C1") != "" {
		t.Error("a cause that is not known has words")
	}
}
