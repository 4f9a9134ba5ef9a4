// Package revisions has the content of the cluster's revisions stream as plain data, with a decoder:
// every commit, and how far the store, the watch caches and the compaction are. A Log keeps the newest
// commits. There is no browser in it, so panels that it feeds are tested natively.
//
// Costs: a frame costs one pass over its text. Texts that repeat (groups, kinds, namespaces) are kept
// once, and the Log is bounded.
package revisions

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/revisions/scan"
)

// A Frame is one line of the stream: a State or a Commit, never both.
type Frame struct {
	State  *State
	Commit *Commit
}

// A State is the state of the control plane: how far its parts have come.
type State struct {
	Head      int64   // the store's newest revision
	Caches    []int64 // how far each watch cache has come
	Compacted int64   // what is older than this revision is gone
	Cluster   string  // changes when the cluster is reset

	// Replicas says, for each of Caches, how it follows the store. Empty: an older
	// server, whose one cache keeps up.
	Replicas []Replica
	Clock    Clock
	Chaos    Chaos
	// Trouble is why writes cannot be made durable at present.
	Trouble string
}

// A Chaos is the setting and the record of random faults. The zero Chaos is off.
type Chaos struct {
	On   bool
	Seed int64
	Acts int64  // how much has gone wrong since it began
	Last string // what did last: "Cut", "Compact", "Lag"; empty: nothing yet
}

// A Replica is how an API server's watch cache follows the store.
type Replica struct {
	Lag    int64 // seconds
	Frozen bool
	// Since is the revision from before which the API server remembers nothing of any type, and Why the reason.
	Since int64
	Why   horizon.Cause
}

// Clock is how the cluster's time differs from the reader's.
type Clock struct {
	Paused bool
	Offset int64     // seconds; not known while it is paused
	Now    time.Time // only while it is paused
	Faster int64     // how many seconds more than one of it pass in one of the reader's
	Since  time.Time // from then on; zero: not at present, as while it is paused or moved
}

// At returns the cluster's time at a moment of the reader's.
func (c Clock) At(now time.Time) time.Time {
	if c.Paused && !c.Now.IsZero() {
		return c.Now
	}
	if !c.Since.IsZero() {
		now = now.Add(now.Sub(c.Since) * time.Duration(c.Faster))
	}
	return now.Add(time.Duration(c.Offset) * time.Second)
}

// Cache returns how far the watch cache of an API server has come; the head if that is not known.
func (s State) Cache(replica int) int64 {
	if replica < 0 || replica >= len(s.Caches) {
		return s.Head
	}
	return s.Caches[replica]
}

// Slowest returns how far the slowest watch cache has come.
func (s State) Slowest() int64 {
	slow := s.Head
	for _, c := range s.Caches {
		slow = min(slow, c)
	}
	return slow
}

// CacheName returns what a replica's watch cache is called where there are several.
func (s State) CacheName(replica int) string {
	if len(s.Caches) < 2 {
		return "cache"
	}
	return "C" + strconv.Itoa(replica)
}

// Missing names the watch caches that have not reached a revision yet.
func (s State) Missing(rev int64) []string {
	var out []string
	for i, c := range s.Caches {
		if c < rev {
			out = append(out, s.CacheName(i))
		}
	}
	return out
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
	// User and Manager are who made it, in a room: a member's name, or that of another user, and the field manager.
	// They are empty if that is not known.
	User    string
	Manager string
	// Request is the ID of the request that made it, if its client gave one: PAGE.ID for those of a page,
	// PROGRAM/CLIENT~REVISION~SUBRESOURCE for those of a program of the control plane.
	Request string
}

// By returns the tap's id of the request that made the commit, if that was one of the given page; else 0.
func (c *Commit) By(page string) int {
	id, ours := strings.CutPrefix(c.Request, page+".")
	if n, err := strconv.Atoi(id); ours && page != "" && err == nil {
		return n
	}
	return 0
}

// An Origin is which program of the control plane made a commit, and after which event.
type Origin struct {
	Program string
	Client  string // of the program, such as a controller; empty: it has but one
	// After is the revision of the newest event about the object, its owners or what it owns that the program's watches
	// had brought; 0: they had brought none. web/controlplane/worker/seen.js has the rule. It says what came before, not
	// why the program wrote.
	After       int64
	Subresource string // that was written; empty: none, or that is not known
}

// Origin returns where the commit is from, if a program of the control plane made it.
func (c *Commit) Origin() (Origin, bool) {
	var o Origin
	program, rest, ok := strings.Cut(c.Request, "/")
	client, rest, named := strings.Cut(rest, "~")
	rev, subresource, _ := strings.Cut(rest, "~")
	after, err := strconv.ParseInt(rev, 10, 64)
	if !ok || !named || err != nil || program == "" {
		return o, false
	}
	return Origin{Program: program, Client: client, After: after, Subresource: subresource}, true
}

// Ref names the commit's object in a data-ref attribute.
func (c Commit) Ref() string { return apipath.ObjectRef(c.Group, c.Resource, c.Namespace, c.Name) }

// A Decoder reads the stream's lines. It keeps one copy of each name that
// repeats (groups, kinds, namespaces), so 100,000 commits hold little more
// than their own names. The zero value is ready.
type Decoder struct {
	known  map[string]string
	lines  scan.Lines
	cursor scan.Cursor
}

// Feed takes the next piece of the stream, cut anywhere, and calls each with every frame that is now complete. It
// returns the first line's error; it reads the lines around it all the same.
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
		case "replicas":
			err = c.Array(func() error {
				var r Replica
				err := c.Object(func(key string) (err error) {
					switch key {
					case "lagSeconds":
						r.Lag, err = c.Int()
					case "frozen":
						r.Frozen, err = d.bool()
					case "since":
						r.Since, err = c.Int()
					case "why":
						var why string
						why, err = d.text()
						r.Why = horizon.Cause(why)
					default:
						err = c.Skip()
					}
					return err
				})
				s.Replicas = append(s.Replicas, r)
				return err
			})
		case "trouble":
			s.Trouble, err = d.text()
		case "chaos":
			s.Chaos.On = true
			err = d.chaos(&s.Chaos)
		case "clock":
			err = c.Object(func(key string) (err error) {
				switch key {
				case "paused":
					s.Clock.Paused, err = d.bool()
				case "offsetSeconds":
					s.Clock.Offset, err = c.Int()
				case "now":
					s.Clock.Now, err = d.time()
				case "rate":
					s.Clock.Faster, err = c.Int()
					s.Clock.Faster--
				case "since":
					s.Clock.Since, err = d.time()
				default:
					err = c.Skip()
				}
				return err
			})
		default:
			err = c.Skip()
		}
		return err
	})
}

func (d *Decoder) chaos(x *Chaos) error {
	c := &d.cursor
	return c.Object(func(key string) (err error) {
		switch key {
		case "seed":
			x.Seed, err = c.Int()
		case "acts":
			x.Acts, err = c.Int()
		case "last":
			err = c.Object(func(key string) (err error) {
				if key == "act" {
					x.Last, err = d.text()
					return err
				}
				return c.Skip()
			})
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
			m.Time, err = d.time()
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
		case "user":
			m.User, err = d.text()
		case "manager":
			m.Manager, err = d.own()
		case "request":
			m.Request, err = d.own()
		default:
			err = c.Skip()
		}
		return err
	})
}

func (d *Decoder) bool() (bool, error) {
	raw, err := d.cursor.Raw()
	return raw == "true", err
}

func (d *Decoder) time() (time.Time, error) {
	s, err := d.cursor.String()
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339Nano, s)
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
