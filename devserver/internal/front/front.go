// Package front is what a request passes before the API, the rooms and the site of a server: it refuses requests that
// are not for this server, distinguishes the others by their paths, and speaks HTTP so that no client costs more than
// it should.
//
// Invariants: nothing is handed on before its Host and its Origin are known to be right. With rooms, the server's own
// cluster answers this machine only. A body has to arrive within a minute; a client of a room that receives nothing for
// a minute is given up.
//
// A watch over HTTP/1.1 that waits costs 8 KB, without a goroutine of net/http; over TLS, HTTP/2 or a WebSocket it
// costs what it costs there.
package front

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/develop"
	"github.com/tabernetes/tabernetes/devserver/internal/front/websocket"
	"github.com/tabernetes/tabernetes/devserver/internal/memory"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// Options say what is behind a Front, and for whom it is.
type Options struct {
	// Addr is where the server listens. Requests have to be for that host or for a loopback name, or for one of Allowed.
	Addr    string
	Allowed []string
	// Origins are those of pages from elsewhere that may use the API, as roomhost.ParseOrigin returns them.
	Origins []string
	// TLS is whether the port speaks HTTPS too. Authority is then the certificate of the authority that signs the
	// server's, as PEM, for those who want to trust it.
	TLS       bool
	Authority []byte
	// APIOnly is whether every path is the API's.
	APIOnly bool
	// Rooms serves the rooms, and Guard bounds what they take; both nil: no rooms.
	Rooms http.Handler
	Guard *memory.Guard
	// WriteTimeout is how long a client of a room may take to receive a piece of an answer or an event; 0: a minute.
	WriteTimeout time.Duration
	// CountAPI and ReportMemory make the server report how many requests of the API there were, and what it takes.
	CountAPI, ReportMemory bool
	// Reloads follows the builds in open pages; nil: nothing does.
	Reloads *develop.Reloads
	// OnDemand builds programs when a page asks for them, which the site has not.
	OnDemand []*develop.OnDemand
	// Log is where requests are logged; nil: nowhere.
	Log io.Writer
}

// A Front is a server's handler: it hands requests to the API, to the rooms, to the site or to its own few paths.
type Front struct {
	opt        Options
	api, rooms http.Handler
	hosts      roomhost.Hosts
	counted    atomic.Int64
	watches    *watches

	// built is closed when there is a site, or the reason why not.
	built chan struct{}
	mu    sync.RWMutex
	files http.Handler
	once  sync.Once
}

// New returns the handler for an API.
func New(api http.Handler, o Options) *Front {
	f := &Front{
		opt: o, watches: newWatches(), hosts: roomhost.NewHosts(o.Addr, o.Allowed), built: make(chan struct{}),
	}
	guarded := func(h http.Handler) http.Handler {
		return roomhost.NewOrigins(o.Origins).Guard(websocket.Handler(compressed(h)))
	}
	f.api = f.watches.goOn(0, f.logged(guarded(api)))
	if o.Rooms != nil {
		timeout := cmp.Or(o.WriteTimeout, writeTimeout)
		limited := guarded(o.Guard.Limit(o.Rooms))
		f.rooms = f.watches.goOn(timeout, f.logged(limitWriteTime(timeout, limited)))
	}
	return f
}

// API returns the handler of an API that has its own port, on which TLS says who asks: it adds WebSockets
// and compression.
func API(api http.Handler) http.Handler { return websocket.Handler(compressed(api)) }

func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	own := strings.HasPrefix(r.URL.Path, wellknown.Devserver)
	room := f.rooms != nil && roomhost.IsRooms(r.URL.Path)
	api := !own && (f.opt.APIOnly || room || wellknown.IsAPI(r.URL.Path))
	switch {
	case !roomhost.ValidHost(r.Host):
		refuseHost(w, status.NewBadRequest(
			fmt.Sprintf("The Host header %q is not a host, with or without a port.", r.Host)), api)
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

// refuseHost answers a request for an invalid host, or one that is not this server's.
func refuseHost(w http.ResponseWriter, err *status.Error, api bool) {
	site.SetSecurity(w.Header())
	if api {
		roomhost.Refuse(w, err)
	} else {
		http.Error(w, err.Status.Message, err.Status.Code)
	}
}

func (f *Front) serveAPI(w http.ResponseWriter, r *http.Request, api http.Handler) {
	f.counted.Add(1)
	api.ServeHTTP(w, r)
}

// AuthorityPath is the path of the authority's certificate.
const AuthorityPath = wellknown.Devserver + "authority.pem"

// serveOwn answers what the devserver adds for developing and for tests.
func (f *Front) serveOwn(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	site.SetSecurity(header)
	header.Set("Cache-Control", "no-store")
	switch {
	case r.URL.Path == wellknown.Devserver+"api-requests" && f.opt.CountAPI:
		header.Set("Content-Type", "application/json")
		fmt.Fprintf(w, "{\"count\":%d}\n", f.counted.Load())
	case r.URL.Path == memory.UsagePath && f.opt.ReportMemory:
		header.Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(memory.ReadUsage()) // a client that left is no concern of ours
	case r.URL.Path == AuthorityPath && f.opt.Authority != nil:
		header.Set("Content-Type", "application/x-pem-file")
		_, _ = w.Write(f.opt.Authority) // a client that left is no concern of ours
	case r.URL.Path == wellknown.Devserver+"reload" && f.opt.Reloads != nil:
		f.opt.Reloads.ServeHTTP(w, r)
	case r.URL.Path == site.ReloadScript && f.opt.Reloads != nil:
		header.Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(develop.Script) // a client that left is no concern of ours
	default:
		http.NotFound(w, r)
	}
}

// Close ends what the front itself keeps open.
func (f *Front) Close() {
	f.watches.end()
	if f.opt.Reloads != nil {
		f.opt.Reloads.Close()
	}
}

// Wait waits, after Close, until no watch is open, or until ctx ends.
func (f *Front) Wait(ctx context.Context) { f.watches.wait(ctx) }
