package registry

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
)

// lastBookmark is the time of the last bookmark before the end of a watch.
const lastBookmark = 2 * time.Second

// alarmed returns the bookmark if it is due, sets the alarm for the next time, and returns io.EOF
// at the end.
func (w *Watch) alarmed(ctx context.Context) ([]WatchEvent, error) {
	now := w.reader.Clock.Now()
	if !w.end.IsZero() && !now.Before(w.end) {
		return nil, io.EOF
	}
	is := !w.bookmark.IsZero() && !now.Before(w.bookmark)
	if is {
		w.scheduleBookmark(now)
	}
	if due := w.due(); !due.IsZero() {
		w.alarm.Reset(due.Sub(now))
	}
	if !is || w.bookmark.IsZero() { // bookmarks were switched off
		return nil, nil
	}
	events, err := w.poll(ctx) // moves the cursor: a quiet watch is up to date
	at := min(w.cursorRevision(), w.reader.versionOf(w.target.Resource))
	if err == nil && at > w.started && !w.cut.done() {
		events = append(events, w.bookmarkAt(at, false))
	}
	return events, err
}

// bookmarkAt returns a BOOKMARK event: an object of the kind with nothing but a resourceVersion.
// The one after the initial events is annotated.
func (w *Watch) bookmarkAt(rev int64, initialEventsEnd bool) WatchEvent {
	t := w.target.Resource
	meta := map[string]any{"resourceVersion": strconv.FormatInt(rev, 10)}
	if initialEventsEnd {
		meta["annotations"] = map[string]any{InitialEventsEnd: "true"}
	}
	obj := map[string]any{"kind": t.Kind, "apiVersion": t.APIVersion(), "metadata": meta}
	return WatchEvent{Type: Bookmark, Object: object.Encode(nil, obj, t.Type())}
}

// scheduleBookmark sets the time of the next bookmark: at regular intervals, and shortly before the
// watch times out.
func (w *Watch) scheduleBookmark(now time.Time) {
	wait := w.reader.Settings().BookmarkInterval
	if !w.options.AllowWatchBookmarks || wait == 0 || w.reader.cache == nil { // they are the cache's news
		w.bookmark = time.Time{}
		return
	}
	if !w.end.IsZero() {
		if last := w.end.Add(-lastBookmark).Sub(now); last > 0 {
			wait = min(wait, last)
		}
	}
	w.bookmark = now.Add(wait)
}

// due returns the time of the alarm, zero for never.
func (w *Watch) due() time.Time {
	if w.bookmark.IsZero() || !w.end.IsZero() && w.end.Before(w.bookmark) {
		return w.end
	}
	return w.bookmark
}

// never is a timer that does not fire.
type never struct{}

func (never) C() <-chan time.Time { return nil }
func (never) Stop() bool          { return false }
func (never) Reset(time.Duration) {}
