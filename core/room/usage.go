package room

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/room/internal/live"
)

// usagePause is the least time between two reports of what a member takes.
const usagePause = time.Second

// A meter knows who has taken something since the last report. It costs a map entry for each of them.
type meter struct {
	mu    sync.Mutex
	moved map[string]bool // names of users
	wake  chan struct{}
}

// mark notes that a user takes more or less than before. It calls nothing, so any lock may be held.
func (m *meter) mark(user string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.moved[user] {
		return
	}
	m.moved[user] = true
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take returns who was marked since the last call.
func (m *meter) take() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	moved := m.moved
	m.moved = map[string]bool{}
	return moved
}

// Run tells followers what members take, until ctx ends: at once, then at most once in a second, and nothing
// while nobody does anything, so that an idle room can be evicted.
func (r *Room) Run(ctx context.Context, host clock.Clock) {
	for last := host.Now().Add(-usagePause); ; last = host.Now() {
		select {
		case <-r.meter.wake:
		case <-ctx.Done():
			return
		}
		if left := last.Add(usagePause).Sub(host.Now()); left > 0 {
			timer := host.NewTimer(left)
			select {
			case <-timer.C():
			case <-ctx.Done():
				timer.Stop()
				return
			}
		}
		r.publish()
	}
}

// publish sends what the marked members take. One who has made requests is marked again, for when they make none.
func (r *Room) publish() {
	for user := range r.meter.take() {
		if r.shares.measure(user) > 0 {
			r.meter.mark(user)
		}
		if name, is := strings.CutPrefix(user, memberPrefix); is {
			if u := r.member(name); u != nil {
				r.hub.Use(name, r.usageOf(u.Name, isTeacher(u)))
			}
		}
	}
}

// member returns the user of a member, or nil.
func (r *Room) member(name string) *auth.User {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.members[name]
}

// teaches reports whether a user is a teacher, given by its name.
func (r *Room) teaches(user string) bool {
	u := r.member(strings.TrimPrefix(user, memberPrefix))
	return u != nil && u.Name == user && isTeacher(u)
}

// usageOf returns what a user takes at present.
func (r *Room) usageOf(user string, teacher bool) live.Usage {
	r.ledger.mu.Lock()
	own := r.ledger.account(user)
	r.ledger.mu.Unlock()
	share := r.shares.present().fit(r.quota).share(teacher)
	u := live.Usage{Amount: own.amount(), Share: share.amount()}
	u.RequestsPerSecond, u.Watches = r.shares.rates(user)
	return u
}

// usage answers with what members take: all of them to a teacher, itself to another member.
func (r *Room) usage(w http.ResponseWriter, req *http.Request, c apiserver.Call) error {
	type entry struct {
		Name        string `json:"name"`
		DisplayName string `json:"displayName,omitempty"`
		Role        string `json:"role,omitempty"`
		Gone        bool   `json:"gone,omitempty"`
		live.Usage
	}
	answer := struct {
		Kind       string  `json:"kind"`
		APIVersion string  `json:"apiVersion"`
		Members    []entry `json:"members"`
		// Share is that of a member who is no teacher, Room what all objects take and may take.
		Share live.Amount `json:"share"`
		Room  struct {
			live.Amount
			Share live.Amount `json:"share"`
		} `json:"room"`
	}{Kind: "RoomUsage", APIVersion: apiVersion, Members: []entry{}}
	asks := auth.UserOf(req.Context())
	var seen []live.Member
	all := isTeacher(asks)
	r.mu.RLock()
	for name, u := range r.members {
		if all || u.Name == asks.Name {
			seen = append(seen, liveMember(name, u))
		}
	}
	r.mu.RUnlock()
	if !all && len(seen) == 0 {
		return notMember("usage", c)
	}
	known := map[string]bool{}
	for _, m := range seen {
		user := memberPrefix + m.Name
		known[user] = true
		answer.Members = append(answer.Members, entry{m.Name, m.DisplayName, m.Role, false, r.usageOf(user, m.Teacher)})
	}
	for user, own := range r.ledger.taken() {
		if name, is := strings.CutPrefix(user, memberPrefix); is && all && !known[user] {
			left := live.Usage{Amount: own.amount()}
			answer.Members = append(answer.Members, entry{Name: name, Gone: true, Usage: left})
		}
	}
	slices.SortFunc(answer.Members, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
	store := r.registry.Store.Status()
	most := r.shares.present().fit(r.quota)
	answer.Share = most.share(false).amount()
	answer.Room.Amount = live.Amount{Objects: int64(store.Current), Bytes: store.Bytes - store.Superseded}
	answer.Room.Share = live.Amount{Objects: most.Objects, Bytes: most.Bytes}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(answer)
}
