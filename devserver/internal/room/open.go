package room

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
	coreroom "github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/memory"
)

// New returns what serves rooms on this machine. With a directory of data they are kept, each in a directory of its id
// below rooms there. Their quota, at most memory.RoomQuota, their controllers and what they say that they run on are
// those of the options.
func New(o cluster.Options) (*Server, error) {
	h := &host{Options: o, memory: apiserver.NewMemory(memory.Bodies, memory.InFlight)}
	if o.Data != "" {
		if err := os.MkdirAll(h.dir(), 0o700); err != nil {
			return nil, err
		}
	}
	key, err := NewHostKey(o.Data)
	if err != nil {
		return nil, err
	}
	return &Server{
		HostKey: key, Open: h.open, Saved: h.saved, Random: rand.Reader, Clock: clock.Real(), Trusted: front.IsLocal,
		Failed: func(err error) { fmt.Fprintln(os.Stderr, "devserver: --rooms:", err) },
	}, nil
}

// A host opens the clusters of rooms.
type host struct {
	cluster.Options
	// memory is what the requests of all rooms share.
	memory *apiserver.Memory
}

// dir is where the rooms are kept, each in a directory of its id.
func (h *host) dir() string { return filepath.Join(h.Data, "rooms") }

// saved reports whether a room is kept.
func (h *host) saved(id string) bool {
	if h.Data == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(h.dir(), id))
	return err == nil
}

// open opens the cluster of a room, whose first teacher has the token if it is new. It calls no webhooks: anyone who
// opens a room is its teacher, and could let this machine make requests to its own network.
func (h *host) open(id, token string) (Cluster, error) {
	room := coreroom.NewExtension(coreroom.Options{TeacherToken: token})
	o := cluster.Options{
		Quota: min(h.Quota, memory.RoomQuota), Controllers: h.Controllers, Build: h.Build, Descriptions: h.Descriptions,
		Memory: h.memory.Share(), Extensions: []extension.Extension{room},
	}
	if h.Data != "" {
		o.Data = filepath.Join(h.dir(), id)
		err := os.Mkdir(o.Data, 0o700)
		if err != nil && (token != "" || !errors.Is(err, os.ErrExist)) {
			return nil, err
		}
	}
	c, err := cluster.Open(o)
	if err != nil {
		return nil, err // and no nil of another type
	}
	return opened{c, room}, nil
}

// opened is the cluster of a room.
type opened struct {
	*core.Cluster
	*coreroom.Extension
}

// Guard returns what keeps the process within its memory, whose own cluster has this quota in bytes. Without rooms,
// which are nil then, only the collector gets a bound.
func Guard(s *Server, quota int64) *memory.Guard {
	g := &memory.Guard{Quota: quota, Rooms: func() int { return 0 }, Disconnect: func() {}}
	if s != nil {
		g.Rooms = s.Count
		g.Disconnect = func() {
			fmt.Fprintln(os.Stderr, "devserver: --rooms: memory is short, so the streams of all rooms are ended")
			s.Each(func(c Cluster) {
				if c, ok := c.(opened); ok {
					c.Disconnect()
				}
			})
		}
	}
	return g
}
