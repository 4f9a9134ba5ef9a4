package journal

import (
	"context"
	"errors"
	"sync"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// minRewrite is the size below which a log is never rewritten, in bytes.
const minRewrite = 1 << 20

// ErrClosed is the error of a log that another has taken the place of.
var ErrClosed = errors.New("journal: closed")

// Log writes commits to a Storage in groups. Use Start.
type Log struct {
	storage  Storage
	snapshot func() []byte

	mu      sync.Mutex
	pending []byte
	batch   *batch // what pending will be written as
	writing *batch // the batch before it
	err     error  // why nothing is written any more
	wake    chan struct{}
	tasks   chan task
	done    chan struct{}

	size, rewriteAt int // of the saved log; used by the writer only
}

// batch is what one write of the storage makes durable.
type batch struct {
	done chan struct{}
	err  error
}

// task is run by the writer, between two writes.
type task struct {
	run  func() error
	ends bool // whether the log ends if run succeeds
	err  chan error
}

// Start begins to write to a storage. saved is the length of the sound log that
// it holds, behind which commits are added; 0 replaces whatever is there by what
// snapshot returns: the whole log of the cluster as it is. snapshot is called again
// whenever the log is rewritten, while commits go on.
func Start(storage Storage, saved int, snapshot func() []byte) (*Log, error) {
	l := &Log{
		storage: storage, snapshot: snapshot,
		batch: &batch{done: make(chan struct{})},
		wake:  make(chan struct{}, 1), tasks: make(chan task), done: make(chan struct{}),
		size: saved, rewriteAt: max(minRewrite, 2*saved),
	}
	if saved == 0 {
		if err := l.rewrite(); err != nil {
			return nil, err
		}
	}
	go l.run()
	return l, nil
}

// Snapshot is the log of a store: the header, every retained version, and the
// position.
func Snapshot(meta []byte, store *mvcc.Store) []byte {
	const perEvent = 128 // a frame without its value, about
	events, at := store.Events()
	log := make([]byte, 0, int(at.Bytes)+len(events)*perEvent)
	log = appendHeader(log, meta)
	for _, e := range events {
		log = appendEvent(log, e)
	}
	return appendPosition(log, at.Head, at.Compacted)
}

// Add queues a commit. It is quick and never blocks on the storage.
func (l *Log) Add(e *mvcc.Event) {
	l.add(func(b []byte) []byte { return appendEvent(b, e) })
}

// AddPosition queues a change of the compaction horizon.
func (l *Log) AddPosition(head, compacted int64) {
	l.add(func(b []byte) []byte { return appendPosition(b, head, compacted) })
}

func (l *Log) add(fill func([]byte) []byte) {
	l.mu.Lock()
	l.pending = fill(l.pending)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Wait returns once everything that was added before the call is durable, with
// the error of the storage if it failed, or when ctx ends.
func (l *Log) Wait(ctx context.Context) error {
	l.mu.Lock()
	b, err := l.batch, l.err
	if len(l.pending) == 0 {
		b = l.writing
	}
	l.mu.Unlock()
	if err != nil || b == nil {
		return err
	}
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Ready says whether commits can be made durable. After the storage has failed
// it tries to write the whole log anew: if that works, nothing is lost.
func (l *Log) Ready() error {
	if err := l.Err(); err == nil || errors.Is(err, ErrClosed) {
		return err
	}
	return l.do(task{run: l.recover})
}

// Err is why the log does not write at present, if it does not.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Handover ends the log if take succeeds: take may give the storage to another
// one, since nothing else is written while it runs. If take fails, this log goes
// on.
func (l *Log) Handover(take func() error) error {
	err := l.do(task{run: take, ends: true})
	if errors.Is(err, ErrClosed) {
		return take()
	}
	return err
}

// Close writes what is pending and stops. It leaves the storage open.
func (l *Log) Close() error {
	var failed error
	err := l.do(task{ends: true, run: func() error {
		failed = l.Err()
		return nil
	}})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return failed
}

// do has the writer run a task, with nothing pending. It returns ErrClosed if
// there is no writer any more.
func (l *Log) do(t task) error {
	t.err = make(chan error, 1)
	select {
	case l.tasks <- t:
		return <-t.err
	case <-l.done:
		return ErrClosed
	}
}

func (l *Log) run() {
	defer close(l.done)
	for {
		select {
		case <-l.wake:
			l.flush()
		case t := <-l.tasks:
			l.flush()
			err := t.run()
			if err == nil && t.ends {
				l.fail(ErrClosed)
				t.err <- nil
				return
			}
			t.err <- err
		}
	}
}

// flush writes what is pending as one batch.
func (l *Log) flush() {
	l.mu.Lock()
	bytes, b, err := l.pending, l.batch, l.err
	if len(bytes) == 0 {
		l.mu.Unlock()
		return
	}
	l.pending, l.batch, l.writing = nil, &batch{done: make(chan struct{})}, b
	l.mu.Unlock()
	if err == nil {
		if err = l.storage.Append(bytes); err != nil {
			l.fail(err)
		}
	}
	b.err = err
	close(b.done)
	if l.size += len(bytes); l.size > l.rewriteAt && err == nil && l.rewrite() != nil {
		l.rewriteAt = 2 * l.size // the log is sound as it is; later, then
	}
}

// rewrite replaces the saved log by a snapshot. Commits that are queued
// meanwhile may be in the snapshot already: readers skip what they know.
func (l *Log) rewrite() error {
	log := l.snapshot()
	if err := l.storage.Replace(log); err != nil {
		return err
	}
	l.size, l.rewriteAt = len(log), max(minRewrite, 2*len(log))
	return nil
}

// recover writes everything anew after a failure.
func (l *Log) recover() error {
	if err := l.rewrite(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err, l.writing = nil, nil
	return nil
}

// fail makes every later Wait return err.
func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil || errors.Is(err, ErrClosed) {
		l.err = err
	}
}
