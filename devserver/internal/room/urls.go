package room

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/front"
)

// CheckAddr checks whether rooms may be served at an address to listen at, with HTTPS or without.
func CheckAddr(addr string, tls bool) error {
	if !tls && !onLoopback(addr) {
		return errors.New("--rooms with another --addr than one of loopback needs --tls: without it everyone in the " +
			"network could read the tokens of the members")
	}
	return nil
}

// onLoopback reports whether only this machine reaches an address to listen at.
func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// An Address is where a server of rooms listens.
type Address struct {
	// Addr is where it was asked to listen, and Opened the address of the port.
	Addr   string
	Opened net.Addr
	TLS    bool
	// Allowed are further names of the server, and Interfaces the addresses of this machine.
	Allowed, Interfaces []string
}

// URLs returns the URLs at which others open rooms, those that most will reach first.
func (a Address) URLs() []string {
	host := front.PageHost(a.Addr, a.Opened)
	scheme := "http://"
	if a.TLS {
		scheme = "https://"
	}
	asked, port, err := net.SplitHostPort(host)
	if err != nil {
		return []string{scheme + host}
	}
	hosts := slices.Clone(a.Allowed)
	if given, _, _ := net.SplitHostPort(a.Addr); given != asked { // it listens on all addresses
		hosts = append(hosts, reachable(a.Interfaces)...)
	} else {
		hosts = append(hosts, asked)
	}
	if len(hosts) == 0 {
		hosts = []string{asked}
	}
	urls := make([]string, len(hosts))
	for i, host := range hosts {
		urls[i] = scheme + net.JoinHostPort(host, port)
	}
	return urls
}

// reachable returns the addresses by which other machines reach this one: those of private networks of
// IPv4 first, then others of IPv4, then IPv6. Addresses of loopback and of links are left out: a link to
// the latter needs the name of an interface.
func reachable(addresses []string) []string {
	var found []netip.Addr
	for _, text := range addresses {
		ip, err := netip.ParseAddr(text)
		if err == nil && ip.Unmap().IsGlobalUnicast() {
			found = append(found, ip.Unmap())
		}
	}
	rank := func(ip netip.Addr) int {
		switch {
		case ip.Is4() && ip.IsPrivate():
			return 0
		case ip.Is4():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return cmp.Compare(rank(a), rank(b)) })
	hosts := make([]string, len(found))
	for i, ip := range found {
		hosts[i] = ip.String()
	}
	return hosts
}

// Announce says at which URLs rooms are opened, if there are any, and what a server that listens at addr opens to whom.
// With a page it tells links to that, and on a terminal it draws the first.
func Announce(out io.Writer, addr string, urls []string, page, terminal bool) {
	if len(urls) == 0 {
		return
	}
	for i, url := range urls {
		title, link := "rooms", url+"/#rooms"
		if i > 0 {
			title = ""
		}
		if !page {
			link = "curl -X POST " + url + "/rooms"
		}
		fmt.Fprintf(out, "  %-7s  %s\n", title, link)
	}
	fmt.Fprintln(out)
	if onLoopback(addr) {
		return
	}
	if page && terminal {
		fmt.Fprintln(out, drawing(urls[0]+"/#rooms"))
	}
	fmt.Fprintf(out, openedTo, urls[0]+front.AuthorityPath)
}

// openedTo says what a server with rooms opens to a network.
const openedTo = `  Everybody who reaches these addresses, as all in your network may, can
    - load the page, and open rooms: 5 at once, then one every 2 minutes
    - join a room whose link they are given
  and cannot
    - enter a room without a token of it, or read what others send to one
    - use the cluster of this server itself, which answers this machine only
  Browsers warn before they open the page, since this server has signed its certificate
  itself, unless they were told to trust its authority, which can sign for this server
  only: %s

`
