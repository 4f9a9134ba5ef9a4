package bench

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// The kinds of WebSocket frames that a server sends.
const (
	frameClose = 0x8
	framePing  = 0x9
)

// readSocket reads the messages of a WebSocket until ctx ends or the server closes it.
func readSocket(ctx context.Context, address, token string, message func([]byte)) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	if at.Scheme != "http" {
		return errors.New("WebSockets are measured over http only")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	// The key is that of RFC 6455; the token is sent as browsers have to.
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"+
		"Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.%s, base64.binary.k8s.io\r\n\r\n",
		at.RequestURI(), at.Host, base64.RawURLEncoding.EncodeToString([]byte(token)))
	r := bufio.NewReaderSize(conn, 64<<10)
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	var payload []byte
	for {
		kind, n, err := readHead(r)
		if err != nil {
			return err
		}
		payload = append(payload[:0], make([]byte, n)...)
		if _, err := io.ReadFull(r, payload); err != nil {
			return err
		}
		switch kind {
		case frameClose:
			return io.EOF
		case framePing: // the answer's mask is zeros
			pong := append([]byte{0x8A, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
			if _, err := conn.Write(pong); err != nil {
				return err
			}
		default:
			message(payload)
		}
	}
}

// readHead reads the head of a server's frame: its kind, and the length of its payload.
func readHead(r *bufio.Reader) (kind byte, n uint64, err error) {
	var b [10]byte
	if _, err := io.ReadFull(r, b[:2]); err != nil {
		return 0, 0, err
	}
	kind, n = b[0]&0xF, uint64(b[1]&0x7F)
	switch n {
	case 126:
		_, err = io.ReadFull(r, b[:2])
		n = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		_, err = io.ReadFull(r, b[:8])
		n = binary.BigEndian.Uint64(b[:])
	}
	if n > 64<<20 {
		return 0, 0, errors.New("a message of more than 64 MB")
	}
	return kind, n, err
}
