// Package roomhost has what all hosts of rooms share, be they native or at the edge: the paths of rooms, their ids and
// tokens, which pages may use them, and how requests are refused that reach no room.
//
//	POST /rooms            opens a room, and returns its id and the token of its teacher
//	/rooms/ID/api/v1/...   is the API of that room
//
// With the host's key, POST /rooms {"id": "ID"} returns a new token of a teacher of a room that there is.
//
// Invariants: an id is ten lower-case hexadecimal digits, so it may name a directory. A token has 128 random bits. The
// package knows no rooms and keeps nothing.
package roomhost

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Path is the prefix of the paths of rooms. Without the slash at its end it is where a room is opened.
const Path = "/rooms/"

const (
	idBytes    = 5  // ten digits
	tokenBytes = 16 // 128 bits
)

var (
	// ErrNone refuses a request for a room that there is not.
	ErrNone = status.New(http.StatusNotFound, status.NotFound, "there is no such room", nil)
	// ErrUnauthorized refuses a request without a token, as a room does.
	ErrUnauthorized = status.New(http.StatusUnauthorized, "Unauthorized", "Unauthorized", nil)
)

// IsRooms reports whether a path is that of a room, or the one where rooms are opened.
func IsRooms(path string) bool { return strings.HasPrefix(path+"/", Path) }

// Split returns the id of the room that a URL is for, and the path within that room. The id is empty where rooms are
// opened; ok is false if it cannot be an id.
func Split(u *url.URL) (id string, inner *url.URL, ok bool) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(u.Path+"/", Path), "/")
	if id != "" && !ValidID(id) {
		return id, nil, false
	}
	inner = &url.URL{Path: "/" + strings.TrimSuffix(rest, "/"), RawQuery: u.RawQuery}
	if u.RawPath != "" {
		_, raw, _ := strings.Cut(strings.TrimPrefix(u.RawPath, Path), "/")
		inner.RawPath = "/" + raw
	}
	return id, inner, true
}

// Route hands a request below Path to serve, with the id of its room and the path within, or to open where rooms are
// opened. It refuses what is neither.
func Route(w http.ResponseWriter, r *http.Request, open http.HandlerFunc,
	serve func(w http.ResponseWriter, r *http.Request, id string, inner *url.URL)) {
	id, inner, ok := Split(r.URL)
	switch {
	case !ok:
		Refuse(w, ErrNone)
	case id != "":
		serve(w, r, id, inner)
	case r.Method == http.MethodPost:
		open(w, r)
	default:
		w.Header().Set("Allow", http.MethodPost)
		Refuse(w, status.NewMethodNotAllowed())
	}
}

// Names draws the id and the teacher's token of a new room.
func Names(random io.Reader) (id, token string, err error) {
	var b [idBytes + tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", "", err
	}
	return hex.EncodeToString(b[:idBytes]), base64.RawURLEncoding.EncodeToString(b[idBytes:]), nil
}

// ValidID reports whether a text may be the id of a room.
func ValidID(id string) bool {
	return len(id) == 2*idBytes && strings.Trim(id, "0123456789abcdef") == ""
}

// HasToken reports whether a request has a bearer token, valid or not. A room refuses all others.
func HasToken(h http.Header) bool {
	words := strings.SplitN(strings.TrimSpace(h.Get("Authorization")), " ", 3)
	return len(words) >= 2 && strings.EqualFold(words[0], "bearer") && words[1] != ""
}

// TakeToken moves a token from the protocols that a WebSocket's client offers to the Authorization header, and returns
// the first of the others.
func TakeToken(h http.Header) (protocol string) {
	for _, line := range h.Values("Sec-Websocket-Protocol") {
		for word := range strings.SplitSeq(line, ",") {
			word = strings.TrimSpace(word)
			encoded, ok := strings.CutPrefix(word, wellknown.BearerProtocol)
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

// Created answers the request that opened a room.
func Created(w http.ResponseWriter, id, token string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id, "path": Path + id + "/", "token": token})
}

// Refuse answers with an error as the API does.
func Refuse(w http.ResponseWriter, err error) {
	var e *status.Error
	if !errors.As(err, &e) {
		e = status.NewInternal(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", wellknown.NoCache)
	if seconds := e.RetryAfter(); seconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.WriteHeader(e.Status.Code)
	_, _ = w.Write(e.Status.JSON()) // a client that left is no concern of ours
}
