package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// writeDeadline is how long a write of an object may take where requests have a deadline: the real
// server's storage and admission time out then.
const writeDeadline = 34 * time.Second

// askedTimeout returns the parameter timeout of a request; 0 if it has none. The error is a 400.
func askedTimeout(r *http.Request) (time.Duration, error) {
	text := queryWith(r, "timeout").Get("timeout")
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, status.NewBadRequest("invalid timeout specified in the request URL - " + err.Error())
	}
	return d, nil
}

// deadline sets a request's deadline: that of all requests, or its own if it is shorter. stop ends
// the context too.
func (s *Server) deadline(ctx context.Context, asked auth.Attributes, given time.Duration) (limited context.Context,
	stop func()) {
	most, late := s.Limits.Deadline, error(errRequestTimeout)
	if most == 0 {
		return ctx, func() {}
	}
	if given > 0 && given < most {
		most = given
	}
	if asked.IsResource && most > writeDeadline {
		switch asked.Verb {
		case "create", "update", "patch", "delete":
			most, late = writeDeadline, errWriteTimeout
		}
	}
	return clock.WithTimeout(ctx, s.Clock, most, late)
}

// errRequestTimeout and errWriteTimeout are the causes of a context that ended because of the request's
// deadline. To other packages they look like context.DeadlineExceeded.
var (
	errRequestTimeout = timeoutError{"request did not complete within the allotted timeout"}
	errWriteTimeout   = timeoutError{"request did not complete within requested timeout - " +
		context.DeadlineExceeded.Error()}
)

type timeoutError struct{ message string }

func (timeoutError) Error() string        { return context.DeadlineExceeded.Error() }
func (timeoutError) Timeout() bool        { return true }
func (timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// timeout returns the answer to a request that was late.
func (e timeoutError) timeout() *status.Error {
	return status.New(http.StatusGatewayTimeout, status.Timeout, "Timeout: "+e.message, &status.Details{})
}

// timedOut reports whether a request failed because of its deadline. Then other errors do not count:
// they may be consequences.
func timedOut(ctx context.Context, err error) (e timeoutError, ok bool) {
	return e, errors.As(err, &e) || errors.As(context.Cause(ctx), &e)
}

// isTimeout reports whether an error is a timeout.
func isTimeout(err error) bool {
	var e interface{ Timeout() bool }
	return errors.As(err, &e) && e.Timeout()
}

// failTimeout answers a request that was late. The real server does so in a filter without codecs:
// with JSON that has no apiVersion and kind, as text.
func (a *answer) failTimeout(e timeoutError) {
	if e != errRequestTimeout {
		a.fail(e.timeout())
		return
	}
	s := e.timeout().Status
	body, err := json.Marshal(struct {
		Metadata status.ListMeta `json:"metadata"`
		Status   string          `json:"status"`
		Message  string          `json:"message"`
		Reason   status.Reason   `json:"reason"`
		Details  *status.Details `json:"details"`
		Code     int             `json:"code"`
	}{s.Metadata, s.Status, s.Message, s.Reason, s.Details, s.Code})
	if err != nil {
		panic(err) // strings and numbers only
	}
	for _, name := range []string{"Content-Disposition", "Etag", "Expires", "Last-Modified", "Warning",
		wellknown.ReplicaHeader} {
		a.Header().Del(name)
	}
	a.Header().Set("Cache-Control", wellknown.NoCache)
	a.Header().Set("Content-Type", "text/plain; charset=utf-8")
	a.WriteHeader(s.Code)
	_, _ = a.Write(append(body, '\n')) // the client has disconnected: not our problem
}

// ErrTooMany is the error for a request beyond the limit of concurrent ones: the answer is that of kube-apiserver.
var ErrTooMany = errors.New("Too many requests, please try again later.")

// failTooMany refuses such a request, as the real server does, with a text.
func (a *answer) failTooMany() {
	a.Header().Set("Retry-After", "1")
	http.Error(a, ErrTooMany.Error(), http.StatusTooManyRequests)
}
