package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/faults"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/serviceaccount"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Server answers API requests. Set its fields before use.
type Server struct {
	Registry *registry.Registry
	Table    *schema.Table
	// Version is what /version says.
	Version Version
	// Subresources answers the subresources that are acts of their own rather
	// than a view of the object.
	Subresources map[Subresource]Act
	// Access says who is let in and what they may do, for every request again. Nil:
	// everybody is auth.Admin.
	Access func(context.Context) (*auth.Access, error)
	// Tokens makes the tokens of service accounts. Nil: there are none.
	Tokens *serviceaccount.Issuer
	// CBOR says whether objects are read and written as CBOR, too. Nil: they are not.
	CBOR func() bool

	// Descriptions loads what Kubernetes says of its types, as openapi.ParseDescriptions
	// reads it, when the first OpenAPI document is asked for. Nil: nothing.
	Descriptions func(context.Context) ([]byte, error)
	// OpenAPIv2 is openapi.V2, where the older clients are that ask for it. Nil: what
	// they get tells of no type.
	OpenAPIv2 func(documents []map[string]any, release string, protobuf bool) ([]byte, error)

	// Trouble says why writes cannot be kept at present, and Notice what else is to be said
	// of the storage; nil and empty if there is nothing. Nil functions: nothing ever is.
	Trouble func() error
	Notice  func() string

	// Limits bound what requests may take. Clock is the host's, for their deadline: it is
	// not needed where they have none.
	Limits Limits
	Clock  clock.Clock

	// Faults are what goes wrong with requests of certain clients; nil if nothing does.
	Faults func() *faults.Set

	// Panicked is told of panics, with their stacks. Nil: nobody is.
	Panicked func(r *http.Request, value any, stack []byte)

	documents     documents
	descriptions  descriptions
	reads, writes places
}

// Subresource names a subresource of a resource type.
type Subresource struct{ Group, Resource, Name, Verb string }

// An Act is a subresource that does something of its own.
type Act struct {
	// Serve carries out a request. It writes its answer, or none, which is
	// answered as a creation without a result; or it returns the error to answer
	// with and has written nothing.
	Serve func(http.ResponseWriter, *http.Request, Call) error
	// MaxBody is the limit of the request's body in bytes; 0: that of objects.
	MaxBody int64
	// Unread is for bodies too large to be held: Serve reads Call.Unread, which is of at
	// most MaxBody bytes.
	Unread bool
	// Produces is the one media type of the answer; empty: those of objects.
	Produces string
	// Streams is for an answer that lasts as long as the client likes.
	Streams bool
}

// A Call is what a request asks of an Act.
type Call struct {
	registry.Target
	// WriteOptions are those of a modifying verb. An Act that is called with DryRun
	// says whether it would succeed, and changes nothing.
	registry.WriteOptions
	Body   []byte
	Unread *UnreadBody
}

// noCache is what is said of all answers but a few.
const noCache = "no-cache, private"

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, from := explained(r)
	answer := &answer{ResponseWriter: w, server: s, request: r, source: from}
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler && s.Panicked != nil {
				s.Panicked(r, p, debug.Stack())
			}
			if p == http.ErrAbortHandler || answer.written {
				panic(http.ErrAbortHandler)
			}
			answer.fail(status.NewInternal(fmt.Errorf("this request caused apiserver to panic: %v", p)))
		}
	}()
	answer.Header().Set("Cache-Control", noCache)
	r, end, err := s.begin(r)
	defer end()
	if err == nil {
		err = s.carryOut(answer, r)
	}
	if err == nil {
		return
	}
	if e, ok := late(r.Context(), err); ok {
		answer.failLate(e)
	} else if err == errTooMany {
		answer.failTooMany()
	} else {
		answer.fail(err)
	}
}

// carryOut answers a request, of whom it may be, or returns the error to answer with.
func (s *Server) carryOut(w *answer, r *http.Request) error {
	r, err := s.admit(w, r)
	if err != nil {
		return err
	}
	if s.Faults != nil {
		if rows := s.Faults(); rows != nil {
			if err := s.disturb(w, r, rows); err != nil {
				return err
			}
		}
	}
	return s.serve(w, r)
}

// serve follows the path. The error is answered by the caller.
func (s *Server) serve(w *answer, r *http.Request) error {
	segments := split(r.URL.Path)
	switch path := strings.TrimPrefix(r.URL.Path, "/"); {
	case path == "", path == "index.html":
		return s.paths(w)
	case len(segments) == 0, len(segments) == 1 && strings.HasSuffix(path, "//"):
		http.NotFound(w, r)
		return nil
	}
	switch "/" + segments[0] {
	case wellknown.Healthz, wellknown.Livez, wellknown.Readyz:
		s.health(w, r)
		return nil
	case wellknown.Metrics:
		if r.URL.Path == wellknown.Metrics {
			return s.metrics(w, r)
		}
	case wellknown.Version:
		if len(segments) > 1 {
			return status.NewUnknownPath()
		}
		if r.Method != http.MethodGet {
			return status.NewMethodNotAllowed()
		}
		w.routes = served[:1]
		if err := w.route(); err != nil {
			return err
		}
		return w.raw(s.Version)
	case wellknown.OpenAPI:
		return s.openAPI(w, r)
	case wellknown.API:
		return s.api(w, r, "", segments[1:])
	case wellknown.APIs:
		if len(segments) == 1 {
			if done, err := w.aggregated(false); done {
				return err
			}
			return w.object(s.groupList(), s.served())
		}
		if group, ok := s.Table.Group(segments[1]); ok && group.Name != "" {
			return s.api(w, r, group.Name, segments[2:])
		}
	}
	http.NotFound(w, r)
	return nil
}

// api answers below /api and /apis/GROUP.
func (s *Server) api(w *answer, r *http.Request, group string, segments []string) error {
	if len(segments) == 0 {
		return s.versions(w, r, group)
	}
	version, rest := segments[0], segments[1:]
	rows := s.Table.GroupVersion(group, version)
	switch {
	case len(rows) == 0:
		return s.unknown(w, r, group, status.NewUnknownPath())
	case len(rest) > 0:
		return s.resource(w, r, group, version, rest)
	case rows[0].Custom != nil:
		return w.object(resourceList(group, version, rows), served)
	case r.Method != http.MethodGet:
		return status.NewMethodNotAllowed()
	}
	w.routes = s.served()
	return w.object(resourceList(group, version, rows), w.routes)
}

// versions answers with the versions of a group.
func (s *Server) versions(w *answer, r *http.Request, group string) error {
	if group == "" {
		w.routes = served
		if r.Method != http.MethodGet {
			return status.NewMethodNotAllowed()
		}
		if err := w.route(); err != nil {
			return err
		}
		if done, err := w.aggregated(true); done {
			return err
		}
		return w.object(legacyVersions(s.Table, r), served)
	}
	return w.object(s.group(group), s.served())
}

// answer is a response that knows whether it has begun.
type answer struct {
	http.ResponseWriter
	server  *Server
	request *http.Request
	// routes are the media types by which the real server finds who answers; nil where
	// it does not look for them before the answer is made.
	routes  []mediaType
	offered []mediaType
	// converted are the media types that are only for what objects are shown as.
	converted []mediaType
	media     mediaType
	as        conversion
	pretty    bool
	written   bool
	// source is where the answer comes from, nil if the client does not ask.
	source *source.Source
	// fault is what goes wrong with it; nil if nothing does.
	fault *faults.Row
	// reader is the API server that answers, once that is decided.
	reader registry.Reader
}

func (a *answer) WriteHeader(code int) {
	a.written = true
	limitWarnings(a.Header())
	a.explain()
	a.ResponseWriter.WriteHeader(code)
}

func (a *answer) Write(b []byte) (int, error) {
	if !a.written {
		a.written = true
		a.explain()
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// fail answers with an error's Status, in JSON if nothing else can be agreed on.
func (a *answer) fail(err error) {
	e := status.From(err)
	if a.media == "" || a.converted != nil || a.as != (conversion{}) {
		if a.offered == nil {
			a.offered = served
		}
		a.routes, a.converted = nil, nil
		_ = a.choose(a.offered, false)
	}
	if errors.Is(err, a.request.Context().Err()) && a.request.Context().Err() != nil {
		panic(http.ErrAbortHandler) // nobody is there to be answered
	}
	// What was said of the answer that was meant does not hold for this one: kubectl
	// would keep the error forever.
	for _, name := range []string{"Etag", "Expires", "Last-Modified"} {
		a.Header().Del(name)
	}
	a.Header().Set("Cache-Control", noCache)
	if seconds := e.RetryAfter(); seconds > 0 {
		a.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	a.send(e.Status.Code, e.Status.JSON())
}
