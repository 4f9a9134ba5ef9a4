// Package revisions holds what the cluster's revisions stream carries: every
// commit, and how far the store, the watch caches and the compaction are. It
// is plain data with a decoder, so that panels fed by it are tested without a
// browser.
package revisions

import (
	"fmt"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A Frame is one line of the stream: a State or a Commit, never both.
type Frame struct {
	State  *State
	Commit *Commit
}

// State says where the parts of the control plane stand.
type State struct {
	Head      int64   // the store's newest revision
	Caches    []int64 // how far each watch cache has come
	Compacted int64   // what is older than this revision is gone
	Cluster   string  // changes when the cluster is reset
}

// Verb says what a commit did.
type Verb string

// The verbs, named as watch events are.
const (
	Added    Verb = "ADDED"
	Modified Verb = "MODIFIED"
	Deleted  Verb = "DELETED"
)

// A Commit is one write to the store.
type Commit struct {
	Revision  int64
	Time      time.Time
	Verb      Verb
	Group     string
	Version   string
	Resource  string
	Kind      string
	Namespace string
	Name      string
	UID       string
}

// Ref names the commit's object in a data-ref attribute:
// obj-pods/default/web, obj-deployments.apps/default/web, obj-nodes/_/a.
func (c Commit) Ref() string { return ObjectRef(c.Group, c.Resource, c.Namespace, c.Name) }

// ObjectRef names an object in a data-ref attribute. An object without a
// namespace has "_" in its place.
func ObjectRef(group, resource, namespace, name string) string {
	if group != "" {
		resource += "." + group
	}
	if namespace == "" {
		namespace = "_"
	}
	return "obj-" + resource + "/" + namespace + "/" + name
}

// Parse reads one line of the stream. A line of an unknown type gives an empty
// Frame, so that a newer server may say more.
func Parse(line []byte) (Frame, error) {
	var d Decoder
	return d.Parse(string(line))
}

// A Decoder reads the stream's lines. It keeps one copy of each name that
// repeats (groups, kinds, namespaces), so 100,000 commits hold little more
// than their own names. The zero value is ready.
type Decoder struct {
	known  map[string]string
	lines  scan.Lines
	cursor scan.Cursor
}

// Feed takes the next piece of the stream, cut anywhere, and calls each with
// every frame that is now whole. It returns the first line's error; the lines
// around it are read all the same.
func (d *Decoder) Feed(piece string, each func(Frame)) error {
	var first error
	d.lines.Feed(piece, func(line string) {
		f, err := d.Parse(line)
		if err != nil {
			if first == nil {
				first = err
			}
			return
		}
		each(f)
	})
	return first
}

// Parse reads one line.
func (d *Decoder) Parse(line string) (Frame, error) {
	c := &d.cursor
	c.Reset(line)
	var f Frame
	err := c.Object(func(key string) error {
		switch key {
		case "state":
			f.State = &State{}
			return d.state(f.State)
		case "commit":
			f.Commit = &Commit{}
			return d.commit(f.Commit)
		}
		return c.Skip()
	})
	if err == nil && !c.End() {
		err = scan.ErrSyntax
	}
	if err != nil {
		return Frame{}, fmt.Errorf("revisions: line %.60q: %w", line, err)
	}
	return f, nil
}

func (d *Decoder) state(s *State) error {
	c := &d.cursor
	return c.Object(func(key string) (err error) {
		switch key {
		case "head":
			s.Head, err = c.Int()
		case "caches":
			err = c.Array(func() error {
				n, err := c.Int()
				s.Caches = append(s.Caches, n)
				return err
			})
		case "compacted":
			s.Compacted, err = c.Int()
		case "cluster":
			s.Cluster, err = d.text()
		default:
			err = c.Skip()
		}
		return err
	})
}

func (d *Decoder) commit(m *Commit) error {
	c := &d.cursor
	return c.Object(func(key string) (err error) {
		switch key {
		case "revision":
			m.Revision, err = c.Int()
		case "time":
			var s string
			if s, err = c.String(); err == nil {
				m.Time, err = time.Parse(time.RFC3339Nano, s)
			}
		case "verb":
			var s string
			s, err = d.text()
			m.Verb = Verb(s)
		case "group":
			m.Group, err = d.text()
		case "version":
			m.Version, err = d.text()
		case "resource":
			m.Resource, err = d.text()
		case "kind":
			m.Kind, err = d.text()
		case "namespace":
			m.Namespace, err = d.text()
		case "name":
			m.Name, err = d.own()
		case "uid":
			m.UID, err = d.own()
		default:
			err = c.Skip()
		}
		return err
	})
}

// own reads a string that is a commit's alone, freed from the line's memory.
func (d *Decoder) own() (string, error) {
	s, err := d.cursor.String()
	return strings.Clone(s), err
}

// text reads a string that many commits share.
func (d *Decoder) text() (string, error) {
	s, err := d.cursor.String()
	if err != nil || s == "" {
		return "", err
	}
	if k, ok := d.known[s]; ok {
		return k, nil
	}
	if d.known == nil {
		d.known = map[string]string{}
	}
	s = strings.Clone(s)
	d.known[s] = s
	return s, nil
}
