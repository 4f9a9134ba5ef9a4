package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// checkRooms checks the flags of rooms.
func (o *options) checkRooms() error {
	if o.rooms && !o.usesTLS() && !onLoopback(o.addr) {
		return errors.New("--rooms with another --addr than one of loopback needs --tls: without it everybody in the " +
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

// roomURLs returns the URLs at which others open rooms, those that most will reach first. opened is the
// port's address, and addresses are those of this machine.
func (o *options) roomURLs(opened net.Addr, addresses []string) []string {
	host := pageHost(o.addr, opened)
	scheme := "http://"
	if o.usesTLS() {
		scheme = "https://"
	}
	asked, port, err := net.SplitHostPort(host)
	if err != nil {
		return []string{scheme + host}
	}
	hosts := slices.Clone(o.allowed)
	if given, _, _ := net.SplitHostPort(o.addr); given != asked { // it listens on all addresses
		hosts = append(hosts, reachable(addresses)...)
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

// announceRooms says where rooms are opened, and what the server opens to whom. On a terminal it draws the
// first link.
func (o *options) announceRooms(out io.Writer, page, terminal bool) {
	if len(o.roomsAt) == 0 {
		return
	}
	for i, url := range o.roomsAt {
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
	if onLoopback(o.addr) {
		return
	}
	if page && terminal {
		fmt.Fprintln(out, drawing(o.roomsAt[0]+"/#rooms"))
	}
	fmt.Fprintf(out, openedTo, o.roomsAt[0]+authorityPath)
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

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
