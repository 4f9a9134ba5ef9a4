package objects

import (
	"slices"
	"sort"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// maxCommits bounds what Commits keeps: the newest are.
const maxCommits = 50_000

// Commits are those of the revisions stream, oldest first. The zero value is
// empty and ready.
type Commits struct{ all []revisions.Commit }

// Add takes the next commit.
func (l *Commits) Add(m revisions.Commit) {
	l.all = append(l.all, m)
	if len(l.all) > maxCommits+maxCommits/4 {
		l.all = slices.Clone(l.all[len(l.all)-maxCommits:])
	}
}

// After calls each with the commits behind a revision that are of a resource
// type's objects, in a namespace or, if that is empty, in all.
func (l *Commits) After(revision int64, typ, namespace string, each func(*revisions.Commit)) {
	from := sort.Search(len(l.all), func(i int) bool { return l.all[i].Revision > revision })
	for i := from; i < len(l.all); i++ {
		if m := &l.all[i]; Of(m, typ, namespace) {
			each(m)
		}
	}
}

// Of reports whether a commit is of a resource type's objects, in a namespace or,
// if that is empty, in any.
func Of(m *revisions.Commit, typ, namespace string) bool {
	return (namespace == "" || m.Namespace == namespace) && typeOf(m) == SharedWith(typ)
}

// typeOf is the ID of the type that a commit is of.
func typeOf(m *revisions.Commit) string {
	if m.Group == "" {
		return m.Resource
	}
	return m.Resource + "." + m.Group
}

// SharedWith is the ID of the resource type that another type's objects are
// committed as: some are shown in two groups, and stored once.
func SharedWith(id string) string {
	if id == "events.events.k8s.io" {
		return "events"
	}
	return id
}
