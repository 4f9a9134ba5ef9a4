package registry

import (
	"context"
	"errors"
	"net/http"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// A write builds on the last version of its object, which may not be durable yet; otherwise the
// writers of one object would wait for each other's disk writes. So no result of a verb, be it a
// success, an error or that of a dry run, may be reported before everything that it depends on is
// durable: every verb that writes ends with settle. All other reads, like those of readers and
// watchers, see committed state only.

// Durability makes commits durable.
type Durability interface {
	// Ready returns nil if commits can be made durable at present.
	Ready() error
}

// writable refuses writes that could not be made durable.
func (r *Registry) writable() error {
	if r.Log == nil {
		return nil
	}
	return r.StorageError(r.Log.Ready())
}

// written are the events that a verb has written, shared by its steps.
type written struct {
	last *mvcc.Event
	// all of them, in order, if the client asks for its source
	all    []*mvcc.Event
	traced bool
	// discards is the store's count when the verb began.
	discards int64
}

// begin makes the options record what is written. It comes before everything that a verb reads.
func (r *Registry) begin(ctx context.Context, o *WriteOptions) {
	if o.written == nil {
		o.written = &written{traced: source.Of(ctx) != nil, discards: r.Store.Discards()}
		r.writes(ctx)
	}
}

// note records an event that was written.
func (o *WriteOptions) note(e *mvcc.Event) {
	if o.written == nil {
		return
	}
	o.written.last = e
	if o.written.traced {
		o.written.all = append(o.written.all, e)
	}
}

// settle returns the result of a verb, the given error, once everything that it depends on is
// durable, or the error of that.
func (r *Registry) settle(ctx context.Context, o WriteOptions, err error) error {
	wait := func(ctx context.Context) error { return r.Store.Settle(ctx, o.written.discards) }
	if own := o.written.last; err == nil && own != nil {
		wait = func(ctx context.Context) error { return r.Store.Await(ctx, own) }
	}
	if lost := wait(ctx); lost != nil {
		err = lost
		if ctx.Err() == nil {
			err = r.StorageError(lost)
		}
	}
	r.wrote(ctx, o, err)
	return err
}

// refused returns the error of a write that the store has refused.
func (r *Registry) refused(err error) error {
	var conflict *mvcc.ConflictError
	var said *status.Error
	switch {
	case errors.As(err, &conflict), errors.As(err, &said): // the store's guard says it as the API does
		return err
	case errors.Is(err, mvcc.ErrNoSpace):
		return status.New(http.StatusInternalServerError, status.Unknown, err.Error(), nil)
	}
	return r.StorageError(err)
}

// StorageError returns the error of a write that could not be made durable; nil if err is.
func (r *Registry) StorageError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrClosed):
		return status.NewUnavailable("another cluster takes the place of this one", 1)
	}
	return status.NewInternal(err)
}

// Committed releases the addresses and ports that an object had before a write. It does not call
// the store.
func (r *Registry) Committed(e *mvcc.Event) { r.release(e, e.Prev, e.Version) }

// Discarded releases what an object had allocated in a write that was discarded. It does not call
// the store.
func (r *Registry) Discarded(e *mvcc.Event) { r.release(e, e.Version, e.Prev) }

// release releases what one version of an object has allocated and another has not.
func (r *Registry) release(e *mvcc.Event, from, to *mvcc.Version) {
	if from == nil || from.Deleted {
		return
	}
	row := r.ResourceOf(e.Bucket)
	if row == nil {
		return
	}
	strat := kinds.Of(row)
	if strat.Release == nil {
		return
	}
	read := func(v *mvcc.Version) map[string]any {
		if v == nil || v.Deleted {
			return nil
		}
		return decode(row.Type(), v.Value)
	}
	strat.FreeReplaced(r.kindContext(WriteOptions{}), read(to), read(from))
}
