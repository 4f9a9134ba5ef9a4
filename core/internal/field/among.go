package field

import "slices"

// Among returns a list with more errors among its own, in the order of a third list, which has errors of the same
// fields: each stands before the first that comes behind it there. part returns what of a field decides where it
// stands. Errors whose part ordered does not have come last. It costs the product of the lists' lengths.
func (l ErrorList) Among(ordered, more ErrorList, part func(field string) string) ErrorList {
	all := slices.Clone(l)
	for _, e := range more {
		key := part(e.Field)
		at := slices.IndexFunc(ordered, func(o *Error) bool { return part(o.Field) == key })
		behind := slices.IndexFunc(all, func(own *Error) bool {
			return at >= 0 && part(own.Field) != key &&
				slices.ContainsFunc(ordered[at+1:], func(o *Error) bool { return o.Field == own.Field })
		})
		if behind < 0 {
			behind = len(all)
		}
		all = slices.Insert(all, behind, e)
	}
	return all
}
