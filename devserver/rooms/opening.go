package rooms

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/tabernetes/tabernetes/core/roomhost"
)

// How many rooms may be opened: a few at once, and then one after each time, by one address and in all.
// In all there are fewer in DefaultIdle than DefaultMost, so that rooms that nobody uses leave space
// for others.
const (
	opensAtOnce    = roomhost.Opens
	opensEach      = 2 * time.Minute
	allOpensAtOnce = 20
	allOpensEach   = time.Minute
)

// opening bounds how many rooms are opened. It keeps a number for each address that opened one lately.
type opening struct {
	all bucket
	by  map[netip.Prefix]*bucket
}

// A bucket is how many rooms may be opened at present.
type bucket struct {
	used float64
	at   time.Time
}

// allow returns 0 if a room may be opened, and counts it; otherwise after how many seconds it may.
func (o *opening) allow(now time.Time, remote string) (retryAfter int) {
	host, _, _ := net.SplitHostPort(remote)
	address := roomhost.NetworkOf(host)
	own := o.by[address]
	if own == nil {
		own = &bucket{at: now}
	}
	wait := max(own.wait(now, opensAtOnce, opensEach), o.all.wait(now, allOpensAtOnce, allOpensEach))
	if wait > 0 {
		return int(math.Ceil(wait.Seconds()))
	}
	for other, b := range o.by {
		if b.wait(now, 1, opensEach) == 0 {
			delete(o.by, other)
		}
	}
	if o.by == nil {
		o.by = map[netip.Prefix]*bucket{}
	}
	o.by[address] = own
	own.used++
	o.all.used++
	return 0
}

// wait returns how long it takes until there is one of most, of which each comes back after a time.
func (b *bucket) wait(now time.Time, most float64, each time.Duration) time.Duration {
	if passed := now.Sub(b.at); passed > 0 {
		b.used = max(0, b.used-float64(passed)/float64(each))
	}
	b.at = now
	return time.Duration(max(0, b.used+1-most) * float64(each))
}

// mayOpen returns the 429 if the client of a request may not open a room at present.
func (s *Server) mayOpen(r *http.Request) error {
	if s.Trusted != nil && s.Trusted(r) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seconds := s.opening.allow(s.Clock.Now(), r.RemoteAddr)
	if seconds == 0 {
		return nil
	}
	return roomhost.TooManyOpened(seconds)
}
