package room

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/netip"
	"strings"

	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
)

// How many hexadecimal digits a Member keeps of its network: of that with IPv4, or of the widest one with IPv6, and of
// each narrower one within that. 256 networks of IPv4 have the same digits, and thousands of IPv6 do.
const (
	digits       = 6
	digitsWithin = 3
)

// networkOf returns which network an address is in, as a Member keeps it: enough to tell the networks of a room
// apart, and so little that the address cannot be found out. "" is for all whose address is not known.
//
// Those of IPv6 that are in the same wider network begin alike: see around.
func networkOf(address string) string {
	host := address
	if full, err := netip.ParseAddrPort(address); err == nil {
		host = full.Addr().String()
	}
	networks := network.Around(host)
	if len(networks) == 0 {
		return ""
	}
	first := hashOf(networks[len(networks)-1], digits)
	for i := len(networks) - 2; i >= 0; i-- {
		first += within + hashOf(networks[i], digitsWithin)
	}
	return first
}

// within is what follows a network's digits if those of a narrower one come next.
const within = "-"

func hashOf(p netip.Prefix, digits int) string {
	sum := sha256.Sum256([]byte(p.String()))
	return hex.EncodeToString(sum[:])[:digits]
}

// around returns a network as networkOf does, and those that it is in, from the narrowest to the widest.
func around(network string) []string {
	all := []string{network}
	for i := strings.LastIndex(network, within); i >= 0; i = strings.LastIndex(network[:i], within) {
		all = append(all, network[:i+len(within)])
	}
	return all
}

// widest returns the widest network that a network is in.
func widest(network string) string {
	all := around(network)
	return all[len(all)-1]
}

// isIn reports whether a network is this one or in it.
func isIn(network, wide string) bool {
	return network == wide || strings.HasSuffix(wide, within) && strings.HasPrefix(network, wide)
}

// wider returns how much those in a wider network may take together, so many steps wider than one which may take own:
// twice as much for each step, but at most a quarter more of what others have of all. All is 0 if it is not bounded.
func wider(own, all int64, steps int) int64 {
	if own > math.MaxInt64>>steps {
		return own
	}
	more := own << steps
	if all > 0 {
		const parts = 4
		more = min(more, own+max(0, all-own)*int64(steps)/parts)
	}
	return more
}
