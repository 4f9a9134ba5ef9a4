package roomhost

import (
	"net/http"
	"net/netip"

	"github.com/tabernetes/tabernetes/core/status"
)

// Opens are the rooms that one client may open at once. Where the engine of an account counts, the time for them is
// OpensSeconds; such an engine knows 10 and 60 seconds only, and counts for each of its locations.
const (
	Opens        = 5
	OpensSeconds = 60
)

// NetworkOf returns the network of a client, by which rooms that are opened are counted: its IP address, or the 64 bits
// that every client of IPv6 has to itself. All clients whose address is unknown have the zero Prefix.
func NetworkOf(address string) netip.Prefix {
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

// TooManyOpened returns the error for a client that may open no room for some seconds.
func TooManyOpened(seconds int) error {
	return status.New(http.StatusTooManyRequests, status.TooManyRequests,
		"too many rooms were opened lately: try again later", &status.Details{RetryAfterSeconds: seconds})
}
