//go:build !unix

package main

import (
	"fmt"
	"net"
)

// A restarter cannot replace a process here: it says that a person has to.
type restarter struct{}

func newRestarter(net.Listener) *restarter { return &restarter{} }

func (*restarter) request(string) bool {
	fmt.Println("stop the server and start it again to run it")
	return false
}
func (*restarter) asked() <-chan struct{} { return nil }
func (*restarter) exec() error            { return nil }

func inherited() (net.Listener, error) { return nil, nil }
