package html_test

import (
	"html"
	"testing"

	own "github.com/tabernetes/tabernetes/wasm/overlay/html"
)

func FuzzEscapeString(f *testing.F) {
	for _, s := range []string{"", "a", `<a href="b">'c' & d</a>`, "&amp;", "é\xff\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := own.EscapeString(s), html.EscapeString(s); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	})
}
