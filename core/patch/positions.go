package patch

import (
	"fmt"
	"slices"
)

// positions are the positions of a list's items, by their merge keys. A list and a patch may both be
// as long as a request allows: items are looked up, not searched.
type positions struct {
	mergeKey string
	at       map[any][]int // in ascending order
	// odd is the first item that is no map, or -1: a search ends there.
	odd int
}

func positionsOf(list []any, mergeKey string) *positions {
	p := &positions{mergeKey, make(map[any][]int, len(list)), -1}
	for i, item := range list {
		m, ok := item.(map[string]any)
		if !ok {
			p.odd = i
			break
		}
		p.add(m, i)
	}
	return p
}

// add adds an item at a position.
func (p *positions) add(item map[string]any, at int) {
	key, ok := item[p.mergeKey]
	if !ok || !isScalar(key) {
		return
	}
	list := p.at[key]
	i, _ := slices.BinarySearch(list, at)
	p.at[key] = slices.Insert(list, i, at)
}

// find returns the first position of an item with a merge key, or -1.
func (p *positions) find(key any) (int, error) {
	if isScalar(key) {
		if list := p.at[key]; len(list) > 0 {
			return list[0], nil
		}
	}
	if p.odd >= 0 {
		return 0, fmt.Errorf("value for key %v is not a map", p.odd)
	}
	return -1, nil
}

// changed records that the item at the first position of a key has been replaced.
func (p *positions) changed(key any, item map[string]any) {
	if now, ok := item[p.mergeKey]; ok && equal(now, key) {
		return
	}
	at := p.at[key][0]
	p.at[key] = p.at[key][1:]
	p.add(item, at)
}

// ranks are the first positions of the items of a list: by their merge keys if they are maps, where
// a missing key counts as null.
type ranks struct {
	maps     bool
	mergeKey string
	first    map[any]int
}

func ranksOf(list []any, maps bool, mergeKey string) ranks {
	r := ranks{maps, mergeKey, make(map[any]int, len(list))}
	for i, item := range list {
		if key := r.key(item); isScalar(key) {
			if _, ok := r.first[key]; !ok {
				r.first[key] = i
			}
		}
	}
	return r
}

func (r ranks) key(item any) any {
	if !r.maps {
		return item
	}
	m, _ := item.(map[string]any)
	return m[r.mergeKey]
}

// position returns the position of an item; -1 if it is not there.
func (r ranks) position(item any) int {
	if key := r.key(item); isScalar(key) {
		if at, ok := r.first[key]; ok {
			return at
		}
	}
	return -1
}

// isScalar reports whether a value can be equal to another one.
func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
