package tree

// TextSet returns the set of the texts of some entries under a key.
func TextSet(entries []map[string]any, key string) map[string]bool {
	set := make(map[string]bool, len(entries))
	for _, e := range entries {
		set[Text(e, key)] = true
	}
	return set
}

// SetOf returns the set of some values.
func SetOf[T comparable](values []T) map[T]bool {
	set := make(map[T]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return set
}
