package quota

import (
	"cmp"

	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// Add adds amounts to a total.
func Add(total, amounts map[string]any) {
	for name, v := range amounts {
		total[name] = sum(total[name], v)
	}
}

func sum(a, b any) string {
	x, _ := a.(string)
	y, _ := b.(string)
	s, _ := object.SumQuantities(cmp.Or(x, "0"), cmp.Or(y, "0")) // they are validated
	return s
}

// Growth returns by how much amounts are greater than others, where they are.
func Growth(amounts, before map[string]any) map[string]any {
	grown := map[string]any{}
	for name, v := range amounts {
		was, had := before[name].(string)
		if had {
			v, _ = object.SubtractQuantities(v.(string), was)
		}
		if valid.Positive(v) {
			grown[name] = v
		}
	}
	return grown
}

// Same reports whether two maps have the same amounts.
func Same(a, b map[string]any) bool {
	for name, v := range a {
		if w, ok := b[name]; !ok || valid.MoreThan(v, w) || valid.MoreThan(w, v) {
			return false
		}
	}
	return len(a) == len(b)
}
