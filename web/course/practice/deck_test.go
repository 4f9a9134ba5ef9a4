//go:build !js

package practice

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/markdown"
)

// TestDecks wants a situation that the page fills in to read as one that is rendered as a
// whole: for all templates and seeds.
func TestDecks(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		t.Run(template.ID, func(t *testing.T) {
			t.Parallel()
			d, err := template.Deck()
			if err != nil {
				t.Fatal(err)
			}
			for seed := 1; seed <= Seeds; seed++ {
				want, err := template.Situation(seed)
				if err != nil {
					t.Fatal(err)
				}
				if err := markdown.Render(want); err != nil {
					t.Fatal(err)
				}
				got, err := d.Situation(seed)
				if err != nil {
					t.Fatal(err)
				}
				if g, w := len(got.Steps[0].Solve()), len(want.Steps[0].Solve()); g != w {
					t.Fatalf("seed %d: %d requests, want %d", seed, g, w)
				}
				for i, text := range want.Texts() {
					// A value that is empty may leave a space at a line's end.
					if have := strings.ReplaceAll(*got.Texts()[i].HTML, " </p>", "</p>"); have != *text.HTML {
						t.Fatalf("seed %d: filled in\n%s\nrendered\n%s", seed, have, *text.HTML)
					}
				}
			}
		})
	}
}
