package admission

import (
	"errors"
	"testing"
)

// TestCache reads a value again when something was written, also meanwhile, and when it could not be read.
func TestCache(t *testing.T) {
	var c Cache[int]
	reads, during := 0, func() {}
	read := func(before *int) (*int, error) {
		if reads++; reads > 1 && *before != reads-1 {
			t.Errorf("the value before %d is %d", reads, *before)
		}
		during()
		value := reads
		return &value, nil
	}
	want := func(n int) {
		t.Helper()
		if got, err := c.Get(read); err != nil || *got != n {
			t.Errorf("%v, %v, want %d", *got, err, n)
		}
	}
	want(1)
	want(1)
	c.Changed()
	want(2)
	during = c.Changed // what was read may be older than that
	c.Changed()
	want(3)
	during = func() {}
	want(4)
	want(4)
	c.Changed()
	wrong := errors.New("wrong")
	if _, err := c.Get(func(*int) (*int, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Error(err)
	}
	want(5)
	if allocs := testing.AllocsPerRun(10, func() { _, _ = c.Get(read) }); allocs > 0 {
		t.Errorf("a look makes %v allocations", allocs)
	}
}
