package mvcc

import "maps"

// layers are a map of values that forks share until they change them. In a store that was never forked, and is no
// fork, they are the map own.
type layers[K comparable, V any] struct {
	// own has the values that belong to this store alone, and nil for those of base that are no longer there.
	own  map[K]*V
	base *layer[K, V]
}

// A layer is a part of the values that several stores share. It does not change, and neither do its values.
type layer[K comparable, V any] struct {
	values map[K]*V
	below  *layer[K, V]
}

func (l *layer[K, V]) get(k K) *V {
	for ; l != nil; l = l.below {
		if v, ok := l.values[k]; ok {
			return v
		}
	}
	return nil
}

// get returns a value to read, or nil.
func (l *layers[K, V]) get(k K) *V {
	v, ok := l.own[k]
	if ok || l.base == nil {
		return v
	}
	return l.base.get(k)
}

// change returns a value to change, or nil. copied makes a private copy of a shared value.
func (l *layers[K, V]) change(k K, copied func(*V) *V) *V {
	v, ok := l.own[k]
	if ok || l.base == nil {
		return v
	}
	if v = l.base.get(k); v != nil {
		v = copied(v)
		l.set(k, v)
	}
	return v
}

// set sets a value of this store's own.
func (l *layers[K, V]) set(k K, v *V) {
	if l.own == nil {
		l.own = map[K]*V{}
	}
	l.own[k] = v
}

func (l *layers[K, V]) remove(k K) {
	if l.base.get(k) != nil {
		l.set(k, nil)
		return
	}
	delete(l.own, k)
}

// each calls f with each key and its value to read, in no order.
func (l *layers[K, V]) each(f func(K, *V)) {
	if l.base == nil {
		for k, v := range l.own {
			f(k, v)
		}
		return
	}
	for k, v := range l.flat() {
		f(k, v)
	}
}

// flat returns all values in one map.
func (l *layers[K, V]) flat() map[K]*V {
	all := (&layer[K, V]{l.own, l.base}).merged(nil)
	maps.DeleteFunc(all, func(_ K, v *V) bool { return v == nil })
	return all
}

// merged returns the values of the layers down to another one, which it leaves out.
func (l *layer[K, V]) merged(to *layer[K, V]) map[K]*V {
	if l == to {
		return map[K]*V{}
	}
	all := l.below.merged(to)
	maps.Copy(all, l.values)
	return all
}

// fork returns layers with the same values, which they share. Afterwards either may be changed.
func (l *layers[K, V]) fork() layers[K, V] {
	if len(l.own) > 0 {
		top := &layer[K, V]{l.own, l.base}
		// As in a list: few layers are left.
		below, n := l.base, len(l.own)
		for below != nil && len(below.values) < 2*n {
			n += len(below.values)
			below = below.below
		}
		if below != l.base {
			top = &layer[K, V]{top.merged(below), below}
			if below == nil {
				maps.DeleteFunc(top.values, func(_ K, v *V) bool { return v == nil })
			}
		}
		l.own, l.base = nil, top
	}
	return layers[K, V]{base: l.base}
}
