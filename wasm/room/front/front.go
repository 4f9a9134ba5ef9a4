// Package main is the front of rooms at the edge: it opens rooms and hands requests to them, and those for the site to
// its files. main.js, one directory up, runs it.
//
// Invariants: the front keeps nothing between requests. It asks the object of a room by three hosts, which no request
// of a client has an influence on: Create opens a new room, Teacher returns a token to somebody with the host's key,
// Room is what a client asks. A request without a token wakes no object. Tokens are neither logged nor put into URLs.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The hosts of requests to a room's object.
const (
	createHost  = "create.invalid"
	teacherHost = "teacher.invalid"
	roomHost    = "room.invalid"
)

// hostHeader has the host that the client asked.
const hostHeader = wellknown.HeaderPrefix + "Host"

// A front answers requests.
type front struct {
	// ask asks the object of a room.
	ask func(id string, r *http.Request) (*http.Response, error)
	// hosts are those that requests are answered for; nil: any.
	hosts *roomhost.Hosts
	// mayOpen reports whether a client may open a room at present, and counts it; network is the one it is in. nil: an
	// engine that does not count, such as that of this machine.
	mayOpen func(ctx context.Context, network string) (bool, error)
	// key is the host's, with which somebody gets a teacher's token of any room; "": nobody does.
	key string
	// site serves the files of the site.
	site http.Handler
	// random is where ids and tokens come from.
	random io.Reader
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			roomhost.Refuse(w, fmt.Errorf("the front failed: %v", p))
		}
	}()
	if f.hosts != nil && !f.hosts.Allow(r.Host) {
		text := fmt.Sprintf("This server does not answer for the host %q. "+
			"Use 127.0.0.1 or localhost, or start it with --allow-host.", r.Host)
		roomhost.Refuse(w, status.New(http.StatusMisdirectedRequest, status.Unknown, text, nil))
		return
	}
	if !roomhost.IsRooms(r.URL.Path) {
		f.site.ServeHTTP(w, r)
		return
	}
	roomhost.Route(w, r, f.create, f.serve)
}

// addressHeader has the client's IP address. The engine of an account sets it, whatever a client sends.
const addressHeader = "Cf-Connecting-Ip"

// create opens a room with a new id, and another one if there is such a room.
func (f *front) create(w http.ResponseWriter, r *http.Request) {
	switch id, err := roomhost.Reopens(r, f.key); {
	case err != nil:
		roomhost.Refuse(w, err)
		return
	case id != "":
		f.reopen(w, id)
		return
	}
	if f.mayOpen != nil {
		ok, err := f.mayOpen(r.Context(), roomhost.NetworkOf(r.Header.Get(addressHeader)).String())
		switch {
		case err != nil:
			roomhost.Refuse(w, unavailable)
			return
		case !ok:
			roomhost.Refuse(w, roomhost.TooManyOpened(roomhost.OpensSeconds))
			return
		}
	}
	for range 3 {
		id, token, err := roomhost.Names(f.random)
		if err != nil {
			roomhost.Refuse(w, err)
			return
		}
		body, _ := json.Marshal(map[string]string{"token": token})
		res, err := f.ask(id, &http.Request{
			Method: http.MethodPost,
			URL:    &url.URL{Scheme: "https", Host: createHost, Path: "/"},
			Header: http.Header{"Content-Type": {"application/json"}},
			Body:   io.NopCloser(bytes.NewReader(body)),
		})
		switch {
		case err != nil:
			roomhost.Refuse(w, unavailable)
			return
		case res.StatusCode == http.StatusCreated:
			roomhost.Created(w, id, token)
			return
		case res.StatusCode != http.StatusConflict:
			roomhost.Refuse(w, errors.New("the room could not be opened"))
			return
		}
	}
	roomhost.Refuse(w, unavailable)
}

// tokenHeader has the token in a room's answer to the front.
const tokenHeader = wellknown.HeaderPrefix + "Token"

// reopen answers with a teacher's token of a room.
func (f *front) reopen(w http.ResponseWriter, id string) {
	res, err := f.ask(id, &http.Request{
		Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: teacherHost, Path: "/"}, Header: http.Header{},
	})
	switch {
	case err != nil:
		roomhost.Refuse(w, unavailable)
	case res.StatusCode == http.StatusNotFound:
		roomhost.Refuse(w, roomhost.ErrNone)
	case res.StatusCode != http.StatusCreated:
		roomhost.Refuse(w, unavailable)
	default:
		roomhost.Created(w, id, res.Header.Get(tokenHeader))
	}
}

var unavailable = status.NewUnavailable("the room cannot be reached: try again later", 5)

// serve hands a request to a room.
func (f *front) serve(w http.ResponseWriter, r *http.Request, id string, inner *url.URL) {
	shown := r.Header.Clone()
	roomhost.TakeToken(shown)
	header := http.Header{hostHeader: {r.Host}}
	if authorization := shown.Get("Authorization"); authorization != "" {
		header.Set("Authorization", authorization)
	}
	if !roomhost.HasToken(header) {
		roomhost.Refuse(w, roomhost.ErrUnauthorized)
		return
	}
	inner.Scheme, inner.Host = "https", roomHost
	// The request's own headers and body go to the object as they are: see main.js.
	res, err := f.ask(id, &http.Request{Method: r.Method, URL: inner, Header: header})
	if err != nil {
		roomhost.Refuse(w, unavailable)
		return
	}
	w.WriteHeader(res.StatusCode)
}
