package objects

import (
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A Member is an object's metadata as far as it says what the object belongs to.
type Member struct {
	Type            string // the ID of its resource type
	Kind            string
	Namespace, Name string
	UID             string
	Owners          []Owner
	Finalizers      []string // of its metadata
	SpecFinalizers  []string // of its spec: a Namespace has them
	Deleting        bool
	DeletedAt       time.Time // when its deletion was asked for
}

// An Owner is an entry of metadata.ownerReferences.
type Owner struct {
	APIVersion, Kind, Name, UID string
	Controller                  bool // it manages the object
	Blocks                      bool // its deletion in the foreground waits for the object
}

// ReadMember reads an object of a resource type.
func ReadMember(text, typ string) (Member, error) {
	c := scan.New(text)
	m, err := member(c)
	m.Type = typ
	return m, err
}

// ReadMembers reads a page of a list of a resource type, and the token of the
// next page; empty: it is the last.
func ReadMembers(list, typ, kind string) (out []Member, token string, err error) {
	c := scan.New(list)
	err = c.Object(func(key string) error {
		switch key {
		case "metadata":
			return texts(c, map[string]*string{"continue": &token})
		case "items":
			return c.Array(func() error {
				m, err := member(c)
				m.Type, m.Kind = typ, kind // a list's items may leave theirs out
				out = append(out, m)
				return err
			})
		}
		return c.Skip()
	})
	return out, strings.Clone(token), err
}

func member(c *scan.Cursor) (m Member, err error) {
	text := func(s *string) error {
		v, err := c.String()
		*s = strings.Clone(v) // freed from the memory of the whole list
		return err
	}
	texts := func(out *[]string) error {
		return c.Array(func() error {
			var s string
			err := text(&s)
			*out = append(*out, s)
			return err
		})
	}
	err = c.Object(func(key string) error {
		switch key {
		case "kind":
			return text(&m.Kind)
		case "spec":
			return c.Object(func(key string) error {
				if key != "finalizers" {
					return c.Skip()
				}
				return texts(&m.SpecFinalizers)
			})
		case "metadata":
		default:
			return c.Skip()
		}
		return c.Object(func(key string) error {
			switch key {
			case "name":
				return text(&m.Name)
			case "namespace":
				return text(&m.Namespace)
			case "uid":
				return text(&m.UID)
			case "finalizers":
				return texts(&m.Finalizers)
			case "deletionTimestamp":
				s, err := c.String()
				m.Deleting = true
				m.DeletedAt, _ = time.Parse(time.RFC3339, s)
				return err
			case "ownerReferences":
				return c.Array(func() error {
					o, err := owner(c, text)
					m.Owners = append(m.Owners, o)
					return err
				})
			}
			return c.Skip()
		})
	})
	return m, err
}

func owner(c *scan.Cursor, text func(*string) error) (o Owner, err error) {
	flag := func(is *bool) error {
		raw, err := c.Raw()
		*is = raw == "true"
		return err
	}
	err = c.Object(func(key string) error {
		switch key {
		case "apiVersion":
			return text(&o.APIVersion)
		case "kind":
			return text(&o.Kind)
		case "name":
			return text(&o.Name)
		case "uid":
			return text(&o.UID)
		case "controller":
			return flag(&o.Controller)
		case "blockOwnerDeletion":
			return flag(&o.Blocks)
		}
		return c.Skip()
	})
	return o, err
}

// Owner returns the member's reference to the object of that UID, or nil.
func (m *Member) Owner(uid string) *Owner {
	for i := range m.Owners {
		if m.Owners[i].UID == uid {
			return &m.Owners[i]
		}
	}
	return nil
}

// A Dependent is an object that another one owns, directly or through others.
type Dependent struct {
	Member
	Depth int // 1: the object's own
	By    *Owner
}

// Dependents returns the members that the object of that UID owns, and what those own: each below its owner, in the
// order of all. Each comes once, also where owners own one another.
func Dependents(uid string, all []Member) []Dependent {
	owned := map[string][]int{}
	for i := range all {
		for _, o := range all[i].Owners {
			owned[o.UID] = append(owned[o.UID], i)
		}
	}
	seen := map[string]bool{uid: true}
	var out []Dependent
	var below func(uid string, depth int)
	below = func(uid string, depth int) {
		for _, i := range owned[uid] {
			if m := all[i]; !seen[m.UID] {
				seen[m.UID] = true
				out = append(out, Dependent{m, depth, m.Owner(uid)})
				below(m.UID, depth+1)
			}
		}
	}
	below(uid, 1)
	return out
}
