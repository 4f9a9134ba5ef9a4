package mvcc

import (
	"sort"

	"github.com/google/btree"
)

// A keySet is a set of keys in order, given by their histories. Most have few keys, and take little more
// memory than those. The zero keySet is empty.
type keySet struct {
	few  []*history // as long as many is nil
	many *btree.BTreeG[*history]
}

// A set becomes a tree when it has more than mostFew keys, and a slice again when it has leastMany.
const mostFew, leastMany = 64, 16

// noSpare makes the trees of keySets keep no nodes that they do not need.
var noSpare = btree.NewFreeListG[*history](0)

func (k *keySet) len() int {
	if k.many != nil {
		return k.many.Len()
	}
	return len(k.few)
}

// set adds a key, or removes it.
func (k *keySet) set(h *history, in bool) {
	if k.many != nil {
		if in {
			k.many.ReplaceOrInsert(h)
			return
		}
		if _, was := k.many.Delete(h); was && k.many.Len() <= leastMany {
			few := make([]*history, 0, leastMany)
			k.many.Ascend(func(h *history) bool { few = append(few, h); return true })
			k.few, k.many = few, nil
		}
		return
	}
	at, was := k.at(h.key)
	switch {
	case in == was:
	case !in:
		copy(k.few[at:], k.few[at+1:])
		last := len(k.few) - 1
		k.few[last] = nil // otherwise the array would keep it
		if k.few = k.few[:last]; last == 0 {
			k.few = nil
		}
	case len(k.few) < mostFew:
		k.few = append(k.few, nil)
		copy(k.few[at+1:], k.few[at:])
		k.few[at] = h
	default:
		k.many = btree.NewWithFreeListG(degree, historyLess, noSpare)
		for _, h := range k.few {
			k.many.ReplaceOrInsert(h)
		}
		k.many.ReplaceOrInsert(h)
		k.few = nil
	}
}

// at returns where a key is or would be among few.
func (k *keySet) at(key string) (int, bool) {
	at := sort.Search(len(k.few), func(i int) bool { return k.few[i].key >= key })
	return at, at < len(k.few) && k.few[at].key == key
}

// from returns the keys from one on and before end, unless that is empty.
func (k *keySet) from(key, end string) *sortedKeys {
	if k.many != nil {
		return treeKeys(k.many, key, end)
	}
	first, _ := k.at(key)
	last := len(k.few)
	if end != "" {
		last, _ = k.at(end)
	}
	return &sortedKeys{keys: k.few[first:max(first, last)]}
}

// sortedKeys is a list of keys in order, which a walk merges with others.
type sortedKeys struct {
	keys []*history
	// more returns the next ones after a key; nil if keys has all.
	more func(after string) []*history
}

func (d *sortedKeys) peek() *history {
	if len(d.keys) == 0 {
		return nil
	}
	return d.keys[0]
}

func (d *sortedKeys) take() {
	last := d.keys[0]
	if d.keys = d.keys[1:]; len(d.keys) == 0 && d.more != nil {
		d.keys = d.more(last.key)
	}
}

// keysAtOnce is how many keys are read from a tree at a time.
const keysAtOnce = 64

// treeKeys returns the keys of a tree from one on and before end, unless that is empty.
func treeKeys(tree *btree.BTreeG[*history], from, end string) *sortedKeys {
	var keys []*history
	more := func(from string) []*history {
		keys = keys[:0]
		ascend(tree, from, end, func(h *history) bool {
			keys = append(keys, h)
			return len(keys) < keysAtOnce
		})
		return keys
	}
	return &sortedKeys{keys: more(from), more: func(after string) []*history { return more(after + "\x00") }}
}

// merged are lists of keys of which the one with the first key is at the front of a heap.
type merged []*sortedKeys

// merge returns the lists that have keys.
func merge(lists []*sortedKeys) merged {
	m := merged(lists[:0])
	for _, l := range lists {
		if l.peek() != nil {
			m = append(m, l)
		}
	}
	for i := len(m)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

// each calls f with each key once, in order, until f returns false.
func (m merged) each(f func(*history) bool) {
	for last := (*history)(nil); len(m) > 0; {
		h := m[0].peek()
		if m[0].take(); m[0].peek() == nil {
			m[0], m = m[len(m)-1], m[:len(m)-1]
		}
		m.down(0)
		if h == last {
			continue
		}
		if last = h; !f(h) {
			return
		}
	}
}

// down moves a list down to its place.
func (m merged) down(i int) {
	for {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(m); child++ {
			if m[child].peek().key < m[first].peek().key {
				first = child
			}
		}
		if first == i {
			return
		}
		m[i], m[first] = m[first], m[i]
		i = first
	}
}
