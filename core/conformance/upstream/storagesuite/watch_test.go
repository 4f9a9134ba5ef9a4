package storagesuite

import (
	"context"
	"errors"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/apis/example"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// watcher is a watch.Interface over an mvcc.Watcher.
type watcher struct {
	store   *store
	options storage.ListOptions
	cursor  *mvcc.Watcher
	match   func(string, *mvcc.Version) bool
	initial []mvcc.Item
	started int64
	results chan watch.Event
	cancel  context.CancelFunc
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.results }
func (w *watcher) Stop()                          { w.cancel() }

// Watch determines its start before it returns.
func (s *store) Watch(ctx context.Context, path string, o storage.ListOptions) (watch.Interface, error) {
	key, err := split(path, o.Recursive)
	if err != nil {
		return nil, err
	}
	rev, err := s.versioner.ParseResourceVersion(o.ResourceVersion)
	if err != nil {
		return nil, err
	}
	q := query(key, o.Recursive)
	w := &watcher{store: s, options: o, match: q.Match, results: make(chan watch.Event, 100)}
	ctx, w.cancel = context.WithCancel(ctx)
	early := w.start(q, int64(rev))
	flowcontrol.WatchInitialized(ctx)
	go w.run(ctx, early)
	return w, nil
}

// start reads the initial events and places the cursor.
func (w *watcher) start(q mvcc.Query, rev int64) error {
	s, o := w.store, w.options
	initial := rev == 0
	if o.SendInitialEvents != nil {
		initial = *o.SendInitialEvents
	}
	w.started = rev
	switch {
	case initial:
		if head := s.data.Status().Head; rev > head {
			return storage.NewTooLargeResourceVersionError(uint64(rev), uint64(head), 1)
		}
		page, err := s.data.Range(bucket, q)
		if err != nil {
			return err
		}
		w.initial, w.started = page.Items, page.Revision
	case rev == 0:
		w.started = s.data.Status().Head
	}
	var err error
	w.cursor, err = s.data.Watch(mvcc.Scope{Bucket: bucket, Group: q.Group, Key: q.Key}, w.started)
	return err
}

// run sends events until the context ends or an error was sent.
func (w *watcher) run(ctx context.Context, early error) {
	defer close(w.results)
	if w.cursor != nil {
		defer w.cursor.Close()
	}
	send := func(e watch.Event) bool {
		select {
		case w.results <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	if err := w.follow(ctx, early, send); err != nil && ctx.Err() == nil {
		send(errorEvent(err))
	}
}

func (w *watcher) follow(ctx context.Context, err error, send func(watch.Event) bool) error {
	if err != nil {
		return err
	}
	for _, item := range w.initial {
		obj, err := w.object(ctx, item.Key, item.Version, item.Revision)
		if err != nil {
			return err
		}
		if obj != nil && !send(watch.Event{Type: watch.Added, Object: obj}) {
			return nil
		}
	}
	if err := w.endOfInitialEvents(send); err != nil {
		return err
	}
	for {
		events, err := w.cursor.Next(0, 0)
		if err != nil {
			return err
		}
		for _, e := range events {
			if w.match != nil && !w.match(e.Key, e.Version) {
				continue
			}
			event, err := w.event(ctx, e)
			if err != nil {
				return err
			}
			if event != nil && !send(*event) {
				return nil
			}
		}
		select {
		case <-w.cursor.Ready():
		case <-ctx.Done():
			return nil
		}
	}
}

// endOfInitialEvents sends the bookmark for it, if it was requested.
func (w *watcher) endOfInitialEvents(send func(watch.Event) bool) error {
	o := w.options
	if o.SendInitialEvents == nil || !*o.SendInitialEvents || !o.Predicate.AllowWatchBookmarks {
		return nil
	}
	obj := &example.Pod{}
	if err := w.store.versioner.UpdateObject(obj, uint64(w.started)); err != nil {
		return err
	}
	if err := storage.AnnotateInitialEventsEndBookmark(obj); err != nil {
		return err
	}
	send(watch.Event{Type: watch.Bookmark, Object: obj})
	return nil
}

// object decodes a version at a revision; nil if there is no version, or it is not selected.
func (w *watcher) object(ctx context.Context, key string, v *mvcc.Version, rev int64) (runtime.Object, error) {
	if v == nil {
		return nil, nil
	}
	obj := &example.Pod{}
	if _, _, err := w.store.at(ctx, key, v.Value, rev, obj); err != nil {
		return nil, err
	}
	wanted, err := w.options.Predicate.Matches(obj)
	if err != nil || !wanted {
		return nil, err
	}
	return obj, nil
}

// event returns the event of a commit in this watch, or nil.
func (w *watcher) event(ctx context.Context, e *mvcc.Event) (*watch.Event, error) {
	was, err := w.object(ctx, e.Key, e.Prev, e.Revision)
	if err != nil {
		return nil, err
	}
	var is runtime.Object
	if !e.Deleted {
		if is, err = w.object(ctx, e.Key, e.Version, e.Revision); err != nil {
			return nil, err
		}
	}
	switch {
	case is != nil && was != nil:
		return &watch.Event{Type: watch.Modified, Object: is}, nil
	case is != nil:
		return &watch.Event{Type: watch.Added, Object: is}, nil
	case was != nil:
		return &watch.Event{Type: watch.Deleted, Object: was}, nil
	}
	return nil, nil
}

// errorEvent returns an ERROR event, which is the last of its watch.
func errorEvent(err error) watch.Event {
	if errors.Is(err, mvcc.ErrCompacted) {
		err = apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	}
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		s := known.Status()
		return watch.Event{Type: watch.Error, Object: &s}
	}
	return watch.Event{Type: watch.Error, Object: &metav1.Status{
		Status: metav1.StatusFailure, Message: err.Error(), Code: http.StatusInternalServerError,
		Reason: metav1.StatusReasonInternalError,
	}}
}
