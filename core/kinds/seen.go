package kinds

// What a list has twice is found by a set of what came before. Lists can be as long as a
// request: to search all that came before, item by item, takes the square of that.

// seen is what has come so far.
type seen[T comparable] map[T]bool

// again notes a value and says whether it has come before.
func (s *seen[T]) again(v T) bool {
	if (*s)[v] {
		return true
	}
	if *s == nil {
		*s = seen[T]{}
	}
	(*s)[v] = true
	return false
}

// texts is the set of what some entries have under a key.
func texts(entries []map[string]any, key string) map[string]bool {
	set := make(map[string]bool, len(entries))
	for _, e := range entries {
		set[str(e, key)] = true
	}
	return set
}

// setOf is the set of some values.
func setOf[T comparable](values []T) map[T]bool {
	set := make(map[T]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}
