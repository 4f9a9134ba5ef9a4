package persist

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// ErrEmpty is the error for an empty log.
var ErrEmpty = errors.New("there is nothing")

// Target is the parts of a new cluster that a saved one is loaded into.
type Target struct {
	Registry *registry.Registry
	Clock    *clock.Adjustable
	// Header is set to the saved one's.
	Header *Header
	// Observe is called for every object, and for every change of one, in order; a nil value means that
	// the object was deleted.
	Observe func(bucket, key string, value []byte, rev int64)
	// Rand makes a secret if the saved cluster has none.
	Rand io.Reader
	// MaxSize is the maximum size of a valid cluster, in bytes.
	MaxSize int64
	// Foreign is set for what a client sends: objects that nest deeper than object.MaxDepth are refused.
	Foreign bool
}

// Load loads the valid part of a saved cluster, and describes what it found. The error is that of
// reading, or a *journal.OtherReleaseError.
func Load(saved io.Reader, into Target) (journal.Found, error) {
	store, header := into.Registry.Store, into.Header
	var latest time.Time
	found, err := journal.Read(saved, journal.Visitor{
		Header: func(meta []byte) error {
			if err := header.decode(meta); err != nil {
				return err
			}
			if err := header.Clock.Restore(into.Clock); err != nil {
				return fmt.Errorf("the header: %w", err)
			}
			return nil
		},
		Record: func(r mvcc.Record) error {
			row := registry.ResourceOf(into.Registry.Table, r.Bucket)
			if row == nil && !schema.IsCustomBucket(r.Bucket) {
				return &journal.OtherReleaseError{What: fmt.Sprintf("objects of the type %q", r.Bucket)}
			}
			if into.Foreign && object.TooDeep(r.Value) {
				return fmt.Errorf("%s %s nests more than %d levels deep", r.Bucket, r.Key, object.MaxDepth)
			}
			attrs, err := registry.Load(row, r.Value)
			if err != nil {
				return fmt.Errorf("%s %s: %w", r.Bucket, r.Key, err)
			}
			into.Registry.MaybeYield()
			if store.Status().Size > into.MaxSize {
				return fmt.Errorf("what is before takes more than %d bytes already", into.MaxSize)
			}
			r.Value = bytes.Clone(r.Value) // which is the reader's
			if err := store.Load(r, attrs); err != nil {
				return err
			}
			latest = r.Time
			into.Clock.NotBefore(latest) // otherwise the next write would be older
			value := r.Value
			if r.Deleted {
				value = nil
			}
			into.Observe(r.Bucket, r.Key, value, r.Revision)
			return nil
		},
		Position: func(head, compacted int64) error {
			return store.Position(max(head, store.Status().Head), compacted)
		},
	})
	if err != nil {
		return found, err
	}
	_ = header.Clock.Restore(into.Clock) // again: reading has taken time, during which the clock may be paused
	into.Clock.NotBefore(latest)
	header.Clock = nil
	if header.UID != "" && len(header.Secret) == 0 { // it was saved before there were any
		fresh, err := NewHeader(into.Rand)
		if err != nil {
			return found, err
		}
		fresh.UID = header.UID
		*header = fresh
	}
	return found, nil
}
