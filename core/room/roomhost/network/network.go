// Package network tells the networks of clients apart, and bounds how often something happens from each. It is apart
// from package roomhost since rooms use it too, which know little of HTTP in a browser.
//
// Invariants: it keeps nothing. Both are a few operations.
package network

import "net/netip"

// Of returns the network of a client: its IP address, or the 64 bits that every client of IPv6 has to itself. All
// clients whose address is unknown have the zero Prefix.
func Of(address string) netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 64
	if ip = ip.Unmap(); ip.Is4() {
		bits = 32
	}
	network, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}
