package certificate

import (
	"net"
	"net/netip"
	"strings"
)

// Hosts returns the names and addresses that a server answers for which listens on addr and allows some more: its
// certificate names them.
func Hosts(addr string, allowed []string) []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		ip, err := netip.ParseAddr(host)
		switch {
		case host == "" || err == nil && ip.IsUnspecified():
			hosts = append(hosts, Interfaces()...)
		default:
			hosts = append(hosts, host)
		}
	}
	return append(hosts, allowed...)
}

// Interfaces returns this machine's addresses.
func Interfaces() []string {
	var hosts []string
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil // those that are always there remain
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			hosts = append(hosts, prefix.Addr().String())
		}
	}
	return hosts
}

// split divides hosts into names and addresses, as certificates have them.
func split(hosts []string) (names []string, addresses []netip.Addr) {
	for _, host := range hosts {
		if ip, err := netip.ParseAddr(host); err == nil {
			addresses = append(addresses, ip.WithZone("").Unmap())
		} else if host = strings.ToLower(strings.TrimSuffix(host, ".")); host != "" { // which would stand for all names
			names = append(names, host)
		}
	}
	return names, addresses
}
