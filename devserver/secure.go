package main

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
)

// speakBoth makes a listener's connections speak HTTPS, with this certificate, to
// clients that begin with it, and HTTP to others: kubectl keeps its credentials to
// itself on a connection that is not encrypted.
func speakBoth(l net.Listener, certificate tls.Certificate) net.Listener {
	return bothListener{l, &tls.Config{
		Certificates: []tls.Certificate{certificate},
		NextProtos:   []string{"http/1.1"},
	}}
}

type bothListener struct {
	net.Listener
	config *tls.Config
}

func (l bothListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &bothConn{Conn: c, config: l.config}, nil
}

// handshake is the first byte of a TLS connection.
const handshake = 0x16

// bothConn finds out at its first byte what is spoken.
type bothConn struct {
	net.Conn
	config *tls.Config
	once   sync.Once
	spoken atomic.Pointer[net.Conn] // what is read and written after the first byte
	err    error
}

func (c *bothConn) Read(b []byte) (int, error) {
	c.once.Do(func() {
		first := make([]byte, 1)
		if _, c.err = c.Conn.Read(first); c.err != nil {
			return
		}
		spoken := net.Conn(&unread{c.Conn, first})
		if first[0] == handshake {
			spoken = tls.Server(spoken, c.config)
		}
		c.spoken.Store(&spoken)
	})
	if c.err != nil {
		return 0, c.err
	}
	return c.known().Read(b)
}

// known is the connection as it is spoken on, and the bare one until that is
// known.
func (c *bothConn) known() net.Conn {
	if spoken := c.spoken.Load(); spoken != nil {
		return *spoken
	}
	return c.Conn
}

func (c *bothConn) Write(b []byte) (int, error) { return c.known().Write(b) }

// Close says goodbye in the language that was spoken.
func (c *bothConn) Close() error { return c.known().Close() }

// unread is a connection whose first bytes were read already.
type unread struct {
	net.Conn
	first []byte
}

func (u *unread) Read(b []byte) (int, error) {
	if len(u.first) > 0 {
		n := copy(b, u.first)
		u.first = u.first[n:]
		return n, nil
	}
	return u.Conn.Read(b)
}
