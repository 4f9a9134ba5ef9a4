package random

import (
	"bytes"
	"encoding/hex"
	"io"
	"slices"
	"sync"
	"testing"
)

func draw(t *testing.T, source io.Reader, n int, purpose ...string) string {
	t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(For(source, purpose...), b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

// TestSeedsAreStable pins the values of some seeds: a seed that somebody has written down must not
// change its meaning.
func TestSeedsAreStable(t *testing.T) {
	s := NewSeeded(42)
	for _, test := range []struct {
		purpose []string
		want    string
	}{
		{[]string{"uid", "a"}, "933b6d7699dfcccd"},
		{[]string{"uid", "a"}, "f6ace3ea34cf54df"},
		{[]string{"uid", "b"}, "012b7c5892a725b4"},
		{nil, "d4452537bab6ed46"},
	} {
		if got := draw(t, s, 8, test.purpose...); got != test.want {
			t.Errorf("%q: %s, want %s", test.purpose, got, test.want)
		}
	}
}

func TestPurposesAreApart(t *testing.T) {
	a, b := NewSeeded(7), NewSeeded(7)
	draw(t, b, 8, "other")
	draw(t, b, 100, "ui", "d")
	var seen []string
	for _, what := range []string{"first", "second", "third"} {
		x, y := draw(t, a, 40, "uid"), draw(t, b, 40, "uid")
		if x != y {
			t.Errorf("%s: %s, and %s where others drew as well", what, x, y)
		}
		seen = append(seen, x, draw(t, a, 40, "u", "id"), draw(t, a, 40, "ui", "d"))
	}
	for _, other := range []*Seeded{NewSeeded(8), NewSeeded(0)} {
		seen = append(seen, draw(t, other, 40, "uid"))
	}
	slices.Sort(seen)
	if n := len(slices.Compact(slices.Clone(seen))); n != len(seen) {
		t.Errorf("%d of %d draws are different", n, len(seen))
	}
	if s := seen[0]; s[:16] == s[64:80] {
		t.Errorf("a long draw repeats itself: %s", s)
	}
}

// TestManyDraw lets several goroutines draw for one purpose: together they get what one would.
func TestManyDraw(t *testing.T) {
	const each, many = 50, 8
	s, alone := NewSeeded(1), NewSeeded(1)
	var mu sync.Mutex
	var got, want []string
	var running sync.WaitGroup
	for range many {
		running.Go(func() {
			for range each {
				b := make([]byte, 16)
				_, _ = For(s, "uid").Read(b)
				mu.Lock()
				got = append(got, hex.EncodeToString(b))
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for range each * many {
		want = append(want, draw(t, alone, 16, "uid"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("together they get something else than one")
	}
}

func TestOtherSourcesStayAsTheyAre(t *testing.T) {
	source := bytes.NewReader([]byte{1, 2, 3})
	if got := For(source, "uid") == io.Reader(source); !got {
		t.Error("a purpose makes another source of one without a seed")
	}
}
