package revisions

import (
	"iter"
	"slices"
	"sort"
	"time"
)

// A Log keeps commits in the order of their revisions: the newest, as many as
// it may. The zero Log keeps all. Adding costs O(1), finding O(log n).
//
// Writes of one object share what they have in common, so that one more costs
// about 90 bytes.
type Log struct {
	Max int // how many are kept at least; 0: all
	all []record
	// shared has, by an object's UID, what its newest write shares with others.
	shared map[string]*Commit
}

// A record is a commit without what it shares with other writes of its object.
type record struct {
	revision int64
	time     time.Time
	verb     Verb
	request  string
	shared   *Commit
}

func (r *record) commit() Commit {
	c := *r.shared
	c.Revision, c.Time, c.Verb, c.Request = r.revision, r.time, r.verb, r.request
	return c
}

// Add takes a commit; one that is not newer than the last is left out.
func (l *Log) Add(c Commit) {
	if n := len(l.all); n > 0 && c.Revision <= l.all[n-1].revision {
		return
	}
	r := record{revision: c.Revision, time: c.Time, verb: c.Verb, request: c.Request}
	c.Revision, c.Time, c.Verb, c.Request = 0, time.Time{}, "", ""
	if r.shared = l.shared[c.UID]; r.shared == nil || *r.shared != c {
		first := c // c itself would be allocated at each call
		r.shared = &first
		l.share(r.shared)
	}
	l.all = append(l.all, r)
	if l.Max > 0 && len(l.all) > l.Max+l.Max/4 {
		l.all = slices.Clone(l.all[len(l.all)-l.Max:])
		l.shared = nil
		for i := range l.all {
			l.share(l.all[i].shared)
		}
	}
}

func (l *Log) share(c *Commit) {
	if l.shared == nil {
		l.shared = map[string]*Commit{}
	}
	l.shared[c.UID] = c
}

// Clear forgets everything.
func (l *Log) Clear() { l.all, l.shared = nil, nil }

// Between returns the commits from lo to hi that there are now.
func (l *Log) Between(lo, hi int64) iter.Seq[Commit] {
	i := sort.Search(len(l.all), func(i int) bool { return l.all[i].revision >= lo })
	j := sort.Search(len(l.all), func(i int) bool { return l.all[i].revision > hi })
	found := l.all[i:max(i, j)]
	return func(yield func(Commit) bool) {
		for k := range found {
			if !yield(found[k].commit()) {
				return
			}
		}
	}
}

// Find returns the commit of a revision.
func (l *Log) Find(rev int64) (Commit, bool) {
	for c := range l.Between(rev, rev) {
		return c, true
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
func Changes(commits iter.Seq[Commit]) []Change {
	at := map[string]int{}
	var out []Change
	for c := range commits {
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
	for c := range l.Between(0, rev) {
		if c.Verb == Deleted {
			delete(out, c.Ref())
		} else {
			out[c.Ref()] = c
		}
	}
	return out
}
