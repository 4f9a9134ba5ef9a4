package roomhost

import (
	"cmp"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Hosts knows which Host headers are for this server. A web page under a name whose DNS its owner points at
// 127.0.0.1 sends that name, and is refused.
type Hosts struct {
	names map[string]bool
	// anyIP allows every IP address: the server listens on all of them, and no
	// address is a name that somebody else could own.
	anyIP bool
}

// NewHosts allows the loopback names, the host of the address that the server listens on, and further names.
func NewHosts(addr string, allowed []string) Hosts {
	c := Hosts{names: map[string]bool{"localhost": true}}
	host, _, err := net.SplitHostPort(addr)
	if err == nil {
		ip, err := netip.ParseAddr(host)
		c.anyIP = host == "" || err == nil && ip.IsUnspecified()
		c.names[strings.ToLower(host)] = true
	}
	for _, name := range allowed {
		c.names[strings.ToLower(name)] = true
	}
	delete(c.names, "")
	return c
}

// ValidHost reports whether a Host header is a host, with or without a port. Browsers write names of other alphabets in
// the letters of this one.
func ValidHost(hostport string) bool {
	if strings.Trim(hostport, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]") != "" {
		return false // Trim leaves what is between others too
	}
	u, err := url.Parse("http://" + hostport)
	if err != nil || u.Host != hostport || u.Hostname() == "" {
		return false
	}
	port, err := strconv.Atoi(cmp.Or(u.Port(), "0"))
	return err == nil && port < 1<<16
}

// Allow reports whether a Host header is for this server.
func (c Hosts) Allow(hostport string) bool {
	host := HostOf(hostport)
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return c.anyIP || ip.IsLoopback() || c.names[ip.String()]
	}
	return c.names[host] || strings.HasSuffix(host, ".localhost")
}

// HostOf returns the host of a Host header, without its port.
func HostOf(hostport string) string {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
