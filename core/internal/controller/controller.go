package controller

import (
	"context"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
)

const (
	// batchSize is the maximum number of events that a controller reads between two reconciliations.
	batchSize = 256
	// pageSize is the maximum number of objects that are read at once.
	pageSize = 500
	// firstRetry is the wait for a key after a failure; it doubles with each further one, up to
	// lastRetry.
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// add makes a key due for reconciliation after some time.
type add func(key string, after time.Duration)

// notice is called with an object's new version, which may be a deletion, and calls add with the
// keys to be reconciled and when.
type notice func(e *mvcc.Event, add add)

// reconcileFunc reconciles a key. If again is not zero, it is called again after that time; after
// an error it is retried.
type reconcileFunc func(ctx context.Context, key string) (again time.Duration, err error)

// plan defines a controller.
type plan struct {
	// buckets are the buckets of the store that the controller follows.
	buckets func() []string
	// key, if set, makes it follow only the object of the bucket with that key, which is due from the start: see one.
	key string
	// all makes it follow everything else as well, from its start on.
	all bool
	// begin, if set, resets the state that notice keeps, before everything is noticed again.
	begin     func()
	notice    notice
	reconcile reconcileFunc
	// clock is the one that it waits by; nil: the cluster's.
	clock clock.Clock
}

// one returns the plan that follows one object, whether it exists or not.
func one(at registry.Target, reconcile reconcileFunc) plan {
	buckets, key := []string{at.Bucket()}, at.Namespace+"/"+at.Name
	return plan{
		buckets: func() []string { return buckets }, key: key,
		notice: func(_ *mvcc.Event, add add) { add(key, 0) }, reconcile: reconcile,
	}
}

// controller carries out a plan.
type controller struct {
	plan
	store *mvcc.Store
	clock clock.Clock

	busy sync.Mutex // held by a run: the next one waits until it ends
}

// run works until the context ends.
func (c *controller) run(ctx context.Context) {
	c.busy.Lock()
	defer c.busy.Unlock()
	q := newQueue(c.clock)
	for ctx.Err() == nil {
		c.follow(ctx, q)
	}
}

// follow notices everything that exists, and all later events. It returns when the context ends, or
// when it has fallen below the compaction horizon.
func (c *controller) follow(ctx context.Context, q *queue) {
	buckets := c.buckets()
	watcher, err := c.store.Watch(c.scope(buckets), c.store.Status().Head)
	if err != nil {
		return // compacted in between
	}
	defer watcher.Close()
	if c.begin != nil {
		c.begin()
	}
	if c.key != "" {
		q.add(c.key, 0)
	} else {
		for _, bucket := range buckets {
			c.survey(ctx, bucket, q)
		}
	}
	for ctx.Err() == nil {
		events, err := watcher.Next(batchSize, 0)
		if err != nil {
			return
		}
		for _, e := range events {
			c.notice(e, q.add)
		}
		key, wait, ok := q.next()
		if ok && wait <= 0 {
			c.work(ctx, q, key)
			continue
		}
		c.sleep(ctx, watcher, wait, ok)
	}
}

// survey notices everything in a bucket, a page at a time: other requests wait while a page is
// read. Changes between two pages are among the events.
func (c *controller) survey(ctx context.Context, bucket string, q *queue) {
	all := func(string, *mvcc.Version) bool { return true } // with a Match, the rest is not counted
	page := mvcc.Page{More: true}
	for page.More && ctx.Err() == nil {
		var err error
		if page, err = c.store.Range(bucket, mvcc.Query{Start: page.Next, Limit: pageSize, Match: all}); err != nil {
			panic(err) // the head can always be read
		}
		for _, item := range page.Items {
			c.notice(&mvcc.Event{Version: item.Version, Bucket: bucket, Key: item.Key}, q.add)
		}
	}
}

// scope returns what has to be watched: one object, one bucket, or everything.
func (p *plan) scope(buckets []string) mvcc.Scope {
	if p.key != "" {
		return mvcc.Scope{Bucket: buckets[0], Key: p.key}
	}
	if len(buckets) == 1 && !p.all {
		return mvcc.Scope{Bucket: buckets[0]}
	}
	return mvcc.Scope{}
}

// work reconciles a key and schedules its next time.
func (c *controller) work(ctx context.Context, q *queue, key string) {
	q.remove(key)
	again, err := c.reconcile(ctx, key)
	switch {
	case err != nil:
		q.addFailed(key)
		return
	case again > 0:
		q.add(key, again)
	}
	delete(q.failures, key)
}

// sleep waits for an event, for the next key's time if there is a key, or for the end of the
// context.
func (c *controller) sleep(ctx context.Context, w *mvcc.Watcher, wait time.Duration, keys bool) {
	var due <-chan time.Time
	if keys {
		timer := c.clock.NewTimer(wait)
		defer timer.Stop()
		due = timer.C()
	}
	select {
	case <-w.Ready():
	case <-due:
	case <-ctx.Done():
	}
}
