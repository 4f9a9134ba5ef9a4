package style

import (
	"fmt"
	"testing"
)

// The letters that tell field managers apart are read on their own tint, on the
// panel, in both themes.
func TestManagersAreReadable(t *testing.T) {
	for theme, colours := range themes(t) {
		for i := range 6 {
			c := colours[fmt.Sprintf("--hue-%d", i)]
			if c == "" {
				t.Fatalf("%s has no colour of manager %d", theme, i)
			}
			if r := contrast(c, mix(c, colours["--panel"], 0.16)); r < 4.5 {
				t.Errorf("%s: manager %d has a contrast of %.1f", theme, i, r)
			}
		}
	}
}
