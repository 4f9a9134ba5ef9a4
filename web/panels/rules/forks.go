package rules

import "time"

// A maker makes clusters of one snapshot.
type maker interface {
	// fork makes a cluster from a snapshot, and returns it and the snapshot that it used: a new one if snapshot is nil.
	// It blocks.
	fork(snapshot any) (f fork, used any, err error)
	// whenLeft calls f whenever the reader leaves the panel.
	whenLeft(f func())
}

// A fork is a cluster with the Secrets of the rows.
type fork struct {
	Client
	fixture  *Fixture
	revision int64 // of the snapshot
	end      func()
}

// forks are the two clusters that the rows are sent to, made of one snapshot when they are needed. Its methods block:
// call them in one goroutine, and close in any.
type forks struct {
	maker
	snapshot any
	made     time.Time
	revision int64
	open     map[bool]*fork
	// round counts up when the forks are closed, so that one that is being made meanwhile
	// is not kept.
	round int
}

// of returns the fork whose cache is behind, or that whose cache keeps up.
func (f *forks) of(behind bool) (*fork, error) {
	if have := f.open[behind]; have != nil {
		return have, nil
	}
	round, made := f.round, time.Now()
	next, snapshot, err := f.fork(f.snapshot)
	if err != nil {
		return nil, err
	}
	if next.fixture, err = Prepare(next, behind); err != nil {
		next.end()
		return nil, err
	}
	if f.round != round {
		next.end()
		return nil, errClosed
	}
	if f.snapshot == nil {
		f.snapshot, f.made, f.revision = snapshot, made, next.revision
	}
	f.open[behind] = &next
	return &next, nil
}

// drop ends a fork that no longer answers.
func (f *forks) drop(behind bool) {
	if have := f.open[behind]; have != nil {
		have.end()
		delete(f.open, behind)
	}
}

// close ends the forks. The next ones are of the cluster as it is then.
func (f *forks) close() {
	f.round++
	f.drop(false)
	f.drop(true)
	f.snapshot = nil
}
