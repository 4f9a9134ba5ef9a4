// Package inside says what a program knows of its work: the numbers that its work queues count, those of its metrics
// that say what waits, and how much it logs. All of it is what the program itself counts and logs; nothing is guessed
// from outside.
//
// Costs: an atomic addition whenever a key is added to a queue, taken from it or tried again. Look costs the metrics of
// the program, some hundred.
package inside

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/component-base/metrics/legacyregistry"
)

// A Queue is what a work queue has counted: how many keys wait in it, how many were added, and how many were added
// again after a failure, each time after a longer wait. Keys that wait for that are not among Depth.
type Queue struct {
	Name    string `json:"name"`
	Depth   int64  `json:"depth"`
	Adds    int64  `json:"adds"`
	Retries int64  `json:"retries"`
}

// A Value is a number of a metric, with its labels: "replicaset_controller_stale_sync_skips_total", "resource=pods".
type Value struct {
	Metric string  `json:"metric"`
	Labels string  `json:"labels"`
	Value  float64 `json:"value"`
}

// A State is all of it.
type State struct {
	Queues []Queue `json:"queues"`
	Values []Value `json:"values"`
}

// shown are the metrics besides those of queues that say what waits: the scheduler's queues, and what controllers
// have put off because their watches were behind what they had written.
var shown = []string{"scheduler_pending_pods", "_stale_sync_skips_total"}

// Queues counts what the queues do that get it as their provider.
type Queues struct {
	mu   sync.Mutex
	list map[string]*counts
}

// A counts is a queue's.
type counts struct{ depth, adds, retries atomic.Int64 }

func (q *Queues) of(name string) *counts {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.list == nil {
		q.list = map[string]*counts{}
	}
	if q.list[name] == nil {
		q.list[name] = &counts{}
	}
	return q.list[name]
}

// List returns what they have counted, by name.
func (q *Queues) List() []Queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := []Queue{}
	for name, c := range q.list {
		list = append(list, Queue{name, c.depth.Load(), c.adds.Load(), c.retries.Load()})
	}
	slices.SortFunc(list, func(a, b Queue) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// A number is one that a queue counts.
type number struct{ n *atomic.Int64 }

func (n number) Inc() { n.n.Add(1) }
func (n number) Dec() { n.n.Add(-1) }

// An ignored is one that nobody asks for.
type ignored struct{}

func (ignored) Set(float64)     {}
func (ignored) Observe(float64) {}

// NewDepthMetric returns what counts the keys that wait.
func (q *Queues) NewDepthMetric(name string) workqueue.GaugeMetric { return number{&q.of(name).depth} }

// NewAddsMetric returns what counts those that are added.
func (q *Queues) NewAddsMetric(name string) workqueue.CounterMetric { return number{&q.of(name).adds} }

// NewRetriesMetric returns what counts those that are added again after a failure.
func (q *Queues) NewRetriesMetric(name string) workqueue.CounterMetric {
	return number{&q.of(name).retries}
}

// NewLatencyMetric returns what is not counted.
func (*Queues) NewLatencyMetric(string) workqueue.HistogramMetric { return ignored{} }

// NewWorkDurationMetric returns what is not counted.
func (*Queues) NewWorkDurationMetric(string) workqueue.HistogramMetric { return ignored{} }

// NewUnfinishedWorkSecondsMetric returns what is not counted.
func (*Queues) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric { return ignored{} }

// NewLongestRunningProcessorSecondsMetric returns what is not counted.
func (*Queues) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return ignored{}
}

// Look returns the state of a program whose queues those are.
func Look(q *Queues) State {
	s := State{Queues: q.List(), Values: []Value{}}
	families, _ := legacyregistry.DefaultGatherer.Gather() // what it could gather is there, also with an error
	for _, family := range families {
		name := family.GetName()
		if !slices.ContainsFunc(shown, func(part string) bool { return strings.Contains(name, part) }) {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				if l.GetValue() != "" {
					labels = append(labels, l.GetName()+"="+l.GetValue())
				}
			}
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() // it is one of them
			s.Values = append(s.Values, Value{name, strings.Join(labels, ", "), value})
		}
	}
	return s
}
