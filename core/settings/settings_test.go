package settings

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAll(t *testing.T) {
	var paths, keys []string
	for _, s := range All {
		if slices.Contains(paths, s.Path) || s.Is == "" || strings.HasSuffix(s.Is, ".") {
			t.Errorf("%s is there twice, or nothing is said of it", s.Path)
		}
		paths = append(paths, s.Path)
		if s.Key != "" && slices.Contains(keys, s.Key) {
			t.Errorf("%s has the key of another one", s.Path)
		}
		keys = append(keys, s.Key)
		if n, isNumber := s.Default.(int64); isNumber && (n < s.Least || n > s.Most) {
			t.Errorf("%s: the default %d is out of its bounds", s.Path, n)
		}
		for _, w := range s.Words {
			if (w.Key != "") != (s.Key != "") || s.Key != "" && w.Says == "" {
				t.Errorf("%s: %v has not all of its words", s.Path, w)
			}
		}
		switch s.Kind {
		case Switch, Choice:
			if s.Kind == Choice && len(s.Words) < 2 || s.Key != "" && len(s.Words) < 2 {
				t.Errorf("%s has the words %v", s.Path, s.Words)
			}
		case Seconds, Number:
			if s.Key != "" && s.Says == "" {
				t.Errorf("%s: nothing is said of a value", s.Path)
			}
		}
	}
}

// TestWait compares the time with its text.
func TestWait(t *testing.T) {
	if got := strconv.Itoa(int(CacheWait/time.Second)) + " s"; got != CacheWaitText {
		t.Errorf("%s is called %s", got, CacheWaitText)
	}
}

func TestPatch(t *testing.T) {
	const want = `{"spec":{"a":{"b":{"c":1},"d":"x\"y"},"e":null,"f":[{"g":true}]}}`
	got := Patch(Values{"a.b.c": int64(1), "a.d": `x"y`, "e": nil, "f": []any{map[string]any{"g": true}}})
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAt(t *testing.T) {
	tree := map[string]any{"a": map[string]any{"b": 1, "c": nil}, "d": "x"}
	for path, want := range map[string]any{"a.b": 1, "a.c": nil, "a.x": nil, "d": "x", "d.e": nil, "x.y.z": nil} {
		if v, ok := At(tree, path); v != want || ok != (want != nil) {
			t.Errorf("%s is %v, %t", path, v, ok)
		}
	}
	Put(tree, "a.b", 2)
	Put(tree, "n.m", 3)
	if v, _ := At(tree, "a.b"); v != 2 || tree["n"].(map[string]any)["m"] != 3 {
		t.Errorf("%v", tree)
	}
}
