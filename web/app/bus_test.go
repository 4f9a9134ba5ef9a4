package app

import (
	"slices"
	"testing"
)

func TestBus(t *testing.T) {
	var b Bus
	type other struct{ n int }
	var got []int
	Emit(&b, OpenObject{}) // nobody listens
	On(&b, func(e Travel) { got = append(got, int(e.At)) })
	On(&b, func(e Travel) { got = append(got, -int(e.At)) })
	On(&b, func(e other) { got = append(got, 100+e.n) })
	Emit(&b, Travel{At: 7})
	Emit(&b, other{1})
	if want := []int{7, -7, 101}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
}
