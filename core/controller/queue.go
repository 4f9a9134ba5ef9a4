package controller

import (
	"slices"
	"sort"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// queue is keys in the order in which they are due; those due at the same time
// are in the order in which they came.
type queue struct {
	clock    clock.Clock
	items    []item
	due      map[string]time.Time // by key
	failures map[string]int       // in a row, by key
}

type item struct {
	key string
	due time.Time
}

func newQueue(c clock.Clock) *queue {
	return &queue{clock: c, due: map[string]time.Time{}, failures: map[string]int{}}
}

// add makes a key due after some time, unless it is due earlier already.
func (q *queue) add(key string, after time.Duration) {
	due := q.clock.Now().Add(after)
	if old, ok := q.due[key]; ok {
		if !due.Before(old) {
			return
		}
		q.remove(key)
	}
	q.due[key] = due
	q.items = slices.Insert(q.items, q.behind(due), item{key, due})
}

// addFailed makes a key due that could not be synchronised: later with each
// time.
func (q *queue) addFailed(key string) {
	n := q.failures[key]
	q.failures[key]++
	q.add(key, min(firstRetry<<min(n, 10), lastRetry))
}

// behind is the place behind all items that are due at a time or before.
func (q *queue) behind(due time.Time) int {
	return sort.Search(len(q.items), func(i int) bool { return q.items[i].due.After(due) })
}

// next is the key that is due first and how long that is from now; false if the
// queue is empty.
func (q *queue) next() (key string, wait time.Duration, ok bool) {
	if len(q.items) == 0 {
		return "", 0, false
	}
	return q.items[0].key, q.items[0].due.Sub(q.clock.Now()), true
}

// remove takes a key out of the queue if it is there.
func (q *queue) remove(key string) {
	due, ok := q.due[key]
	if !ok {
		return
	}
	delete(q.due, key)
	i := q.behind(due) - 1
	for q.items[i].key != key {
		i--
	}
	q.items = slices.Delete(q.items, i, i+1)
}
