// Package replica makes a cluster a copy of a room, as one member may read it: it is fed with the lines of the room's
// relay, and takes no writes.
//
// Invariants: each revision has the number that it has in the room, and a revision that a replica has shown it never
// shows otherwise. A whole snapshot is read before it takes the place of what was there.
//
// A line costs the parsing of its JSON and a write to the store.
package replica

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/room/internal/relay"
)

// Replayed is how far a replica has come.
type Replayed struct {
	// Cluster, Rights and Revision are what the next stream is to be asked for: as cluster, rights and
	// since. They are empty until a snapshot is complete.
	Cluster  string `json:"cluster,omitempty"`
	Rights   string `json:"rights,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	// Ended is why the stream has ended, so that another one should be opened.
	Ended string `json:"ended,omitempty"`
}

// A Replica makes a cluster a copy of a room. It goes with neither a room nor a Storage.
type Replica struct {
	mu sync.Mutex
	// host is the clock of the cluster's host.
	host clock.Clock
	// rest is the beginning of a line.
	rest []byte
	// extended is the instance that was extended last.
	extended *instance
	// current is the instance that answers; next is one that a snapshot is read into, or nil, and replace puts it in
	// the place of the current one.
	current, next *instance
	replace       func() error
	// synced reports whether the current instance has a whole snapshot.
	synced bool
	ended  string
}

// An instance is one of the cluster.
type instance struct {
	*extension.Instance
	reader *relay.Reader
	copy   *relay.Copy
}

// New returns the extension for a new cluster.
func New() *Replica { return new(Replica) }

var _ extension.Extension = (*Replica)(nil)

// Extend returns what makes an instance a copy of a room.
func (r *Replica) Extend(i *extension.Instance) (extension.Additions, error) {
	made := &instance{
		Instance: i, reader: new(relay.Reader),
		copy: &relay.Copy{Registry: i.Registry, Clock: i.Clock, Define: i.Define},
	}
	if r.extended = made; r.current == nil {
		r.current, r.host = made, i.Host
	}
	return extension.Additions{
		Resources: room.Types(), Check: room.WithoutTokens, Access: made.reader.Access, Authors: room.NameOf,
		Follows: true,
	}, nil
}

var errNoStream = errors.New("the lines begin with a HELLO")

// Replay applies lines of a room's relay, once the cluster has been started. begin is true for the beginning of a
// stream. After an error the rest of the stream is refused: another one should be opened.
func (r *Replica) Replay(lines []byte, begin bool) (Replayed, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begin {
		r.rest, r.next, r.ended = nil, nil, ""
	}
	var err error
	for err == nil && r.ended == "" {
		line, rest, whole := bytes.Cut(lines, []byte{'\n'})
		if !whole {
			r.rest = append(r.rest, lines...)
			break
		}
		if lines = rest; len(r.rest) > 0 {
			line, r.rest = append(r.rest, line...), nil
		}
		err = r.replayLine(line)
	}
	if err != nil {
		r.rest, r.next, r.ended = nil, nil, err.Error()
	}
	done := Replayed{Ended: r.ended}
	if r.synced {
		done.Cluster, done.Rights = r.current.Header.UID, r.current.reader.Key()
		done.Revision = r.current.Registry.Store.Status().Head
	}
	return done, err
}

func (r *Replica) replayLine(text []byte) error {
	var l relay.Line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("a line of the relay: %w", err)
	}
	i := r.next
	switch {
	case l.Type == relay.Hello:
		return r.hello(&l)
	case l.Type == relay.End:
		r.ended = cmp.Or(l.Reason, "the stream has ended")
		return nil
	case i == nil && !r.synced:
		return errNoStream
	case i == nil:
		i = r.current
	}
	if err := i.copy.Apply(&l); err != nil {
		return fmt.Errorf("the relay: %w", err)
	}
	if l.Type != relay.Synced || r.next == nil {
		return nil
	}
	if err := r.replace(); err != nil {
		return err
	}
	r.current, r.next, r.synced = i, nil, true
	return nil
}

// hello begins a stream, with another instance unless the commits continue those of the current one.
func (r *Replica) hello(l *relay.Line) error {
	now := r.current
	if l.Since > 0 {
		at := now.Registry.Store.Status()
		if !r.synced || l.Cluster != now.Header.UID || l.Rights != now.reader.Key() || l.Since > at.Head {
			return fmt.Errorf("the stream does not continue what is here, at revision %d", at.Head)
		}
		if l.Compacted < at.Compacted { // a compaction was undone
			return fmt.Errorf("the room has history from %d, and this copy from %d", l.Compacted, at.Compacted)
		}
		return nil
	}
	if l.Cluster == "" || l.Grants == nil || l.You == nil {
		return errNoStream
	}
	host := clock.NewAdjustable(r.host)
	if l.Time != nil {
		host.Set(*l.Time)
	}
	i, replace, err := now.Cluster.Assemble(host)
	if err != nil {
		return err
	}
	*i.Header = persist.Header{UID: l.Cluster}
	r.next, r.replace = r.extended, replace
	r.next.reader.Begin(l)
	return nil
}
