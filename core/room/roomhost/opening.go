package roomhost

import (
	"net/http"
	"net/netip"

	"github.com/tabernetes/tabernetes/core/room/roomhost/network"
	"github.com/tabernetes/tabernetes/core/status"
)

// Opens are the rooms that one client may open at once. Where the engine of an account counts, the time for them is
// OpensSeconds; such an engine knows 10 and 60 seconds only, and counts for each of its locations.
const (
	Opens        = 5
	OpensSeconds = 60
)

// NetworkOf returns the network of a client, by which rooms that are opened are counted: see network.Of.
func NetworkOf(address string) netip.Prefix { return network.Of(address) }

// TooManyOpened returns the error for a client that may open no room for some seconds.
func TooManyOpened(seconds int) error {
	return status.New(http.StatusTooManyRequests, status.TooManyRequests,
		"too many rooms were opened lately: try again later", &status.Details{RetryAfterSeconds: seconds})
}
