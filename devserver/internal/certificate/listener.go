package certificate

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// firstByteTimeout is how long a connection may say nothing before it is closed.
const firstByteTimeout = 10 * time.Second

// SpeakBoth makes a listener's connections speak HTTPS (HTTP/2 too), with this
// certificate, to clients that begin with it, and HTTP to others: kubectl keeps its
// credentials to itself on a connection that is not encrypted.
func SpeakBoth(l net.Listener, certificate tls.Certificate) net.Listener {
	b := &bothListener{
		Listener: l,
		config: &tls.Config{
			Certificates: []tls.Certificate{certificate},
			NextProtos:   []string{"h2", "http/1.1"},
		},
		accepted: make(chan net.Conn),
		failed:   make(chan error),
		closed:   make(chan struct{}),
	}
	go b.listen()
	return b
}

type bothListener struct {
	net.Listener
	config   *tls.Config
	accepted chan net.Conn // connections of which it is known what they speak
	failed   chan error    // what taking one failed with
	once     sync.Once
	closed   chan struct{}
}

// listen accepts connections until the listener is closed, and detects what each of them speaks. The server decides
// after which errors it continues: it asks again.
func (l *bothListener) listen() {
	for {
		c, err := l.Listener.Accept()
		if err == nil {
			go l.detect(c)
			continue
		}
		select {
		case l.failed <- err:
		case <-l.closed:
			return
		}
	}
}

// handshake is the first byte of a TLS connection.
const handshake = 0x16

// detect waits for the first byte, which tells which protocol is spoken.
func (l *bothListener) detect(c net.Conn) {
	first := make([]byte, 1)
	err := c.SetReadDeadline(time.Now().Add(firstByteTimeout))
	if err == nil {
		_, err = c.Read(first)
	}
	if err == nil {
		err = c.SetReadDeadline(time.Time{})
	}
	if err != nil {
		_ = c.Close() // nothing was said
		return
	}
	var spoken net.Conn = &unread{c, first}
	if first[0] == handshake {
		spoken = tls.Server(spoken, l.config)
	}
	select {
	case l.accepted <- spoken:
	case <-l.closed:
		_ = c.Close() // the server has stopped
	}
}

// Accept returns the next connection: a *tls.Conn if it speaks TLS, which the
// server then asks for the version of HTTP.
func (l *bothListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case err := <-l.failed:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *bothListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

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

// NetConn returns the connection itself, once its first bytes were read.
func (u *unread) NetConn() net.Conn { return u.Conn }
