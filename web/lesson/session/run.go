package session

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// repeatAtOnce is how many requests of a repeated one are under way together.
const repeatAtOnce = 32

// An Origin says what a request is made for, as a tap tells it.
type Origin string

const (
	FromLesson Origin = "lesson" // a request of a step
	FromSample Origin = "sample" // one of many that are alike
	FromSetup  Origin = "setup"  // what a lesson starts with; it counts for no step
)

// A Transport sends requests to the API server.
type Transport interface {
	// Do sends a request, calls head once and text for every part of the answer's
	// body, and returns when the answer is whole (nil) or broke off.
	Do(ctx context.Context, r format.Outgoing, from Origin, head func(status int, header []tap.Field),
		text func(string)) error
}

// A MissingError says that a request refers to a value that is not there yet.
type MissingError struct {
	Ref format.Ref
	// Status is that of the answer that has no such value; 0 if its request was not made.
	Status int
	// Lost says that the value was there and is not known any more, of the step of that number; of the setup, if it is 0.
	Lost bool
	Step int
}

// Error tells the learner what to do.
func (e *MissingError) Error() string {
	switch {
	case e.Lost && e.Step > 0:
		return fmt.Sprintf("The %s of %s in step %d is not known any more: set this step up again.", e.Ref.Path, e.Ref.Name,
			e.Step)
	case e.Lost:
		return fmt.Sprintf("The %s of %s in the setup is not known any more: set this step up again.", e.Ref.Path, e.Ref.Name)
	case e.Status > 0:
		return fmt.Sprintf("%s was answered %d, without %s: set this step up again, or run %s again.", e.Ref.Name, e.Status,
			e.Ref.Path, e.Ref.Name)
	}
	return fmt.Sprintf("Run %s first: this request needs its %s.", e.Ref.Name, e.Ref.Path)
}

// needs returns what a reference stands for, or says by a *MissingError what has to be run first.
func (s *Session) needs(r format.Ref) (string, error) {
	s.log.Lock()
	defer s.log.Unlock()
	if v, ok := s.valueLocked(r); ok {
		return v, nil
	}
	e := &MissingError{Ref: r}
	if x, ok := s.live[r.Name].(exchange); ok {
		e.Status = x.Status
	}
	if at := s.current(); at < len(s.steps) {
		if step, lost := s.lost(r, at); lost && e.Status == 0 {
			e.Lost, e.Step = true, step+1
		}
	}
	return "", e
}

// A Report is how a run is going.
type Report struct {
	// Sent and Total count the requests of a repeated one.
	Sent, Total int
	// Statuses counts the answers by their status.
	Statuses map[int]int
	// Write reports whether the request asks for a change. Wrote says which revisions it has made, as in → 381–383, and
	// Revision is the first of them: empty and 0 if nothing has changed, or that is not known yet.
	Write    bool
	Wrote    string
	Revision int64
	// Status is the latest answer's. Code and Reason are from its body, if that is
	// a failure Status: its reason, as in NotFound, and its message.
	Status       int
	Code, Reason string
	// Summary is that of the answer to a request that is not repeated.
	Summary Summary
	// Stopped reports whether the run ended because ctx did.
	Stopped bool
	// Streaming is true while a watch is open; Events counts what it delivered,
	// Last is the latest event's type, object and version, Failed the code of an
	// ERROR event.
	Streaming    bool
	Events       int
	Last, Failed string
	// Err is why the request could not be made or its answer broke off.
	Err error
	// Done is true in the last report.
	Done bool
}

// Run resolves a request, sends it, and reports as the answer comes in. It
// blocks until the answer is whole, or for a watch until the stream ends or ctx
// does. Reports come one at a time.
func (s *Session) Run(ctx context.Context, t Transport, r *format.Request, report func(Report)) {
	total := max(r.Repeat, 1)
	rep := Report{Total: total, Statuses: map[int]int{}, Write: r.Method != "GET" && r.Method != "HEAD"}
	var mu sync.Mutex
	update := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
		out := rep
		out.Statuses = make(map[int]int, len(rep.Statuses))
		for k, v := range rep.Statuses {
			out.Statuses[k] = v
		}
		report(out)
	}
	index := 0
	next := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if index == total || rep.Err != nil {
			return 0, false
		}
		index++
		return index, true
	}
	var workers sync.WaitGroup
	for range min(total, repeatAtOnce) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				i, ok := next()
				if !ok {
					return
				}
				s.send(ctx, t, r, i, total > 1, update, &rep)
			}
		}()
	}
	workers.Wait()
	update(func() { rep.Done, rep.Streaming = true, false })
}

// Resolve fills in a request's references, as for its first sending, or says by
// a *MissingError which request has to be run first.
func (s *Session) Resolve(r *format.Request) (format.Outgoing, error) {
	return r.Resolve(1, s.needs)
}

// send sends the request once. update guards rep and reports it.
func (s *Session) send(ctx context.Context, t Transport, r *format.Request, index int, sample bool, update func(func()),
	rep *Report) {
	out, err := r.Resolve(index, s.needs)
	if err != nil {
		update(func() { rep.Err = err })
		return
	}
	from := FromLesson
	if sample {
		from = FromSample
	}
	locked := func(f func()) {
		s.log.Lock()
		defer s.log.Unlock()
		f()
	}
	x, err := s.converse(ctx, t, out, from, func(what tap.Type, x *tap.Exchange) {
		switch {
		case what == tap.Chunk && len(x.Lines) > 0:
			update(func() {
				locked(func() {
					last := event{x.Lines[len(x.Lines)-1]}
					rep.Events, rep.Last, rep.Failed = x.Events, last.summary(), last.failure()
				})
			})
		case what == tap.Head:
			if r.Name != "" && !sample {
				locked(func() {
					s.live[r.Name] = exchange{x, 0}
					delete(s.instead, r.Name)
				})
			}
			update(func() {
				rep.Status, rep.Streaming = x.Status, x.Streams()
				rep.Statuses[x.Status]++
			})
		}
	})
	update(func() {
		rep.Sent++
		locked(func() {
			switch {
			case x.Status >= 400:
				rep.Code, rep.Reason = failure(x, "reason"), failure(x, "message")
			case !sample && !x.Streams():
				rep.Summary = summary(x)
			}
		})
		if err != nil {
			rep.Err, rep.Stopped = err, ctx.Err() != nil
		}
	})
}

// converse makes a request and returns it with its answer, of which changed is called with the head and each part.
func (s *Session) converse(ctx context.Context, t Transport, out format.Outgoing, from Origin,
	changed func(tap.Type, *tap.Exchange)) (*tap.Exchange, error) {
	var log tap.Log // what the page's own log has of it comes later, and may be dropped
	x := log.Add(tap.Event{Type: tap.Request, Method: out.Method, URL: out.Target, Header: out.Header, Body: out.Body})
	take := func(ev tap.Event) {
		s.log.Lock()
		log.Add(ev)
		s.log.Unlock()
		changed(ev.Type, x)
	}
	err := t.Do(ctx, out, from, func(status int, header []tap.Field) {
		take(tap.Event{Type: tap.Head, Status: status, Header: header})
	}, func(text string) { take(tap.Event{Type: tap.Chunk, Text: text}) })
	end := tap.End
	if err != nil {
		end = tap.Fail
	}
	s.log.Lock()
	defer s.log.Unlock()
	log.Add(tap.Event{Type: end})
	return x, err
}

// summary names the event: its type, its object, its version.
func (e event) summary() string {
	words := []string{e.Type}
	fields := []string{"kind", "metadata.name", "metadata.resourceVersion"}
	if e.Type == "ERROR" {
		fields = []string{"code", "message"}
	}
	for _, p := range fields {
		path, err := format.ParsePath("object." + p)
		if err != nil {
			continue
		}
		if v, ok := path.Of(e); ok {
			words = append(words, format.TextOf(v))
		}
	}
	return strings.Join(words, " ")
}

// failure returns the code of the Status in an ERROR event; empty for other events.
func (e event) failure() string {
	if e.Type != "ERROR" {
		return ""
	}
	status, _ := e.Field("object")
	code, _ := format.Named(status, "code")
	if code == nil {
		return ""
	}
	return format.TextOf(code)
}

// failure returns a field of the Status in the body of a failure.
func failure(x *tap.Exchange, field string) string {
	found, _ := format.Named(x.JSON(), field)
	s, _ := found.(string)
	return s
}
