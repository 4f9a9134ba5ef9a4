package room

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
)

// networkOf returns which network an address is in, as a Member keeps it: enough to tell the networks of a room
// apart, and so little that the address cannot be found out, since 256 networks of IPv4 have the same. "" is for
// all whose address is not known.
func networkOf(address string) string {
	host := address
	if full, err := netip.ParseAddrPort(address); err == nil {
		host = full.Addr().String()
	}
	near := network.Of(host)
	if !near.IsValid() {
		return ""
	}
	sum := sha256.Sum256([]byte(near.String()))
	return hex.EncodeToString(sum[:3])
}

// joinsTime is in what time as many may join again as may at once.
const joinsTime = time.Minute

// fewJoins is how many may join at once, however few members there may be.
const fewJoins = 20

// joins bound how often somebody joins: from one network as many at once as may have joined from there, and by one
// invitation as many as the room takes; then so many in each joinsTime. It keeps a few numbers for each network and
// invitation that was used lately.
type joins struct {
	mu                    sync.Mutex
	networks, invitations map[string]*network.Bucket
}

// allow returns 0 if somebody may join, and counts it; otherwise after how many seconds that may be. What one
// network is refused is not taken from the invitation.
func (j *joins) allow(now time.Time, from, invitation string, perNetwork, most int64) (retryAfter int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	near, nearWait := bucketOf(&j.networks, from, now, perNetwork)
	by, byWait := bucketOf(&j.invitations, invitation, now, most)
	if wait := max(nearWait, byWait); wait > 0 {
		return int(math.Ceil(wait.Seconds()))
	}
	near.Use()
	by.Use()
	return 0
}

// bucketOf returns the bucket of a name, and how long to wait for one of most. It forgets those that are full again.
func bucketOf(all *map[string]*network.Bucket, name string, now time.Time, most int64) (*network.Bucket,
	time.Duration) {
	if *all == nil {
		*all = map[string]*network.Bucket{}
	}
	most = max(most, fewJoins)
	each := joinsTime / time.Duration(most)
	own := (*all)[name]
	if own == nil {
		for other, b := range *all {
			if b.Wait(now, 1, each) == 0 {
				delete(*all, other)
			}
		}
		own = new(network.Bucket)
		(*all)[name] = own
	}
	return own, own.Wait(now, float64(most), each)
}
