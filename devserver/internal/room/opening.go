package room

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
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
	all       network.Bucket
	addresses map[netip.Prefix]*network.Bucket
}

// allow returns 0 if a room may be opened, and counts it; otherwise after how many seconds it may.
func (o *opening) allow(now time.Time, remote string) (retryAfter int) {
	host, _, _ := net.SplitHostPort(remote)
	address := roomhost.NetworkOf(host)
	own := o.addresses[address]
	if own == nil {
		own = new(network.Bucket)
	}
	wait := max(own.Wait(now, opensAtOnce, opensEach), o.all.Wait(now, allOpensAtOnce, allOpensEach))
	if wait > 0 {
		return int(math.Ceil(wait.Seconds()))
	}
	for other, b := range o.addresses {
		if b.Wait(now, 1, opensEach) == 0 {
			delete(o.addresses, other)
		}
	}
	if o.addresses == nil {
		o.addresses = map[netip.Prefix]*network.Bucket{}
	}
	o.addresses[address] = own
	own.Use()
	o.all.Use()
	return 0
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
