// Package status has the API's meta/v1 Status, and the typed errors that become one.
//
// Invariants: code, reason, message and details of each constructor are those of kube-apiserver;
// clients depend on them. From converts any other error to the Status of the real server: code 500
// and its text.
package status

import (
	"encoding/json"
	"net/http"
)

// Reason is the machine-readable cause of a failure (meta/v1 StatusReason).
type Reason string

// The reasons that this server gives.
const (
	Unknown               Reason = ""
	Unauthorized          Reason = "Unauthorized"
	Forbidden             Reason = "Forbidden"
	NotFound              Reason = "NotFound"
	AlreadyExists         Reason = "AlreadyExists"
	Conflict              Reason = "Conflict"
	Expired               Reason = "Expired"
	Invalid               Reason = "Invalid"
	Timeout               Reason = "Timeout"
	BadRequest            Reason = "BadRequest"
	MethodNotAllowed      Reason = "MethodNotAllowed"
	NotAcceptable         Reason = "NotAcceptable"
	UnsupportedMediaType  Reason = "UnsupportedMediaType"
	RequestEntityTooLarge Reason = "RequestEntityTooLarge"
	TooManyRequests       Reason = "TooManyRequests"
	InternalError         Reason = "InternalError"
	ServiceUnavailable    Reason = "ServiceUnavailable"
)

// Status is the meta/v1 object. Its field order is that of the wire.
type Status struct {
	Kind       string   `json:"kind"`
	APIVersion string   `json:"apiVersion"`
	Metadata   ListMeta `json:"metadata"`
	Status     string   `json:"status,omitempty"`
	Message    string   `json:"message,omitempty"`
	Reason     Reason   `json:"reason,omitempty"`
	Details    *Details `json:"details,omitempty"`
	Code       int      `json:"code,omitempty"`
}

// ListMeta is the metadata of a Status: a 410 on a list has the token to continue with.
type ListMeta struct {
	Continue string `json:"continue,omitempty"`
}

// Details describe the subject of a Status. Kind is the resource for errors that name one, and the
// kind for validation errors.
type Details struct {
	Name              string  `json:"name,omitempty"`
	Group             string  `json:"group,omitempty"`
	Kind              string  `json:"kind,omitempty"`
	UID               string  `json:"uid,omitempty"`
	Causes            []Cause `json:"causes,omitempty"`
	RetryAfterSeconds int     `json:"retryAfterSeconds,omitempty"`
}

// Cause is one of several reasons for a failure.
type Cause struct {
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	Field   string `json:"field,omitempty"`
}

// CauseResourceVersionTooLarge marks a resourceVersion that the server has not reached yet.
const CauseResourceVersionTooLarge = "ResourceVersionTooLarge"

// Success returns the answer of an operation that has no other result.
func Success(details *Details) *Status {
	return &Status{Kind: "Status", APIVersion: "v1", Status: "Success", Details: details}
}

// Created is Success with code 201, for create-only subresources.
func Created() *Status {
	s := Success(nil)
	s.Code = http.StatusCreated
	return s
}

// JSON returns the encoding of the object, with a line break at its end.
func (s *Status) JSON() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(b, '\n')
}
