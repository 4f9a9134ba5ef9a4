// Package websocket lets clients watch over a WebSocket (RFC 6455), as browsers like to: each line of a stream is a
// text message. The protocol itself is github.com/coder/websocket's.
//
// Invariants: requests that are no streams, or that fail, are answered as before. Which pages may open a WebSocket is
// decided before: see roomhost.Origins. What a client sends is not kept, however long it is. A client that does not
// answer pings has gone, and its request ends. A client that does not read is waited for: nothing is kept for it, and
// a limit on the time of writing ends it. But it has 5 s to take a ping, a pong or the end.
//
// A WebSocket costs two goroutines besides that of its request, and two buffers of 4 KB.
package websocket

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// pingInterval is the time between two pings, and patience how long a client may give no sign of life: it may leave two
// without an answer.
const (
	pingInterval = 30 * time.Second
	patience     = 5 * pingInterval / 2
)

// Handler lets clients watch over a WebSocket below the paths of the API, and of that of rooms.
func Handler(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asksForSocket(r) || !isAPI(r.URL) {
			api.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		plain := r.Clone(ctx)
		protocol := roomhost.TakeToken(plain.Header)
		if connects(r.URL.Path) {
			api.ServeHTTP(w, plain)
			return
		}
		for _, name := range []string{"Connection", "Upgrade"} {
			plain.Header.Del(name)
		}
		s := &socket{
			ResponseWriter: w, request: r, protocol: protocol, gone: cancel, left: ctx.Done(),
			turn: make(chan struct{}, 1),
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

// asksForSocket reports whether a request is to become a WebSocket, and may: the library refuses all others.
func asksForSocket(r *http.Request) bool {
	keys := r.Header.Values("Sec-Websocket-Key")
	if r.Method != http.MethodGet || r.ProtoMajor != 1 || r.ProtoMinor != 1 || len(keys) != 1 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(keys[0]))
	return err == nil && len(key) == 16 && r.Header.Get("Sec-Websocket-Version") == "13" &&
		strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && hasWord(r.Header.Values("Connection"), "upgrade")
}

// hasWord reports whether one of the values of a header, which are lists of words, has a word.
func hasWord(values []string, word string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(one), word) {
				return true
			}
		}
	}
	return false
}

// connects reports whether a path is of a subresource that connects to something else, whose WebSockets the API itself
// answers.
func connects(path string) bool {
	return slices.ContainsFunc([]string{"/exec", "/attach", "/portforward", "/proxy"}, func(s string) bool {
		return strings.HasSuffix(path, s) || s == "/proxy" && strings.Contains(path, s+"/")
	})
}
