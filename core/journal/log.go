// More than 400 lines: the log is one state machine, whose steps are read together.

package journal

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

const (
	// minRewrite is the size below which a log is never rewritten, in bytes.
	minRewrite = 1 << 20
	// HeadInterval is the maximum delay of the head record.
	HeadInterval = time.Second
	// firstRetry and lastRetry are the first and the maximum delay before a failed write is retried;
	// the delay doubles each time.
	firstRetry, lastRetry = time.Second, 30 * time.Second
)

// ErrClosed is the error of a log that was closed or handed over.
var ErrClosed = errors.New("journal: closed")

// Options configure a Log.
type Options struct {
	Storage Storage
	// Store is the store whose commits are logged. The log becomes its journal.
	Store *mvcc.Store
	// Meta is the header of the log, and Cluster the identity of its cluster.
	Meta    []byte
	Cluster string
	// Clock is the host's.
	Clock clock.Clock
	// Saved is the length of the undamaged log in the storage, in bytes, to which commits are appended;
	// 0 replaces it by a snapshot of the store.
	Saved int64
	// Gather, if set, is called before commits are written. On hosts where requests only come in while it waits, it lets
	// those that have come already be carried out, so that one group has the commits of all of them.
	Gather func()
}

// Log writes commits to a Storage in groups. Use Start.
type Log struct {
	Options

	mu      sync.Mutex
	pending []byte
	// last is the revision of the last event in pending.
	last  int64
	err   error // the reason why nothing is written
	trial error // the reason why the head record was not written
	// changed is closed, and replaced, when one of the two may have changed.
	changed chan struct{}

	wake  chan struct{}
	tasks chan task
	done  chan struct{}

	// The following fields are used by the writer only.
	size, rewriteAt int64 // of the saved log
	written         int64 // the last durable revision
	recorded        int64 // the revision in the saved head record
	pause, skip     int   // how many groups to write without Gather, and how many of them are left
	record, retry   clock.Timer
	patience        time.Duration
}

var _ mvcc.Journal = (*Log)(nil)

// task is run by the writer, between two writes.
type task struct {
	run  func() error
	ends bool // whether the log ends if run succeeds
	err  chan error
}

// Start starts writing a store's commits to a storage. Nothing may be written to the store
// meanwhile. The whole store is rewritten whenever the log has grown too much, while commits
// continue.
func Start(o Options) (*Log, error) {
	l := &Log{
		Options: o, wake: make(chan struct{}, 1), tasks: make(chan task), done: make(chan struct{}),
		changed: make(chan struct{}),
		size:    o.Saved, rewriteAt: max(minRewrite, 2*o.Saved), written: o.Store.Status().Head,
	}
	if o.Saved == 0 {
		// The head record is about the old log.
		if err := o.Storage.SaveHead(nil); err != nil {
			return nil, err
		}
		if err := l.rewrite(); err != nil {
			return nil, err
		}
	}
	l.saveHead()
	o.Store.SetJournal(l)
	go l.run()
	return l, nil
}

// Append queues an event. It returns the reason if nothing is written at present.
func (l *Log) Append(e *mvcc.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.pending, l.last = appendEvent(l.pending, e), e.Revision
	l.signal()
	return nil
}

// AppendPosition queues a change of the compaction horizon.
func (l *Log) AppendPosition(head, compacted int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return // the rewritten log has it
	}
	l.pending = appendPosition(l.pending, head, compacted)
	l.signal()
}

func (l *Log) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Flush returns once everything queued before the call is durable, or the reason why it is not.
func (l *Log) Flush(ctx context.Context) error {
	return l.do(ctx, task{run: l.Err})
}

// Ready returns nil if commits can be made durable. After a failure of the storage it tries to
// rewrite the log.
func (l *Log) Ready() error {
	if err := l.Err(); err == nil || errors.Is(err, ErrClosed) {
		return err
	}
	return l.do(context.Background(), task{run: l.recover})
}

// Err returns the reason why the log does not write at present, if any.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// HeadErr returns the reason why the head record could not be written, if any. Commits are durable
// without it.
func (l *Log) HeadErr() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trial
}

// Changed returns a channel that is closed when Err or HeadErr may have changed. Call it before
// those.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// set sets the errors. Callers hold the lock.
func (l *Log) set(err, trial error) {
	if err == nil && trial == nil && l.err == nil && l.trial == nil {
		return
	}
	l.err, l.trial = err, trial
	close(l.changed)
	l.changed = make(chan struct{})
}

// Handover ends the log if take succeeds: take may give the storage to another log, since nothing
// is written while it runs. If take fails, this log continues.
func (l *Log) Handover(take func() error) error {
	err := l.do(context.Background(), task{run: take, ends: true})
	if errors.Is(err, ErrClosed) {
		return take()
	}
	return err
}

// Close writes what is pending and stops. It leaves the storage open.
func (l *Log) Close() error {
	var failed error
	err := l.do(context.Background(), task{ends: true, run: func() error {
		failed = l.Err()
		l.saveHead()
		return nil
	}})
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return failed
}

// do lets the writer run a task when nothing is pending. It returns ErrClosed if the writer has
// ended. It waits no longer than ctx; a task that was received by then is run anyway.
func (l *Log) do(ctx context.Context, t task) error {
	t.err = make(chan error, 1)
	select {
	case l.tasks <- t:
	case <-l.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-t.err:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *Log) run() {
	defer close(l.done)
	defer l.stopTimers()
	for {
		select {
		case <-l.wake:
			l.gather()
			l.flush()
		case <-timeOf(l.record):
			l.recordNow()
		case <-timeOf(l.retry):
			l.retryNow()
		case t := <-l.tasks:
			l.flush()
			l.runDue() // work that was due before the task comes first
			err := t.run()
			if err == nil && t.ends {
				l.fail(ErrClosed)
				t.err <- nil
				return
			}
			if t.ends { // the failed Handover may have removed the head record
				l.recorded = 0
				l.recordSoon()
			}
			t.err <- err
		}
	}
}

// runDue does the work of timers that have fired.
func (l *Log) runDue() {
	select {
	case <-timeOf(l.record):
		l.recordNow()
	default:
	}
	select {
	case <-timeOf(l.retry):
		l.retryNow()
	default:
	}
}

func (l *Log) recordNow() {
	l.record = nil
	l.saveHead()
}

func (l *Log) retryNow() {
	l.retry = nil
	_ = l.recover() // which reports its error itself
}

func timeOf(t clock.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C()
}

func (l *Log) stopTimers() {
	for _, t := range []clock.Timer{l.record, l.retry} {
		if t != nil {
			t.Stop()
		}
	}
}

// maxSkipped is how many groups are written in a row without a turn of the host before them.
const maxSkipped = 15

// gather lets more become pending, if anything is. The more turns in a row have brought nothing, as where each request
// waits for the one before, the more groups are written without one.
func (l *Log) gather() {
	length := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.pending)
	}
	before := length()
	if before == 0 || l.Gather == nil {
		return
	}
	if l.skip > 0 {
		l.skip--
		return
	}
	if l.Gather(); length() > before {
		l.pause = 0
		return
	}
	l.pause = min(2*l.pause+1, maxSkipped)
	l.skip = l.pause
}

// flush writes what is pending as one group, and commits it in the store.
func (l *Log) flush() {
	l.mu.Lock()
	group, last := l.pending, l.last
	l.pending = nil
	l.mu.Unlock()
	if len(group) == 0 {
		return
	}
	if err := l.Storage.Append(group); err != nil {
		l.fail(err)
		return
	}
	l.size += int64(len(group))
	l.written = max(l.written, last)
	l.Store.Commit(last)
	l.recordSoon()
	if l.size > l.rewriteAt && l.rewrite() != nil {
		l.rewriteAt = 2 * l.size // the log is valid as it is; retry later
	}
}

// rewrite replaces the saved log by a snapshot of the committed store. Events queued meanwhile
// follow it.
func (l *Log) rewrite() error {
	count := &counter{}
	err := l.Storage.Replace(func(w io.Writer) error {
		count.w, count.n = w, 0
		return Snapshot(count, l.Meta, l.Store)
	})
	if err != nil {
		return err
	}
	l.size, l.rewriteAt = count.n, max(minRewrite, 2*count.n)
	return nil
}

// counter counts the bytes that are written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// recover rewrites the log after a failure.
func (l *Log) recover() error {
	if err := l.Err(); err == nil || errors.Is(err, ErrClosed) {
		return err
	}
	if err := l.rewrite(); err != nil {
		l.retrySoon()
		return err
	}
	l.patience = 0
	l.mu.Lock()
	l.set(nil, l.trial)
	l.mu.Unlock()
	l.recordSoon()
	return nil
}

func (l *Log) retrySoon() {
	if l.retry != nil {
		return
	}
	l.patience = min(max(firstRetry, 2*l.patience), lastRetry)
	l.retry = l.Clock.NewTimer(l.patience)
}

// recordSoon schedules the next write of the head record.
func (l *Log) recordSoon() {
	if l.record == nil && l.written != l.recorded {
		l.record = l.Clock.NewTimer(HeadInterval)
	}
}

// saveHead writes the head record. The log is valid without it: if it fails, it is retried.
func (l *Log) saveHead() {
	if l.written == l.recorded {
		return
	}
	err := l.Storage.SaveHead(appendHead(nil, Head{l.written, l.Cluster}))
	if err == nil {
		l.recorded = l.written
	} else {
		l.recordSoon()
	}
	l.mu.Lock()
	l.set(l.err, err)
	l.mu.Unlock()
}

// fail stops the log, and makes the store discard what is pending.
func (l *Log) fail(why error) {
	if !errors.Is(why, ErrClosed) {
		l.retrySoon() // before any writer learns of the failure
	}
	l.Store.Discard(why, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.err == nil || errors.Is(why, ErrClosed) {
			l.set(why, l.trial)
		}
		l.pending, l.last = nil, 0
	})
}
