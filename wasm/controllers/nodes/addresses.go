package nodes

import "net/netip"

// mostAddresses is how many addresses of a range are tried before it counts as full.
const mostAddresses = 1 << 16

// addresses are those of a node's Pods. It takes memory for those in use, and time for the ones between the last one
// given and the next one that is free.
type addresses struct {
	within netip.Prefix
	last   netip.Addr
	used   map[netip.Addr]bool
}

func newAddresses(within netip.Prefix) *addresses {
	return &addresses{within: within, last: within.Addr().Next(), used: map[netip.Addr]bool{}}
}

// take returns an address that is free; false if all are in use. Those of a range that are never given are the first
// one, the second, which is the node's own in the Pods' network, and the last, which is for broadcasts.
func (a *addresses) take() (netip.Addr, bool) {
	ip := a.last
	for range min(mostAddresses, 1<<min(a.within.Addr().BitLen()-a.within.Bits(), 30)) {
		if ip = ip.Next(); !a.within.Contains(ip.Next()) {
			ip = a.within.Addr().Next().Next()
		}
		if !a.used[ip] && a.within.Contains(ip.Next()) {
			a.used[ip], a.last = true, ip
			return ip, true
		}
	}
	return netip.Addr{}, false
}

// use marks an address as in use; false if it is not one of the node's.
func (a *addresses) use(text string) (netip.Addr, bool) {
	ip, err := netip.ParseAddr(text)
	if err != nil || !a.within.Contains(ip) {
		return netip.Addr{}, false
	}
	a.used[ip] = true
	return ip, true
}

func (a *addresses) free(ip netip.Addr) { delete(a.used, ip) }
