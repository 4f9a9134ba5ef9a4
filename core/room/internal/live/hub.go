package live

import (
	"container/list"
	"sync"

	"github.com/tabernetes/tabernetes/core/clock"
)

// A Member is what others see of a member.
type Member struct {
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Role        string `json:"role"`
	// Teacher members see everybody's progress, and lead the room unless it has a leader.
	Teacher bool `json:"-"`
}

// A Hub has the present state of a room. Use New.
type Hub struct {
	clock clock.Clock
	epoch string

	mu      sync.Mutex
	members map[string]*member
	leader  string
	show    show
	shown   change
	// changes are the things that followers learn of, each once, in the order of their last change;
	// last is the number of the newest, and gone are those of deleted members, oldest first.
	changes   list.List
	last      uint64
	gone      []*list.Element
	followers map[*Follower]struct{}
}

// A member is a Member with its present state.
type member struct {
	Member
	here              int
	progress          *Progress
	usage             Usage
	changed, reported change
	used              change
}

// A show is what is shown, and by whom; nobody shows anything if view is nil.
type show struct {
	member string
	view   []byte
}

// A change is the place of a thing in the list of changes; nil until it has changed.
type change struct{ *list.Element }

// An item is an element of the list of changes.
type item struct {
	number uint64
	frame  []byte
	// gone is for a member that was deleted, and member is the one to whom, with teachers, the item is
	// limited; empty: it is for all.
	gone   bool
	member string
	// later is for what is no part of the state that a follower gets at first: it comes after that.
	later bool
}

// maxGone is how many deleted members the hub remembers for followers that are behind.
const maxGone = 1000

// New returns a hub without members. epoch is a random text, by which clients recognize another hub.
func New(c clock.Clock, epoch string) *Hub {
	h := &Hub{clock: c, epoch: epoch, members: map[string]*member{}, followers: map[*Follower]struct{}{}}
	h.changes.Init()
	h.tell(&h.shown, h.show.frame(), "")
	return h
}

// Replace makes these the members, and ends the streams whose token is not valid. What members do who
// stay as they are is kept.
func (h *Hub) Replace(members []Member, valid func(token string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	stay := map[string]bool{}
	for _, m := range members {
		stay[m.Name] = true
		h.set(m)
	}
	for name := range h.members {
		if !stay[name] {
			h.remove(name, false)
		}
	}
	h.end(nil, func(f *Follower) bool { return !valid(f.token) })
	h.checkShow()
}

// Set adds or changes a member.
func (h *Hub) Set(m Member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.set(m)
	h.checkShow()
}

func (h *Hub) set(m Member) {
	known := h.members[m.Name]
	if known != nil && known.Member == m {
		return
	}
	if known == nil {
		known = &member{}
		h.members[m.Name] = known
	} else if known.Role != m.Role {
		h.end(nil, func(f *Follower) bool { return f.member == known })
	}
	known.Member = m
	h.tell(&known.changed, known.frame(), "")
}

// Remove removes a member and ends its streams, which say so last. left says that the member has left by itself.
func (h *Hub) Remove(name string, left bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(name, left)
	h.checkShow()
}

func (h *Hub) remove(name string, left bool) {
	m := h.members[name]
	if m == nil {
		return
	}
	delete(h.members, name)
	gone := goneFrame(name, left)
	h.end(gone, func(f *Follower) bool { return f.member == m })
	h.forget(&m.reported)
	h.forget(&m.used)
	h.tell(&m.changed, gone, "")
	m.changed.Value.(*item).gone = true
	if h.gone = append(h.gone, m.changed.Element); len(h.gone) > maxGone {
		forgotten := h.changes.Remove(h.gone[0]).(*item).number
		h.gone = h.gone[1:]
		h.end(nil, func(f *Follower) bool { return f.read < forgotten && f.start < forgotten })
	}
}

// Revoke ends the streams of a token.
func (h *Hub) Revoke(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.end(nil, func(f *Follower) bool { return f.token == token })
}

// SetLeader sets the name of the member whose view others follow; if it is empty, or if there is no
// such member, any teacher leads.
func (h *Hub) SetLeader(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leader = name
	h.checkShow()
}

// leads reports whether a member leads the room.
func (h *Hub) leads(name string) bool {
	if h.members[h.leader] != nil {
		return name == h.leader
	}
	m := h.members[name]
	return m != nil && m.Teacher
}

// checkShow withdraws what is shown by somebody who no longer leads.
func (h *Hub) checkShow() {
	if h.show.view != nil && !h.leads(h.show.member) {
		h.setShow(show{})
	}
}

func (h *Hub) setShow(s show) {
	h.show = s
	h.tell(&h.shown, s.frame(), "")
}

// Leads reports whether a member leads the room, and so may call Show.
func (h *Hub) Leads(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.leads(name)
}

// Show shows a view, which is JSON, to all; nil ends it. It returns false if the member does not lead.
func (h *Hub) Show(member string, view []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.leads(member) {
		return false
	}
	if view != nil || h.show.view != nil {
		h.setShow(show{member, view})
	}
	return true
}

// Report sets how far a member has come; nil withdraws it. It returns false if there is no such member.
func (h *Hub) Report(name string, p *Progress) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[name]
	if m == nil {
		return false
	}
	if p != nil || m.progress != nil {
		m.progress = p
		h.tell(&m.reported, m.progressFrame(), name)
	}
	return true
}

// Use sets what a member takes. Nothing is sent if that is as before, or if there is no such member.
func (h *Hub) Use(name string, u Usage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.members[name]; m != nil && m.usage != u {
		m.usage = u
		h.tell(&m.used, m.usageFrame(), name)
		m.used.Value.(*item).later = true
	}
}

// tell makes a frame the newest of a thing. member limits it to teachers and one member. Callers hold the
// lock.
func (h *Hub) tell(c *change, frame []byte, member string) {
	h.last++
	if c.Element == nil {
		c.Element = h.changes.PushBack(&item{})
	} else {
		h.changes.MoveToBack(c.Element)
	}
	i := c.Value.(*item)
	i.number, i.frame, i.member = h.last, frame, member
	for f := range h.followers {
		if f.sees(i) {
			f.signal()
		}
	}
}

// forget takes a thing out of the list.
func (h *Hub) forget(c *change) {
	if c.Element != nil {
		h.changes.Remove(c.Element)
		c.Element = nil
	}
}

// end ends the streams that which reports true for; they read a last frame before, unless that is nil. Callers hold
// the lock.
func (h *Hub) end(last []byte, which func(*Follower) bool) {
	for f := range h.followers {
		if which(f) {
			f.last = last
			f.leave()
		}
	}
}
