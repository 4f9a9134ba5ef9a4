package cluster

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
)

// perFree is how many times the free seats the requests of one network may hold: alone it gets three quarters of all,
// two get three sevenths each, and some are always free for the next one.
const perFree = 3

// Shares divide the seats of concurrent requests among the networks of clients, so that one whose bodies do not arrive,
// or whose answers are not read, leaves seats for the others. Streams take no seat. It costs a lock and a few numbers
// for each network that has a request under way.
type Shares struct {
	mu       sync.Mutex
	most     [2]int
	taken    [2]int
	networks map[netip.Prefix]*[2]int
}

var (
	_ extension.Extension = (*Shares)(nil)
	_ apiserver.Limiter   = (*Shares)(nil)
)

// Extend adds the limiter.
func (s *Shares) Extend(i *extension.Instance) (extension.Additions, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = [2]int{apiserver.Reads: i.Limits.Reads, apiserver.Writes: i.Limits.Writes}
	if s.networks == nil {
		s.networks = map[netip.Prefix]*[2]int{}
	}
	return extension.Additions{Limiter: s}, nil
}

// Enter takes a seat of the share of a network. Its error is apiserver.ErrTooMany.
func (s *Shares) Enter(ctx context.Context, _ *auth.User, use apiserver.Use) (context.Context, func(int64), error) {
	kind := use.Kind
	host, _, err := net.SplitHostPort(use.Address)
	if kind == apiserver.Streams || err != nil { // a request from within the process has no address
		return ctx, func(int64) {}, nil
	}
	from := network.Of(host)
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.networks[from]
	if own == nil {
		own = new([2]int)
	}
	if most := s.most[kind]; most > 0 && own[kind] >= perFree*(most-s.taken[kind]) {
		return ctx, nil, apiserver.ErrTooMany
	}
	s.networks[from] = own
	own[kind]++
	s.taken[kind]++
	return ctx, func(int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.taken[kind]--
		if own[kind]--; *own == [2]int{} {
			delete(s.networks, from)
		}
	}, nil
}
