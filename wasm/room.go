//go:build js && wasm

package main

import (
	"io"
	"net/http"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/room"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// addressHeader has the address of the client, "" if that is not known: the front sets it, whatever a client sends.
const addressHeader = wellknown.HeaderPrefix + "Address"

// fromFront takes the address of the client from what the front says.
func fromFront(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = r.Header.Get(addressHeader)
		r.Header.Del(addressHeader)
		h.ServeHTTP(w, r)
	})
}

// teacher answers with a new token of a teacher of the room. Only the host calls it.
func teacher(open *room.Extension) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, err := open.TeacherToken(r.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, token) // into memory
	})
}

// roomOf returns what the host says of a room, or nil for a cluster of the page's own; and how much memory the objects
// and all of Go may take, as quota and gcThreshold.
func roomOf(host js.Value) (open *room.Extension, objects, all int64) {
	v := host.Get("room")
	if v.Type() != js.TypeObject {
		return nil, quota, gcThreshold
	}
	open = room.NewExtension(room.Options{
		TeacherToken: v.Get("token").String(), Live: []byte(v.Get("live").String()),
	})
	return open, int64(v.Get("quota").Int()), int64(v.Get("memory").Int())
}
