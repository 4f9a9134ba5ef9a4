package room

import (
	"cmp"
	"io"
	"sync"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Room keeps an index of the members and tokens of a cluster. Use New.
type Room struct {
	registry *registry.Registry
	random   io.Reader

	mu sync.RWMutex
	// members is by name, tokens by hash; hashes has the hash by the name of the RoomToken.
	members map[string]*auth.User
	tokens  map[string]token
	hashes  map[string]string
	frozen  bool
	most    int64
}

// A token is the content of a RoomToken: one of the two is empty.
type token struct{ member, invites string }

var _ auth.TokenVerifier = (*Room)(nil)

// New returns a Room without objects. random is the source of tokens.
func New(r *registry.Registry, random io.Reader) *Room {
	return &Room{
		registry: r, random: random, most: usual,
		members: map[string]*auth.User{}, tokens: map[string]token{}, hashes: map[string]string{},
	}
}

// Extensions returns the validation of the room's resource types.
func Extensions() map[*schema.Resource]registry.Extension {
	return map[*schema.Resource]registry.Extension{
		Rooms: {Validate: validateRoom}, Members: {Validate: validateMember}, RoomTokens: {Validate: validateToken},
	}
}

// Observe updates the index after a write. It is called for every write, in order, under the
// store's lock. A nil value means that the object was deleted.
func (r *Room) Observe(bucket, key string, value []byte) {
	var row *schema.Resource
	for _, one := range Resources() {
		if one.Bucket() == bucket {
			row = one
		}
	}
	if row == nil {
		return
	}
	var obj map[string]any
	if value != nil {
		var err error
		if obj, _, err = object.Decode(value, row.Type()); err != nil {
			return // impossible: the object was stored
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch row {
	case Rooms:
		r.frozen, r.most = object.GetBool(obj, "spec", "frozen"), usual
		if n, given := object.GetInt(obj, "spec", "maxMembers"); given {
			r.most = n
		}
	case Members:
		if delete(r.members, key); obj != nil {
			r.members[key] = userOf(obj)
		}
	case RoomTokens:
		delete(r.tokens, r.hashes[key])
		if delete(r.hashes, key); obj != nil {
			hash := object.GetString(obj, "spec", "hash")
			r.hashes[key] = hash
			r.tokens[hash] = token{object.GetString(obj, "spec", "member"), object.GetString(obj, "spec", "invites")}
		}
	}
}

// The keys of a user's Extra.
const (
	displayNameKey = group + "/display-name"
	invitesKey     = group + "/invites"
)

// userOf returns the user of a member.
func userOf(member map[string]any) *auth.User {
	return &auth.User{
		Name: "member:" + object.Name(member), UID: object.UID(member),
		Groups: []string{membersGroup, groupOf(object.GetString(member, "spec", "role"))},
		Extra:  map[string][]string{displayNameKey: {object.GetString(member, "spec", "displayName")}},
	}
}

// Verify returns the user of a member's or an invitation's token; nil if the room has no such
// token.
func (r *Room) Verify(shown string) (*auth.User, []string, error) {
	hash := hashOf(shown)
	r.mu.RLock()
	defer r.mu.RUnlock()
	found, ok := r.tokens[hash]
	if !ok {
		return nil, nil, nil
	}
	user := r.members[found.member]
	if found.invites != "" {
		user = &auth.User{
			Name: "invitation:" + found.invites, Groups: []string{invitedGroup},
			Extra: map[string][]string{invitesKey: {found.invites}},
		}
	}
	return user, []string{auth.Audience}, nil
}

// MayWrite reports whether a user may write: teachers always, others unless the room is frozen.
func (r *Room) MayWrite(u *auth.User) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return !r.frozen || isTeacher(u)
}

// invitedAs returns the role of a user's invitation; "" if the user has none.
func invitedAs(u *auth.User) string { return cmp.Or(append(u.Extra[invitesKey], "")...) }

// vacancies returns how many more members may join.
func (r *Room) vacancies() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.most - int64(len(r.members))
}
