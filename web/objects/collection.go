package objects

import (
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions"
)

// A Collection has the objects of one type as they are in etcd, not in a watch cache: from a list as of a revision,
// then from the commits after it. It does not keep their text. The zero value is empty and ready.
type Collection struct {
	Store

	// Whole says that a list has been read to its end.
	Whole bool

	begun bool // the next page is the first
}

// Begin begins a new list, whose pages follow. Until then the objects of the last one remain.
func (c *Collection) Begin() { c.begun, c.Whole = true, false }

// Page takes a page of the list that was begun, and reports whether another one
// follows, which Continue is the token of. All pages have to be as of one
// revision. After the last, call Commit with the commits since that.
func (c *Collection) Page(body string) (more bool, err error) {
	if err := c.Store.List(body, c.begun); err != nil {
		return false, err
	}
	c.begun = false
	// The text of a page would stay for any of its names.
	for _, o := range c.rows {
		if o.JSON != "" {
			o.JSON = ""
			o.Name, o.Namespace, o.UID = strings.Clone(o.Name), strings.Clone(o.Namespace), strings.Clone(o.UID)
		}
	}
	c.Whole = c.Continue == ""
	return !c.Whole, nil
}

// Commit takes a commit of the collection's type at the given time, and returns the object that it changed, nil if the
// list has it already or is not complete.
func (c *Collection) Commit(m *revisions.Commit, now time.Time) *Object {
	if !c.Whole || m.Revision <= c.Revision {
		return nil
	}
	c.Revision = m.Revision
	c.Changed++
	i, found := c.find(m.Namespace + "/" + m.Name)
	if m.Verb == revisions.Deleted {
		if !found {
			return nil
		}
		o := c.rows[i]
		c.rows = slices.Delete(c.rows, i, i+1)
		o.Verb, o.At, o.Revision = string(m.Verb), now, m.Revision
		return o
	}
	o := &Object{Namespace: m.Namespace, Name: m.Name, UID: m.UID, Created: m.Time}
	if found {
		// A new object, so that users of the rows see that it has changed.
		was := *c.rows[i]
		o = &was
		o.Stale = true
		c.rows[i] = o
	} else {
		c.rows = slices.Insert(c.rows, i, o)
	}
	o.Verb, o.At, o.Revision = string(m.Verb), now, m.Revision
	return o
}

// Refresh takes an object that was read again.
func (c *Collection) Refresh(body string) error {
	o, err := Read(body)
	if err != nil {
		return err
	}
	at := c.Get(o.Namespace, o.Name)
	if at == nil || at.Revision > o.Revision {
		return nil // it has continued since
	}
	at.Stale, at.Deleting, at.Created = false, o.Deleting, o.Created
	c.Changed++
	return nil
}
