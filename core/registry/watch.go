package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// batchSize is the maximum number of events that a watch reads from the store at a time.
const batchSize = 256

// Watch is an open watch. Next returns its events. Close it when done.
type Watch struct {
	reader  Reader
	target  Target
	options ListOptions
	cursor  *mvcc.Watcher
	initial []mvcc.Item // synthetic ADDED events not sent yet
	endMark bool        // the bookmark that ends the initial events is due
	failure *status.Error
	why     horizon.Cause // of a failure that is a 410
	// one is where Next puts an event that comes alone, as most do of a watch that keeps up.
	one     [1]WatchEvent
	started int64
	cut     *cut
	// draining is set once the type is gone.
	draining bool
	// alarm fires for whatever is due first: the next bookmark, or the end. These are zero without
	// one.
	alarm         clock.Timer
	bookmark, end time.Time
}

// Watch opens a watch through the reader. Its start depends on resourceVersion and
// sendInitialEvents: the events after an exact version, or the existing objects as synthetic ADDED
// events. A version that is too old, or that the initial events should have but that the reader
// does not reach, is not an error here: the stream has one ERROR event. The options must be valid.
func (r Reader) Watch(ctx context.Context, t Target, o ListOptions) (*Watch, error) {
	r = r.forType(t.Resource)
	p := planWatch(t, o, r.state())
	w, rev, err := r.open(ctx, t, o, p)
	r.answered(ctx, p, rev)
	if w != nil {
		gone(ctx, w.why)
	}
	return w, err
}

// open carries out the plan of a watch. It returns the revision after which the watch begins, 0 if it
// begins with its failure.
func (r Reader) open(ctx context.Context, t Target, o ListOptions, p plan) (*Watch, int64, error) {
	if p.err != nil {
		return nil, 0, p.err
	}
	if name, ok := o.Fields.RequiresExact("metadata.name"); ok && t.Name == "" {
		t.Name = name
	}
	if namespace, ok := o.Fields.RequiresExact("metadata.namespace"); ok && t.Namespaced && t.Namespace == "" {
		t.Namespace = namespace
	}
	r = r.as(p)
	w := &Watch{reader: r, target: t, options: o, cut: r.nextCut(), alarm: never{}}
	now := r.Clock.Now()
	if o.Timeout != 0 {
		w.end = now.Add(o.Timeout)
	}
	w.scheduleBookmark(now)
	if due := w.due(); !due.IsZero() {
		w.alarm = r.Clock.NewTimer(due.Sub(now))
	}
	if err := w.start(ctx, p); err != nil {
		w.Close()
		return nil, 0, err
	}
	if w.failure != nil {
		return w, 0, nil
	}
	return w, w.started, nil
}

// start waits for what the plan waits for, reads the initial events if there are any, and places the
// cursor.
func (w *Watch) start(ctx context.Context, p plan) error {
	r, t := w.reader, w.target
	if err := r.await(ctx, t.Resource, p); err != nil {
		if ctx.Err() != nil {
			return err
		}
		w.failure = status.From(err)
		return nil
	}
	if err := r.listed(ctx, t); err != nil {
		return err
	}
	if !p.initial {
		if w.started = r.at(t.Resource, p); w.started == 0 {
			w.started, _ = r.Store.Bounds()
		}
		err := w.follow()
		if errors.Is(err, mvcc.ErrCompacted) {
			w.expire(w.started)
			err = nil
		}
		return err
	}
	w.endMark = w.options.SendInitialEvents != nil && w.options.AllowWatchBookmarks
	for {
		q := mvcc.Query{Group: t.group(), Key: t.scope().Key, Match: w.options.match(t.Resource),
			Terms: w.options.terms(t.Resource), Revision: r.at(t.Resource, p), Kept: r.cache != nil}
		if err := r.convertAll(ctx, t, w.options.Selection, q); err != nil {
			w.failure = status.From(err)
			return nil
		}
		page, err := r.Store.Range(t.bucket(), q)
		if err == nil {
			w.initial, w.started = page.Items, page.Revision
			err = w.follow()
		}
		if !p.outdated(err) {
			return err
		}
	}
}

// follow places the cursor. It returns mvcc.ErrCompacted if the reader does not have all events since
// the watch's start.
func (w *Watch) follow() (err error) {
	r, scope := w.reader, w.target.scope()
	if scope.Key == "" {
		scope.Terms = rarest(w.options.terms(w.target.Resource))
	}
	if r.cache == nil {
		w.cursor, err = r.Store.Watch(scope, w.started)
		return err
	}
	if horizon, _ := r.cache.horizon(w.target.Resource); w.started < horizon {
		return mvcc.ErrCompacted
	}
	w.cursor, err = r.Store.WatchKept(scope, w.started)
	return err
}

// expire makes the error that ends the watch its next event.
func (w *Watch) expire(rev int64) {
	if w.reader.cache == nil {
		w.why = horizon.Compacted
		w.failure = status.NewExpired("The resourceVersion for the provided watch is too old.")
		return
	}
	horizon, why := w.reader.cache.horizon(w.target.Resource)
	w.why = why
	w.failure = status.NewExpired(fmt.Sprintf("too old resource version: %d (%d)", rev, horizon))
}

// Next returns the next events; it waits for one. They are valid until it is called again. It returns io.EOF when the
// watch is over: timed out, cut, or after an ERROR event.
func (w *Watch) Next(ctx context.Context) ([]WatchEvent, error) {
	for {
		wait := w.reader.delay()
		events, err := w.poll(ctx)
		if len(events) == 0 && err == nil {
			clear(w.one[:]) // most watches wait, and keep nothing then
			events, err = w.sleep(ctx, wait)
		}
		if err == nil && w.cut.done() { // asked at last: what was polled may be newer
			if events = w.cut.before(events); len(events) == 0 {
				err = io.EOF
			}
		}
		if len(events) > 0 || err != nil {
			return events, err
		}
	}
}

// sleep waits until there may be something to poll, or returns an event that is due.
func (w *Watch) sleep(ctx context.Context, wait delay) ([]WatchEvent, error) {
	arrival := wait.until(w.cursor)
	defer arrival.Stop()
	select {
	case <-w.cursor.Ready():
	case <-arrival.C():
	case <-wait.over:
	case <-w.alarm.C():
		return w.alarmed(ctx)
	case <-w.cut.over:
		return nil, io.EOF
	case <-w.reader.Closing:
		return w.closing(ctx)
	case <-w.gone():
		if w.drain() {
			return nil, nil
		}
		// Deletions before the end are still sent.
		if events, err := w.poll(ctx); len(events) > 0 || err != nil {
			return events, err
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return nil, nil
}

// closing returns the last event of a watch when its cluster ends. If another cluster replaces it,
// the revisions that the client knows mean nothing there: it has to list again.
func (w *Watch) closing(ctx context.Context) ([]WatchEvent, error) {
	if w.reader.Replaced == nil || !w.reader.Replaced() {
		return nil, io.EOF
	}
	w.failure = status.NewExpired("another cluster has taken the place of this one: list again")
	return w.poll(ctx)
}

// gone returns a channel that is closed when the watch's type is removed or changed, unless that is known already.
func (w *Watch) gone() <-chan struct{} {
	if w.target.Custom == nil || w.draining {
		return nil
	}
	return w.target.Custom.Gone
}

// drain makes the watch of a type that is gone end after Drain, and reports whether it continues until then.
func (w *Watch) drain() bool {
	r := w.reader
	if r.Drain == 0 {
		return false
	}
	end := r.Clock.Now().Add(r.Drain)
	if w.draining, w.bookmark = true, (time.Time{}); w.end.IsZero() || end.Before(w.end) {
		w.end = end
	}
	w.alarm.Stop()
	w.alarm = r.Clock.NewTimer(w.end.Sub(r.Clock.Now()))
	return true
}

// cursorRevision returns the revision up to which everything was sent; -1 when the watch is over.
func (w *Watch) cursorRevision() int64 {
	if w.cursor == nil {
		return -1
	}
	return w.cursor.Revision()
}

// poll returns the available events without waiting.
func (w *Watch) poll(ctx context.Context) ([]WatchEvent, error) {
	if len(w.initial) > 0 {
		n := min(len(w.initial), batchSize)
		events := make([]WatchEvent, n)
		for i, item := range w.initial[:n] {
			value, err := w.reader.readKept(ctx, w.target.Resource, item.Value)
			if err != nil {
				return w.unconverted(events[:i], err)
			}
			events[i] = WatchEvent{Type: Added, Object: value}
		}
		w.initial = w.initial[n:]
		return events, nil
	}
	if w.endMark {
		w.endMark = false
		return []WatchEvent{w.bookmarkAt(w.started, true)}, nil
	}
	if w.failure != nil {
		object := w.failure.Status.JSON()
		w.failure = nil
		w.release()
		return []WatchEvent{{Type: Error, Object: object[:len(object)-1]}}, nil
	}
	if w.cursor == nil {
		return nil, io.EOF
	}
	committed, err := w.cursor.Next(batchSize, w.reader.known())
	if errors.Is(err, mvcc.ErrCompacted) {
		if w.reader.cache != nil { // it was listed again, which ends the watches that it has not sent everything
			w.release()
			return nil, io.EOF
		}
		w.expire(w.cursor.Revision())
		return w.poll(ctx)
	}
	events := w.one[:0]
	if w.options.Empty() && len(committed) > 1 { // all of them are sent
		events = make([]WatchEvent, 0, len(committed))
	}
	for _, e := range committed {
		event, ok, wrong := w.event(ctx, e)
		if wrong != nil {
			return w.unconverted(events, wrong)
		}
		if ok {
			events = append(events, event)
		}
	}
	return events, err
}

// event returns the event of a commit in this watch: an object that begins or ceases to match its
// selectors is ADDED or DELETED.
func (w *Watch) event(ctx context.Context, e *mvcc.Event) (_ WatchEvent, is bool, err error) {
	if !w.options.Empty() {
		if err := cmp.Or(w.reader.selectable(ctx, w.target.Resource, e.Version),
			w.reader.selectable(ctx, w.target.Resource, e.Prev)); err != nil {
			return WatchEvent{}, false, err
		}
	}
	wanted := func(v *mvcc.Version) bool {
		return v != nil && (w.options.Empty() || w.options.matches(w.target.Resource, e.Key, v))
	}
	now, was := !e.Deleted && wanted(e.Version), wanted(e.Prev)
	t := w.target.Resource
	event := WatchEvent{Type: Deleted, commit: e, made: memoKey{resource: t}}
	value := e.Value
	switch {
	case now && was:
		event.Type = Modified
	case now:
		event.Type = Added
	case was && e.Deleted:
	case was:
		event.made.leaves = true
		value = leaving(t.Storage().Type(), e)
	default:
		return event, false, nil
	}
	event.Object, err = w.reader.readKept(ctx, t, value)
	return event, err == nil, err
}

// unconverted ends a watch because a webhook failed to convert an object: after the events before that, there is an
// ERROR event.
func (w *Watch) unconverted(before []WatchEvent, err error) ([]WatchEvent, error) {
	w.initial, w.endMark, w.failure = nil, false, status.From(err)
	if len(before) > 0 {
		return before, nil
	}
	return w.poll(context.Background())
}

// leaving returns the object that no longer matches: its old content with the new resourceVersion.
// It is made once for all watches that it leaves.
func leaving(t *schema.Type, e *mvcc.Event) []byte {
	return e.Memo(memoKey{leaves: true}, func() []byte {
		obj := decode(t, e.Prev.Value)
		setRevision(obj, e.Revision)
		return object.Encode(nil, obj, t)
	})
}

// Close frees the watch.
func (w *Watch) Close() {
	w.release()
	w.alarm.Stop()
}

// release closes the cursor; without one the watch is over.
func (w *Watch) release() {
	if w.cursor != nil {
		w.cursor.Close()
		w.cursor = nil
	}
}
