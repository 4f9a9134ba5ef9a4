package status

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/field"
)

// Error is a failure that a client is told of as a Status.
type Error struct{ Status Status }

func (e *Error) Error() string { return e.Status.Message }

// RetryAfter returns the number of seconds after which the client should ask again;
// 0 if it should not.
func (e *Error) RetryAfter() int {
	if e.Status.Details == nil {
		return 0
	}
	return e.Status.Details.RetryAfterSeconds
}

// New returns a failure.
func New(code int, reason Reason, message string, details *Details) *Error {
	return &Error{Status{
		Kind: "Status", APIVersion: "v1", Status: "Failure",
		Code: code, Reason: reason, Message: message, Details: details,
	}}
}

// From turns any error into one that has a Status. An error that nobody typed
// is answered as the real server does: code 500 with its text, and no reason.
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

// NewNotFound returns an error that says that an object does not exist.
func NewNotFound(r GroupResource, name string) *Error {
	return New(http.StatusNotFound, NotFound, fmt.Sprintf("%s %q not found", r, name), about(r, name))
}

// NewAlreadyExists returns an error that says that a name is taken.
func NewAlreadyExists(r GroupResource, name string) *Error {
	return New(http.StatusConflict, AlreadyExists, fmt.Sprintf("%s %q already exists", r, name), about(r, name))
}

// NewGenerateNameConflict returns an error that says that no free name could be made.
func NewGenerateNameConflict(r GroupResource, name string, retryAfter int) *Error {
	d := about(r, name)
	d.RetryAfterSeconds = retryAfter
	return New(http.StatusConflict, AlreadyExists,
		fmt.Sprintf("%s %q already exists, the server was not able to generate a unique name for the object", r, name), d)
}

// NewConflict returns an error that says that an object is not in the state that the request
// expects. The word for what is in conflict is usually a GroupResource, in failed preconditions
// a GroupKind.
func NewConflict(r GroupResource, name string, why string) *Error {
	return New(http.StatusConflict, Conflict,
		fmt.Sprintf("Operation cannot be fulfilled on %s %q: %s", r, name, why), about(r, name))
}

// NewForbidden returns an error that says that the request may not be carried out.
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

// NewInvalid returns what is wrong with an object.
func NewInvalid(k GroupKind, name string, list field.ErrorList) *Error {
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

// NewBadRequest returns an error that says that a request makes no sense.
func NewBadRequest(message string) *Error {
	return New(http.StatusBadRequest, BadRequest, message, nil)
}

// NewExpired returns an error that says that a resourceVersion or a token is too old.
func NewExpired(message string) *Error {
	return New(http.StatusGone, Expired, message, nil)
}

// NewMethodNotAllowed returns the answer to a method that a path does not have.
func NewMethodNotAllowed() *Error {
	return New(http.StatusMethodNotAllowed, MethodNotAllowed,
		"the server does not allow this method on the requested resource", &Details{})
}

// NewUnknownPath returns the answer to a path below a known API group that leads
// nowhere.
func NewUnknownPath() *Error {
	return New(http.StatusNotFound, NotFound, "the server could not find the requested resource", &Details{})
}

// NewTooLargeResourceVersion returns an error that says that the server has not reached the
// asked resourceVersion in time. It may have in some seconds; 0 does not say so.
func NewTooLargeResourceVersion(asked, current int64, retryAfter int) *Error {
	return New(http.StatusGatewayTimeout, Timeout,
		fmt.Sprintf("Timeout: Too large resource version: %d, current: %d", asked, current),
		&Details{RetryAfterSeconds: retryAfter,
			Causes: []Cause{{Reason: CauseResourceVersionTooLarge, Message: "Too large resource version"}}})
}

// NewUnavailable returns an error that says that the server cannot answer now, but may in some
// seconds.
func NewUnavailable(message string, retryAfter int) *Error {
	return New(http.StatusServiceUnavailable, ServiceUnavailable, message, &Details{RetryAfterSeconds: retryAfter})
}

// NewRequestTooLarge returns an error that says that a body is over the limit, in bytes.
func NewRequestTooLarge(limit int64) *Error {
	return New(http.StatusRequestEntityTooLarge, RequestEntityTooLarge,
		fmt.Sprintf("Request entity too large: limit is %d", limit), nil)
}

// NewNotAcceptable returns an error that says that no asked media type can be served.
func NewNotAcceptable(message string) *Error {
	return New(http.StatusNotAcceptable, NotAcceptable, message, nil)
}

// NewUnsupportedMediaType returns an error that says that a body's media type cannot be read.
func NewUnsupportedMediaType(message string) *Error {
	return New(http.StatusUnsupportedMediaType, UnsupportedMediaType, message, nil)
}

// NewInternal returns an error that says that the server failed.
func NewInternal(err error) *Error {
	return New(http.StatusInternalServerError, InternalError, "Internal error occurred: "+err.Error(),
		&Details{Causes: []Cause{{Message: err.Error()}}})
}
