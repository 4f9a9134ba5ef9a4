package relay

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const (
	// ringBytes is how much of its latest lines a feed keeps, and ringFeeds how many feeds may do so: more of
	// them share that.
	ringBytes = 1 << 20
	ringFeeds = 4
	// pieceBytes is how many bytes of lines are made at a time, one line more at most, and pieceEvents
	// how many events are read for them.
	pieceBytes  = 32 << 10
	pieceEvents = 512
)

// A feed makes the lines of the commits for all members with the same rights.
type feed struct {
	relay  *Relay
	key    string
	grants *Grants
	// followers is how many streams read it; the relay's lock guards it.
	followers int

	mu sync.Mutex
	// end is the revision up to which the ring has lines.
	end  int64
	ring []piece
	size int // of the ring's lines
	// cursor reads the commits above end; unread were read and have no lines yet.
	cursor *mvcc.Watcher
	unread []*mvcc.Event
	// types are the resource types of buckets.
	types map[string][]groupResource
}

// A piece is the lines of the commits above from, up to to.
type piece struct {
	from, to int64
	lines    []byte
}

type groupResource struct{ group, resource string }

// after appends lines of the commits after a revision, and returns the revision that they end with:
// the same one if there are no commits yet. The error is ErrCompacted if they are gone.
func (f *feed) after(rev int64, b []byte) ([]byte, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rev >= f.end {
		if err := f.advance(); err != nil {
			return b, rev, err
		}
	}
	if rev >= f.end {
		return b, rev, nil
	}
	next, found := slices.BinarySearchFunc(f.ring, rev, func(p piece, rev int64) int { return cmp.Compare(p.from, rev) })
	if found {
		return append(b, f.ring[next].lines...), f.ring[next].to, nil
	}
	last := f.end
	if next < len(f.ring) {
		last = f.ring[next].from
	}
	return f.again(rev, last, b)
}

// advance adds the lines of later commits to the ring, a piece at most. Callers hold the lock.
func (f *feed) advance() error {
	if len(f.unread) == 0 {
		events, err := f.cursor.Next(pieceEvents, 0)
		if errors.Is(err, mvcc.ErrCompacted) { // nobody has read for long
			f.cursor.Close()
			f.ring, f.size = nil, 0
			if f.cursor, err = f.relay.watchHead(); err == nil {
				f.end = f.cursor.Revision()
			}
		}
		if err != nil {
			return err
		}
		f.unread = events
	}
	if len(f.unread) == 0 {
		return nil
	}
	lines, n := f.lines(nil, f.unread)
	p := piece{from: f.end, to: f.unread[n-1].Revision, lines: lines}
	if f.unread = f.unread[n:]; len(f.unread) == 0 {
		f.unread = nil
	}
	f.end = p.to
	f.ring, f.size = append(f.ring, p), f.size+len(p.lines)
	feeds := max(ringFeeds, int(f.relay.count.Load()))
	least := 1 // a line that is longer than the ring is still made once for all
	if feeds > ringFeeds {
		least = 0
	}
	for len(f.ring) > least && f.size > ringBytes*ringFeeds/feeds {
		f.size -= len(f.ring[0].lines)
		f.ring[0] = piece{}
		f.ring = f.ring[1:]
	}
	return nil
}

// again appends lines of the commits after a revision, up to last, for one who is behind the ring.
func (f *feed) again(rev, last int64, b []byte) ([]byte, int64, error) {
	cursor, err := f.relay.Registry.Store.Watch(mvcc.Scope{}, rev)
	if err != nil {
		return b, rev, err
	}
	defer cursor.Close()
	events, err := cursor.Next(pieceEvents, last)
	if err != nil || len(events) == 0 {
		return b, max(rev, last), err
	}
	b, n := f.lines(b, events)
	return b, events[n-1].Revision, nil
}

// lines appends the lines of events until they are pieceBytes, and returns how many events they are
// of. Hidden ones in a row have one line.
func (f *feed) lines(b []byte, events []*mvcc.Event) ([]byte, int) {
	start := len(b)
	var hidden *mvcc.Event
	for n, e := range events {
		if len(b)-start > pieceBytes {
			return appendIfHidden(b, hidden), n
		}
		if !f.relays(e) {
			b, hidden = f.define(b, e), e
			continue
		}
		b, hidden = appendIfHidden(b, hidden), nil
		b = appendCommit(b, e)
	}
	return appendIfHidden(b, hidden), len(events)
}

func appendIfHidden(b []byte, last *mvcc.Event) []byte {
	if last == nil {
		return b
	}
	return appendHidden(b, last.Revision, last.Time)
}

// relays reports whether an event is relayed.
func (f *feed) relays(e *mvcc.Event) bool {
	namespace, _, namespaced := strings.Cut(e.Key, "/")
	if !namespaced {
		namespace = ""
	}
	return slices.ContainsFunc(f.typesOf(e.Bucket), func(t groupResource) bool {
		return f.grants.relays(t.group, t.resource, namespace)
	})
}

// typesOf returns the resource types of a bucket: the rows for the same objects share one.
func (f *feed) typesOf(bucket string) []groupResource {
	if types, ok := f.types[bucket]; ok {
		return types
	}
	var types []groupResource
	if parts := strings.Split(bucket, "/"); schema.IsCustomBucket(bucket) {
		types = []groupResource{{parts[0], parts[2]}}
	} else {
		for _, row := range f.relay.Registry.Table.Resources() {
			if t := (groupResource{row.Group, row.Plural}); row.Bucket() == bucket && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	f.types[bucket] = types
	return types
}

// define appends the definition of a custom resource that may not be read.
func (f *feed) define(b []byte, e *mvcc.Event) []byte {
	if e.Bucket != customresource.Bucket {
		return b
	}
	l := Line{Type: Define, Key: e.Key}
	if !e.Deleted {
		t := f.relay.Registry.Table.Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions").Type()
		obj, _, err := object.Decode(e.Value, t)
		if err != nil {
			return b // not so: it was stored
		}
		l.Object = object.Encode(nil, map[string]any{
			"apiVersion": obj["apiVersion"], "kind": obj["kind"],
			"metadata": map[string]any{"name": object.Name(obj), "uid": object.UID(obj)},
			"spec":     obj["spec"], "status": obj["status"],
		}, t)
	}
	return appendLine(b, l)
}
