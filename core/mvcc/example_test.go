package mvcc_test

import (
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// A Store has one revision counter: each write takes the next revision, old revisions can be read,
// and watchers get every change in order, until compaction drops the history.
func ExampleStore() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	store := mvcc.New(func() time.Time { return now })
	text := func(value string) mvcc.Build {
		return func(int64) ([]byte, any) { return []byte(value), nil }
	}

	// The third argument is the revision that the key must be at; 0: it must not exist.
	first, err := store.Put("colours", "sky", 0, text("blue"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Put("colours", "sky", first.Revision, text("grey")); err != nil {
		log.Fatal(err)
	}
	var conflict *mvcc.ConflictError
	_, err = store.Put("colours", "sky", first.Revision, text("red"))
	fmt.Println("conflict:", errors.As(err, &conflict))

	old, _, err := store.Get("colours", "sky", first.Revision)
	if err != nil {
		log.Fatal(err)
	}
	page, err := store.Range("colours", mvcc.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("then %s, now %s\n", old.Value, page.Items[0].Value)

	watcher, err := store.Watch(mvcc.Scope{Bucket: "colours"}, first.Revision)
	if err != nil {
		log.Fatal(err)
	}
	defer watcher.Close()
	events, err := watcher.Next(10, store.Status().Head)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d event: %s after %s\n", len(events), events[0].Value, events[0].Prev.Value)

	if err := store.Compact(store.Status().Head); err != nil {
		log.Fatal(err)
	}
	_, _, err = store.Get("colours", "sky", first.Revision)
	fmt.Println("compacted:", errors.Is(err, mvcc.ErrCompacted))
	// Output:
	// conflict: true
	// then blue, now grey
	// 1 event: grey after blue
	// compacted: true
}
