package websocket

import (
	"bufio"
	"net"
	"net/http"
	"sync"
)

// A gatherer is a connection whose writes may be gathered: the library sends each message as soon as it is whole, but
// what is written at once may have many of them, and each costs a call of the system.
type gatherer struct {
	net.Conn
	mu        sync.Mutex
	out       *bufio.Writer // to the connection
	gathering bool
}

// headSize is how many bytes the library gathers itself: as long as frames without data may be.
const headSize = 128

// Write sends b, or lets it wait for end.
func (g *gatherer) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, err := g.out.Write(b)
	if err == nil && !g.gathering {
		err = g.out.Flush()
	}
	return n, err
}

// begin begins to gather what is written.
func (g *gatherer) begin() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gathering = true
}

// end sends what was gathered.
func (g *gatherer) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gathering = false
	return g.out.Flush()
}

// A taker hands the connection of an answer over as a gatherer.
type taker struct {
	http.ResponseWriter
	taken *gatherer // once it is
}

// Hijack is for the library.
func (t *taker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	t.taken = &gatherer{Conn: conn, out: buffered.Writer}
	return t.taken, bufio.NewReadWriter(buffered.Reader, bufio.NewWriterSize(t.taken, headSize)), nil
}
