//go:build unix

package develop

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

// inheritedEnv names the file descriptor of a listener that a process leaves to
// the one that replaces it.
const inheritedEnv = "TABERNETES_LISTENER"

// A Restarter replaces this process by a newer build of itself that takes over
// the open port, so that clients are cut off but never refused.
type Restarter struct {
	listener net.Listener
	ask      chan struct{}
	binary   string
}

// NewRestarter returns one for a process that listens there.
func NewRestarter(l net.Listener) *Restarter {
	return &Restarter{listener: l, ask: make(chan struct{})}
}

// request asks for a restart with this binary, once. It reports whether that
// will happen.
func (r *Restarter) request(binary string) bool {
	r.binary = binary
	close(r.ask)
	return true
}

// Asked returns a channel that is closed when a restart was asked for; never for a nil Restarter.
func (r *Restarter) Asked() <-chan struct{} {
	if r == nil {
		return nil
	}
	return r.ask
}

// Exec becomes the new binary. It returns only when it could not.
func (r *Restarter) Exec() error {
	tcp, ok := r.listener.(*net.TCPListener)
	if !ok {
		return errors.New("only a TCP port can be handed on")
	}
	file, err := tcp.File() // a duplicate, which closing the listener leaves open
	if err != nil {
		return err
	}
	fd := file.Fd()
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETFD, 0); errno != 0 {
		return fmt.Errorf("keeping the port open: %w", errno)
	}
	env := append(os.Environ(), inheritedEnv+"="+strconv.Itoa(int(fd)))
	return syscall.Exec(r.binary, append([]string{r.binary}, os.Args[1:]...), env)
}

// inherited returns the listener left by the process before, if any.
func inherited() (net.Listener, error) {
	value := os.Getenv(inheritedEnv)
	if value == "" {
		return nil, nil
	}
	if err := os.Unsetenv(inheritedEnv); err != nil {
		return nil, err
	}
	fd, err := strconv.Atoi(value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", inheritedEnv, err)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	return net.FileListener(file)
}
