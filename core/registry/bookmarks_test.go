package registry

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"
)

// TestNoBookmarks keeps a watch open beyond the times at which bookmarks would be due.
func TestNoBookmarks(t *testing.T) {
	yes := true
	from := ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true, Timeout: 90 * time.Second}
	initial := ListOptions{AllowWatchBookmarks: true, Timeout: 90 * time.Second}
	initial.SendInitialEvents, initial.ResourceVersionMatch = &yes, MatchNotOlderThan
	endless := ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true}
	for what, test := range map[string]struct {
		options       ListOptions
		before, after time.Duration // the interval when the watch begins, and later
		want          []string
	}{
		"none":               {from, 0, 0, []string{"", "", "EOF"}},
		"the end mark stays": {initial, 0, 0, []string{"BOOKMARK @2", "", "", "EOF"}},
		"none any more":      {from, time.Minute, 0, []string{"", "", "EOF"}},
		"for new watches":    {from, 0, time.Minute, []string{"", "", "EOF"}},
		"as before":          {from, time.Minute, time.Minute, []string{"BOOKMARK @3", "BOOKMARK @3", "EOF"}},
		"without an end":     {endless, time.Minute, 0, []string{"", "", ""}},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFixture(t)
			f.SetSettings(Settings{BookmarkInterval: test.before})
			w, _ := f.watch(f.configMaps(""), test.options)
			// revision 3, not of this watch
			f.create(f.pods(""), `{"metadata":{"name":"other"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
			f.SetSettings(Settings{BookmarkInterval: test.after})
			next := func() string {
				t.Helper()
				events, err := w.poll(t.Context())
				if err == nil && len(events) == 0 {
					select {
					case <-w.alarm.C():
						events, err = w.alarmed(t.Context())
					default:
					}
				}
				switch {
				case errors.Is(err, io.EOF):
					return "EOF"
				case err != nil || len(events) > 1:
					t.Fatalf("%v, %v", events, err)
				case len(events) == 0:
					return ""
				}
				return describe(t, events[0])
			}
			want := test.want
			if len(want) > 3 {
				if got := next(); got != want[0] {
					t.Errorf("at first: %q, want %q", got, want[0])
				}
				want = want[1:]
			}
			for i, wait := range []time.Duration{time.Minute, 28 * time.Second, 2 * time.Second} {
				f.clock.Advance(wait)
				if got := next(); got != want[i] {
					t.Errorf("%v later: %q, want %q", wait, got, want[i])
				}
			}
		})
	}
}

// TestBookmarksEndInTheMiddle waits, as clients do, for the end of a watch whose bookmark was due
// by an earlier setting.
func TestBookmarksEndInTheMiddle(t *testing.T) {
	f := newFixture(t)
	w, _ := f.watch(f.configMaps(""),
		ListOptions{ResourceVersion: "2", AllowWatchBookmarks: true, Timeout: 90 * time.Second})
	f.create(f.pods(""), `{"metadata":{"name":"other"},"spec":{"containers":[{"name":"c","image":"i"}]}}`)
	f.SetSettings(Settings{})
	f.clock.Advance(time.Minute)
	done := make(chan error)
	go func() {
		events, err := w.Next(context.Background())
		if err == nil {
			err = errors.New(describe(t, events[0]))
		}
		done <- err
	}()
	f.clock.AwaitTimers(1) // that of the end
	f.clock.Advance(30 * time.Second)
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("the watch got %v, want its end", err)
	}
}
