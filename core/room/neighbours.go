package room

import (
	"math"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
)

// neighbours are the members who have joined from one network, or a wider one. What they may take together is bounded,
// so that many who are one person do not take all of the room; teachers are not among them. They cost a few numbers for
// each network of members.
type neighbours struct {
	members int
	tokens  float64
	at      time.Time
	seats   [2]int
	streams int64
}

// A neighbourhood has the neighbours of a member, from those of the narrowest network to those of the widest: see wider
// for how much each may take. The methods of a nil one do nothing, and allow everything.
type neighbourhood struct {
	network string
	all     []*neighbours
}

// neighboursOf returns those who share a user's networks; nil for a user who is alone.
func (s *Shares) neighboursOf(u *auth.User, teacher bool) *neighbourhood {
	if teacher || !strings.HasPrefix(u.Name, memberPrefix) {
		return nil
	}
	return s.networks[u.Name]
}

// place notes from which network a user has joined.
func (s *Shares) place(user, network string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.networks[user]; was != nil && was.network == network {
		return
	}
	s.remove(user)
	own := &neighbourhood{network: network}
	for _, wide := range around(network) {
		group := s.groups[wide]
		if group == nil {
			group = &neighbours{tokens: math.Inf(1)}
			s.groups[wide] = group
		}
		group.members++
		own.all = append(own.all, group)
	}
	s.networks[user] = own
}

// leave notes that a user is gone.
func (s *Shares) leave(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(user)
}

// remove is leave. Callers hold the lock.
func (s *Shares) remove(user string) {
	own := s.networks[user]
	if own == nil {
		return
	}
	delete(s.networks, user)
	for steps, wide := range around(own.network) {
		if own.all[steps].members--; own.all[steps].members == 0 {
			delete(s.groups, wide)
		}
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

// earn adds what was saved up since the last request. It returns the rate that does not allow another one; 0: one is
// allowed.
func (n *neighbourhood) earn(now time.Time, q quotas) (refused int64) {
	if n == nil {
		return 0
	}
	for steps, group := range n.all {
		most := wider(q.RequestsPerAddress, 0, steps)
		rate := float64(most)
		group.tokens = min(group.tokens+max(0, now.Sub(group.at).Seconds())*rate, rate*burstSeconds)
		group.at = now
		if group.tokens < 1 && refused == 0 {
			refused = most
		}
	}
	return refused
}

// seated returns how many requests of a kind are made at the same time by those who may not make more, and watching how
// many watches those have who may not have more; 0: one more is allowed. Of all there are as many, 0: any number, of
// which own are for one network.
func (n *neighbourhood) seated(kind apiserver.UseKind, own, all int) int {
	return int(n.takes(int64(own), int64(all), func(group *neighbours) int64 { return int64(group.seats[kind]) }))
}

func (n *neighbourhood) watching(q quotas) int64 {
	return n.takes(q.WatchesPerAddress, q.Watches, func(group *neighbours) int64 { return group.streams })
}

func (n *neighbourhood) takes(own, all int64, count func(*neighbours) int64) int64 {
	if n == nil || own == 0 {
		return 0
	}
	for steps, group := range n.all {
		if taken := count(group); taken >= wider(own, all, steps) {
			return taken
		}
	}
	return 0
}

func (n *neighbourhood) pay(requests float64) {
	if n != nil {
		for _, group := range n.all {
			group.tokens -= requests
		}
	}
}

func (n *neighbourhood) sit(kind apiserver.UseKind, change int) {
	if n != nil {
		for _, group := range n.all {
			group.seats[kind] += change
		}
	}
}

func (n *neighbourhood) open(change int64) {
	if n != nil {
		for _, group := range n.all {
			group.streams += change
		}
	}
}
