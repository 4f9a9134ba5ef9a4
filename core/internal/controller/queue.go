package controller

import (
	"container/heap"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// queue has keys in the order in which they are due; those due at the same time are in the order in
// which they were added.
type queue struct {
	clock    clock.Clock
	order    order
	items    map[string]*item
	failures map[string]int // in a row, by key
	arrivals int
}

type item struct {
	key     string
	due     time.Time
	arrival int // its number
	at      int // its index in the order
}

func newQueue(c clock.Clock) *queue {
	return &queue{clock: c, items: map[string]*item{}, failures: map[string]int{}}
}

// add makes a key due after some time, unless it is due earlier already.
func (q *queue) add(key string, after time.Duration) {
	due := q.clock.Now().Add(after)
	if old := q.items[key]; old != nil {
		if !due.Before(old.due) {
			return
		}
		q.remove(key)
	}
	q.arrivals++
	q.items[key] = &item{key: key, due: due, arrival: q.arrivals}
	heap.Push(&q.order, q.items[key])
}

// addFailed makes a key due that could not be reconciled, after a delay that grows each time.
func (q *queue) addFailed(key string) {
	n := q.failures[key]
	q.failures[key]++
	q.add(key, min(firstRetry<<min(n, 10), lastRetry))
}

// next returns the key that is due first and the time until then; false if the queue is empty.
func (q *queue) next() (key string, wait time.Duration, ok bool) {
	if len(q.order) == 0 {
		return "", 0, false
	}
	return q.order[0].key, q.order[0].due.Sub(q.clock.Now()), true
}

// remove removes a key from the queue if it is there.
func (q *queue) remove(key string) {
	if i := q.items[key]; i != nil {
		delete(q.items, key)
		heap.Remove(&q.order, i.at)
	}
}

// order is the items as a heap.
type order []*item

func (o order) Len() int { return len(o) }

func (o order) Less(i, j int) bool {
	if o[i].due.Equal(o[j].due) {
		return o[i].arrival < o[j].arrival
	}
	return o[i].due.Before(o[j].due)
}

func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].at, o[j].at = i, j
}

func (o *order) Push(x any) {
	i := x.(*item)
	i.at = len(*o)
	*o = append(*o, i)
}

func (o *order) Pop() any {
	last := len(*o) - 1
	i := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return i
}
