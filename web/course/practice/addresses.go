//go:build !js

package practice

import (
	"math/rand/v2"
	"strconv"
)

// takenOrFree draws four creates whose names may collide. For each belief about what a name has to differ from, it says
// which of them are refused.
func takenOrFree(r *rand.Rand) Values {
	type thing struct{ kind, space, name string }
	paths := map[string]string{
		"Secret": "/api/v1/namespaces/%s/secrets", "Lease": "/apis/coordination.k8s.io/v1/namespaces/%s/leases",
	}
	v := Values{}
	var things []thing
	for i := range 4 {
		t := thing{pick(r, "Secret", "Lease"), pick(r, "taken-or-free", "taken-or-free-b"), pick(r, "a", "b")}
		things = append(things, t)
		n := strconv.Itoa(i + 1)
		v["kind"+n], v["space"+n], v["name"+n], v["path"+n] = t.kind, t.space, t.name, replace(paths[t.kind], t.space)
	}
	beliefs := map[string]func(thing) any{
		"name":  func(t thing) any { return t.name },
		"space": func(t thing) any { return [2]string{t.space, t.name} },
		"kind":  func(t thing) any { return t },
	}
	counts := []int{}
	for belief, key := range beliefs {
		seen, refused := map[any]bool{}, 0
		for i, t := range things {
			status := "201"
			if seen[key(t)] {
				status = "409"
				refused++
			}
			seen[key(t)] = true
			v[belief+"Status"+strconv.Itoa(i+1)] = status
		}
		v[belief+"Count"] = strconv.Itoa(refused)
		counts = append(counts, refused)
	}
	// Most draws that are any good have nothing refused: they would tell the answer.
	if !distinct(counts...) || v["kindCount"] == "0" && between(r, 1, 5) > 1 {
		return nil
	}
	return v
}
