package room

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/internal/access"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/room/internal/frozen"
	"github.com/tabernetes/tabernetes/core/room/internal/live"
	"github.com/tabernetes/tabernetes/core/room/internal/relay"
	"github.com/tabernetes/tabernetes/core/status"
)

// Options are the initial state of a room.
type Options struct {
	// TeacherToken is the bearer token of the first teacher, a Member named teacher. It is not used
	// for a room that is loaded from storage, which has tokens already.
	TeacherToken string
	// Live is for a host that has kept connections of members while it did not run the room: frames of
	// their follow streams, of which what is shown and reported is taken.
	Live []byte
}

// An Extension makes a cluster a room. It starts with RBAC, and requests without credentials are unauthorized.
type Extension struct {
	options Options
	// hub has what the members do at present; nil until there is an instance.
	hub *live.Hub
	// current is the Room of the current instance; nil until there is one.
	current atomic.Pointer[Room]
}

// NewExtension returns the extension for a new cluster.
func NewExtension(o Options) *Extension { return &Extension{options: o} }

var _ extension.Extension = (*Extension)(nil)

// firstTeacher is the name of the first Member of a room.
const firstTeacher = "teacher"

// full is why a write is refused when compaction has freed all that it can.
const full = "exceeded quota of the host: the objects of the room take all the memory that they may have here: " +
	"delete objects"

// Extend returns what makes an instance a room.
func (e *Extension) Extend(i *extension.Instance) (extension.Additions, error) {
	if e.hub == nil {
		epoch := make([]byte, 8)
		if _, err := io.ReadFull(i.Rand, epoch); err != nil {
			return extension.Additions{}, err
		}
		e.hub = live.New(i.Host, cmp.Or(live.Epoch(e.options.Live), hex.EncodeToString(epoch)))
	}
	r := New(i.Registry, i.Rand, i.Host, i.Limits, i.Quota)
	log := &relay.Relay{Registry: i.Registry, Clock: i.Clock, Host: i.Host, Access: i.Access, Header: i.Header}
	acts := r.Acts()
	acts[relayAct] = log.Act()
	return extension.Additions{
		Resources: Types(),
		Acts:      acts,
		Defaults:  defaults,
		Check:     WithoutTokens,
		Lasting:   []string{"authorization", "authentication"}, // else a snapshot would let in anyone who asks
		Tokens:    r,
		Restrict:  Restrict,
		Limiter:   r.Shares(),
		Admission: []admission.Plugin{frozen.Plugin{MayWrite: r.MayWrite}},
		Authors:   NameOf,
		Space:     extension.Space{Guard: r.ledger, Reserve: Reserve(i.Quota), Full: full},
		Observe: func(bucket, key string, value []byte, _ int64) {
			r.Observe(bucket, key, value)
			log.Observe(bucket)
		},
		Objects: func() []map[string]any { return e.objects(i.Registry) },
		Start: func() {
			r.Attach(e.hub)
			if e.current.Swap(r) == nil {
				e.hub.Restore(e.options.Live)
			}
		},
		Run: func(ctx context.Context) { r.Run(ctx, i.Host) },
	}, nil
}

// defaults are the settings of a new room.
func defaults(s *controlplane.Settings) {
	s.Access.Authorization, s.Access.WithoutCredentials = access.RBAC, access.Unauthorized
}

// objects returns the initial objects of a room. A new room has one teacher.
func (e *Extension) objects(r *registry.Registry) []map[string]any {
	all := Objects()
	_, err := r.Get(context.Background(), registry.Target{Resource: Rooms, Name: Name})
	if status.Is(err, status.NotFound) && e.current.Load() == nil {
		all = append(all, MemberObject(firstTeacher, "Teacher", Teacher),
			TokenObject(e.options.TeacherToken, firstTeacher, ""))
	}
	return all
}

// TeacherToken returns a new token of a teacher of the room, for those who run the host. If there is no teacher,
// there is one then.
func (e *Extension) TeacherToken(ctx context.Context) (string, error) {
	r := e.current.Load()
	if r == nil {
		return "", errors.New("room: the cluster has not been started")
	}
	return r.TeacherToken(ctx)
}

// NameOf returns the name of a member's Member, and of other users their own.
func NameOf(user string) string { return strings.TrimPrefix(user, memberPrefix) }

// Types returns the resource types of a room. Nobody who has joined is lost when another cluster takes the place of
// the room's, and no token comes back.
func Types() []extension.Resource {
	validate := map[string]func(context.Context, map[string]any) field.ErrorList{
		Rooms.Kind: validateRoom, Members.Kind: validateMember, RoomTokens.Kind: validateToken,
	}
	var all []extension.Resource
	for _, row := range Resources() {
		all = append(all, extension.Resource{
			Row: row, Hooks: registry.Hooks{Validate: validate[row.Kind]}, Lasting: true,
		})
	}
	return all
}
