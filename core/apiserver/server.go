package apiserver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/lasting"
	"github.com/tabernetes/tabernetes/core/openapi"
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
	// Version is the answer of /version.
	Version Version
	// Subresources are the acts, by subresource.
	Subresources map[Subresource]Act
	// Access returns the authenticator and authorizer, for every request again. Nil: every user is
	// auth.Admin.
	Access func(context.Context) (*auth.Access, error)
	// Tokens issues the tokens of service accounts. Nil means none.
	Tokens *serviceaccount.Issuer
	// CBOR reports whether CBOR is supported. Nil: it is not.
	CBOR func() bool

	// Descriptions loads the descriptions of Kubernetes' types, as openapi.ParseDescriptions reads
	// them, when the first OpenAPI document is requested. Nil means none.
	Descriptions func(context.Context) ([]byte, error)
	// OpenAPIv2 is openapi.V2, for hosts that older clients connect to. Nil: they get a document
	// without types.
	OpenAPIv2 func(parts iter.Seq[map[string]any], release string, protobuf bool) (openapi.Text, error)

	// Trouble returns the reason why writes cannot be saved at present, and Notice other messages about
	// the storage; nil and empty without any. Both functions may be nil.
	Trouble func() error
	Notice  func() string
	// Controllers reports whether the controllers of the controller manager run. Nil: they do not.
	Controllers func() bool
	// Checks are further health checks.
	Checks []HealthCheck

	// Kubelets reaches the kubelets of nodes: it gets the requests that the real server makes. Nil: nobody listens there.
	Kubelets http.RoundTripper

	// Limits are the limits for requests. Clock is the host's, for their deadline; it is not needed
	// without one.
	Limits Limits
	Clock  clock.Clock
	// Limiters bound what each user takes; they need Access.
	Limiters []Limiter

	// Faults returns the faults for requests of certain clients, or nil.
	Faults func() *faults.Set

	// OnPanic is called with panics and their stacks. It may be nil.
	OnPanic func(r *http.Request, value any, stack []byte)

	healthchecks  healthchecks
	descriptions  descriptions
	published     published
	reads, writes seats
}

// Subresource names a subresource of a resource type.
type Subresource struct{ Group, Resource, Name, Verb string }

// An Act is a subresource with its own handler.
type Act struct {
	// Serve carries out a request. It writes its answer, or none, which means a 201 without a result;
	// or it returns the error to answer with and has written nothing.
	Serve func(http.ResponseWriter, *http.Request, Call) error
	// MaxBody is the limit of the request's body in bytes; 0: that of objects.
	MaxBody int64
	// Unread is for bodies too large to be read at once: Serve reads Call.Unread, which has at most
	// MaxBody bytes.
	Unread bool
	// Produces is the one media type of the answer; empty: those of objects.
	Produces string
	// Streams is for an answer that lasts as long as the client likes.
	Streams bool
}

// A Call is a request to an Act.
type Call struct {
	registry.Target
	// WriteOptions are those of a modifying verb. An Act that is called with DryRun reports whether it
	// would succeed, and changes nothing.
	registry.WriteOptions
	Body   []byte
	Unread *UnreadBody
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, from := explained(r)
	answer := &answer{ResponseWriter: w, server: s, request: r, source: from, held: held{memory: s.Limits.Memory}}
	defer answer.held.end()
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler && s.OnPanic != nil {
				s.OnPanic(r, p, debug.Stack())
			}
			if p == http.ErrAbortHandler || answer.written {
				panic(http.ErrAbortHandler)
			}
			answer.fail(status.NewInternal(fmt.Errorf("this request caused apiserver to panic: %v", p)))
		}
	}()
	answer.set("Cache-Control", wellknown.NoCache)
	r, leave, err := s.limit(answer, r)
	defer lasting.End(r.Context(), leave)
	if err == nil {
		var end func()
		r, end, err = s.begin(r)
		answer.held.ctx = r.Context()
		defer end()
	}
	if err == nil {
		err = s.carryOut(answer, r)
	}
	if err == nil {
		return
	}
	if answer.written { // the client has left before the first byte of a stream: there is nobody to tell
		panic(http.ErrAbortHandler)
	}
	if e, ok := timedOut(r.Context(), err); ok {
		answer.failTimeout(e)
	} else if err == ErrTooMany {
		answer.failTooMany()
	} else {
		answer.fail(err)
	}
}

// carryOut authenticates and authorizes a request and answers it, or returns the error to answer
// with.
func (s *Server) carryOut(w *answer, r *http.Request) error {
	r, err := s.admit(w, r)
	if err != nil {
		return err
	}
	if s.Faults != nil {
		if rows := s.Faults(); rows != nil {
			if err := s.injectFault(w, r, rows); err != nil {
				return err
			}
		}
	}
	return s.serve(w, r)
}

// serve routes a request by its path. The caller answers with the error.
func (s *Server) serve(w *answer, r *http.Request) error {
	segments := split(w.segments[:0], r.URL.Path)
	switch path := strings.TrimPrefix(r.URL.Path, "/"); {
	case path == "", path == "index.html":
		return s.paths(w)
	case len(segments) == 0, len(segments) == 1 && strings.HasSuffix(path, "//"):
		http.NotFound(w, r)
		return nil
	case namesNothing(segments):
		said := fmt.Sprintf("Internal Server Error: %q: failed to create RequestInfo: "+
			"unable to determine kind and namespace from url, %v", r.URL.RequestURI(), r.URL)
		escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
		http.Error(w, escape.Replace(said), http.StatusInternalServerError)
		return nil
	}
	switch "/" + segments[0] {
	case wellknown.Healthz, wellknown.Livez, wellknown.Readyz:
		s.health(w, r)
		return nil
	case wellknown.Metrics:
		switch r.URL.Path {
		case wellknown.Metrics:
			return s.metrics(w, r)
		case slisPath:
			return s.slis(w, r)
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

// answer is a response that records whether it has begun.
type answer struct {
	http.ResponseWriter
	server  *Server
	request *http.Request
	// routes are the media types by which the real server finds the handler; nil if it ignores them
	// before the answer is made.
	routes  []mediaType
	offered []mediaType
	// converted are the media types that only conversions have.
	converted []mediaType
	// tableless answers are not converted to Tables.
	tableless bool
	media     mediaType
	as        conversion
	pretty    bool
	written   bool
	// source records the source of the answer, nil if the client does not ask.
	source *source.Source
	// fault is the effect of a fault, or nil.
	fault *faults.Row
	// shard is the selector of shards that a list was read with, or empty.
	shard string
	// reader is the API server that answers, once that is decided.
	reader registry.Reader
	// access is what the request is authenticated by, nil before that, and user who makes it.
	access *auth.Access
	user   *auth.User
	// held is what the request has taken of the server's Memory.
	held held
	// sent is the number of bytes of the body so far, nil if no limiter asks for it. It may outlive the answer: see
	// lasting.
	sent *int64
	// headers has the values that set gives the first headers, and segments the path's: the answer is allocated once.
	headers  [3]string
	filled   int
	segments [6]string
}

// set sets a header, whose name has to be canonical.
func (a *answer) set(name, value string) {
	if a.filled == len(a.headers) {
		a.Header()[name] = []string{value}
		return
	}
	values := a.headers[a.filled : a.filled+1 : a.filled+1]
	values[0], a.filled = value, a.filled+1
	a.Header()[name] = values
}

// first returns the first value of a header, "" without one. Get would look at each character of the name.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
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
	if a.sent != nil {
		*a.sent += int64(len(b))
	}
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// fail answers with an error's Status, in JSON if nothing else is acceptable.
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
		panic(http.ErrAbortHandler) // the client has disconnected
	}
	// The headers of the intended answer do not apply to this one: kubectl would cache the error
	// forever.
	for _, name := range []string{"Etag", "Expires", "Last-Modified"} {
		a.Header().Del(name)
	}
	a.Header().Set("Cache-Control", wellknown.NoCache)
	if seconds := e.RetryAfter(); seconds > 0 {
		a.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	failure := e.Status.JSON()
	audit.Of(a.request.Context()).Failed(failure)
	a.send(e.Status.Code, failure)
}
