package structural

// An enum looks up a value among the allowed ones without comparing it with each.
type enum struct {
	scalars map[any]bool
	// numbers are the integers among them that are written with a point, for comparison with integers.
	numbers map[float64]bool
	others  []any // lists and objects
}

func newEnum(allowed []any) *enum {
	e := &enum{scalars: make(map[any]bool, len(allowed)), numbers: map[float64]bool{}}
	for _, a := range allowed {
		switch a := a.(type) {
		case nil: // nothing equals null
		case map[string]any, []any:
			e.others = append(e.others, a)
		case float64:
			e.scalars[a], e.numbers[a] = true, true
		default:
			e.scalars[a] = true
		}
	}
	return e
}

// has reports whether a value is allowed.
func (e *enum) has(v any, budget *Budget) bool {
	switch v := v.(type) {
	case nil:
		return false
	case map[string]any, []any:
		for _, other := range e.others {
			if !budget.spend(stepsOfVisit) {
				return true // another violation is reported then
			}
			if sameValue(v, other) {
				return true
			}
		}
		return false
	case int64:
		return e.scalars[v] || e.numbers[float64(v)]
	case float64:
		return e.scalars[v] || e.scalars[int64(v)]
	default:
		return e.scalars[v]
	}
}
