package torture

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// check compares what a server says after its start with all that was shown.
func (r *run) check(s *Server, delay time.Duration) error {
	before := r.ledger.findings()
	if said := s.Output(); strings.Contains(said, "it is kept as") {
		r.ledger.add(Lost, "the saved cluster could not be read: %s", said)
	}
	shown := r.ledger.Head()
	head, _, err := s.list(0, nil)
	if err != nil {
		return err
	}
	end, err := r.mark(s, delay)
	if err != nil {
		return err
	}
	h, err := r.history(s, end)
	if err != nil {
		return err
	}
	h.Head, h.Shown = head, shown
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for _, f := range r.followers {
		if err := f.reach(ctx, end); err != nil {
			r.ledger.add(Diverged, "%s: %v", f.name, err)
			f.forget()
		}
	}
	at, state, err := s.list(0, exactly(end))
	if err != nil {
		return err
	}
	told := r.ledger.Check(h)
	if d := told.difference(state); at != end || d != "" {
		r.ledger.add(Diverged, "the history ends at %d, the list is of %d: %s", end, at, d)
	}
	for _, f := range r.followers {
		f.check(h, end, state)
	}
	if r.ledger.findings() != before {
		r.recover(end, state)
	}
	return nil
}

// recover makes all clients start again after a fault, so that it is reported only once.
func (r *run) recover(end int64, state State) {
	for _, f := range r.followers {
		f.forget()
	}
	for _, w := range r.writers {
		for i := range ownKeys {
			w.uncertain[fmt.Sprintf("%sw%d-%d", prefix, w.id, i)] = true
		}
	}
	r.ledger.mu.Lock()
	defer r.ledger.mu.Unlock()
	r.ledger.begin(end, state)
}

// markAttempts is how often the write that ends a history is tried. A server that starts may be so busy that it closes
// a connection, as one that is idle, before it has read the request there.
const markAttempts = 3

// mark writes an object, which ends the history, and returns its revision.
func (r *run) mark(s *Server, delay time.Duration) (revision int64, err error) {
	for range markAttempts {
		if revision, err = r.markOnce(s, delay); !errors.Is(err, io.EOF) || s.Dead() {
			break
		}
		r.ledger.Unanswered()
	}
	return revision, err
}

func (r *run) markOnce(s *Server, delay time.Duration) (int64, error) {
	r.marks++
	key, token := prefix+"mark", fmt.Sprintf("mark.%d", r.marks)
	floor := r.ledger.Head()
	r.ledger.Attempt(token)
	began := time.Now()
	a, err := s.do("PATCH", collection+"/"+key+"?fieldManager=mark&force=true", "application/apply-patch+yaml",
		fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q},"stringData":{"token":%q}}`, key, token))
	if err != nil {
		return 0, err
	}
	if a.code >= 300 {
		return 0, fmt.Errorf("a write after the start is answered %d %s", a.code, a.body)
	}
	if took := time.Since(began); took < delay*9/10 {
		return 0, fmt.Errorf("a write took %v, although syncs should take %v: nothing could be found", took, delay)
	}
	v, err := parse(a.body)
	if err != nil {
		return 0, err
	}
	r.ledger.Acknowledge("the check", token, v, floor)
	return v.Revision, nil
}

// history returns all that has happened since the last check, or since the compaction
// after that, up to a revision.
func (r *run) history(s *Server, end int64) (History, error) {
	h, err := s.history(r.ledger.Base(), end)
	if errors.Is(err, errExpired) && r.compacted > r.ledger.Base() {
		h, err = s.history(r.compacted, end)
	}
	return h, err
}

func (s *Server) history(from, end int64) (History, error) {
	h := History{From: from}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	reached := errors.New("reached")
	if from < end {
		err := s.watch(ctx, url.Values{"resourceVersion": {strconv.FormatInt(from, 10)}}, func(e event) error {
			if e.Type != "BOOKMARK" {
				h.Events = append(h.Events, e.Version)
			}
			if e.Revision >= end {
				return reached
			}
			return nil
		})
		if !errors.Is(err, reached) {
			return h, fmt.Errorf("the history from %d to %d: %w", from, end, err)
		}
	}
	query := exactly(from).Encode()
	a, err := s.do("GET", collection+"?limit=1&"+query, "", "")
	if err != nil {
		return h, err
	}
	if a.code == http.StatusGone {
		return h, errExpired
	}
	_, h.State, err = s.list(0, exactly(from))
	return h, err
}

// findings returns how many there are.
func (f *Findings) findings() (n int) {
	for fault := range faults {
		n += f.Count(fault)
	}
	return n
}
