package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A follower records one resource type.
type follower struct {
	*target
	r     *Recorder
	rules []rule
	// observe is called with each version; a nil value means that the object was deleted. It may be nil.
	observe func(name string, value []byte, rev int64)

	// The rest is for one goroutine at a time.

	// at is the revision up to which everything was seen; 0 before the first list.
	at int64
	// known are the objects that exist, by their keys.
	known map[string]entry
	lists int
	// changed is what lists have found since the last one that was read to its end.
	changed []change
	// refused and failing report whether the server's last answer was that.
	refused bool
	retry   time.Duration

	// first is the revision of the first list.
	first atomic.Int64
	// listed is closed after the first list, also if that failed.
	listed chan struct{}
	once   sync.Once
	// stop ends it, and stopped is closed when it has ended.
	stop    context.CancelFunc
	stopped chan struct{}
}

// maxBackoff is how long nothing is asked after errors, unless the server wants more: what is made and deleted before a
// type is listed again is lost.
const maxBackoff = 2 * time.Second

// An entry is what is remembered of an object: the revisions of its last version and of its creation, if that was seen,
// and the number of the last list that had it.
type entry struct {
	rev, created int64
	list         int
}

// errStop ends a follower for good.
var errStop = errors.New("the type is gone")

// run lists and watches until ctx ends, or the type is gone.
func (f *follower) run(ctx context.Context) {
	defer close(f.stopped)
	defer f.done()
	for ctx.Err() == nil {
		var err error
		if f.at == 0 {
			err = f.list(ctx, "")
		} else {
			f.done()
			err = f.watch(ctx, f.r.watchSeconds())
		}
		if ctx.Err() != nil {
			return
		}
		wait := f.handle(ctx, err)
		if wait < 0 {
			return
		}
		if wait > 0 {
			f.done() // others need not wait for it
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
	}
}

// done says that the first list was read, or could not be.
func (f *follower) done() { f.once.Do(func() { close(f.listed) }) }

// handle does what an error asks for, and returns how long to wait; negative: forever.
func (f *follower) handle(ctx context.Context, err error) time.Duration {
	if err == nil {
		f.retry = 0
		return 0
	}
	switch code := codeOf(err); {
	case errors.Is(err, errStop):
		return -1
	case code == http.StatusGone:
		if err := f.list(ctx, cut(err.Error())); err != nil && ctx.Err() == nil {
			return f.handleAgain(err)
		}
		return 0
	case code == http.StatusForbidden || code == http.StatusUnauthorized:
		if !f.refused {
			f.refused = true
			f.r.refused(f, err)
		}
		return f.r.Options.retryRights()
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		return f.missing(err)
	case code == 0:
		f.r.connectionLost(err)
	}
	return f.handleAgain(err)
}

// handleAgain returns how long to wait after an error that may pass.
func (f *follower) handleAgain(err error) time.Duration {
	f.retry = min(max(2*f.retry, f.r.Options.backoff()), maxBackoff)
	var s *statusError
	wait := f.retry
	if errors.As(err, &s) {
		wait = max(wait, s.wait)
		if s.Code >= 500 || s.Code == http.StatusTooManyRequests {
			f.r.busy(f, s)
		}
	}
	return wait + time.Duration(rand.Int64N(int64(wait/4)+1))
}

// missing is called when the server does not serve the type.
func (f *follower) missing(err error) time.Duration {
	if f.row == nil && !f.r.isDefined(f.target) {
		for key := range f.known {
			f.r.file.gone(f.bucket, key, f.r.file.figures().head)
		}
		clear(f.known)
		return -1
	}
	f.r.noteOnce("missing "+f.name(), note{Kind: "types", Types: []string{f.name()}, From: f.at,
		Text: fmt.Sprintf("The server does not serve %s (%v). It is asked again.", f.name(), err)})
	return f.r.Options.retryRights()
}

// query returns the query of lists and watches.
func (f *follower) query() url.Values {
	q := url.Values{}
	if f.isNamespaces() && f.r.Options.Namespace != "" {
		q.Set("fieldSelector", "metadata.name="+f.r.Options.Namespace)
	}
	return q
}

// list lists the type: first, or because of a gap, which why names. What exists and was not known is recorded, and what
// was known and does not exist.
func (f *follower) list(ctx context.Context, why string) error {
	select {
	case f.r.client.lists <- struct{}{}:
		defer func() { <-f.r.client.lists }()
	case <-ctx.Done():
		return ctx.Err()
	}
	f.lists++
	from := f.at
	q := f.query()
	q.Set("limit", strconv.Itoa(pageSize))
	var rev int64
	for {
		at, next, err := f.r.client.list(ctx, f.path(f.r.Options.Namespace), q, func(item json.RawMessage) error {
			return f.item(item)
		})
		if err != nil {
			return err
		}
		if rev == 0 {
			rev = at
		}
		if next == "" {
			break
		}
		q.Set("continue", next)
	}
	f.r.answered(f)
	for key, e := range f.known {
		if e.list != f.lists {
			delete(f.known, key)
			f.changed = append(f.changed, change{key: key, from: e.rev, to: rev, deleted: true})
			if f.observe != nil {
				f.observe(key, nil, rev)
			}
		}
	}
	if f.at = max(f.at, rev); f.first.Load() == 0 {
		f.first.Store(rev)
	}
	if why != "" && from > 0 {
		f.r.fill(&gap{follower: f, why: why, from: from, to: rev, changed: f.changed})
	}
	f.changed = nil
	if from == 0 && f.r.file.figures().horizon > 0 {
		f.r.file.note(note{Kind: "types", Types: []string{f.name()}, From: rev, Text: fmt.Sprintf(
			"%s is recorded from revision %d on. Of what was before, only what existed still is known.", f.name(), rev)})
	}
	f.r.file.progress(f.bucket, rev)
	return nil
}

// A change is that of an object between two lists.
type change struct {
	key string
	// from is the revision that was known, 0 if none was, and to that of the list's version, or if the object was deleted,
	// of the list.
	from, to int64
	deleted  bool
}

// item takes an item of a list.
func (f *follower) item(text []byte) error {
	m, err := readMeta(text)
	if err != nil {
		return fmt.Errorf("an item of %s: %w", f.name(), err)
	}
	key := f.key(m.Metadata.Namespace, m.Metadata.Name)
	e, known := f.known[key]
	if known && e.rev >= m.rev {
		e.list = f.lists
		f.known[key] = e
		return nil
	}
	if f.at > 0 {
		f.changed = append(f.changed, change{key: key, from: e.rev, to: m.rev})
	}
	f.take(text, m, entry{rev: m.rev, created: e.created, list: f.lists}, false, m.changed())
	return nil
}

// watch watches from where the type has come to.
func (f *follower) watch(ctx context.Context, seconds int) error {
	q := f.query()
	q.Set("watch", "1")
	q.Set("resourceVersion", strconv.FormatInt(f.at, 10))
	q.Set("allowWatchBookmarks", "true")
	q.Set("timeoutSeconds", strconv.Itoa(seconds))
	begun := time.Now()
	events := 0
	err := f.r.client.watch(ctx, f.path(f.r.Options.Namespace), q, f.r.opened(f), func(e event) error {
		events++
		return f.event(e)
	})
	if err == nil && events == 0 && time.Since(begun) < time.Second {
		f.retry = min(max(2*f.retry, f.r.Options.backoff()), maxBackoff) // a server that ends watches at once
		select {
		case <-time.After(f.retry):
		case <-ctx.Done():
		}
		return nil
	}
	return err
}

// event takes an event of a watch.
func (f *follower) event(e event) error {
	m, err := readMeta(e.Object)
	if e.Type == "BOOKMARK" && m == nil {
		var b meta // it has no name
		if json.Unmarshal(e.Object, &b) == nil {
			b.rev, err = strconv.ParseInt(b.Metadata.ResourceVersion, 10, 64)
		}
		if err == nil {
			f.reach(b.rev)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("an event of %s: %w", f.name(), err)
	}
	key := f.key(m.Metadata.Namespace, m.Metadata.Name)
	old, known := f.known[key]
	if m.rev <= old.rev {
		return nil // it was seen
	}
	next := entry{rev: m.rev, created: old.created, list: f.lists}
	switch e.Type {
	case "ADDED", "MODIFIED":
		if e.Type == "ADDED" && !known {
			next.created = m.rev
		}
		f.take(e.Object, m, next, false, f.r.now())
	case "DELETED":
		if known {
			f.take(e.Object, m, next, true, f.r.now())
		}
	}
	f.reach(m.rev)
	return nil
}

// reach says that all up to a revision was seen.
func (f *follower) reach(rev int64) {
	if rev > f.at {
		f.at = rev
		f.r.file.progress(f.bucket, rev)
	}
}

// take records a version.
func (f *follower) take(text []byte, m *meta, e entry, deleted bool, at time.Time) {
	key := f.key(m.Metadata.Namespace, m.Metadata.Name)
	value, err := f.version(text, m)
	if err != nil {
		if _, known := f.known[key]; known {
			f.r.file.gone(f.bucket, key, m.rev)
		}
		delete(f.known, key)
		f.r.noteOnce("unreadable "+f.name()+" "+key, note{Kind: "fields", Types: []string{f.name()}, From: m.rev, To: m.rev,
			Text: fmt.Sprintf("%s %s cannot be read by this version: %s. It is not recorded.", f.name(), key, cut(err.Error()))})
		return
	}
	f.r.file.version(&mvcc.Record{
		Bucket: f.bucket, Key: key, Revision: e.rev, Created: e.created, Deleted: deleted, Time: at, Value: value,
	})
	if deleted {
		delete(f.known, key)
		value = nil
	} else {
		f.known[key] = e
	}
	if f.observe != nil {
		f.observe(key, value, e.rev)
	}
}

// version returns what is written of an object.
func (f *follower) version(text []byte, m *meta) ([]byte, error) {
	value, err := f.stored(text, m)
	if err != nil {
		return nil, err
	}
	unknown, err := f.check(value)
	if err != nil {
		return nil, err
	}
	for _, field := range unknown {
		f.r.unknownField(f, field, m.rev)
	}
	return f.r.redactor.redact(value, f.rules, f.bucket+" "+f.key(m.Metadata.Namespace, m.Metadata.Name))
}

// catchUp reads what the type has come to by now, for at most some seconds: the end of a recording is then that of all
// types.
func (f *follower) catchUp(ctx context.Context) error {
	if f.at == 0 || f.refused {
		return nil
	}
	q := f.query()
	q.Set("limit", "1")
	head, _, err := f.r.client.list(ctx, f.path(f.r.Options.Namespace), q, func(json.RawMessage) error { return nil })
	if err != nil || f.at >= head {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q = f.query()
	q.Set("watch", "1")
	q.Set("resourceVersion", strconv.FormatInt(f.at, 10))
	q.Set("allowWatchBookmarks", "true")
	q.Set("timeoutSeconds", "3") // a bookmark comes two seconds before the end
	err = f.r.client.watch(ctx, f.path(f.r.Options.Namespace), q, func() {}, func(e event) error {
		if err := f.event(e); err != nil {
			return err
		}
		if f.at >= head {
			return errCaughtUp
		}
		return nil
	})
	if errors.Is(err, errCaughtUp) {
		return nil
	}
	if err == nil {
		f.reach(head) // what was written before the list has come within this time
	}
	return err
}

var errCaughtUp = errors.New("caught up")
