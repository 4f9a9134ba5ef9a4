package set

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/tabernetes/tabernetes/core/apitest"
)

func has(s Of[int], v int) bool {
	_, there := s.Values[v]
	return there
}

// TestModel compares a set with a map that is used in the same way.
func TestModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s Of[int]
	model := map[int]bool{}
	for step := range 100_000 {
		v := random.IntN(2000)
		// It grows and shrinks again and again.
		if random.IntN(10) < 3+step/10_000%2*4 {
			s.Add(v)
			model[v] = true
		} else {
			s.Delete(v)
			delete(model, v)
		}
		if has(s, v) != model[v] || len(s.Values) != len(model) {
			t.Fatalf("step %d: %d is there: %v; %d values, want %d", step, v, has(s, v), len(s.Values), len(model))
		}
		if step%1000 != 0 {
			continue
		}
		for v := range model {
			if !has(s, v) {
				t.Fatalf("step %d: %d is gone", step, v)
			}
		}
	}
}

// TestDeletedWhileAtHand deletes each value while it is at hand, for which the map is replaced.
func TestDeletedWhileAtHand(t *testing.T) {
	var s Of[int]
	for v := range 1000 {
		s.Add(v)
	}
	seen := 0
	for v := range s.Values {
		seen++
		s.Delete(v)
	}
	if seen != 1000 || len(s.Values) != 0 {
		t.Errorf("%d were seen, %d are left", seen, len(s.Values))
	}
}

// TestGivesBack fills sets and empties them but for a few values: what they took is given back.
func TestGivesBack(t *testing.T) {
	const sets, values = 20, 10_000
	all := make([]Of[int], sets)
	before := apitest.InUse()
	for i := range all {
		for v := range values {
			all[i].Add(v)
		}
	}
	full := apitest.InUse() - before
	for i := range all {
		for v := 3; v < values; v++ {
			all[i].Delete(v)
		}
	}
	if left := apitest.InUse() - before; left > full/20 {
		t.Errorf("full the sets took %d bytes, and with three values each %d", full, left)
	}
	runtime.KeepAlive(all)
}
