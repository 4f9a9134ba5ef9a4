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
	// Foreign is set for what a client sends: objects beyond the limits of object.Check are refused.
	Foreign bool
}

// Load loads the valid part of a saved cluster, and describes what it found. The error is that of
// reading.
func Load(saved io.Reader, into Target) (journal.Found, error) {
	l := loader{Target: into}
	header := into.Header
	found, err := journal.Read(saved, journal.Visitor{
		Header: func(meta []byte) (recording bool, err error) {
			if err := header.decode(meta); err != nil {
				return false, err
			}
			if err := header.Clock.Restore(into.Clock); err != nil {
				return false, fmt.Errorf("the header: %w", err)
			}
			l.collects = header.Recording != nil
			return l.collects, nil
		},
		Record: l.record, Position: l.position, Note: l.note,
	})
	if err != nil {
		return found, err
	}
	if header.Recording != nil && found.Complete && found.Problem != nil && found.Beyond == 0 {
		header.Recording["cutOff"] = found.Problem.Error()
		found.Problem = nil
	}
	_ = header.Clock.Restore(into.Clock) // again: reading has taken time, during which the clock may be paused
	into.Clock.NotBefore(l.latest)
	header.Clock = nil
	if header.UID != "" && len(header.Secret) == 0 { // it was saved before there were any
		fresh, err := NewHeader(into.Rand)
		if err != nil {
			return found, err
		}
		header.Secret = fresh.Secret
	}
	return found, nil
}

// A loader loads the records of a log.
type loader struct {
	Target
	latest time.Time // that of the last record
	parts  map[*schema.Resource]object.Part
	// The first part of a recording is collected until its end: its records come in any order.
	collects  bool
	collected []*collected
	bytes     int64 // of the collected ones
}

func (l *loader) record(r mvcc.Record) error {
	row := registry.ResourceOf(l.Registry.Table, r.Bucket)
	if row == nil && !schema.IsCustomBucket(r.Bucket) {
		return fmt.Errorf("%w: objects of the type %q are not known here", journal.ErrOtherRelease, r.Bucket)
	}
	if l.Registry.Store.Status().Size+l.bytes > l.MaxSize {
		return fmt.Errorf("what is before takes more than %d bytes already", l.MaxSize)
	}
	r.Value = bytes.Clone(r.Value) // which is the reader's
	if l.collects {
		gone := r.Deleted && r.Created == 0 && len(r.Value) == 0
		l.collected = append(l.collected, &collected{Record: r, row: row, gone: gone})
		l.bytes += int64(len(r.Value)) + mvcc.VersionCost
		return nil
	}
	return l.load(&r, row)
}

// attributes returns what the store keeps beside a version's bytes. What another server may have written is read as a
// whole.
func (l *loader) attributes(bucket string, row *schema.Resource, value []byte) (any, error) {
	if l.Foreign {
		return registry.Load(row, value)
	}
	p, known := l.parts[row]
	if !known {
		if l.parts == nil {
			l.parts = map[*schema.Resource]object.Part{}
		}
		p = registry.AttributesPart(row)
		l.parts[row] = p
	}
	return registry.Stored(row, value, p, l.Registry.Store.Last(bucket))
}

// load adds a version to the store; row is that of its type, nil for a custom one.
func (l *loader) load(r *mvcc.Record, row *schema.Resource) error {
	if l.Foreign {
		if err := object.Check(r.Value); err != nil {
			return fmt.Errorf("%s %s: %w", r.Bucket, r.Key, err)
		}
	}
	attrs, err := l.attributes(r.Bucket, row, r.Value)
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.Bucket, r.Key, err)
	}
	l.Registry.MaybeYield()
	if err := l.Registry.Store.Load(*r, attrs); err != nil {
		return err
	}
	l.latest = r.Time
	l.Clock.NotBefore(l.latest) // otherwise the next write would be older
	value := r.Value
	if r.Deleted {
		value = nil
	}
	l.Observe(r.Bucket, r.Key, value, r.Revision)
	return nil
}

func (l *loader) position(head, compacted int64) error {
	if l.collects {
		l.collects = false
		if err := l.settle(); err != nil {
			return err
		}
	}
	store := l.Registry.Store
	return store.Position(max(head, store.Status().Head), compacted)
}
