package room

import (
	"math"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
)

// neighbours are the members who have joined from one network. What they may take together is bounded, so that
// many who are one person do not take all of the room; teachers are not among them. The methods of a nil one do
// nothing. They cost a few numbers for each network of members.
type neighbours struct {
	members int
	tokens  float64
	at      time.Time
	seats   [2]int
	streams int64
}

// neighboursOf returns those who share a user's network; nil for a user who is alone.
func (s *Shares) neighboursOf(u *auth.User, teacher bool) *neighbours {
	if teacher || !strings.HasPrefix(u.Name, auth.MemberPrefix) {
		return nil
	}
	return s.groups[s.networks[u.Name]]
}

// place notes from which network a user has joined.
func (s *Shares) place(user, network string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was, there := s.networks[user]; there && was == network {
		return
	}
	s.remove(user)
	own := s.groups[network]
	if own == nil {
		own = &neighbours{tokens: math.Inf(1)}
		s.groups[network] = own
	}
	own.members++
	s.networks[user] = network
}

// leave notes that a user is gone.
func (s *Shares) leave(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(user)
}

// remove is leave. Callers hold the lock.
func (s *Shares) remove(user string) {
	network, there := s.networks[user]
	if !there {
		return
	}
	delete(s.networks, user)
	own := s.groups[network]
	if own.members--; own.members == 0 {
		delete(s.groups, network)
	}
}

// forgetInvited forgets the shares of invitations that would be whole by now. Callers hold the lock.
func (s *Shares) forgetInvited() {
	now := s.clock.Now()
	for name, own := range s.users {
		busy := len(own.streams.Values) > 0 || own.seats != [2]int{}
		if strings.HasPrefix(name, invitedKey) && !busy && now.Sub(own.at) >= burstSeconds*time.Second {
			delete(s.users, name)
		}
	}
}

// earn adds what was saved up since the last request, and reports whether there is enough for another one.
func (n *neighbours) earn(now time.Time, q quotas) bool {
	if n == nil {
		return true
	}
	rate := float64(q.RequestsPerAddress)
	n.tokens = min(n.tokens+max(0, now.Sub(n.at).Seconds())*rate, rate*burstSeconds)
	n.at = now
	return n.tokens >= 1
}

func (n *neighbours) pay(requests float64) {
	if n != nil {
		n.tokens -= requests
	}
}

func (n *neighbours) sit(kind apiserver.UseKind, by int) {
	if n != nil {
		n.seats[kind] += by
	}
}

func (n *neighbours) open(by int64) {
	if n != nil {
		n.streams += by
	}
}
