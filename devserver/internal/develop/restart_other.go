//go:build !unix

package develop

import (
	"fmt"
	"net"
)

// A Restarter cannot replace a process here: it says that a person has to.
type Restarter struct{}

// NewRestarter returns one for a process that listens there.
func NewRestarter(net.Listener) *Restarter { return &Restarter{} }

func (*Restarter) request(string) bool {
	fmt.Println("stop the server and start it again to run it")
	return false
}

// Asked returns nil: no restart is ever asked for.
func (*Restarter) Asked() <-chan struct{} { return nil }

// Exec is never called.
func (*Restarter) Exec() error { return nil }

func inherited() (net.Listener, error) { return nil, nil }
