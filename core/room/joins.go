package room

import (
	"math"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
)

// joinsTime is in what time as many may join again as may at once.
const joinsTime = time.Minute

// fewJoins is how many may join at once, however few members there may be.
const fewJoins = 20

// joins bound how often somebody joins: from one network as many at once as may have joined from there, from a wider
// one somewhat more, and by one invitation as many as the room takes; then so many in each joinsTime. It keeps a few
// numbers for each network and invitation that was used lately.
type joins struct {
	mu                    sync.Mutex
	networks, invitations counters
}

// allow returns 0 if somebody may join, and counts it; otherwise after how many seconds that may be. What one
// network is refused is not taken from the invitation.
func (j *joins) allow(now time.Time, from, invitation string, perNetwork, most int64) (retryAfter int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	invited, wait := j.invitations.counter(now, invitation, most)
	networks := around(from)
	near := make([]*counter, len(networks))
	for steps, name := range networks {
		own, ownWait := j.networks.counter(now, name, wider(perNetwork, most, steps))
		near[steps], wait = own, max(wait, ownWait)
	}
	if wait > 0 {
		return int(math.Ceil(wait.Seconds()))
	}
	j.invitations.use(now, invitation, invited)
	for steps, name := range networks {
		j.networks.use(now, name, near[steps])
	}
	return 0
}

// A counter counts joins; one of them comes back in each time.
type counter struct {
	network.Bucket
	each time.Duration
}

// counters are those of networks or invitations, by name.
type counters map[string]*counter

// counter returns that of a name, and how long to wait for one join of most.
func (all counters) counter(now time.Time, name string, most int64) (*counter, time.Duration) {
	own := all[name]
	if own == nil {
		own = new(counter)
	}
	most = max(most, fewJoins)
	own.each = joinsTime / time.Duration(most)
	return own, own.Wait(now, float64(most), own.each)
}

// use counts a join. It forgets counters for which all have come back when there is a new one.
func (all *counters) use(now time.Time, name string, own *counter) {
	if *all == nil {
		*all = counters{}
	}
	if (*all)[name] == nil {
		for other, c := range *all {
			if c.Wait(now, 1, c.each) == 0 {
				delete(*all, other)
			}
		}
	}
	(*all)[name] = own
	own.Use()
}
