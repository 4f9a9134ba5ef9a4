package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// Prepare makes what the lesson starts with: its empty namespaces, and what its setup requests make. It first removes
// what an earlier start has left, and then calls removed, so that controllers have seen that before something of the
// same name is there again: what they are about to make would be in it. removed may be nil. The settings that the
// lesson requires have to be in force. It blocks; the error names the request that failed.
func (s *Session) Prepare(ctx context.Context, t Transport, removed func()) error {
	if err := s.Tidy(ctx, t); err != nil {
		return err
	}
	if removed != nil {
		removed()
	}
	for _, name := range s.Lesson.Namespaces {
		body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": name}})
		if err != nil {
			return err
		}
		out := format.Outgoing{Method: "POST", Target: "/api/v1/namespaces", Header: jsonBody, Body: string(body)}
		if err := s.ask(ctx, t, out, http.StatusConflict); err != nil {
			return err
		}
	}
	for _, r := range s.Lesson.Setup {
		if err := s.make(ctx, t, r); err != nil {
			return err
		}
	}
	s.log.Lock()
	defer s.log.Unlock()
	s.made = true
	return nil
}

var jsonBody = []tap.Field{{Name: "Content-Type", Value: "application/json"}}

// Tidy removes what the lesson has made: by its restore requests, and by deleting its namespaces with all that is in
// them, at once. It blocks.
func (s *Session) Tidy(ctx context.Context, t Transport) error {
	for _, r := range s.Lesson.Restore {
		if err := s.make(ctx, t, r, http.StatusNotFound); err != nil {
			return err
		}
	}
	if len(s.Lesson.Namespaces) == 0 {
		return nil
	}
	body, err := json.Marshal(map[string]any{"namespaces": s.Lesson.Namespaces})
	if err != nil {
		return err
	}
	purge := format.Outgoing{Method: "POST", Target: wellknown.ControlPlane + "/purge", Header: jsonBody,
		Body: string(body)}
	return s.ask(ctx, t, purge)
}

// make runs a request of the setup, which may be refused only in the given ways.
func (s *Session) make(ctx context.Context, t Transport, r *format.Request, allowed ...int) error {
	var last Report
	s.Run(ctx, setupTransport{t}, r, func(rep Report) { last = rep })
	if last.Err != nil {
		return fmt.Errorf("%s: %w", r.Label(), last.Err)
	}
	for status := range last.Statuses {
		if err := refused(status, allowed, last.Reason); err != nil {
			return fmt.Errorf("%s: %w", r.Label(), err)
		}
	}
	return nil
}

// ask makes a request and wants it not to be refused, but in the given ways.
func (s *Session) ask(ctx context.Context, t Transport, out format.Outgoing, allowed ...int) error {
	x, err := s.converse(ctx, t, out, FromSetup, func(tap.Type, *tap.Exchange) {})
	if err == nil {
		err = refused(x.Status, allowed, failure(x, "message"))
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", out.Method, x.Info.Path, err)
	}
	return nil
}

func refused(status int, allowed []int, message string) error {
	if status < 400 {
		return nil
	}
	for _, a := range allowed {
		if status == a {
			return nil
		}
	}
	return fmt.Errorf("%d %s", status, message)
}

// A setupTransport sends all requests as the setup's.
type setupTransport struct{ Transport }

func (t setupTransport) Do(ctx context.Context, r format.Outgoing, _ Origin, head func(int, []tap.Field),
	text func(string)) error {
	return t.Transport.Do(ctx, r, FromSetup, head, text)
}
