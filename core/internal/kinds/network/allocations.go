package network

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/object"
)

// Allocations are the addresses and node ports of one cluster's Services. They are not stored: at a
// start every stored Service is loaded. They are safe for concurrent use.
//
// An allocated value costs a map entry; finding a free one starts at a random value and looks at
// one more for each used one in its way.
type Allocations struct {
	ClusterIPs, NodePorts strategy.Allocator
}

// ServiceRange is the default range of the addresses of Services.
const ServiceRange = "10.96.0.0/12"

// The range of node ports.
const firstNodePort, portCount = 30000, 2768

// NewAllocationsIn returns pools in which everything is free, with the addresses of a range of IPv4, at most a /8, with
// four addresses or more. The randomness decides which values are allocated first.
func NewAllocationsIn(prefix netip.Prefix, random io.Reader) *Allocations {
	first := binary.BigEndian.Uint32(prefix.Addr().AsSlice())
	size := uint32(1) << (32 - prefix.Bits())
	return &Allocations{
		ClusterIPs: &pool{
			random: random, used: map[uint32]bool{}, size: size - 2, what: "IP",
			write: func(n uint32) string {
				var b [4]byte
				binary.BigEndian.PutUint32(b[:], first+1+n)
				return netip.AddrFrom4(b).String()
			},
			dryRun: func(p *pool) strategy.Allocator { return dryAddresses{p, prefix} },
			read: func(s string) (uint32, error) {
				a, err := netip.ParseAddr(s)
				if err != nil || !a.Is4() || !prefix.Contains(a) || a == prefix.Addr() || !prefix.Contains(a.Next()) {
					return 0, errors.New("the provided network does not match the current range")
				}
				return binary.BigEndian.Uint32(a.AsSlice()) - first - 1, nil
			},
		},
		NodePorts: &pool{
			random: random, used: map[uint32]bool{}, size: portCount, what: "port",
			write:  func(n uint32) string { return strconv.FormatUint(uint64(firstNodePort+n), 10) },
			dryRun: func(p *pool) strategy.Allocator { return &dryPorts{pool: p} },
			read: func(s string) (uint32, error) {
				n, err := strconv.ParseUint(s, 10, 32)
				if err != nil || n < firstNodePort || n >= firstNodePort+portCount {
					const outside = "provided port is not in the valid range. The range of valid ports is %d-%d"
					return 0, fmt.Errorf(outside, firstNodePort, firstNodePort+portCount-1)
				}
				return uint32(n - firstNodePort), nil
			},
		},
	}
}

// Load marks the addresses and ports of a stored Service as used. If two share something, both keep
// it.
func (a *Allocations) Load(service map[string]any) {
	spec := object.GetMap(service, "spec")
	for _, ip := range addresses(spec) {
		_ = a.ClusterIPs.Take(ip)
	}
	for _, port := range nodePorts(spec) {
		_ = a.NodePorts.Take(port)
	}
}

// A pool is an Allocator of size values that are written as texts.
type pool struct {
	mu     sync.Mutex
	random io.Reader
	used   map[uint32]bool
	shared bool // other pools have the same map
	size   uint32
	what   string
	write  func(uint32) string
	read   func(string) (uint32, error)

	dryRun func(*pool) strategy.Allocator
}

func (p *pool) Take(value string) error {
	n, err := p.read(value)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used[n] {
		return fmt.Errorf("provided %s is already allocated", p.what)
	}
	p.own()
	p.used[n] = true
	return nil
}

func (p *pool) Next() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if uint32(len(p.used)) >= p.size {
		return "", errors.New("range is full")
	}
	var b [4]byte
	if _, err := io.ReadFull(p.random, b[:]); err != nil {
		return "", err
	}
	n := binary.BigEndian.Uint32(b[:]) % p.size
	for p.used[n] {
		n = (n + 1) % p.size
	}
	p.own()
	p.used[n] = true
	return p.write(n), nil
}

func (p *pool) Free(value string) {
	if n, err := p.read(value); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.own()
		delete(p.used, n)
	}
}

func (p *pool) DryRun() strategy.Allocator { return p.dryRun(p) }

// dryAddresses allocate addresses for a dry run, without looking for a free one: the answer shows
// the first one of the range instead.
type dryAddresses struct {
	*pool
	prefix netip.Prefix
}

func (d dryAddresses) Take(value string) error {
	if _, err := d.read(value); err != nil {
		return fmt.Errorf("the provided IP (%s) is not in the valid range. The range of valid IPs is %s", value, d.prefix)
	}
	return nil
}

func (d dryAddresses) Next() (string, error) { return d.prefix.Addr().String(), nil }

func (d dryAddresses) Free(string) {}

// dryPorts allocate ports for a dry run: ports outside the range stand for those that it would get,
// starting after the last one that it requests itself.
type dryPorts struct {
	*pool
	last uint64
}

func (d *dryPorts) Take(value string) error {
	if n, err := d.read(value); err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.used[n] {
			return errors.New("provided port is already allocated")
		}
	}
	if n, err := strconv.ParseUint(value, 10, 32); err == nil {
		d.last = max(d.last, n)
	}
	return nil
}

func (d *dryPorts) Next() (string, error) {
	if d.last == 0 {
		d.last = firstNodePort + portCount
	}
	d.last++
	return strconv.FormatUint(d.last, 10), nil
}

func (d *dryPorts) Free(string) {}
