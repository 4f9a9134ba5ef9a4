package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/web/lesson/format"
)

// answerTimeout is how long a Runner waits for an answer to begin, and advanceTimeout for the end of an advance, which
// has programs do all that is due meanwhile.
const (
	answerTimeout  = time.Minute
	advanceTimeout = 15 * time.Minute
)

// ErrSilent is the error of a request that was not answered in time.
var ErrSilent = errors.New("no answer")

// A Runner makes a lesson's requests one after another, as a learner does who presses Run; a watch continues in the
// background. The Session learns of the requests by the tap of the Transport.
type Runner struct {
	Session   *Session
	Transport Transport
	// Wait blocks until done reports true, or returns an error when that takes too long.
	Wait func(ctx context.Context, done func() bool) error
	// AfterRequest is called after each request, and when a step has passed, to wait for what was set going, as a learner
	// does before the next request: controllers act on their own. May be nil.
	AfterRequest func()
	// Command runs commands of kubectl, and returns when they have ended. Where it is set, they are run instead of the
	// requests of the block above them.
	Command func(ctx context.Context, text string) error
	// Lever pulls a lever of a program.
	Lever func(ctx context.Context, l format.Lever) error

	streams sync.WaitGroup
}

// Join waits until no watch is open.
func (r *Runner) Join() { r.streams.Wait() }

// Send makes a request. It returns when the answer is whole, of a watch when it has begun;
// the watch ends with ctx.
func (r *Runner) Send(ctx context.Context, q *format.Request) (Report, error) {
	var last Report
	if !q.Watch() {
		timeout := answerTimeout // a clock that is paused lets clients wait forever
		if strings.HasSuffix(q.Target, "/advance") {
			timeout = advanceTimeout
		}
		limited, cancel := context.WithTimeout(ctx, timeout)
		r.Session.Run(limited, r.Transport, q, func(rep Report) { last = rep })
		cancel()
	} else {
		begun := make(chan Report, 1)
		r.streams.Go(func() {
			r.Session.Run(ctx, r.Transport, q, func(rep Report) {
				if rep.Status > 0 || rep.Done {
					select {
					case begun <- rep:
					default:
					}
				}
			})
		})
		select {
		case last = <-begun:
		case <-ctx.Done():
			return last, ctx.Err()
		case <-time.After(answerTimeout):
			return last, fmt.Errorf("%s %s: %w", q.Method, q.Target, ErrSilent)
		}
	}
	if last.Err != nil {
		return last, fmt.Errorf("line %d: %s %s: %w", q.Line, q.Method, q.Target, last.Err)
	}
	if strings.HasSuffix(q.Target, "/disconnect") {
		r.Join() // as a learner sees the watches end before continuing
	}
	if r.AfterRequest != nil {
		r.AfterRequest()
	}
	return last, nil
}

// Solve passes the step that comes next by its solution.
func (r *Runner) Solve(ctx context.Context, step int) error {
	r.Session.Recheck()
	if got := r.Session.solved(); got != step {
		return fmt.Errorf("%d steps are passed before step %d", got, step+1)
	}
	if err := r.act(ctx, &r.Session.Lesson.Steps[step]); err != nil {
		return fmt.Errorf("step %d: %w", step+1, err)
	}
	err := r.Wait(ctx, func() bool {
		r.Session.Recheck()
		return r.Session.solved() > step
	})
	if err != nil {
		return fmt.Errorf("step %d, %q, does not pass: %w. %s", step+1, r.Session.Lesson.Steps[step].Title, err,
			r.Session.stands(step))
	}
	if r.AfterRequest != nil {
		r.AfterRequest() // what a step shows may come before all that it has led to
	}
	return nil
}

// act does what the first way to pass a step says: see Step.Ways.
func (r *Runner) act(ctx context.Context, s *format.Step) error {
	for _, l := range s.Levers {
		if r.Lever == nil {
			return fmt.Errorf("line %d: no programs run here", l.Line)
		}
		if err := r.Lever(ctx, l); err != nil {
			return fmt.Errorf("line %d: %w", l.Line, err)
		}
	}
	given, solved := s.Goal() != nil || !s.Free(), false
	for i := range s.Blocks {
		b := &s.Blocks[i]
		switch {
		case b.Kind == format.HTTP && given && b.Kubectl != "" && r.Command != nil:
			if err := r.Command(ctx, b.Kubectl); err != nil {
				return err
			}
			continue
		case b.Kind == format.HTTP && given:
		case b.Kind == format.Solution && !solved:
			solved = true
		default:
			continue
		}
		for j := range b.Requests {
			if _, err := r.Send(ctx, &b.Requests[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// SetUp makes what a step starts with, whatever has happened: what the lesson starts with, and what the steps before
// make by their solutions. The settings that the lesson requires have to be in force. begun is called when a step
// before is begun with; it may be nil. What has passed stays passed, and answers stay.
func (r *Runner) SetUp(ctx context.Context, step int, begun func(step int)) error {
	r.Session.Redo(step)
	defer r.Session.KeepPassed()
	if err := r.Session.Prepare(ctx, r.Transport, r.AfterRequest); err != nil {
		return &SetupError{Step: -1, Err: err}
	}
	if r.AfterRequest != nil {
		r.AfterRequest()
	}
	for i := range step {
		if begun != nil {
			begun(i)
		}
		if err := r.Solve(ctx, i); err != nil {
			return &SetupError{Step: i, Err: err}
		}
	}
	return nil
}

// A SetupError says which step could not be done again, -1 for what the lesson starts with.
type SetupError struct {
	Step int
	Err  error
}

// Error says what could not be made.
func (e *SetupError) Error() string {
	if e.Step < 0 {
		return "the setup of this lesson has failed: " + e.Err.Error()
	}
	return e.Err.Error() // it names the step
}

// Unwrap returns the reason.
func (e *SetupError) Unwrap() error { return e.Err }

// stands says how far a step is that does not pass, also if it has passed before: what is missing first.
func (s *Session) stands(i int) string {
	s.log.Lock()
	defer s.log.Unlock()
	st := &s.steps[i]
	if words := st.trouble.Words(); words != "" {
		return words + "."
	}
	for _, row := range st.rows {
		if !row.Done {
			return strings.TrimSpace(fmt.Sprintf("Missing: %s. %s", plain(row.Text), st.miss))
		}
	}
	return ""
}
