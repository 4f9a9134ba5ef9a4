package status

import (
	"fmt"
	"net/http"
)

// NewServerResponse returns the error for another server's answer without a Status to a request about an object; said
// is its text. The request has no verb, as that of a log: the space before the resource is the verb's.
func NewServerResponse(code int, r GroupResource, name, said string) *Error {
	reason, message := Answered(code, said)
	return New(code, reason, fmt.Sprintf("%s ( %s %s)", message, r, name), about(r, name))
}

// Answered returns the reason and the message that Kubernetes' clients give an answer without a Status, by its code;
// said is its text.
func Answered(code int, said string) (Reason, string) {
	if a, ok := answered[code]; ok {
		return a.reason, a.message
	}
	switch {
	case code == http.StatusForbidden:
		return Forbidden, said
	case code == http.StatusUnsupportedMediaType:
		return UnsupportedMediaType, said
	case code == http.StatusNotAcceptable:
		if said == "" || said == "unknown" {
			said = "the server was unable to respond with a content type that the client supports"
		}
		return NotAcceptable, said
	case code >= http.StatusInternalServerError:
		return InternalError, fmt.Sprintf("an error on the server (%q) has prevented the request from succeeding", said)
	}
	return Unknown, fmt.Sprintf("the server responded with the status code %d but did not return more information", code)
}

// answered are the codes whose message does not depend on the text.
var answered = map[int]struct {
	reason  Reason
	message string
}{
	http.StatusBadRequest:       {BadRequest, "the server rejected our request for an unknown reason"},
	http.StatusUnauthorized:     {Unauthorized, "the server has asked for the client to provide credentials"},
	http.StatusNotFound:         {NotFound, "the server could not find the requested resource"},
	http.StatusMethodNotAllowed: {MethodNotAllowed, "the server does not allow this method on the requested resource"},
	http.StatusConflict:         {Conflict, "the server reported a conflict"},
	http.StatusUnprocessableEntity: {Invalid,
		"the server rejected our request due to an error in our request"},
	http.StatusTooManyRequests: {TooManyRequests,
		"the server has received too many requests and has asked us to try again later"},
	http.StatusServiceUnavailable: {ServiceUnavailable, "the server is currently unable to handle the request"},
	http.StatusGatewayTimeout: {Timeout, "the server was unable to return a response in the time allotted, " +
		"but may still be processing the request"},
}
