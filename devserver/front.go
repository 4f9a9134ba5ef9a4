package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/lasting"
	"github.com/tabernetes/tabernetes/core/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/memory"
	rooms "github.com/tabernetes/tabernetes/devserver/room"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// front is the server's handler: it refuses requests that are not for this
// server, and hands the others to the API, the site or its own few paths.
type front struct {
	api    http.Handler
	rooms  http.Handler // nil: there are none
	memory *memory.Guard
	tls    bool
	// authority is the certificate of the authority that signs the server's, as PEM, for those who want
	// to trust it; nil without TLS.
	authority []byte
	apiOnly   bool
	count     bool
	measure   bool
	log       io.Writer // nil: requests are not logged
	hosts     roomhost.Hosts
	counted   atomic.Int64
	reload    *reloads // nil unless developing
	watches   *watches

	// built is closed when there is a site, or the reason that there is none.
	built chan struct{}
	mu    sync.RWMutex
	files http.Handler
	once  sync.Once
}

// newFront returns the handler for an API, and for rooms unless that is nil.
func newFront(api http.Handler, shared *rooms.Server, o options) *front {
	f := &front{
		watches: newWatches(),
		apiOnly: o.apiOnly,
		tls:     o.usesTLS(),
		count:   o.countAPI,
		measure: o.reportMemory,
		hosts:   roomhost.NewHosts(o.addr, o.allowed),
		built:   make(chan struct{}),
	}
	if o.log {
		f.log = os.Stdout
	}
	if o.dev {
		f.reload = newReloads()
	}
	guarded := func(h http.Handler) http.Handler {
		return roomhost.NewOrigins(o.origins).Guard(websockets(compressed(h)))
	}
	f.api = f.watches.goOn(0, f.logged(guarded(api)))
	f.memory = o.guard(shared)
	if shared != nil {
		limited := guarded(f.memory.Limit(shared))
		f.rooms = f.watches.goOn(roomWriteTimeout, f.logged(limitWriteTime(roomWriteTimeout, limited)))
	}
	return f
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := strings.HasPrefix(r.URL.Path, wellknown.Devserver)
	room := f.rooms != nil && roomhost.IsRooms(r.URL.Path)
	api := !own && (f.apiOnly || room || wellknown.IsAPI(r.URL.Path))
	switch {
	case !roomhost.ValidHost(r.Host):
		refuseHost(w, status.NewBadRequest(
			fmt.Sprintf("The Host header %q is no host, with or without a port.", r.Host)), api)
	case !f.hosts.Allow(r.Host):
		refuseHost(w, status.New(http.StatusMisdirectedRequest, status.Unknown, fmt.Sprintf(
			"This server does not answer for the host %q. Use 127.0.0.1 or localhost, or start it with --allow-host.",
			r.Host), nil), api)
	case f.rooms != nil && f.keepsOut(w, r, room, api):
	case own:
		f.serveOwn(w, r)
	case room:
		f.serveAPI(w, r, f.rooms)
	case api:
		f.serveAPI(w, r, f.api)
	default:
		f.serveSite(w, r)
	}
}

// refuseHost answers a request for a host that is none, or not this server's.
func refuseHost(w http.ResponseWriter, err *status.Error, api bool) {
	site.SetSecurity(w.Header())
	if api {
		roomhost.Refuse(w, err)
	} else {
		http.Error(w, err.Status.Message, err.Status.Code)
	}
}

func (f *front) serveAPI(w http.ResponseWriter, r *http.Request, api http.Handler) {
	f.counted.Add(1)
	api.ServeHTTP(w, r)
}

// logged prints each request when it has ended, if requests are logged.
func (f *front) logged(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.log == nil {
			api.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		status := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer lasting.End(r.Context(), func() {
			fmt.Fprintf(f.log, "%s %s %d %s %s\n", start.Format("15:04:05.000"), r.Method, status.status,
				time.Since(start).Round(100*time.Microsecond), r.URL.RequestURI())
		})
		api.ServeHTTP(status, r)
	})
}

// authorityPath is the path of the authority's certificate.
const authorityPath = wellknown.Devserver + "authority.pem"

// serveOwn answers what the devserver adds for developing and for tests.
func (f *front) serveOwn(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	site.SetSecurity(header)
	header.Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == wellknown.Devserver+"api-requests" && f.count:
		header.Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"count\":%d}\n", f.counted.Load())
	case r.URL.Path == memory.UsagePath && f.measure:
		header.Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(memory.ReadUsage()) // a client that left is no concern of ours
	case r.URL.Path == authorityPath && f.authority != nil:
		header.Set("Content-Type", "application/x-pem-file")
		_, _ = w.Write(f.authority) // a client that left is no concern of ours
	case r.URL.Path == wellknown.Devserver+"reload" && f.reload != nil:
		f.reload.serve(w, r)
	case r.URL.Path == site.ReloadScript && f.reload != nil:
		header.Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(reloadScript) // a client that left is no concern of ours
	default:
		http.NotFound(w, r)
	}
}

// serveSite answers with a file of the site, waiting for the first build.
func (f *front) serveSite(w http.ResponseWriter, r *http.Request) {
	select {
	case <-f.built:
	case <-r.Context().Done(): // the client has left, or the server stops
		http.Error(w, "The site is not built yet.", http.StatusServiceUnavailable)
		return
	}
	f.mu.RLock()
	files := f.files
	f.mu.RUnlock()
	site.SetSecurity(w.Header())
	files.ServeHTTP(w, r)
}

// show serves the site built in dir from now on.
func (f *front) show(dir string, index *site.Index) {
	f.serveWith(site.Handler(dir, index))
}

// follow serves the site that others build in dir.
func (f *front) follow(dir string, index *site.Index) {
	f.serveWith(site.Follow(dir, index, f.reload != nil))
}

// fail shows an error to whoever asks for the site, as long as none has been built, and tells it to open pages.
func (f *front) fail(err error) {
	if f.reload != nil {
		f.reload.send("failed", err.Error())
	}
	f.mu.RLock()
	have := f.files != nil
	f.mu.RUnlock()
	if !have {
		f.serveWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "The site could not be built:\n\n"+err.Error(), http.StatusServiceUnavailable)
		}))
	}
}

func (f *front) serveWith(h http.Handler) {
	f.mu.Lock()
	f.files = h
	f.mu.Unlock()
	f.once.Do(func() { close(f.built) })
}

// close ends what the front itself keeps open.
func (f *front) close() {
	f.watches.end()
	if f.reload != nil {
		f.reload.close()
	}
}

// A statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the Flusher.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what was written; handlers ask for it by interface.
func (w *statusWriter) Flush() {
	_ = http.NewResponseController(w.ResponseWriter).Flush() // every server's writer can
}
