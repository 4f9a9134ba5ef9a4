package kubetest

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
)

// A Request is one that a client has made.
type Request struct {
	// Verb is that of authorization: get, list, watch, create, update, patch, delete or deletecollection; for what is
	// no resource, the method in lower case.
	Verb string
	// Group, Version, Resource and Subresource say what was asked for; empty for what is no resource.
	Group, Version, Resource, Subresource string
	// Namespace is empty for all namespaces, and Name for a collection, unless its field selector asks for one
	// metadata.name: so authorization sees it. That of a new object is the one in its Body, empty if the server is to make
	// one of its generateName.
	Namespace, Name string
	// User is who was impersonated: the user of As; empty: nobody.
	User string
	// Method, Path and Query are those of the request itself.
	Method, Path, Query string
	UserAgent           string
	// Body is what was sent, in the client's own encoding.
	Body []byte
	// Code is that of the answer; 0 before there is one, or if it was cut off before.
	Code int
	// Time is when the request arrived.
	Time time.Time
}

// String returns verb, type and object: "create deployments.apps shop/web", say.
func (r Request) String() string {
	if r.Resource == "" {
		return r.Verb + " " + r.Path
	}
	text := r.Verb + " " + r.Type()
	switch {
	case r.Name != "" && r.Namespace != "":
		text += " " + r.Namespace + "/" + r.Name
	case r.Name != "":
		text += " " + r.Name
	case r.Namespace != "":
		text += " " + r.Namespace + "/"
	}
	return text
}

// Type returns the resource with its group and subresource, as Block and Fail take it: "pods",
// "deployments.apps/status".
func (r Request) Type() string {
	text := r.Resource
	if r.Group != "" {
		text += "." + r.Group
	}
	if r.Subresource != "" {
		text += "/" + r.Subresource
	}
	return text
}

// requestOf describes a request, without its body and its answer.
func requestOf(r *http.Request) Request {
	asked, version := apiserver.AttributesOf(r)
	return Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, UserAgent: r.UserAgent(),
		User: r.Header.Get("Impersonate-User"), Verb: cmp.Or(asked.Verb, strings.ToLower(r.Method)), Time: time.Now(),
		Group: asked.Group, Version: version, Resource: asked.Resource, Subresource: asked.Subresource,
		Namespace: asked.Namespace, Name: asked.Name,
	}
}

// traffic is what clients have asked a server.
type traffic struct {
	mu       sync.Mutex
	requests []*Request
	watches  map[*Watch]struct{}
}

// Requests returns the requests of clients, in the order of their arrival, since the start or the last ForgetRequests.
// The levers and Apply of this package are not among them.
func (s *Server) Requests() []Request {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	all := make([]Request, len(s.traffic.requests))
	for i, r := range s.traffic.requests {
		all[i] = *r
	}
	return all
}

// Writes returns those of Requests that are neither get, list nor watch, as String has them: what a test of a
// controller compares.
func (s *Server) Writes() (all []string) {
	for _, r := range s.Requests() {
		if r.Resource != "" && !slices.Contains([]string{"get", "list", "watch"}, r.Verb) {
			all = append(all, r.String())
		}
	}
	return all
}

// ForgetRequests empties Requests.
func (s *Server) ForgetRequests() {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	s.traffic.requests = nil
}

// mostBody is how much of a request's body is kept, in bytes: all that the server accepts.
const mostBody = 3 << 20

// ServeHTTP serves a request as a client makes it: it may wait, or be refused, by the rules that tests have made. If
// the client goes before it is served, it panics with http.ErrAbortHandler, so that nothing looks like an answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := requestOf(r)
	if r.Body != nil && r.Body != http.NoBody {
		body, err := io.ReadAll(io.LimitReader(r.Body, mostBody))
		q.Body = body
		rest := io.MultiReader(bytes.NewReader(body), r.Body)
		if err != nil {
			rest = io.MultiReader(bytes.NewReader(body), failing{err})
		}
		r.Body = io.NopCloser(rest)
	}
	if q.creates() {
		q.Name = nameOf(q.Body)
	}
	s.traffic.mu.Lock()
	s.traffic.requests = append(s.traffic.requests, &q)
	s.traffic.mu.Unlock()
	answer := &recorder{ResponseWriter: w, traffic: &s.traffic, request: &q}
	if q.Verb == "watch" {
		defer s.traffic.watch(&q, r)()
	}
	if s.delay(r, &q) != nil {
		panic(http.ErrAbortHandler)
	}
	if s.rules.apply(answer, r, &q) {
		s.cluster.ServeHTTP(answer, r)
	}
}

// failing is a body that cannot be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// recorder notes the code of an answer.
type recorder struct {
	http.ResponseWriter
	traffic *traffic
	request *Request
}

func (w *recorder) WriteHeader(code int) {
	w.note(code)
	w.ResponseWriter.WriteHeader(code)
}

func (w *recorder) Write(b []byte) (int, error) {
	w.note(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

func (w *recorder) Flush() {
	w.note(http.StatusOK)
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) note(code int) {
	w.traffic.mu.Lock()
	defer w.traffic.mu.Unlock()
	if w.request.Code == 0 {
		w.request.Code = code
	}
}
