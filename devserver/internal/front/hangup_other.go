//go:build !linux

package front

import (
	"context"
	"net"
)

// hangups notices that clients leave connections to which the server mostly writes.
type hangups struct{}

// notice calls gone once the client has left.
func (*hangups) notice(c net.Conn, gone context.CancelFunc) (stop func()) { return read(c, gone) }

func (*hangups) close() {}
