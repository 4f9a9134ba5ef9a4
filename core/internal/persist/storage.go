package persist

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A Storage saves one running cluster: in a log, or, until Open and without one, in memory only.
// Set its fields before use.
type Storage struct {
	Store *mvcc.Store
	// Quota limits the memory of the objects and their history, in bytes.
	Quota int64
	// Found returns the notice about what was found at start.
	Found func() (setAside, problem string)

	log          *journal.Log // nil: memory only
	outlivesHost bool         // whether the content of the log outlives the host
}

// Open starts saving the cluster.
func (s *Storage) Open(o journal.Options) error {
	log, err := journal.Start(o)
	if err != nil {
		return err
	}
	_, memory := o.Storage.(*journal.Memory)
	s.log, s.outlivesHost = log, !memory
	return nil
}

// Log returns the log, or nil.
func (s *Storage) Log() *journal.Log { return s.log }

// Flush waits until all commits are durable.
func (s *Storage) Flush(ctx context.Context) error {
	if s.log == nil {
		return nil
	}
	return s.log.Flush(ctx)
}

// Handover runs take while the cluster commits nothing. If take succeeds it never does again:
// writes get an error.
func (s *Storage) Handover(take func() error) error {
	if s.log != nil {
		return s.log.Handover(take)
	}
	s.Store.SetJournal(closedJournal{})
	err := take()
	if err != nil {
		s.Store.SetJournal(nil)
	}
	return err
}

// closedJournal is the journal of a cluster in memory that has been replaced.
type closedJournal struct{}

func (closedJournal) Append(*mvcc.Event) error { return journal.ErrClosed }

// Close makes all commits durable, unless another cluster has taken over the log's storage.
func (s *Storage) Close() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// Trouble returns the reason why writes cannot be saved at present; nil if they can.
func (s *Storage) Trouble() error {
	if s.log != nil {
		// The end of the cluster is no storage problem.
		if err := s.log.Err(); err != nil && !errors.Is(err, journal.ErrClosed) {
			return err
		}
	}
	if at := s.Store.Status(); at.Present > s.Quota-s.Quota/20 {
		return fmt.Errorf("%w: the objects take %d of %d bytes; delete some of them", mvcc.ErrNoSpace, at.Present, s.Quota)
	}
	return nil
}

// Notice returns other messages about the storage.
func (s *Storage) Notice() string {
	if s.log != nil {
		if err := s.log.HeadErr(); err != nil {
			return "How far the log has come could not be recorded beside it: " + err.Error()
		}
	}
	_, problem := s.Found()
	return problem
}

// Changed returns a channel that is closed when the storage fails or works again; nil
// if none exists.
func (s *Storage) Changed() <-chan struct{} {
	if s.log == nil {
		return nil
	}
	return s.log.Changed()
}

// Status returns the storage part of the ControlPlane's status.
func (s *Storage) Status() map[string]any {
	tree := map[string]any{
		"persistent": s.log != nil && s.outlivesHost,
		"bytes":      s.Store.Status().Size, "quotaBytes": s.Quota,
	}
	if setAside, _ := s.Found(); setAside != "" {
		tree["setAside"] = setAside
	}
	if notice := s.Notice(); notice != "" {
		tree["problem"] = notice
	}
	if err := s.Trouble(); err != nil {
		tree["problem"] = err.Error()
	}
	return tree
}
