package objects

import (
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// Counts has the number of objects of each resource type: from a list, which has the number at its revision, and the
// commits after it. The zero value is empty and ready.
type Counts struct {
	// Namespace is the one in which objects are counted; empty: all. Reset changes it.
	Namespace string

	types map[string]*tally
}

type tally struct {
	n     int
	at    int64 // the newest revision that n counts
	known bool  // otherwise a list has been asked for
}

// Reset forgets all counts: objects of another namespace are counted, or of another cluster.
func (c *Counts) Reset(namespace string) { *c = Counts{Namespace: namespace} }

// Of returns how many objects a type has; known is false until a list has said so.
func (c *Counts) Of(id string) (n int, known bool) {
	t := c.types[SharedWith(id)]
	if t == nil {
		return 0, false
	}
	return t.n, t.known
}

// Ask notes that a list of the type is requested, and reports whether that is needed.
func (c *Counts) Ask(id string) bool {
	id = SharedWith(id)
	if c.types[id] != nil {
		return false
	}
	if c.types == nil {
		c.types = map[string]*tally{}
	}
	c.types[id] = &tally{}
	return true
}

// Failed notes that there was no list: the type may be requested again.
func (c *Counts) Failed(id string) {
	if id = SharedWith(id); c.types[id] != nil && !c.types[id].known {
		delete(c.types, id)
	}
}

// Listed takes the result of a list: how many objects there were at a revision. The commits are all until now.
func (c *Counts) Listed(id string, n int, at int64, commits *revisions.Log) {
	t := c.types[SharedWith(id)]
	if t == nil || t.known && t.at > at {
		return
	}
	*t = tally{n: n, at: at, known: true}
	After(commits, at, id, c.Namespace, func(m revisions.Commit) { t.take(&m) })
}

// Commit takes a commit, and reports whether a count has changed.
func (c *Counts) Commit(m *revisions.Commit) bool {
	if c.Namespace != "" && m.Namespace != c.Namespace {
		return false
	}
	t := c.types[typeOf(m)]
	return t != nil && t.known && t.take(m)
}

func (t *tally) take(m *revisions.Commit) bool {
	if m.Revision <= t.at {
		return false
	}
	t.at = m.Revision
	switch m.Verb {
	case revisions.Added:
		t.n++
	case revisions.Deleted:
		t.n--
	default:
		return false
	}
	return true
}

// Counted returns how many objects there are by the first page of a list, and as of
// which revision: those on it and those that it says remain.
func Counted(list string) (n int, at int64, err error) {
	c := scan.New(list)
	err = c.Object(func(key string) error {
		switch key {
		case "metadata":
			return c.Object(func(key string) (err error) {
				var rest int64
				switch key {
				case "resourceVersion":
					at, err = c.Int()
				case "remainingItemCount":
					rest, err = c.Int()
					n += int(rest)
				default:
					err = c.Skip()
				}
				return err
			})
		case "items":
			return c.Array(func() error {
				n++
				return c.Skip()
			})
		}
		return c.Skip()
	})
	return n, at, err
}
