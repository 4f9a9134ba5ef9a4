package develop

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// Script is what follows Reloads in a page.
//
//go:embed reload.js
var Script []byte

// Reloads tells open pages, by server-sent events, that the site was rebuilt ("reload", or "styles" if only those
// changed) or could not be ("failed", with the reason).
type Reloads struct {
	mu     sync.Mutex
	pages  map[chan message]bool
	last   *message // of a failed build, for pages that open after it
	closed bool
}

type message struct{ event, data string }

// NewReloads returns one without pages.
func NewReloads() *Reloads { return &Reloads{pages: map[chan message]bool{}} }

// Send sends a message to all pages. One that has not read the last messages misses this one: it is reloading anyway.
func (r *Reloads) Send(event, text string) {
	data, err := json.Marshal(text)
	if err != nil {
		return // cannot be: text is a string
	}
	m := message{event, string(data)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = nil
	if event == "failed" {
		r.last = &m
	}
	for page := range r.pages {
		select {
		case page <- m:
		default:
		}
	}
}

// ServeHTTP streams messages to one page.
func (r *Reloads) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	page := make(chan message, 8)
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.pages[page] = true
	if r.last != nil {
		page <- *r.last
	}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.pages, page)
		r.mu.Unlock()
	}()

	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "retry: 500\n\n")
	rc := http.NewResponseController(w)
	for rc.Flush() == nil {
		select {
		case m := <-page:
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", m.event, m.data)
		case <-req.Context().Done():
			return
		}
	}
}

// Close lets no more pages in; those that are there end with their requests.
func (r *Reloads) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
}
