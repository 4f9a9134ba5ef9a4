package develop

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// Listen opens the port, or takes over the one of the process that this one replaces.
func Listen(addr string) (net.Listener, error) {
	if l, err := inherited(); l != nil || err != nil {
		return l, err
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken, perhaps by another devserver: stop that, or choose another port with --addr "+
			"127.0.0.1:0 (make run ADDR=127.0.0.1:0)", addr)
	}
	return l, err
}
