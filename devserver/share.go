package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/devserver/cluster"
	"github.com/tabernetes/tabernetes/devserver/memory"
	rooms "github.com/tabernetes/tabernetes/devserver/room"
)

// roomServer returns what serves the rooms, nil if there are to be none.
func (o *options) roomServer() (*rooms.Server, error) {
	if !o.rooms {
		return nil, nil
	}
	shared := apiserver.NewMemory(memory.Bodies, memory.InFlight)
	if o.data != "" {
		if err := os.MkdirAll(o.roomsDir(), 0o700); err != nil {
			return nil, err
		}
	}
	key, err := newHostKey(o.data)
	if err != nil {
		return nil, err
	}
	return &rooms.Server{
		HostKey: key,
		Open:    func(id, token string) (rooms.Cluster, error) { return o.openRoom(id, token, shared) },
		Saved:   o.hasRoom, Random: rand.Reader, Clock: clock.Real(),
		Trusted: isLocal,
		Failed:  func(err error) { fmt.Fprintln(os.Stderr, "devserver: --rooms:", err) },
	}, nil
}

// guard returns what keeps the process within its memory; without rooms, only the collector is told.
func (o *options) guard(shared *rooms.Server) *memory.Guard {
	g := &memory.Guard{Quota: o.quota, Rooms: func() int { return 0 }, Disconnect: func() {}}
	if shared != nil {
		g.Rooms = shared.Count
		g.Disconnect = func() {
			fmt.Fprintln(os.Stderr, "devserver: --rooms: memory is short, so the streams of all rooms are ended")
			shared.Each(func(c rooms.Cluster) {
				if c, ok := c.(*core.Cluster); ok {
					c.Disconnect()
				}
			})
		}
	}
	return g
}

// roomsDir is where the rooms are kept, each in a directory of its id.
func (o *options) roomsDir() string { return filepath.Join(o.data, "rooms") }

// hasRoom reports whether a room is kept.
func (o *options) hasRoom(id string) bool {
	if o.data == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(o.roomsDir(), id))
	return err == nil
}

// openRoom opens the cluster of a room, whose first teacher has the token if it is new. It calls no webhooks: whoever
// opens a room is its teacher, and could let this machine make requests to its own network.
func (o *options) openRoom(id, token string, shared *apiserver.Memory) (rooms.Cluster, error) {
	all := cluster.Options{
		Quota: min(o.quota, memory.RoomQuota), Controllers: o.controllers, Build: o.version, Descriptions: o.descriptions,
		Memory: shared.Share(),
		Extend: func(c *core.Options) { c.Room = &core.Room{TeacherToken: token} },
	}
	if o.data != "" {
		all.Data = filepath.Join(o.roomsDir(), id)
		err := os.Mkdir(all.Data, 0o700)
		if err != nil && (token != "" || !errors.Is(err, os.ErrExist)) {
			return nil, err
		}
	}
	c, err := cluster.Open(all)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// closeRooms closes the rooms, if there are any.
func closeRooms(s *rooms.Server) error {
	if s == nil {
		return nil
	}
	return s.Close()
}
