package mvcc

import (
	"slices"
	"strings"

	"github.com/google/btree"
)

// A keySet is a set of keys in order, given by their histories. Most have one key, and take no memory beside a
// reference to it. The zero keySet is empty.
type keySet struct {
	one  [1]*history // if more is nil
	more *manyKeys
}

// manyKeys are the keys of a set that has several, or had them and is not empty.
type manyKeys struct {
	few  []*history // as long as tree is nil
	tree *btree.BTreeG[*history]
}

// A set becomes a tree when it has more than mostFew keys, and a slice again when it has leastMany.
const mostFew, leastMany = 64, 16

// noSpare makes the trees of keySets keep no nodes that they do not need.
var noSpare = btree.NewFreeListG[*history](0)

// tree returns the tree that the keys are in; nil if they are in a slice.
func (k *keySet) tree() *btree.BTreeG[*history] {
	if k.more == nil {
		return nil
	}
	return k.more.tree
}

// slice returns the keys of a set that is no tree.
func (k *keySet) slice() []*history {
	switch {
	case k.more != nil:
		return k.more.few
	case k.one[0] != nil:
		return k.one[:]
	}
	return nil
}

func (k *keySet) len() int {
	if tree := k.tree(); tree != nil {
		return tree.Len()
	}
	return len(k.slice())
}

// set adds a key, or removes it.
func (k *keySet) set(h *history, in bool) {
	if k.tree() != nil {
		k.more.setInTree(h, in)
		return
	}
	at, was := k.at(h.key)
	switch {
	case in == was:
	case k.more != nil:
		if k.more.setInSlice(at, h, in); !in && len(k.more.few) == 0 {
			k.more = nil
		}
	case !in:
		k.one[0] = nil
	case k.one[0] == nil:
		k.one[0] = h
	default:
		k.more = &manyKeys{few: []*history{k.one[0]}}
		k.one[0] = nil
		k.more.setInSlice(at, h, in)
	}
}

// setInSlice adds a key at its place in few, or removes the one that is there.
func (m *manyKeys) setInSlice(at int, h *history, in bool) {
	switch {
	case !in:
		m.few = slices.Delete(m.few, at, at+1)
	case len(m.few) < mostFew:
		m.few = slices.Insert(m.few, at, h)
	default:
		m.tree = btree.NewWithFreeListG(degree, historyLess, noSpare)
		for _, h := range m.few {
			m.tree.ReplaceOrInsert(h)
		}
		m.tree.ReplaceOrInsert(h)
		m.few = nil
	}
}

func (m *manyKeys) setInTree(h *history, in bool) {
	if in {
		m.tree.ReplaceOrInsert(h)
		return
	}
	if _, was := m.tree.Delete(h); was && m.tree.Len() <= leastMany {
		few := make([]*history, 0, leastMany)
		m.tree.Ascend(func(h *history) bool { few = append(few, h); return true })
		m.few, m.tree = few, nil
	}
}

// at returns where a key is or would be in the slice.
func (k *keySet) at(key string) (int, bool) {
	return slices.BinarySearchFunc(k.slice(), key, func(h *history, key string) int { return strings.Compare(h.key, key) })
}

// from returns the keys from one on and before end, unless that is empty.
func (k *keySet) from(key, end string) *sortedKeys {
	if tree := k.tree(); tree != nil {
		return treeKeys(tree, key, end)
	}
	first, _ := k.at(key)
	last := k.len()
	if end != "" {
		last, _ = k.at(end)
	}
	return &sortedKeys{keys: k.slice()[first:max(first, last)]}
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
