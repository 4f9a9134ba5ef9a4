package managedfields

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// An object may have as many managers as fit into a request. structured-merge-diff's own updater,
// which this replaces, computes the union of changes once for each manager and goes through all of
// it for each: that takes quadratic time. Here changes are computed once for each version, and each
// manager's fields are looked up in them.

// updater computes the owners after a write. fields are changed in place.
type updater struct {
	group
	version fieldpath.APIVersion // of the write
	fields  fieldpath.ManagedFields
}

// compared is the changes of a write, in one version.
type compared struct {
	*typed.Comparison
	set *fieldpath.Set // the fields that existed before and the others
}

// forms are the versions of an object, converted on demand.
type forms struct {
	updater
	obj  *typed.TypedValue
	made map[fieldpath.APIVersion]*typed.TypedValue
}

func (u updater) forms(obj *typed.TypedValue) forms {
	return forms{u, obj, map[fieldpath.APIVersion]*typed.TypedValue{}}
}

// in returns the object in a version, or nil.
func (f forms) in(version fieldpath.APIVersion) (*typed.TypedValue, error) {
	if form, ok := f.made[version]; ok {
		return form, nil
	}
	form, err := f.Convert(f.obj, version)
	if err != nil {
		if !f.IsMissingVersionError(err) {
			return nil, err
		}
		form = nil
	}
	f.made[version] = form
	return form, nil
}

// reconcile adapts fields that were owned under another schema of the same version.
func (u updater) reconcile(live forms) error {
	for id, entry := range u.fields {
		form, err := live.in(entry.APIVersion())
		if err != nil {
			return err
		}
		if form == nil { // of a version that is not served any more
			delete(u.fields, id)
			continue
		}
		set, err := typed.ReconcileFieldSetWithSchema(entry.Set(), form)
		if err != nil {
			return err
		}
		if set != nil {
			u.set(id, entry, set)
		}
	}
	return nil
}

// set changes the fields of an entry.
func (u updater) set(id string, entry fieldpath.VersionedSet, set *fieldpath.Set) {
	u.fields[id] = fieldpath.NewVersionedSet(set, entry.APIVersion(), entry.Applied())
}

// own removes changed and deleted fields from the entries of all managers but who. Without force
// the error is the conflicts, if there are any.
func (u updater) own(live, obj forms, who string, force bool) (*typed.Comparison, error) {
	versions := map[fieldpath.APIVersion]compared{}
	difference := func(version fieldpath.APIVersion) (compared, error) {
		if c, ok := versions[version]; ok {
			return c, nil
		}
		c, err := u.difference(live, obj, version)
		versions[version] = c
		return c, err
	}
	own, err := difference(u.version)
	if err != nil {
		return nil, err
	}
	conflicts := fieldpath.ManagedFields{}
	type loss struct{ changed, removed *fieldpath.Set }
	lost := map[string]loss{}
	for id, entry := range u.fields {
		if id == who {
			continue
		}
		c, err := difference(entry.APIVersion())
		if err != nil {
			return nil, err
		}
		if c.Comparison == nil {
			delete(u.fields, id)
			continue
		}
		l := loss{common(entry.Set(), c.set), common(entry.Set(), c.Removed)}
		if l.changed != nil {
			conflicts[id] = fieldpath.NewVersionedSet(l.changed, entry.APIVersion(), false)
		}
		if l.changed != nil || l.removed != nil {
			lost[id] = l
		}
	}
	if !force && len(conflicts) > 0 {
		return nil, merge.ConflictsFromManagers(conflicts)
	}
	for id, l := range lost {
		entry := u.fields[id]
		set := entry.Set()
		for _, gone := range []*fieldpath.Set{l.changed, l.removed} {
			if gone != nil {
				set = set.Difference(gone)
			}
		}
		u.set(id, entry, set)
	}
	for id, entry := range u.fields {
		if entry.Set().Empty() {
			delete(u.fields, id)
		}
	}
	return own.Comparison, nil
}

// difference compares two objects in a version. It is empty if they cannot be converted.
func (u updater) difference(live, obj forms, version fieldpath.APIVersion) (compared, error) {
	was, err := live.in(version)
	if err != nil {
		return compared{}, fmt.Errorf("failed to convert old object: %w", err)
	}
	is, err := obj.in(version)
	if err != nil {
		return compared{}, fmt.Errorf("failed to convert new object: %w", err)
	}
	if was == nil || is == nil {
		return compared{}, nil
	}
	c, err := was.Compare(is)
	if err != nil {
		return compared{}, fmt.Errorf("failed to compare objects: %w", err)
	}
	c = c.FilterFields(u.filterIn(string(version)))
	return compared{c, c.Modified.Union(c.Added)}, nil
}

// update is for writes other than apply: obj replaces live, and who owns the changes.
func (u updater) update(live, obj *typed.TypedValue, who string) error {
	was := u.forms(live)
	if err := u.reconcile(was); err != nil {
		return err
	}
	c, err := u.own(was, u.forms(obj), who, true)
	if err != nil {
		return err
	}
	set := fieldpath.NewSet()
	if entry, ok := u.fields[who]; ok {
		set = entry.Set().Difference(c.Removed)
	}
	set = u.owns(set.Union(c.Modified).Union(c.Added))
	if delete(u.fields, who); !set.Empty() {
		u.fields[who] = fieldpath.NewVersionedSet(set, u.version, false)
	}
	return nil
}

// owns reduces a set to the fields that the write may own.
func (u updater) owns(set *fieldpath.Set) *fieldpath.Set {
	if u.filter == nil {
		return set
	}
	return u.filter.Filter(set)
}

// apply merges the configuration of who into live, and removes fields that were in its last
// configuration and that nobody applies any more. The result is nil if nothing has changed.
func (u updater) apply(live, wanted *typed.TypedValue, who string, force bool) (*typed.TypedValue, error) {
	was := u.forms(live)
	if err := u.reconcile(was); err != nil {
		return nil, err
	}
	obj := merged(live, wanted)
	set, err := wanted.ToFieldSet()
	if err != nil {
		return nil, fmt.Errorf("failed to get field set: %w", err)
	}
	last := u.fields[who]
	u.fields[who] = fieldpath.NewVersionedSet(u.owns(set), u.version, true)
	if last != nil && !last.Set().Empty() {
		if obj, err = u.prune(obj, last); err != nil {
			return nil, fmt.Errorf("failed to prune fields: %w", err)
		}
	}
	if _, err := u.own(was, u.forms(obj), who, force); err != nil {
		return nil, err
	}
	if same(live, obj) {
		return nil, nil
	}
	return obj, nil
}

// prune removes the fields in last, the manager's previous configuration, from an object, except
// for those that anybody owns now. It does so in the version of last, if the object can be
// converted.
func (u updater) prune(obj *typed.TypedValue, last fieldpath.VersionedSet) (*typed.TypedValue, error) {
	whole, err := u.forms(obj).in(last.APIVersion())
	if whole == nil || err != nil {
		return obj, err
	}
	left := removed(whole, members(whole, last.Set()))
	if left, err = u.restore(whole, left, last.APIVersion()); err != nil {
		return nil, err
	}
	// Fields that the manager did not own stay, even if they were within a removed one.
	all, rest, err := sets(whole, left)
	if err != nil {
		return nil, err
	}
	gone := all.Difference(rest).Intersection(members(whole, last.Set()))
	return u.Convert(removed(whole, gone), u.version)
}

// restore restores fields that anybody owns, version after version, that of the pruned object
// first.
func (u updater) restore(whole, left *typed.TypedValue, first fieldpath.APIVersion) (*typed.TypedValue, error) {
	owned := map[fieldpath.APIVersion][]*fieldpath.Set{}
	for _, entry := range u.fields {
		owned[entry.APIVersion()] = append(owned[entry.APIVersion()], entry.Set())
	}
	rank := func(version fieldpath.APIVersion) int {
		if version == first {
			return 0
		}
		return 1
	}
	for _, version := range slices.SortedFunc(maps.Keys(owned), func(a, b fieldpath.APIVersion) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	}) {
		all, err := u.forms(whole).in(version)
		if err != nil {
			return nil, err
		}
		rest, err := u.forms(left).in(version)
		if err != nil {
			return nil, err
		}
		if all == nil || rest == nil {
			continue
		}
		has, stays, err := sets(all, rest)
		if err != nil {
			return nil, err
		}
		whole, left = all, removed(all, has.Difference(stays.Union(members(all, union(owned[version])))))
	}
	return u.Convert(left, first)
}

// sets returns the fields of two objects of one type, including the named fields on the way to
// them.
func sets(a, b *typed.TypedValue) (ofA, ofB *fieldpath.Set, err error) {
	if ofA, err = a.ToFieldSet(); err != nil {
		return nil, nil, err
	}
	if ofB, err = b.ToFieldSet(); err != nil {
		return nil, nil, err
	}
	return members(a, ofA), members(a, ofB), nil
}

// members returns a set with all named fields on the way to its members.
func members(obj *typed.TypedValue, set *fieldpath.Set) *fieldpath.Set {
	return set.EnsureNamedFieldsAreMembers(obj.Schema(), obj.TypeRef())
}
