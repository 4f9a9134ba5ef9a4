package managedfields

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// inOrder returns a tree whose maps are iterated in the order of their keys.
func inOrder(v any) value.Value {
	plain := value.NewValueInterface(v)
	switch v := v.(type) {
	case map[string]any:
		if v != nil {
			return orderedValue{Value: plain, m: v}
		}
	case []any:
		if v != nil {
			return orderedValue{Value: plain, l: v}
		}
	}
	return plain
}

// orderedValue is a map or a list of those.
type orderedValue struct {
	value.Value
	m map[string]any
	l []any
}

// Format prints the value as structured-merge-diff's errors do.
func (v orderedValue) Format(s fmt.State, verb rune) {
	fmt.Fprintf(s, fmt.FormatString(s, verb), v.Value)
}

func (v orderedValue) AsMap() value.Map                       { return orderedMap{v.Value.AsMap(), v.m} }
func (v orderedValue) AsMapUsing(value.Allocator) value.Map   { return v.AsMap() }
func (v orderedValue) AsList() value.List                     { return orderedList{v.Value.AsList(), v.l} }
func (v orderedValue) AsListUsing(value.Allocator) value.List { return v.AsList() }

type orderedList struct {
	value.List
	l []any
}

func (l orderedList) At(i int) value.Value                         { return inOrder(l.l[i]) }
func (l orderedList) AtUsing(_ value.Allocator, i int) value.Value { return l.At(i) }
func (l orderedList) Range() value.ListRange                       { return &orderedRange{l.l, -1} }
func (l orderedList) RangeUsing(value.Allocator) value.ListRange   { return l.Range() }

type orderedRange struct {
	l []any
	i int
}

func (r *orderedRange) Next() bool               { r.i++; return r.i < len(r.l) }
func (r *orderedRange) Item() (int, value.Value) { return r.i, inOrder(r.l[r.i]) }

type orderedMap struct {
	value.Map
	m map[string]any
}

func (m orderedMap) Get(key string) (value.Value, bool) {
	v, ok := m.m[key]
	if !ok {
		return nil, false
	}
	return inOrder(v), true
}

func (m orderedMap) GetUsing(_ value.Allocator, key string) (value.Value, bool) { return m.Get(key) }

func (m orderedMap) Iterate(each func(key string, v value.Value) bool) bool {
	for _, key := range slices.Sorted(maps.Keys(m.m)) {
		if !each(key, inOrder(m.m[key])) {
			return false
		}
	}
	return true
}

func (m orderedMap) IterateUsing(_ value.Allocator, each func(key string, v value.Value) bool) bool {
	return m.Iterate(each)
}

// Zip iterates over the entries of both maps.
func (m orderedMap) Zip(other value.Map, _ value.MapTraverseOrder, each func(key string, a, b value.Value) bool) bool {
	keys := slices.Collect(maps.Keys(m.m))
	if other != nil {
		other.Iterate(func(key string, _ value.Value) bool {
			if _, ok := m.m[key]; !ok {
				keys = append(keys, key)
			}
			return true
		})
	}
	slices.Sort(keys)
	for _, key := range keys {
		var a, b value.Value
		if v, ok := m.Get(key); ok {
			a = v
		}
		if other != nil {
			if v, ok := other.Get(key); ok {
				b = v
			}
		}
		if !each(key, a, b) {
			return false
		}
	}
	return true
}

func (m orderedMap) ZipUsing(_ value.Allocator, other value.Map, order value.MapTraverseOrder,
	each func(key string, a, b value.Value) bool) bool {
	return m.Zip(other, order, each)
}
