package room

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/set"
	"github.com/tabernetes/tabernetes/core/status"
)

// The shares of members.
const (
	// burstSeconds is for how many seconds a member may save up requests.
	burstSeconds = 10
	// teachersShare is how many times as much as others teachers may take, so that they can govern a
	// room that others flood.
	teachersShare = 4
	// atOnce is how many requests of each kind a member may make at the same time: at most half of
	// the seats.
	atOnce = 32
	// manyWait is how many requests of one network, for each seat, may run and wait together.
	manyWait = 4
	// bodyUnit and answerUnit are how many bytes of a body and of an answer count as a request.
	bodyUnit, answerUnit = 64 << 10, 256 << 10
	// mostUnits bounds what the bytes of a body or an answer count, and is what a body of unknown
	// length counts.
	mostUnits = 48
)

// invitedKey is what the names of the shares of invitations begin with: the network follows.
const invitedKey = "invited "

// othersKey is the share of all who are neither members, teachers nor invited: the service accounts of
// the room, of which a learner can make many.
const othersKey = "others"

// Shares bound what each member takes of a room's server: requests by a token bucket of
// RequestsPerSecond, requests at the same time, and streams. A request counts more with its bytes.
// The time is that of the host, which no member can stop.
//
// When a Member is deleted or gets another role, its streams end, and those of a token with that token; the
// streams of the room itself do so on their own, and say why.
//
// They cost a lock and a few numbers per request, and a few numbers in memory per member.
type Shares struct {
	clock clock.Clock
	meter *meter
	// seats are how many requests may run at the same time by kind, those of all but teachers, who
	// find a quarter free; 0: any number.
	// near are those of all who have joined from one network: half, or on a server where requests wait, as many as
	// are carried out in the time that the others can wait.
	seats, each, near [2]int

	mu     sync.Mutex
	quotas quotas
	users  map[string]*share
	// networks are those of members, by the user's name, and groups those who have joined from one or a wider one.
	networks map[string]*neighbourhood
	groups   map[string]*neighbours
	taken    [2]int
	// streams is the number of those of all but teachers.
	streams int64
}

// A share is what one user takes.
type share struct {
	// tokens is how many requests the user had saved up at a time: less than 0 after requests with
	// many bytes.
	tokens float64
	at     time.Time
	seats  [2]int
	// streams are those that are open.
	streams set.Of[*stream]
	// made is how many requests it has made since it was measured, rate how many by then.
	made, rate int64
}

// A stream is one that is open: the hash of the token that it was opened with, and what ends it.
type stream struct {
	hash string
	end  context.CancelCauseFunc
}

var _ apiserver.Limiter = (*Shares)(nil)

// newShares returns the shares of a room without members.
func newShares(c clock.Clock, limits apiserver.Limits, m *meter) *Shares {
	s := &Shares{clock: c, meter: m, quotas: quotasOf(nil), users: map[string]*share{},
		networks: map[string]*neighbourhood{}, groups: map[string]*neighbours{}}
	for kind, seats := range []int{apiserver.Reads: limits.Reads, apiserver.Writes: limits.Writes} {
		s.each[kind] = atOnce
		if seats > 0 {
			s.each[kind] = max(1, min(atOnce, seats/2))
		}
		if limits.Queue {
			s.near[kind] = manyWait * seats
			continue
		}
		s.seats[kind] = seats - seats/4
		if seats > 0 {
			s.near[kind] = max(s.each[kind]+1, s.seats[kind]/2)
		}
	}
	return s
}

// present returns the quotas.
func (s *Shares) present() quotas {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quotas
}

// measure returns how many requests a user has made since the last call, which is the rate from now on.
func (s *Shares) measure(user string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.users[user]
	if own == nil {
		return 0
	}
	own.rate, own.made = own.made, 0
	return own.rate
}

// rates returns how many requests a user makes in a second, and how many streams it has open.
func (s *Shares) rates(user string) (requests, streams int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.users[user]
	if own == nil {
		return 0, 0
	}
	return max(own.rate, own.made), int64(len(own.streams.Values))
}

// set changes the quotas.
func (s *Shares) set(q quotas) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quotas = q
}

// forget ends the streams of a user who is gone, or has other rights now.
func (s *Shares) forget(user string) {
	s.revoke(user, "")
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, user)
}

// revoke ends the streams of a user that were opened with a token, given by its hash; "": all.
func (s *Shares) revoke(user, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.users[user]
	if own == nil {
		return
	}
	for open := range own.streams.Values {
		if hash == "" || open.hash == hash {
			open.end(errGone)
		}
	}
}

// errGone is why such a stream ends.
var errGone = errors.New("the member is gone, or its role or a token of it is")

// Enter takes a request's share.
func (s *Shares) Enter(ctx context.Context, u *auth.User, use apiserver.Use) (context.Context, func(int64), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	teacher, times := isTeacher(u), int64(1)
	if teacher {
		times = teachersShare
	}
	own := s.shareOf(u, use.Address, teacher)
	own.made++
	s.meter.mark(u.Name)
	rate := s.quotas.RequestsPerSecond * times
	own.earn(s.clock.Now(), float64(rate))
	if own.tokens < 1 {
		wait := max(1, math.Ceil((1-own.tokens)/float64(rate)))
		return ctx, nil, tooMany(int(wait), "you make more than %d requests per second, which is your share of this room "+
			"(spec.quotas.requestsPerSecond)", rate)
	}
	near := s.neighboursOf(u, teacher)
	if rate := near.earn(s.clock.Now(), s.quotas); rate > 0 {
		return ctx, nil, tooMany(1, "those who joined from your network make more than %d requests per second, which is "+
			"their share of this room (spec.quotas.requestsPerAddress)", rate)
	}
	cost := 1 + units(use.Body, bodyUnit)
	own.tokens -= cost
	near.pay(cost)
	if use.Kind == apiserver.Streams {
		return s.stream(ctx, u, own, near, use, times)
	}
	kind := use.Kind
	switch seated := near.seated(kind, s.near[kind], s.seats[kind]); {
	case seated > 0:
		return ctx, nil, tooMany(1, "those who joined from your network make %d requests at the same time, which is "+
			"their share of this room", seated)
	case own.seats[kind] >= s.each[kind]*int(times):
		return ctx, nil, tooMany(1, "you make %d requests at the same time, which is your share of this room",
			own.seats[kind])
	case !teacher && s.seats[kind] > 0 && s.taken[kind] >= s.seats[kind]:
		return ctx, nil, tooMany(1, "the members of this room make %d requests at the same time, which is all that it "+
			"takes", s.taken[kind])
	}
	own.seats[kind]++
	near.sit(kind, 1)
	if !teacher {
		s.taken[kind]++
	}
	return ctx, func(answered int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		own.seats[kind]--
		near.sit(kind, -1)
		if !teacher {
			s.taken[kind]--
		}
		own.tokens -= units(answered, answerUnit)
		near.pay(units(answered, answerUnit))
	}, nil
}

// stream takes the share of a stream. Callers hold the lock.
func (s *Shares) stream(ctx context.Context, u *auth.User, own *share, near *neighbourhood, use apiserver.Use,
	times int64) (context.Context, func(int64), error) {
	const wait = 5
	teacher := isTeacher(u)
	switch q := s.quotas; {
	case int64(len(own.streams.Values)) >= q.WatchesPerMember*times:
		return ctx, nil, tooMany(wait, "you have %d watches open, which is your share of this room "+
			"(spec.quotas.watchesPerMember): close some", len(own.streams.Values))
	case !teacher && s.streams >= q.Watches:
		return ctx, nil, tooMany(wait, "the members of this room have %d watches open, which is all that it takes "+
			"(spec.quotas.watches)", s.streams)
	}
	if watches := near.watching(s.quotas); watches > 0 {
		return ctx, nil, tooMany(wait, "those who joined from your network have %d watches open, which is their share of "+
			"this room (spec.quotas.watchesPerAddress)", watches)
	}
	if !teacher {
		s.streams++
	}
	near.open(1)
	ctx, cancel := context.WithCancelCause(ctx)
	open := &stream{hash: use.Credentials.TokenHash(), end: cancel}
	if use.Asked.Group == group && use.Asked.Resource == Rooms.Plural {
		open.end = func(error) {}
	}
	own.streams.Add(open)
	return ctx, func(answered int64) {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		own.streams.Delete(open)
		s.meter.mark(u.Name)
		if !teacher {
			s.streams--
		}
		near.open(-1)
		own.tokens -= units(answered, answerUnit)
		near.pay(units(answered, answerUnit))
	}, nil
}

// shareOf returns the share of a user. Those who are about to join have one for each of their networks. Callers hold
// the lock.
func (s *Shares) shareOf(u *auth.User, address string, teacher bool) *share {
	name := othersKey
	switch {
	case teacher || strings.HasPrefix(u.Name, memberPrefix):
		name = u.Name
	case invitedAs(u) != "":
		name = invitedKey + networkOf(address)
	}
	own := s.users[name]
	if own == nil {
		if strings.HasPrefix(name, invitedKey) {
			s.forgetInvited()
		}
		own = &share{tokens: math.Inf(1)}
		s.users[name] = own
	}
	return own
}

// earn adds what a share has saved up since the last request.
func (own *share) earn(now time.Time, rate float64) {
	earned := max(0, now.Sub(own.at).Seconds()) * rate
	own.tokens, own.at = min(own.tokens+earned, rate*burstSeconds), now
}

// units returns how many requests some bytes count as.
func units(bytes, unit int64) float64 {
	if bytes < 0 {
		return mostUnits
	}
	return float64(min(mostUnits, bytes/unit))
}

// tooMany returns the 429 for a request that may be repeated after some seconds.
func tooMany(seconds int, format string, args ...any) error {
	return status.New(http.StatusTooManyRequests, status.TooManyRequests, fmt.Sprintf(format, args...),
		&status.Details{RetryAfterSeconds: seconds})
}
