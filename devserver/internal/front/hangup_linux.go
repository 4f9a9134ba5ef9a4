package front

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// hangups notices that clients leave connections to which the server mostly writes. A goroutine that reads from each
// would cost 2.5 KB, of which 0.5 stay when it has ended; here the kernel tells for all of them together.
type hangups struct {
	// kernel is a descriptor of epoll, which begin opens, or nil.
	kernel *os.File
	begun  sync.Once
	mu     sync.Mutex
	last   int64
	gone   map[int64]context.CancelFunc
}

// begin opens the descriptor.
func (h *hangups) begin() {
	h.gone = map[int64]context.CancelFunc{}
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	if syscall.SetNonblock(fd, true) != nil { // it would take a thread to wait for it
		_ = syscall.Close(fd) // which nobody has used
		return
	}
	h.kernel = os.NewFile(uintptr(fd), "epoll")
	go h.listen()
}

// close is for when no connection is left.
func (h *hangups) close() {
	h.begun.Do(func() {})
	if h.kernel != nil {
		_ = h.kernel.Close() // of a file that cannot be written
	}
}

// notice calls gone once the client has left, until stop is called.
func (h *hangups) notice(c net.Conn, gone context.CancelFunc) (stop func()) {
	h.begun.Do(h.begin)
	id, err := h.add(c, gone)
	if err != nil {
		return read(c, gone)
	}
	return func() { h.take(id) }
}

// errNoDescriptor says that a connection has no descriptor to tell the kernel.
var errNoDescriptor = errors.New("the connection has no descriptor")

// add tells the kernel of a connection, until that is closed.
func (h *hangups) add(c net.Conn, gone context.CancelFunc) (id int64, err error) {
	system, ok := c.(syscall.Conn)
	if !ok || h.kernel == nil {
		return 0, errNoDescriptor
	}
	raw, err := system.SyscallConn()
	if err != nil {
		return 0, err
	}
	kernel, err := h.kernel.SyscallConn()
	if err != nil {
		return 0, err
	}
	h.mu.Lock()
	h.last++
	id = h.last
	h.gone[id] = gone
	h.mu.Unlock()
	fails := raw.Control(func(fd uintptr) {
		fails := kernel.Control(func(epoll uintptr) {
			// Not of what the client sends: there is nothing that it could ask for on this connection.
			event := syscall.EpollEvent{Events: syscall.EPOLLRDHUP | syscall.EPOLLONESHOT, Fd: int32(id), Pad: int32(id >> 32)}
			err = syscall.EpollCtl(int(epoll), syscall.EPOLL_CTL_ADD, int(fd), &event)
		})
		err = errors.Join(err, fails)
	})
	if err = errors.Join(err, fails); err != nil {
		h.take(id)
	}
	return id, err
}

// take forgets a connection, and returns what to call if its client leaves; nil if that is known.
func (h *hangups) take(id int64) context.CancelFunc {
	h.mu.Lock()
	defer h.mu.Unlock()
	gone := h.gone[id]
	if delete(h.gone, id); len(h.gone) == 0 {
		h.gone = map[int64]context.CancelFunc{} // a map keeps its size
	}
	return gone
}

// listen passes on what the kernel tells.
func (h *hangups) listen() {
	kernel, err := h.kernel.SyscallConn()
	if err != nil {
		return // only a closed file has none
	}
	events := make([]syscall.EpollEvent, 64)
	for {
		n := 0
		if err := kernel.Read(func(epoll uintptr) bool {
			n, err = syscall.EpollWait(int(epoll), events, 0)
			return n > 0 || err != nil && err != syscall.EINTR
		}); err != nil {
			return
		}
		for _, e := range events[:max(0, n)] {
			if gone := h.take(int64(uint32(e.Fd)) | int64(e.Pad)<<32); gone != nil {
				gone()
			}
		}
	}
}
