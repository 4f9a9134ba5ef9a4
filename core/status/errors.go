package status

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Error is an error that clients get as a Status.
type Error struct{ Status Status }

func (e *Error) Error() string { return e.Status.Message }

// RetryAfter returns the number of seconds after which the client should retry; 0 if it should not.
func (e *Error) RetryAfter() int {
	if e.Status.Details == nil {
		return 0
	}
	return e.Status.Details.RetryAfterSeconds
}

// New returns an error.
func New(code int, reason Reason, message string, details *Details) *Error {
	return &Error{Status{
		Kind: "Status", APIVersion: "v1", Status: "Failure",
		Code: code, Reason: reason, Message: message, Details: details,
	}}
}

// From converts any error to one with a Status. An untyped error is answered as the real server
// does: code 500 with its text, and no reason.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(http.StatusInternalServerError, Unknown, err.Error(), nil)
}

// Is reports whether an error has a Status with this reason.
func Is(err error, reason Reason) bool {
	var e *Error
	return errors.As(err, &e) && e.Status.Reason == reason
}

// GroupResource names a resource: "deployments.apps", "pods".
type GroupResource struct{ Group, Resource string }

func (r GroupResource) String() string { return qualified(r.Resource, r.Group) }

// GroupKind names a kind: "Deployment.apps", "Pod".
type GroupKind struct{ Group, Kind string }

func (k GroupKind) String() string { return qualified(k.Kind, k.Group) }

func qualified(name, group string) string {
	if group == "" {
		return name
	}
	return name + "." + group
}

func about(r GroupResource, name string) *Details {
	return &Details{Group: r.Group, Kind: r.Resource, Name: name}
}

// NewNotFound returns the error for an object that does not exist.
func NewNotFound(r GroupResource, name string) *Error {
	return New(http.StatusNotFound, NotFound, fmt.Sprintf("%s %q not found", r, name), about(r, name))
}

// NewAlreadyExists returns the error for a name that is taken.
func NewAlreadyExists(r GroupResource, name string) *Error {
	return New(http.StatusConflict, AlreadyExists, fmt.Sprintf("%s %q already exists", r, name), about(r, name))
}

// NewGenerateNameConflict returns the error for a generateName for which no free name was found.
func NewGenerateNameConflict(r GroupResource, name string, retryAfter int) *Error {
	d := about(r, name)
	d.RetryAfterSeconds = retryAfter
	return New(http.StatusConflict, AlreadyExists,
		fmt.Sprintf("%s %q already exists, the server was not able to generate a unique name for the object", r, name), d)
}

// NewConflict returns the error for an object that is not in the state that the request expects.
// What is in conflict is usually a GroupResource, in failed preconditions a GroupKind.
func NewConflict(r GroupResource, name string, why string) *Error {
	return New(http.StatusConflict, Conflict,
		fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r, name, why), about(r, name))
}

// NewForbidden returns the error for a request that is not allowed.
func NewForbidden(r GroupResource, name string, why string) *Error {
	message := "forbidden: " + why
	switch {
	case r == GroupResource{}:
	case name == "":
		message = fmt.Sprintf("%s is forbidden: %s", r, why)
	default:
		message = fmt.Sprintf("%s %q is forbidden: %s", r, name, why)
	}
	return New(http.StatusForbidden, Forbidden, message, about(r, name))
}

// NewInvalid returns the error for the violations of an object, the first field.MaxErrors of them.
func NewInvalid(k GroupKind, name string, list field.ErrorList) *Error {
	list = list[:min(len(list), field.MaxErrors)]
	d := &Details{Group: k.Group, Kind: k.Kind, Name: name}
	for _, c := range list.Causes() {
		d.Causes = append(d.Causes, Cause(c))
	}
	message := fmt.Sprintf("%s %q is invalid", k, name)
	if len(list) > 0 {
		message += ": " + list.Message()
	}
	return New(http.StatusUnprocessableEntity, Invalid, message, d)
}

// NewBadRequest returns the error for an invalid request.
func NewBadRequest(message string) *Error {
	return New(http.StatusBadRequest, BadRequest, message, nil)
}

// NewExpired returns the error for a resourceVersion or a token that is too old.
func NewExpired(message string) *Error {
	return New(http.StatusGone, Expired, message, nil)
}

// NewMethodNotAllowed returns the error for a method that a path does not support.
func NewMethodNotAllowed() *Error {
	return New(http.StatusMethodNotAllowed, MethodNotAllowed,
		"the server does not allow this method on the requested resource", &Details{})
}

// NewUnknownPath returns the error for an unknown path below a known API group.
func NewUnknownPath() *Error {
	return New(http.StatusNotFound, NotFound, "the server could not find the requested resource", &Details{})
}

// NewTooLargeResourceVersion returns the error for a resourceVersion that the server has not
// reached in time. retryAfter is in seconds; 0 for none.
func NewTooLargeResourceVersion(asked, current int64, retryAfter int) *Error {
	return New(http.StatusGatewayTimeout, Timeout,
		fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", asked, current),
		&Details{RetryAfterSeconds: retryAfter,
			Causes: []Cause{{Reason: CauseResourceVersionTooLarge, Message: "Too large resource version"}}})
}

// NewUnavailable returns the error for a request that the server cannot answer now; it may be
// retried after some seconds.
func NewUnavailable(message string, retryAfter int) *Error {
	return New(http.StatusServiceUnavailable, ServiceUnavailable, message, &Details{RetryAfterSeconds: retryAfter})
}

// NewTooManyRequests returns the error for a request that may be retried after some seconds.
func NewTooManyRequests(message string, retryAfter int) *Error {
	return New(http.StatusTooManyRequests, TooManyRequests, message, &Details{RetryAfterSeconds: retryAfter})
}

// NewRequestTooLarge returns the error for a body larger than the limit, in bytes.
func NewRequestTooLarge(limit int64) *Error { return NewTooLarge(fmt.Sprintf("limit is %d", limit)) }

// NewTooLarge returns the error for a request, or what it makes, that is too large for a reason.
func NewTooLarge(why string) *Error {
	return New(http.StatusRequestEntityTooLarge, RequestEntityTooLarge, "Request entity too large: "+why, nil)
}

// NewNotAcceptable returns the error for an Accept header without a supported media type.
func NewNotAcceptable(message string) *Error {
	return New(http.StatusNotAcceptable, NotAcceptable, message, nil)
}

// NewUnsupportedMediaType returns the error for a body with an unsupported media type.
func NewUnsupportedMediaType(message string) *Error {
	return New(http.StatusUnsupportedMediaType, UnsupportedMediaType, message, nil)
}

// NewInternal returns the error for a failure of the server.
func NewInternal(err error) *Error {
	return New(http.StatusInternalServerError, InternalError, "Internal error occurred: "+err.Error(),
		&Details{Causes: []Cause{{Message: err.Error()}}})
}
