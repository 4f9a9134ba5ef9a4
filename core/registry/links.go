package registry

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
)

// Links are what garbage collection needs of an object. They are kept beside the stored bytes, so
// that a collector follows the store without decoding.
type Links struct {
	// Owners are the object's ownerReferences, in their order.
	Owners []Owner
	// Deleting reports whether the object is being deleted, Orphans and Foreground whether it has the
	// finalizers of these policies.
	Deleting, Orphans, Foreground bool
}

// Owner is an entry of ownerReferences.
type Owner struct {
	UID string
	// Blocks is blockOwnerDeletion.
	Blocks bool
}

func (l *Links) equal(m *Links) bool {
	if l == nil || m == nil {
		return l == m
	}
	return l.Deleting == m.Deleting && l.Orphans == m.Orphans && l.Foreground == m.Foreground &&
		slices.Equal(l.Owners, m.Owners)
}

// LinksOf returns the uid and the links of a version of an object.
func LinksOf(v *mvcc.Version) (uid string, l Links) {
	a := v.Attrs.(*attrs)
	if a.links != nil {
		l = *a.links
	}
	return a.uid, l
}

// Links returns the uid and the links of a stored object; no uid if there is no
// such object.
func (r *Registry) Links(t Target) (uid string, l Links, err error) {
	v, _, err := r.Store.Get(t.bucket(), t.key(t.Name), 0)
	if v == nil || err != nil {
		return "", Links{}, err
	}
	uid, l = LinksOf(v)
	return uid, l, nil
}

// TargetOf returns the object at a key of the store; false if its resource type is not served.
func (r *Registry) TargetOf(bucket, key string) (Target, bool) {
	at := nameAt(key)
	t := Target{Resource: r.ResourceOf(bucket), Namespace: key[:max(0, at-1)], Name: key[at:]}
	return t, t.Resource != nil
}

// linksOf derives the links of an object; nil if it has none.
func linksOf(obj map[string]any) *Links {
	refs := object.GetList(obj, "metadata", "ownerReferences")
	deleting := object.DeletionTimestamp(obj) != ""
	if len(refs) == 0 && !deleting {
		return nil
	}
	l := &Links{Deleting: deleting}
	for _, ref := range refs {
		if ref, ok := ref.(map[string]any); ok {
			l.Owners = append(l.Owners, Owner{object.GetString(ref, "uid"), object.GetBool(ref, "blockOwnerDeletion")})
		}
	}
	for _, f := range object.Finalizers(obj) {
		l.Orphans = l.Orphans || f == finalizerOrphan
		l.Foreground = l.Foreground || f == finalizerForeground
	}
	return l
}
