package revisions

import (
	"slices"
	"sort"
)

// A Log keeps commits in the order of their revisions: the newest, as many as
// it may. The zero Log keeps all. Adding costs O(1), finding O(log n).
type Log struct {
	Max int // how many are kept at least; 0: all
	all []Commit
}

// Add takes a commit; one that is not newer than the last is left out.
func (l *Log) Add(c Commit) {
	if n := len(l.all); n > 0 && c.Revision <= l.all[n-1].Revision {
		return
	}
	l.all = append(l.all, c)
	if l.Max > 0 && len(l.all) > l.Max+l.Max/4 {
		l.all = slices.Clone(l.all[len(l.all)-l.Max:])
	}
}

// Clear forgets everything.
func (l *Log) Clear() { l.all = nil }

// Between returns the commits from lo to hi. The slice is the Log's own.
func (l *Log) Between(lo, hi int64) []Commit {
	i := sort.Search(len(l.all), func(i int) bool { return l.all[i].Revision >= lo })
	j := sort.Search(len(l.all), func(i int) bool { return l.all[i].Revision > hi })
	return l.all[i:max(i, j)]
}

// Find returns the commit of a revision.
func (l *Log) Find(rev int64) (Commit, bool) {
	if c := l.Between(rev, rev); len(c) == 1 {
		return c[0], true
	}
	return Commit{}, false
}

// A Change is the change of an object between two revisions.
type Change struct {
	Commit // the last write in between
	// Verb is the effect of the writes together: Added, Modified or Deleted; empty if the object was created and
	// deleted in between.
	Verb   Verb
	Writes int
	// Created says that the object did not exist before.
	Created bool
}

// Changes returns the change of each object by the commits, which are those after one revision up to another; in the
// order of the objects' last writes.
func Changes(commits []Commit) []Change {
	at := map[string]int{}
	var out []Change
	for _, c := range commits {
		ref := c.Ref()
		i, seen := at[ref]
		if !seen {
			i = len(out)
			at[ref] = i
			out = append(out, Change{Created: c.Verb == Added})
		}
		out[i].Commit = c
		out[i].Writes++
	}
	for i := range out {
		c := &out[i]
		switch gone := c.Commit.Verb == Deleted; {
		case gone && c.Created:
			c.Verb = ""
		case gone:
			c.Verb = Deleted
		case c.Created:
			c.Verb = Added
		default:
			c.Verb = Modified
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Revision < out[j].Revision })
	return out
}

// At returns the last write of each object that existed at a revision, by its
// Ref, as far as the log reaches; objects that are older than the log are not
// known to it.
func (l *Log) At(rev int64) map[string]Commit {
	out := map[string]Commit{}
	for _, c := range l.Between(0, rev) {
		if c.Verb == Deleted {
			delete(out, c.Ref())
		} else {
			out[c.Ref()] = c
		}
	}
	return out
}
