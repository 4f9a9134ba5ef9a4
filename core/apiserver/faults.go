package apiserver

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/faults"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// exempt is the resource that faults never affect, or they could not be switched off.
var exempt = status.GroupResource{Group: wellknown.Group, Resource: "controlplanes"}

// injectFault applies the row of faults that matches a request, if any: it returns the writer for the
// answer, or the error to answer with.
func (s *Server) injectFault(w *answer, r *http.Request, rows *faults.Set) error {
	a := attributesOf(r)
	if a.IsResource && a.Group == exempt.Group && a.Resource == exempt.Resource {
		return nil
	}
	q := faults.Request{UserAgent: r.Header.Get("User-Agent"), User: auth.UserOf(r.Context()).Name}
	q.Server = func() (int, bool) {
		if !a.IsResource {
			return 0, false
		}
		reader, err := s.reader(w, r)
		return reader.Server(), err == nil
	}
	if a.IsResource {
		q.Verb, q.Resource = a.Verb, a.Resource
	}
	row, i := rows.Choose(q)
	if row == nil {
		return nil
	}
	if row.Status != 0 {
		return faultStatus(row, fmt.Sprintf("spec.faults[%d] of the ControlPlane asks for this answer", i))
	}
	w.fault = row
	w.ResponseWriter = row.Writer(w.ResponseWriter, func() { s.delay(w, r) })
	return nil
}

// faultStatus returns the error of a row, as the real server would answer it.
func faultStatus(row *faults.Row, why string) error {
	var e *status.Error
	switch code := int(row.Status); code {
	case http.StatusTooManyRequests:
		e = status.New(code, status.TooManyRequests, "Too many requests, please try again later: "+why, &status.Details{})
	case http.StatusServiceUnavailable:
		e = status.New(code, status.ServiceUnavailable, why, nil)
	case http.StatusGatewayTimeout:
		e = status.New(code, status.Timeout, "Timeout: "+why, &status.Details{})
	default:
		e = status.NewInternal(errors.New(why))
	}
	if row.RetryAfter > 0 {
		if e.Status.Details == nil {
			e.Status.Details = &status.Details{}
		}
		e.Status.Details.RetryAfterSeconds = int(row.RetryAfter)
	}
	return e
}

// delay waits before an answer is sent, in the cluster's time, and ends the request if its client
// disconnects. Meanwhile the request gives up its seat.
func (s *Server) delay(w *answer, r *http.Request) {
	defer ReleaseSeat(r.Context())()
	timer := s.Registry.Clock.NewTimer(w.fault.Delay)
	defer timer.Stop()
	client := w.request.Context() // which the deadline of a request does not end: that is the server's
	select {
	case <-timer.C():
	case <-s.Registry.Closing:
	case <-client.Done():
		panic(http.ErrAbortHandler)
	}
}

// errCut ends a watch that a fault cuts.
var errCut = errors.New("the watch is cut")

// eventsLeft returns the number of events before a watch is cut; nil if it is not.
func (a *answer) eventsLeft() *int64 {
	if a.fault == nil || a.fault.CutAfterEvents == nil {
		return nil
	}
	left := *a.fault.CutAfterEvents
	return &left
}
