package objects

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// shownPast is the most objects that the past lists.
const shownPast = 300

// leftOut reports whether the past says nothing of a type whose list was answered so: there was no such type, it has no
// lists, or this user may not read it.
func leftOut(status int) bool {
	return status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusForbidden
}

// pastView makes the list of what there was at a revision. exact is what the server read as of it, by Ref; nil where
// only the log of commits is known. The objects that later commits create are listed after them.
func pastView(at int64, log *revisions.Log, exact map[string]PastRow) PastView {
	v := PastView{At: at, Notes: exact == nil}
	rows := exact
	if rows == nil {
		rows = map[string]PastRow{}
		for ref, c := range log.At(at) {
			rows[ref] = pastRow(c)
		}
	}
	here, _ := log.Find(at)
	for ref, r := range rows {
		if ref == here.Ref() {
			r.Here = "changed"
			if here.Verb == revisions.Added {
				r.Here = "added"
			}
		}
		v.Rows = append(v.Rows, r)
	}
	slices.SortFunc(v.Rows, func(a, b PastRow) int {
		// What changed here comes first, then what changed last.
		return cmp.Or(cmp.Compare(b.Here, a.Here), cmp.Compare(b.Revision, a.Revision), cmp.Compare(a.Key, b.Key))
	})
	v.Count = len(v.Rows)
	if len(v.Rows) > shownPast {
		v.Rows = v.Rows[:shownPast]
	}
	seen := map[string]bool{}
	for c := range log.Between(at+1, 1<<62) {
		ref := c.Ref()
		if _, was := rows[ref]; was || seen[ref] || c.Verb != revisions.Added {
			continue
		}
		seen[ref] = true
		r := pastRow(c)
		r.Later = true
		if v.Rows = append(v.Rows, r); len(v.Rows) > shownPast+50 {
			break
		}
	}
	return v
}

func pastRow(c revisions.Commit) PastRow {
	name := c.Name
	if c.Namespace != "" {
		name = c.Namespace + "/" + name
	}
	return PastRow{Key: c.Ref(), Type: c.Resource, Object: name, Revision: c.Revision}
}
