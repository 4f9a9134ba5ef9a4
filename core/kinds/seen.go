package kinds

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
