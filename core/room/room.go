package room

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/room/internal/live"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Room keeps an index of the members and tokens of a cluster. Use New.
type Room struct {
	registry *registry.Registry
	random   io.Reader
	// door is held while a member joins: what is counted before is still so afterwards.
	door sync.Mutex

	mu sync.RWMutex
	// members is by name, tokens by hash; hashes has the hash by the name of the RoomToken.
	members map[string]*auth.User
	tokens  map[string]token
	hashes  map[string]string
	frozen  bool
	most    int64
	// networks has the network from which a member has joined, by its name; "": it is not known.
	networks map[string]string
	// past has those of members who are gone and have left objects.
	past map[string]string
	// leaving are the members who leave by themselves at this moment.
	leaving map[string]bool
	joins   joins
	// leader is the name of the member whose view others follow; empty: any teacher's.
	leader string
	// hub has what members do at present; nil until the cluster runs.
	hub    *live.Hub
	shares *Shares
	ledger *ledger
	meter  *meter
	// quota is the host's for the objects and their history, in bytes.
	quota int64
}

// A token is the content of a RoomToken: one of the two is empty.
type token struct{ member, invites string }

var (
	_ auth.TokenVerifier = (*Room)(nil)
	_ auth.HashVerifier  = (*Room)(nil)
)

// New returns a Room without objects. random is the source of tokens; clock is the
// host's; limits are those of the server, of which members have shares, and quota is what the objects and
// their history may take, in bytes.
func New(r *registry.Registry, random io.Reader, clock clock.Clock, limits apiserver.Limits, quota int64) *Room {
	m := &meter{moved: map[string]bool{}, wake: make(chan struct{}, 1)}
	room := &Room{
		registry: r, random: random, most: usual, shares: newShares(clock, limits, m), meter: m, quota: quota,
		networks: map[string]string{}, past: map[string]string{}, leaving: map[string]bool{},
		members: map[string]*auth.User{}, tokens: map[string]token{}, hashes: map[string]string{},
	}
	room.ledger = &ledger{
		room: room, rows: r.ResourceOf, accounts: map[string]*account{},
		people: people{byKey: map[string]person{}, byName: map[string]string{}},
	}
	return room
}

// Observe updates the index after a write. It is called for every write, in order, under the
// store's lock. A nil value means that the object was deleted.
func (r *Room) Observe(bucket, key string, value []byte) {
	row := r.registry.ResourceOf(bucket)
	if !slices.Contains(Resources(), row) {
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
		r.frozen, r.most = object.GetBool(obj, "spec", "frozen"), mostMembers(obj)
		r.leader = object.GetString(obj, "spec", "leader")
		r.shares.set(quotasOf(obj))
		for _, user := range r.members { // their shares may be others now
			r.meter.mark(user.Name)
		}
	case Members:
		old := r.members[key]
		// One that is being deleted has no access any more, whatever finalizers hold it.
		if delete(r.members, key); obj != nil && object.DeletionTimestamp(obj) == "" {
			r.members[key] = userOf(obj)
		}
		r.locate(key, obj)
		if now := r.members[key]; old != nil && (now == nil || !slices.Equal(old.Groups, now.Groups)) {
			defer r.shares.forget(old.Name) // after its follow streams have got the reason
		}
	case RoomTokens:
		r.observeToken(key, obj)
	}
	if r.hub != nil {
		r.tell(row, key)
	}
}

// locate notes from which network a member has joined, or had joined. Callers hold the lock.
func (r *Room) locate(name string, obj map[string]any) {
	user := memberPrefix + name
	if r.members[name] != nil {
		r.networks[name] = object.GetString(obj, "spec", "network")
		r.shares.place(user, r.networks[name])
		return
	}
	if network, there := r.networks[name]; there {
		left := r.ledger.taken()
		maps.DeleteFunc(r.past, func(other, _ string) bool { return left[memberPrefix+other] == account{} })
		r.past[name] = network
		delete(r.networks, name)
	}
	r.shares.leave(user)
}

// A nearby is what those have who joined from one network, apart from teachers, and which part of the room they may.
type nearby struct {
	account
	part float64
}

// nearby returns it for the networks that a member has joined from, from the narrowest to the widest. They may have
// half of the room, wider ones somewhat more (see wider), or as large a part as they are of all members. Since one
// person can be many members, that is at most so much and what each network would have if all had the same.
func (r *Room) nearby(user string, taken map[string]account) []nearby {
	r.mu.RLock()
	defer r.mu.RUnlock()
	others := map[string]bool{}
	for _, other := range r.networks {
		others[widest(other)] = true
	}
	var all []nearby
	for steps, wide := range around(r.networks[strings.TrimPrefix(user, memberPrefix)]) {
		near, count := nearby{}, 0
		for name, other := range r.networks {
			if !isIn(other, wide) {
				continue
			}
			count++
			if u := r.members[name]; u != nil && !isTeacher(u) {
				near.account = near.with(taken[u.Name])
			}
		}
		for name, other := range r.past {
			if isIn(other, wide) && r.members[name] == nil {
				near.account = near.with(taken[memberPrefix+name])
			}
		}
		const whole = 1 << 10
		half := float64(wider(whole/2, whole, steps)) / whole
		members := float64(count) / float64(max(1, len(r.networks)))
		near.part = min(1, max(half, min(members, half+1/float64(max(1, len(others))))))
		all = append(all, near)
	}
	return all
}

// observeToken updates the index after a write of a RoomToken. One that changed ends its streams.
func (r *Room) observeToken(key string, obj map[string]any) {
	hash := r.hashes[key]
	old := r.tokens[hash]
	delete(r.tokens, hash)
	if delete(r.hashes, key); obj != nil {
		hash := object.GetString(obj, "spec", "hash")
		r.hashes[key] = hash
		r.tokens[hash] = token{object.GetString(obj, "spec", "member"), object.GetString(obj, "spec", "invites")}
	}
	if old.member == "" || r.tokens[hash] == old {
		return
	}
	r.shares.revoke(memberPrefix+old.member, hash)
	if r.hub != nil {
		r.hub.Revoke(hash)
	}
}

// tell tells the hub about a change.
func (r *Room) tell(row *schema.Resource, key string) {
	switch user := r.members[key]; {
	case row == Rooms:
		r.hub.SetLeader(r.leader)
	case row == Members && user == nil:
		r.hub.Remove(key, r.leaving[key])
	case row == Members:
		r.hub.Set(liveMember(key, user))
	}
}

// memberPrefix is what the names of users begin with who are members: the name of the Member follows.
const memberPrefix = "member:"

// The keys of a user's Extra.
const (
	displayNameKey = group + "/display-name"
	invitesKey     = group + "/invites"
)

// userOf returns the user of a member. Teachers may do everything, whatever has happened to the roles and bindings.
func userOf(member map[string]any) *auth.User {
	role := object.GetString(member, "spec", "role")
	groups := []string{membersGroup, groupOf(role)}
	if role == Teacher {
		groups = append(groups, auth.Masters)
	}
	return &auth.User{
		Name: memberPrefix + object.Name(member), UID: object.UID(member), Groups: groups,
		Extra: map[string][]string{displayNameKey: {object.GetString(member, "spec", "displayName")}},
	}
}

// Verify returns the user of a member's or an invitation's token; nil if the room has no such
// token.
func (r *Room) Verify(shown string) (*auth.User, []string, error) {
	return r.VerifyHash(auth.HashOf(shown)), []string{auth.Audience}, nil
}

// VerifyHash is Verify for the hash of a token.
func (r *Room) VerifyHash(hash string) *auth.User {
	r.mu.RLock()
	defer r.mu.RUnlock()
	found := r.tokens[hash]
	if found.invites != "" {
		return &auth.User{
			Name: "invitation:" + found.invites, Groups: []string{invitedGroup},
			Extra: map[string][]string{invitesKey: {found.invites}},
		}
	}
	return r.members[found.member]
}

// Shares returns what bounds the members.
func (r *Room) Shares() *Shares { return r.shares }

// MayWrite reports whether a user may write: teachers always, others unless the room is frozen.
func (r *Room) MayWrite(u *auth.User) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return !r.frozen || isTeacher(u)
}

// invitedAs returns the role of a user's invitation; "" if the user has none.
func invitedAs(u *auth.User) string { return cmp.Or(append(u.Extra[invitesKey], "")...) }

// vacancies returns how many more members may join, and how many at least have joined from a network or a wider one
// that it is in, which has had all that it may have: 0 if none has.
func (r *Room) vacancies(network string, perNetwork int64) (left, full int64) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for steps, wide := range around(network) {
		from := int64(0)
		for _, other := range r.networks {
			if isIn(other, wide) {
				from++
			}
		}
		if from >= wider(perNetwork, r.most, steps) {
			full = from
			break
		}
	}
	return r.most - int64(len(r.members)), full
}
