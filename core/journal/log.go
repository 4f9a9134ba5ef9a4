package journal

import (
	"context"
	"errors"
	"sync"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

// minRewrite is the size below which a log is never rewritten, in bytes.
const minRewrite = 1 << 20

// Log writes commits to a Storage in groups. Use Start.
type Log struct {
	storage  Storage
	snapshot func() []byte

	mu      sync.Mutex
	pending []byte
	batch   *batch // what pending will be written as
	writing *batch // the batch before it
	err     error
	closed  bool
	wake    chan struct{}
	stop    chan struct{}
	done    chan struct{}

	size, rewriteAt int // of the saved log; used by the writer only
}

// batch is what one write of the storage makes durable.
type batch struct {
	done chan struct{}
	err  error
}

// Start begins to write to a storage, whose content becomes what snapshot
// returns: the whole log of the cluster as it is. It is called again whenever
// the log is rewritten, while commits go on.
func Start(storage Storage, snapshot func() []byte) (*Log, error) {
	l := &Log{
		storage: storage, snapshot: snapshot,
		batch: &batch{done: make(chan struct{})},
		wake:  make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := l.rewrite(); err != nil {
		return nil, err
	}
	go l.run()
	return l, nil
}

// Snapshot is the log of a store: the header, every retained version, and the
// position.
func Snapshot(meta []byte, store *mvcc.Store) []byte {
	events, at := store.Events()
	log := appendHeader(nil, meta)
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

var errClosed = errors.New("journal: closed")

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

// Err is the error that ended the log's writing, if any.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close writes what is pending and stops. It leaves the storage open.
func (l *Log) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	l.mu.Unlock()
	if !already {
		close(l.stop)
	}
	<-l.done
	if err := l.Err(); !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

func (l *Log) run() {
	defer close(l.done)
	for {
		select {
		case <-l.wake:
			l.flush()
		case <-l.stop:
			l.flush()
			l.fail(errClosed)
			return
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
	if l.size += len(bytes); l.size > l.rewriteAt && err == nil {
		if err := l.rewrite(); err != nil {
			l.fail(err)
		}
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

// fail makes every later Wait return err.
func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}
