package object

// Get returns the value at a path of map keys.
func Get(obj map[string]any, path ...string) (any, bool) {
	var v any = obj
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[p]; !ok {
			return nil, false
		}
	}
	return v, true
}

// GetString returns the string at a path, or "".
func GetString(obj map[string]any, path ...string) string {
	v, _ := Get(obj, path...)
	s, _ := v.(string)
	return s
}

// GetInt returns the integer at a path; false if none exists.
func GetInt(obj map[string]any, path ...string) (int64, bool) {
	v, _ := Get(obj, path...)
	n, ok := v.(int64)
	return n, ok
}

// GetBool returns the bool at a path; false if none exists.
func GetBool(obj map[string]any, path ...string) bool {
	v, _ := Get(obj, path...)
	b, _ := v.(bool)
	return b
}

// GetMap returns the map at a path, or nil.
func GetMap(obj map[string]any, path ...string) map[string]any {
	v, _ := Get(obj, path...)
	m, _ := v.(map[string]any)
	return m
}

// GetList returns the list at a path, or nil.
func GetList(obj map[string]any, path ...string) []any {
	v, _ := Get(obj, path...)
	l, _ := v.([]any)
	return l
}

// GetStrings returns the strings of the list at a path, without other entries; a new slice, or
// nil.
func GetStrings(obj map[string]any, path ...string) []string {
	var all []string
	for _, v := range GetList(obj, path...) {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// ListOf returns strings as a list for use in objects; never nil.
func ListOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// SetNested sets the value at a path, creating maps on the way. A value on the way that is no map
// is replaced by one.
func SetNested(obj map[string]any, value any, path ...string) {
	for _, p := range path[:len(path)-1] {
		m, ok := obj[p].(map[string]any)
		if !ok {
			m = map[string]any{}
			obj[p] = m
		}
		obj = m
	}
	obj[path[len(path)-1]] = value
}

// RemoveNested removes the value at a path.
func RemoveNested(obj map[string]any, path ...string) {
	parent, ok := Get(obj, path[:len(path)-1]...)
	if m, isMap := parent.(map[string]any); ok && isMap {
		delete(m, path[len(path)-1])
	}
}

// DeepCopy returns a copy that shares no maps or lists with v.
func DeepCopy[T any](v T) T {
	c, _ := deepCopy(any(v)).(T)
	return c
}

func deepCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = deepCopy(e)
		}
		return m
	case []any:
		if v == nil {
			return v
		}
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = deepCopy(e)
		}
		return l
	}
	return v
}

// Equal reports whether two values are the same tree. An empty list or map is
// the same as null, as in Kubernetes' own comparisons of objects.
func Equal(a, b any) bool { return equal(a, b, true) }

// Identical is stricter than Equal: null is not equal to empty.
func Identical(a, b any) bool { return equal(a, b, false) }

func equal(a, b any, nullIsEmpty bool) bool {
	if nullIsEmpty && (a == nil || b == nil) {
		return none(a) && none(b)
	}
	switch a := a.(type) {
	case map[string]any:
		m, ok := Parsed(b).(map[string]any)
		if !ok {
			return nullIsEmpty && len(a) == 0 && isEmptiness(b)
		}
		if len(a) != len(m) && !nullIsEmpty {
			return false
		}
		both := 0
		for k, v := range a {
			w, ok := m[k]
			if ok {
				both++
			}
			if !equal(v, w, nullIsEmpty) || !ok && !isEmptiness(v) {
				return false
			}
		}
		if both < len(m) {
			for k, w := range m {
				if _, ok := a[k]; !ok && !(nullIsEmpty && isEmptiness(w)) {
					return false
				}
			}
		}
		return true
	case []any:
		l, ok := Parsed(b).([]any)
		if !ok {
			return nullIsEmpty && len(a) == 0 && isEmptiness(b)
		}
		if len(a) != len(l) {
			return false
		}
		for i := range a {
			if !equal(a[i], l[i], nullIsEmpty) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case map[string]any, []any:
		if raw, ok := a.(Ordered); ok {
			return equal(b, raw, nullIsEmpty)
		}
		return nullIsEmpty && isEmptiness(a) && none(b)
	}
	return a == b
}

func isEmptiness(v any) bool { _, ok := v.(Emptiness); return ok }

// none reports whether a value is null, or an empty list or map.
func none(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return len(v) == 0
	case map[string]any:
		for _, e := range v {
			if !isEmptiness(e) {
				return false
			}
		}
		return true
	case Emptiness:
		return true
	}
	return false
}
