package objects

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// An Object is one object of the collection.
type Object struct {
	Namespace, Name string
	Revision        int64
	Created         time.Time
	JSON            string
	UID             string
	Deleting        bool
	// Stale says that the object has changed since its metadata was read, so that Deleting may be old. Only a
	// Collection has such objects.
	Stale bool
	// Verb and At are the last event that changed it; empty for what was listed.
	Verb string
	At   time.Time
}

// Key orders the objects of a collection.
func (o *Object) Key() string { return o.Namespace + "/" + o.Name }

// A Store holds a collection. The zero value is empty and ready.
type Store struct {
	rows     []*Object
	Revision int64 // the collection's resourceVersion
	Continue string
	// Changed counts up with every change.
	Changed int
}

// Len returns the number of objects.
func (s *Store) Len() int { return len(s.rows) }

// Rows returns the objects in order. The slice is the store's own.
func (s *Store) Rows() []*Object { return s.rows }

// Get finds an object.
func (s *Store) Get(namespace, name string) *Object {
	if i, found := s.find(namespace + "/" + name); found {
		return s.rows[i]
	}
	return nil
}

// find returns where the key is, or belongs.
func (s *Store) find(key string) (int, bool) {
	return sort.Find(len(s.rows), func(i int) int { return compare(key, s.rows[i]) })
}

func compare(key string, o *Object) int {
	ns, name, _ := strings.Cut(key, "/")
	if c := strings.Compare(ns, o.Namespace); c != 0 {
		return c
	}
	return strings.Compare(name, o.Name)
}

// Reset empties the store: another collection follows.
func (s *Store) Reset() { *s = Store{Changed: s.Changed + 1} }

// List takes a page of the collection. fresh begins a new list; otherwise the items are added to those of earlier
// pages.
func (s *Store) List(body string, fresh bool) error {
	var rows []*Object
	var rev int64
	var token string
	c := scan.New(body)
	err := c.Object(func(key string) error {
		switch key {
		case "metadata":
			return c.Object(func(key string) error {
				var err error
				switch key {
				case "resourceVersion":
					rev, err = c.Int()
				case "continue":
					token, err = c.String()
				default:
					err = c.Skip()
				}
				return err
			})
		case "items":
			return c.Array(func() error {
				raw, err := c.Raw()
				if err != nil {
					return err
				}
				o, err := Read(raw)
				if err != nil {
					return err
				}
				rows = append(rows, o)
				return nil
			})
		}
		return c.Skip()
	})
	if err != nil {
		return err
	}
	if fresh {
		s.rows = s.rows[:0:0]
	}
	s.rows = append(s.rows, rows...)
	slices.SortFunc(s.rows, func(a, b *Object) int { return compare(a.Key(), b) })
	s.Revision, s.Continue = rev, strings.Clone(token)
	s.Changed++
	return nil
}

// ErrGone is the error of an ERROR event: list again.
var ErrGone = errors.New("objects: the watch ended with an error")

// Event takes a line of a watch at the given time. It returns the object that
// changed, nil for a bookmark.
func (s *Store) Event(line string, now time.Time) (*Object, error) {
	var kind, raw string
	c := scan.New(line)
	err := c.Object(func(key string) error {
		var err error
		switch key {
		case "type":
			kind, err = c.String()
		case "object":
			raw, err = c.Raw()
		default:
			err = c.Skip()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if kind == "ERROR" {
		return nil, ErrGone
	}
	o, err := Read(raw)
	if err != nil {
		return nil, err
	}
	s.Revision = max(s.Revision, o.Revision)
	if kind == "BOOKMARK" {
		return nil, nil
	}
	o.Verb, o.At = strings.Clone(kind), now
	i, found := s.find(o.Key())
	switch {
	case kind == "DELETED":
		if found {
			s.rows = slices.Delete(s.rows, i, i+1)
		}
	case found:
		s.rows[i] = o
	default:
		s.rows = slices.Insert(s.rows, i, o)
	}
	s.Changed++
	return o, nil
}

// Read finds in an object's JSON what a row shows.
func Read(raw string) (*Object, error) {
	o := &Object{JSON: raw}
	c := scan.New(raw)
	err := c.Object(func(key string) error {
		if key != "metadata" {
			return c.Skip()
		}
		return c.Object(func(key string) error {
			var err error
			var s string
			switch key {
			case "name":
				o.Name, err = c.String()
			case "namespace":
				o.Namespace, err = c.String()
			case "uid":
				o.UID, err = c.String()
			case "resourceVersion":
				o.Revision, err = c.Int()
			case "creationTimestamp":
				if s, err = c.String(); err == nil {
					o.Created, _ = time.Parse(time.RFC3339, s)
				}
			case "deletionTimestamp":
				o.Deleting = true
				err = c.Skip()
			default:
				err = c.Skip()
			}
			return err
		})
	})
	return o, err
}

// Age returns a duration as kubectl's tables write it.
func Age(d time.Duration) string {
	s := int(d / time.Second)
	num := func(n int, unit string) string {
		if n == 0 {
			return ""
		}
		return itoa(n) + unit
	}
	switch {
	case s < 0:
		return "0s"
	case s < 120:
		return itoa(s) + "s"
	case s < 600:
		return itoa(s/60) + "m" + num(s%60, "s")
	case s < 3*3600:
		return itoa(s/60) + "m"
	case s < 8*3600:
		return itoa(s/3600) + "h" + num(s/60%60, "m")
	case s < 48*3600:
		return itoa(s/3600) + "h"
	case s < 8*86400:
		return itoa(s/86400) + "d" + num(s/3600%24, "h")
	case s < 2*365*86400:
		return itoa(s/86400) + "d"
	}
	return itoa(s/86400/365) + "y" + num(s/86400%365, "d")
}

func itoa(n int) string {
	var b [20]byte
	i := len(b)
	for {
		i--
		b[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(b[i:])
		}
	}
}
