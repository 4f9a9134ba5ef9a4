package core

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/persist"
	"github.com/tabernetes/tabernetes/core/room/relay"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// ReplayPath is where a replica takes the lines of a room's relay, by POST. A body may end within a
// line; one with the parameter begin=1 is the beginning of another stream. The answer is a Replayed.
const ReplayPath = "/apis/" + wellknown.Group + "/v1/controlplanes/default/replay"

// maxReplay is the maximum size of a body, in bytes.
const maxReplay = 64 << 20

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

// replica is the state of a cluster that is a copy of a room.
type replica struct {
	mu sync.Mutex
	// rest is the beginning of a line.
	rest []byte
	// host is the clock of the room's host, as far as known.
	host *clock.Adjustable
	// next is the instance that a snapshot is read into; nil if none is.
	next *instance
	// rights are those of the current instance, which is synced if it has a whole snapshot.
	rights string
	synced bool
	ended  string
}

var errNoStream = errors.New("the lines begin with a HELLO")

// Replay applies lines of a room's relay. begin is true for the beginning of a stream. After an
// error the rest of the stream is refused: another one should be opened.
func (c *Cluster) Replay(lines []byte, begin bool) (Replayed, error) {
	r := &c.replica
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
		err = c.replayLine(line)
	}
	if err != nil {
		r.rest, r.next, r.ended = nil, nil, err.Error()
	}
	done := Replayed{Ended: r.ended}
	if i := c.current.Load(); r.synced {
		done.Cluster, done.Rights, done.Revision = i.header.UID, r.rights, i.store.Status().Head
	}
	return done, err
}

func (c *Cluster) replayLine(text []byte) error {
	var l relay.Line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("a line of the relay: %w", err)
	}
	r := &c.replica
	i := r.next
	switch {
	case l.Type == relay.Hello:
		return c.replayHello(&l)
	case l.Type == relay.End:
		r.ended = cmp.Or(l.Reason, "the stream has ended")
		return nil
	case i == nil && !r.synced:
		return errNoStream
	case i == nil:
		i = c.current.Load()
	}
	if err := i.copy.Apply(&l); err != nil {
		return fmt.Errorf("the relay: %w", err)
	}
	if l.Type != relay.Synced || r.next == nil {
		return nil
	}
	r.next, r.rights, r.synced = nil, i.reader.Key(), true
	return c.replace(func() (*instance, error) { return i, nil })
}

// replayHello begins a stream, with another instance unless the commits continue those of the current
// one.
func (c *Cluster) replayHello(l *relay.Line) error {
	r, now := &c.replica, c.current.Load()
	if l.Since > 0 {
		at := now.store.Status()
		if !r.synced || l.Cluster != now.header.UID || l.Rights != r.rights || l.Since > at.Head {
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
	r.host = clock.NewAdjustable(c.options.Clock)
	if l.Time != nil {
		r.host.Set(*l.Time)
	}
	r.next = c.assemble(c.options.Rand)
	r.next.header = persist.Header{UID: l.Cluster}
	r.next.reader.Begin(l)
	return nil
}

// newReplica returns a copy of a room of which nothing is known yet.
func (c *Cluster) newReplica() (*instance, error) {
	if c.options.Storage != nil || c.options.Room != nil {
		return nil, errors.New("core: a replica has no Storage and is no Room")
	}
	i := c.assemble(c.options.Rand)
	var err error
	i.header, err = persist.NewHeader(c.options.Rand)
	return i, err
}

// serveReplay answers a request to ReplayPath.
func (c *Cluster) serveReplay(w http.ResponseWriter, r *http.Request) {
	code, text := http.StatusOK, []byte(nil)
	body, err := io.ReadAll(io.LimitReader(r.Body, maxReplay+1))
	if err == nil && len(body) > maxReplay {
		err = fmt.Errorf("the body has more than %d bytes", maxReplay)
	}
	if err == nil {
		var done Replayed
		if done, err = c.Replay(body, r.URL.Query().Get("begin") != ""); err == nil {
			text, err = json.Marshal(done)
		}
	}
	if err != nil {
		e := status.NewBadRequest(err.Error())
		code, text = e.Status.Code, e.Status.JSON()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(text) // a client that left is no concern of ours
}
