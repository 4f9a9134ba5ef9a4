package apiserver

import (
	"net/http"
	"strings"
	"testing"
)

func TestLimitWarnings(t *testing.T) {
	many := func(n, length int) (texts []string) {
		for range n {
			texts = append(texts, strings.Repeat("ä", length))
		}
		return texts
	}
	for name, test := range map[string]struct {
		texts         []string
		want, longest int
	}{
		"long ones are whole":     {many(2, 300), 2, 300},
		"as much as there may be": {many(16, 256), 16, 256},
		"one too many":            {many(30, 252), 17, 252},
		"cut":                     {many(30, 300), 16, 256},
		"control characters":      {[]string{"a\nb", "a\tb", "", `a"\b`}, 1, 4},
	} {
		h := http.Header{}
		for _, text := range test.texts {
			h.Add("Warning", warning(text))
		}
		limitWarnings(h)
		longest := 0
		for _, value := range h["Warning"] {
			longest = max(longest, len([]rune(warned(value))))
		}
		if len(h["Warning"]) != test.want || longest != test.longest {
			t.Errorf("%s: %d of %d characters, want %d of %d", name, len(h["Warning"]), longest, test.want, test.longest)
		}
	}
}
