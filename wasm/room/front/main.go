//go:build js && wasm

package main

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"syscall/js"

	"github.com/syumai/workers"
	"github.com/syumai/workers/cloudflare"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

func main() {
	f := &front{ask: ask, key: text("HOST_KEY"), site: http.HandlerFunc(serveSite), random: rand.Reader}
	if addr := text("LISTENING_ON"); addr != "" { // a local engine; on an account only its own names lead here
		hosts := roomhost.NewHosts(addr, strings.Fields(text("ALLOWED_HOSTS")))
		f.hosts = &hosts
	}
	if !cloudflare.GetBinding("OPENINGS").IsUndefined() {
		f.mayOpen = mayOpen
	}
	// A program serves one request after the other: see fronts.js. With workers.Serve it would end after the first.
	workers.ServeNonBlock(gathered(roomhost.NewOrigins(allowed()).Guard(f)))
	workers.Ready()
	select {}
}

// gathered has what a handler writes sent as one value of JavaScript's. The package's pipe would end the program when
// it is read to its end.
func gathered(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g := &gatherer{ResponseWriter: w}
		h.ServeHTTP(g, r)
		body := js.Null()
		if len(g.body) > 0 {
			body = jsvalue.Of(g.body)
		}
		w.(interface{ WriteRawJSBody(js.Value) }).WriteRawJSBody(body)
	})
}

type gatherer struct {
	http.ResponseWriter
	body []byte
}

func (g *gatherer) Write(p []byte) (int, error) {
	g.body = append(g.body, p...)
	return len(p), nil
}

// text returns a setting, "" if it is not set.
func text(name string) string {
	v := cloudflare.GetBinding(name)
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// allowed returns the origins, with spaces between them, of pages besides the front's own.
func allowed() (origins []string) {
	for _, word := range strings.Fields(text("ALLOWED_ORIGINS")) {
		origin, err := roomhost.ParseOrigin(word)
		if err != nil {
			println("ALLOWED_ORIGINS:", word, err.Error())
			continue
		}
		origins = append(origins, origin)
	}
	return origins
}

// ask asks the object of a room. What it answers to a client's request goes past Go: see main.js.
func ask(id string, r *http.Request) (*http.Response, error) {
	rooms, err := cloudflare.NewDurableObjectNamespace("ROOMS")
	if err != nil {
		return nil, err
	}
	room, err := rooms.Get(rooms.IdFromName(id))
	if err != nil {
		return nil, err
	}
	return room.Fetch(r)
}

// mayOpen has the account's engine count.
func mayOpen(ctx context.Context, network string) (bool, error) {
	v, err := jsvalue.Await(ctx, cloudflare.GetBinding("OPENINGS").Call("limit", map[string]any{"key": network}))
	if err != nil {
		return false, err
	}
	return v.Get("success").Truthy(), nil
}

// serveSite answers with a file of the site, past Go too.
func serveSite(w http.ResponseWriter, r *http.Request) {
	request := js.Global().Get("Request").New(r.URL.String(), map[string]any{"method": r.Method})
	v, err := jsvalue.Await(r.Context(), cloudflare.GetBinding("ASSETS").Call("fetch", request))
	if err != nil {
		http.Error(w, "the site's files cannot be reached", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(v.Get("status").Int())
}
