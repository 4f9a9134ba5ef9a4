// Package network tells the networks of clients apart, and bounds how often something happens from each. It is apart
// from package roomhost since rooms use it too, which know little of HTTP in a browser.
//
// Invariants: it keeps nothing. Both are a few operations.
package network

import "net/netip"

// Of returns the network of a client: its IP address, or the 64 bits that every client of IPv6 has to itself. All
// clients whose address is unknown have the zero Prefix.
func Of(address string) netip.Prefix {
	all := Around(address)
	if len(all) == 0 {
		return netip.Prefix{}
	}
	return all[0]
}

// Around returns the networks that a client is in, from the narrowest to the widest: that of Of, and with IPv6 those
// that one customer of a provider may have to itself: of 56 bits, which have 256 of them, and of 48. It is empty if the
// address is unknown.
func Around(address string) []netip.Prefix {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return nil
	}
	sizes := []int{64, 56, 48}
	if ip = ip.Unmap(); ip.Is4() {
		sizes = []int{32}
	}
	var all []netip.Prefix
	for _, bits := range sizes {
		network, err := ip.WithZone("").Prefix(bits)
		if err != nil {
			return nil // impossible: an address has as many bits
		}
		all = append(all, network)
	}
	return all
}
