package main

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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
)

// websockets lets clients watch over a WebSocket (RFC 6455), as browsers like to: each event is a text message.
// Requests that are no streams, or that fail, are answered as before. Which pages may do that is decided by origins.
func websockets(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asksForSocket(r) || !wellknown.IsAPI(r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		s := &socket{ResponseWriter: w, key: r.Header.Get("Sec-Websocket-Key"), gone: cancel}
		plain := r.Clone(ctx)
		s.protocol = takeToken(plain.Header)
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

// bearerProtocol is how browsers, which cannot set a header, send a token: as a protocol besides the one that they
// want.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// takeToken moves a token from the protocols of a request to its Authorization header, and returns the first of the
// others.
func takeToken(h http.Header) (protocol string) {
	for _, line := range h.Values("Sec-Websocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			word = strings.TrimSpace(word)
			encoded, ok := strings.CutPrefix(word, bearerProtocol)
			if !ok {
				if protocol == "" {
					protocol = word
				}
				continue
			}
			if token, err := base64.RawURLEncoding.DecodeString(encoded); err == nil {
				h.Set("Authorization", "Bearer "+string(token))
			}
		}
	}
	h.Del("Sec-Websocket-Protocol")
	return protocol
}

// A socket answers a request: by a WebSocket if the answer is a stream of JSON, otherwise as it is.
type socket struct {
	http.ResponseWriter
	key, protocol string
	// gone is called when the client has left.
	gone func()

	begun bool
	line  []byte // the beginning of an event

	mu   sync.Mutex // for what is written: the reader answers pings
	conn net.Conn   // nil: it is no WebSocket
	out  *bufio.Writer
}

// The kinds of frames.
const (
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
	go s.listen(buffered.Reader)
	return s.out.Flush()
}

// Write sends each line as a message.
func (s *socket) Write(b []byte) (int, error) {
	if !s.begun {
		s.WriteHeader(http.StatusOK)
	}
	if s.conn == nil {
		return s.ResponseWriter.Write(b)
	}
	for line := range bytes.Lines(b) {
		s.line = append(s.line, line...)
		if line[len(line)-1] != '\n' {
			break
		}
		if err := s.send(frameText, s.line); err != nil {
			return 0, err
		}
		s.line = s.line[:0]
	}
	return len(b), nil
}

// send writes a frame, which may stay in the buffer.
func (s *socket) send(kind byte, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := []byte{frameFinal | kind}
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

// listen reads what the client sends until it leaves: it answers pings and ignores messages.
func (s *socket) listen(r *bufio.Reader) {
	defer s.gone()
	for {
		kind, payload, err := readFrame(r)
		if err != nil || kind == frameClose {
			return
		}
		if kind == framePing && (s.send(framePong, payload) != nil || s.FlushError() != nil) {
			return
		}
	}
}

// readFrame reads a client's frame. It keeps the payload of control frames only.
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
	if kind < frameClose || length > maxControl {
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
