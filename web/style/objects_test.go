package style

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The letters that tell field managers apart are read on their own tint, on the
// panel, in both themes; the second dark rule says the same as the first.
func TestManagersAreReadable(t *testing.T) {
	b, err := os.ReadFile("objects.css")
	if err != nil {
		t.Fatal(err)
	}
	hues := func(selector string) []string {
		_, rest, found := strings.Cut(string(b), selector+" {")
		if !found {
			t.Fatalf("objects.css has no rule %s", selector)
		}
		rule, _, _ := strings.Cut(rest, "}")
		var out []string
		for _, m := range regexp.MustCompile(`--hue-\d: (#[0-9a-f]{6});`).FindAllStringSubmatch(rule, -1) {
			out = append(out, m[1])
		}
		return out
	}
	dark := hues(`:root:not([data-theme="light"])`)
	if got := hues(`:root[data-theme="dark"]`); strings.Join(got, " ") != strings.Join(dark, " ") {
		t.Errorf("dark is %v in a dark system and %v when chosen", dark, got)
	}
	for theme, colours := range map[string][]string{"light": hues("\n:root"), "dark": dark} {
		if len(colours) != 6 {
			t.Errorf("%s has %d colours", theme, len(colours))
		}
		panel := themes(t)[theme]["--panel"]
		for i, c := range colours {
			if r := contrast(c, mix(c, panel, 0.16)); r < 4.5 {
				t.Errorf("%s: manager %d has a contrast of %.1f", theme, i, r)
			}
		}
	}
}
