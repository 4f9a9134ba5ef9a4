package registry

import (
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	for _, start := range []string{"/a\x00", "ns/name\x00", "b\x00"} {
		for _, rev := range []int64{1, 1 << 40, -1} {
			got, at, err := parseToken(newToken(start, rev))
			if err != nil || got != strings.TrimPrefix(start, "/") || at != rev {
				t.Errorf("%q at %d came back as %q at %d, %v", start, rev, got, at, err)
			}
		}
	}
}

func FuzzToken(f *testing.F) {
	f.Add("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhXHUwMDAwIn0")
	f.Add("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi9zZWNyZXRzL3gifQ")
	f.Add("!!!")
	f.Add("bnVsbA")
	f.Fuzz(func(t *testing.T, text string) {
		start, rev, err := parseToken(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "invalid continue token: continue key is not valid: ") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if rev == 0 || start == "" || strings.HasPrefix(start, "/") || strings.HasPrefix(start, "../") ||
			strings.Contains(start, "/../") {
			t.Errorf("%q leads to %q at %d", text, start, rev)
		}
	})
}
