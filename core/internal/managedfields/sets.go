package managedfields

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// common returns the intersection of two sets; nil if it is empty. It iterates over the first and
// looks up in the second, which may be much larger.
func common(set, in *fieldpath.Set) *fieldpath.Set {
	var out *fieldpath.Set
	both := func() *fieldpath.Set {
		if out == nil {
			out = &fieldpath.Set{}
		}
		return out
	}
	set.Members.Iterate(func(pe fieldpath.PathElement) {
		if in.Members.Has(pe) {
			both().Members.Insert(pe)
		}
	})
	set.Children.Iterate(func(pe fieldpath.PathElement) {
		below, ok := in.Children.Get(pe)
		if !ok {
			return
		}
		child, _ := set.Children.Get(pe)
		if child = common(child, below); child != nil {
			*both().Children.Descend(pe) = *child
		}
	})
	return out
}

// union returns the union of sets. Uniting halves costs less than adding one set after the other to
// one that grows.
func union(sets []*fieldpath.Set) *fieldpath.Set {
	switch n := len(sets); n {
	case 0:
		return fieldpath.NewSet()
	case 1:
		return sets[0]
	default:
		return union(sets[:n/2]).Union(union(sets[n/2:]))
	}
}
