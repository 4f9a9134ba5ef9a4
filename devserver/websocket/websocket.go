// Package websocket lets clients watch over a WebSocket (RFC 6455), as browsers like to: each line of a stream is a
// text message.
//
// Invariants: requests that are no streams, or that fail, are answered as before. Which pages may open a WebSocket is
// decided before: see roomhost.Origins. A client that does not answer pings has gone, and its request ends; one that
// does not read keeps what is being written to it from growing, since nothing is kept for it.
//
// A WebSocket costs two goroutines besides that of its request, and two buffers of 4 KB.
package websocket

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/roomhost"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Handler lets clients watch over a WebSocket (RFC 6455), as browsers like to: each event is a text message.
// Requests that are no streams, or that fail, are answered as before. Which pages may do that is decided by origins.
// A client that does not answer pings has gone.
func Handler(api http.Handler) http.Handler { return pinged(api, pingInterval) }

// pingInterval is the time between two pings. A client may leave two without an answer.
const pingInterval = 30 * time.Second

// pinged is Handler with another interval of pings.
func pinged(api http.Handler, interval time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asksForSocket(r) || !isAPI(r.URL) {
			api.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		s := &socket{
			ResponseWriter: w, key: r.Header.Get("Sec-Websocket-Key"), gone: cancel, left: ctx.Done(), interval: interval,
		}
		plain := r.Clone(ctx)
		s.protocol = roomhost.TakeToken(plain.Header)
		if connects(r.URL.Path) {
			api.ServeHTTP(w, plain)
			return
		}
		for _, name := range []string{"Connection", "Upgrade"} {
			plain.Header.Del(name)
		}
		defer s.close()
		api.ServeHTTP(s, plain)
	})
}

// isAPI reports whether a URL is of the API, or of that of a room.
func isAPI(u *url.URL) bool {
	if roomhost.IsRooms(u.Path) {
		_, inner, ok := roomhost.Split(u)
		return ok && wellknown.IsAPI(inner.Path)
	}
	return wellknown.IsAPI(u.Path)
}

// asksForSocket reports whether a request is to become a WebSocket.
func asksForSocket(r *http.Request) bool {
	return r.Method == http.MethodGet && r.ProtoMajor == 1 && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") &&
		strings.Contains(strings.ToLower(r.Header.Get("Connection")), "upgrade") &&
		r.Header.Get("Sec-Websocket-Version") == "13" && r.Header.Get("Sec-Websocket-Key") != ""
}

// connects reports whether a path is of a subresource that connects to something else, whose WebSockets the API itself
// answers.
func connects(path string) bool {
	return slices.ContainsFunc([]string{"/exec", "/attach", "/portforward", "/proxy"}, func(s string) bool {
		return strings.HasSuffix(path, s) || s == "/proxy" && strings.Contains(path, s+"/")
	})
}

// A socket answers a request: by a WebSocket if the answer is a stream of JSON, otherwise as it is.
type socket struct {
	http.ResponseWriter
	key, protocol string
	// gone is called when the client has left, which closes left.
	gone     func()
	left     <-chan struct{}
	interval time.Duration // of pings

	begun bool

	mu   sync.Mutex // for what is written: the reader answers pings
	conn net.Conn   // nil: it is no WebSocket
	out  *bufio.Writer
	// within is true between the frames of a message, and owed if a textPong is to follow it.
	within, owed bool
}

// The kinds of frames.
const (
	frameMore  = 0x0 // of the same message as the frame before
	frameText  = 0x1
	frameClose = 0x8
	framePing  = 0x9
	framePong  = 0xA
	frameFinal = 0x80 // the flag of a frame that is a whole message
)

func (s *socket) WriteHeader(code int) {
	if s.begun {
		return
	}
	s.begun = true
	h := s.Header()
	if code != http.StatusOK || h.Get("Content-Length") != "" || h.Get("Content-Type") != "application/json" {
		s.ResponseWriter.WriteHeader(code)
		return
	}
	if err := s.open(); err != nil {
		s.gone()
		panic(http.ErrAbortHandler)
	}
}

// open takes the connection over and begins the WebSocket.
func (s *socket) open() error {
	conn, buffered, err := http.NewResponseController(s.ResponseWriter).Hijack()
	if err != nil {
		return err
	}
	if err := conn.SetDeadline(time.Time{}); err != nil {
		return errors.Join(err, conn.Close())
	}
	s.conn, s.out = conn, buffered.Writer
	sum := sha1.Sum([]byte(s.key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	fmt.Fprintf(s.out, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: "+
		"Upgrade\r\nSec-WebSocket-Accept: %s\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
	if s.protocol != "" {
		fmt.Fprintf(s.out, "Sec-WebSocket-Protocol: %s\r\n", s.protocol)
	}
	_, _ = s.out.WriteString("\r\n") // what fails is known when it is flushed
	if err := s.FlushError(); err != nil {
		return errors.Join(err, conn.Close())
	}
	go s.listen(buffered.Reader)
	go s.ping()
	return nil
}

// Write sends each line as a message, of several frames if the line is written in parts.
func (s *socket) Write(b []byte) (int, error) {
	if !s.begun {
		s.WriteHeader(http.StatusOK)
	}
	if s.conn == nil {
		return s.ResponseWriter.Write(b)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range bytes.Lines(b) {
		kind := byte(frameText)
		if s.within {
			kind = frameMore
		}
		if s.within = line[len(line)-1] != '\n'; !s.within {
			kind |= frameFinal
		}
		err := s.frame(kind, line)
		if err == nil && s.owed && !s.within {
			s.owed = false
			err = s.frame(frameFinal|frameText, []byte(textPong))
		}
		if err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// send writes a message of one frame. It may stay in the buffer.
func (s *socket) send(kind byte, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frame(frameFinal|kind, payload)
}

// pong answers a textPing, after the message that is being written.
func (s *socket) pong() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.within {
		s.owed = true
		return nil
	}
	err := s.frame(frameFinal|frameText, []byte(textPong))
	if err == nil {
		err = s.out.Flush()
	}
	return err
}

// frame writes a frame, of a kind that has frameFinal if the frame ends its message. Callers hold the lock.
func (s *socket) frame(kind byte, payload []byte) error {
	head := []byte{kind}
	switch n := len(payload); {
	case n < 126:
		head = append(head, byte(n))
	case n < 1<<16:
		head = binary.BigEndian.AppendUint16(append(head, 126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 127), uint64(n))
	}
	_, err := s.out.Write(head)
	if err == nil {
		_, err = s.out.Write(payload)
	}
	return err
}

// FlushError sends what was written.
func (s *socket) FlushError() error {
	if s.conn == nil {
		return http.NewResponseController(s.ResponseWriter).Flush()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Flush()
}

// Flush is for handlers that ask for it by interface.
func (s *socket) Flush() { _ = s.FlushError() } // whose failure the next write has too

// maxControl is the longest payload of a control frame.
const maxControl = 125

// The messages by which a page, which cannot send pings, looks whether the connection is there.
const (
	textPing = "ping"
	textPong = "pong"
)

// listen reads what the client sends until it leaves: it answers pings, and ignores other messages.
func (s *socket) listen(r *bufio.Reader) {
	defer s.gone()
	for {
		if s.conn.SetReadDeadline(time.Now().Add(5*s.interval/2)) != nil {
			return
		}
		kind, payload, err := readFrame(r)
		switch {
		case err != nil: // it has gone, or is silent: what is being written to it fails
			_ = s.conn.Close()
			return
		case kind == frameClose: // it is told the same, unless it reads nothing
			_ = s.conn.SetWriteDeadline(time.Now().Add(s.interval))
			return
		case kind == frameText && string(payload) == textPing && s.pong() != nil:
			return
		case kind == framePing && (s.send(framePong, payload) != nil || s.FlushError() != nil):
			return
		}
	}
}

// ping asks the client for a sign of life until it has left.
func (s *socket) ping() {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.left:
			return
		}
		if s.send(framePing, nil) != nil || s.FlushError() != nil {
			return
		}
	}
}

// readFrame reads a client's frame. It keeps short payloads only, such as those of control frames.
func readFrame(r *bufio.Reader) (kind byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	kind = head[0] & 0xF
	length := uint64(head[1] & 0x7F)
	if wide := map[uint64]int{126: 2, 127: 8}[length]; wide > 0 {
		var b [8]byte
		if _, err := io.ReadFull(r, b[8-wide:]); err != nil {
			return 0, nil, err
		}
		length = binary.BigEndian.Uint64(b[:])
	}
	if head[1]&0x80 == 0 || length>>63 != 0 {
		return 0, nil, errors.New("a frame that no client sends")
	}
	var mask [4]byte
	if _, err := io.ReadFull(r, mask[:]); err != nil {
		return 0, nil, err
	}
	if length > maxControl {
		_, err := io.CopyN(io.Discard, r, int64(length))
		return kind, nil, err
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, err
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return kind, payload, nil
}

// normalClosure is the reason of a watch that has ended.
var normalClosure = binary.BigEndian.AppendUint16(nil, 1000)

// close ends the WebSocket, if it became one.
func (s *socket) close() {
	if s.conn == nil {
		return
	}
	if s.send(frameClose, normalClosure) == nil {
		_ = s.FlushError() // a client that left is no concern of ours
	}
	_ = s.conn.Close()
}
