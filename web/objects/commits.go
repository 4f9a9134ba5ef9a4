package objects

import (
	"math"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// After calls each with the commits of a log behind a revision that are of a resource
// type's objects, in a namespace or, if that is empty, in all.
func After(log *revisions.Log, revision int64, typ, namespace string, each func(revisions.Commit)) {
	for m := range log.Between(revision+1, math.MaxInt64) {
		if Of(&m, typ, namespace) {
			each(m)
		}
	}
}

// Of reports whether a commit is of a resource type's objects, in a namespace or,
// if that is empty, in any.
func Of(m *revisions.Commit, typ, namespace string) bool {
	return (namespace == "" || m.Namespace == namespace) && typeOf(m) == SharedWith(typ)
}

// typeOf returns the ID of the type that a commit is of.
func typeOf(m *revisions.Commit) string { return apipath.GroupResource(m.Group, m.Resource) }

// SharedWith returns the ID of the resource type that another type's objects are
// committed as: some are shown in two groups, and stored once.
func SharedWith(id string) string {
	if id == "events.events.k8s.io" {
		return "events"
	}
	return id
}
