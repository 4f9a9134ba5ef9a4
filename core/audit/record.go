// Package audit is what kube-apiserver's audit log says of a request: a Record, which the parts of the server fill in
// while they answer it, a Policy, which says what of it is written, and the events that are made of both.
//
// A host that audits puts a Record into the context of a request and makes events of it: Log. Invariants: without a
// Record in the context nothing is kept, and all functions do nothing; bodies are kept only if the policy wants them.
//
// The cost of a request that is not audited is one look into its context.
package audit

import (
	"bytes"
	"context"
	"maps"
	"sync"

	"github.com/tabernetes/tabernetes/core/auth"
)

// A Record is what a server notes of a request. It is safe for concurrent use.
type Record struct {
	// Bodies says which bodies are noted, once the user is known.
	Bodies Bodies
	// decide is called once with the user.
	decide func(*auth.User)
	once   sync.Once

	mu          sync.Mutex
	known       Known
	annotations map[string]string
}

// Bodies are the bodies of a request and of its answer.
type Bodies struct{ Request, Response bool }

// Known is what was noted.
type Known struct {
	// User makes the request, and Impersonated is who it is made as; nil: nobody else.
	User, Impersonated *auth.User
	// Request is the object of the request, and Response that of the answer, in JSON.
	Request, Response []byte
	// Failure is the Status that was answered, in JSON; nil if the request did not fail.
	Failure []byte
}

type recordKey struct{}

// WithRecord returns a context whose request is noted.
func WithRecord(ctx context.Context, r *Record) context.Context {
	return context.WithValue(ctx, recordKey{}, r)
}

// Of returns the record of a request; nil if it is not audited. The methods of a nil record do nothing.
func Of(ctx context.Context) *Record {
	r, _ := ctx.Value(recordKey{}).(*Record)
	return r
}

// By notes who makes the request, which decides what is written of it. Only the first call counts.
func (r *Record) By(u *auth.User) {
	if r == nil {
		return
	}
	r.once.Do(func() {
		r.set(func(k *Known) { k.User = u })
		if r.decide != nil {
			r.decide(u)
		}
	})
}

// As notes who is impersonated.
func (r *Record) As(u *auth.User) { r.set(func(k *Known) { k.Impersonated = u }) }

// Asked notes the object of the request.
func (r *Record) Asked(object []byte) {
	if r != nil && r.Bodies.Request {
		r.set(func(k *Known) { k.Request = bytes.Clone(object) })
	}
}

// Answered notes the object of the answer.
func (r *Record) Answered(object []byte) {
	if r != nil && r.Bodies.Response {
		r.set(func(k *Known) { k.Response = bytes.Clone(object) })
	}
}

// Failed notes the Status that is answered, in JSON.
func (r *Record) Failed(status []byte) { r.set(func(k *Known) { k.Failure = bytes.Clone(status) }) }

func (r *Record) set(f func(*Known)) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.known)
}

// Annotate sets an annotation of the event, unless it has one of that name.
func (r *Record) Annotate(key, value string) {
	r.annotate(key, value, func(before string) string { return before })
}

// Append adds a value to an annotation, behind those that it has, as policies do that are bound more than once.
func (r *Record) Append(key, value string) {
	r.annotate(key, value, func(before string) string { return before + ", " + value })
}

// annotate sets an annotation; again returns the value if there is one already.
func (r *Record) annotate(key, value string, again func(before string) string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.annotations == nil {
		r.annotations = map[string]string{}
	}
	if before, there := r.annotations[key]; there {
		value = again(before)
	}
	r.annotations[key] = value
}

// Decided notes whether the request was allowed, and why.
func (r *Record) Decided(allowed bool, reason string) {
	decision := "forbid"
	if allowed {
		decision = "allow"
	}
	r.Annotate("authorization.k8s.io/decision", decision)
	r.Annotate("authorization.k8s.io/reason", reason)
}

// Annotations returns the annotations so far.
func (r *Record) Annotations() map[string]string {
	_, annotations := r.noted()
	return annotations
}

// noted returns what was noted so far.
func (r *Record) noted() (Known, map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known, maps.Clone(r.annotations)
}
