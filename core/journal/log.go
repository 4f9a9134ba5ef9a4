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
	// HeadInterval is how far the record of the head may be behind the log.
	HeadInterval = time.Second
	// firstRetry and lastRetry are how long after a failure writing is tried again: the
	// time doubles from the one to the other.
	firstRetry, lastRetry = time.Second, 30 * time.Second
)

// ErrClosed is the error of a log that another has taken the place of.
var ErrClosed = errors.New("journal: closed")

// Options are what a Log is started with.
type Options struct {
	Storage Storage
	// Store is whose writes are kept. The log becomes its journal.
	Store *mvcc.Store
	// Meta is the header of the log, and Cluster identifies whose log it is.
	Meta    []byte
	Cluster string
	// Clock is the host's.
	Clock clock.Clock
	// Saved is the length of the sound log that the storage holds, in bytes, behind
	// which commits are added; 0 replaces whatever is there by the store as it is.
	Saved int64
}

// Log writes commits to a Storage in groups. Use Start.
type Log struct {
	Options

	mu      sync.Mutex
	pending []byte
	// last is the revision of the last event in pending.
	last  int64
	err   error // why nothing is written
	trial error // why the head could not be recorded
	// changed is closed, and replaced, when one of the two may have changed.
	changed chan struct{}

	wake  chan struct{}
	tasks chan task
	done  chan struct{}

	// The rest is used by the writer only.
	size, rewriteAt int64 // of the saved log
	written         int64 // the last durable revision
	recorded        int64 // the head that is saved
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

// Start begins to write what a store commits to a storage. Nothing may be written to
// the store meanwhile. The whole store is written again whenever the log has grown
// too much, while commits go on.
func Start(o Options) (*Log, error) {
	l := &Log{
		Options: o, wake: make(chan struct{}, 1), tasks: make(chan task), done: make(chan struct{}),
		changed: make(chan struct{}),
		size:    o.Saved, rewriteAt: max(minRewrite, 2*o.Saved), written: o.Store.Status().Head,
	}
	if o.Saved == 0 {
		// The record tells of what was there, and not of what comes.
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

// Append queues an event. It returns why nothing is written, if so.
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
		return // what is written anew has it
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

// Flush returns once all that was queued before the call is durable, or why it is not.
func (l *Log) Flush(ctx context.Context) error {
	return l.do(ctx, task{run: l.Err})
}

// Ready returns nil if commits can be made durable. After the storage has failed
// it tries to write the whole log again.
func (l *Log) Ready() error {
	if err := l.Err(); err == nil || errors.Is(err, ErrClosed) {
		return err
	}
	return l.do(context.Background(), task{run: l.recover})
}

// Err returns why the log does not write at present, if it does not.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// HeadErr returns why the record of the head could not be written, if so. Writes are durable
// without.
func (l *Log) HeadErr() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trial
}

// Changed returns a channel that is closed when Err or HeadErr may have changed. Take it before
// asking for that.
func (l *Log) Changed() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// set notes what does not work. Callers hold the lock.
func (l *Log) set(err, trial error) {
	if err == nil && trial == nil && l.err == nil && l.trial == nil {
		return
	}
	l.err, l.trial = err, trial
	close(l.changed)
	l.changed = make(chan struct{})
}

// Handover ends the log if take succeeds: take may give the storage to another
// one, since nothing else is written while it runs. If take fails, this log goes
// on.
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

// do has the writer run a task, with nothing pending. It returns ErrClosed if
// there is no writer any more. It waits no longer than ctx lasts; a task that has been
// taken by then is run anyway.
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
			l.flush()
		case <-timeOf(l.record):
			l.recordNow()
		case <-timeOf(l.retry):
			l.retryNow()
		case t := <-l.tasks:
			l.flush()
			l.runDue() // what was due before the task was given is done before it
			err := t.run()
			if err == nil && t.ends {
				l.fail(ErrClosed)
				t.err <- nil
				return
			}
			if t.ends { // who tried to take over may have forgotten the head
				l.recorded = 0
				l.recordSoon()
			}
			t.err <- err
		}
	}
}

// runDue does what a timer has called for already.
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
	_ = l.recover() // which says so itself
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

// flush writes what is pending as one group, and lets the store show it.
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
		l.rewriteAt = 2 * l.size // the log is sound as it is; later, then
	}
}

// rewrite replaces the saved log by the store as it is committed. What is queued
// meanwhile comes behind it.
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

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// recover writes everything again after a failure.
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

// recordSoon sees to it that the head is recorded in time.
func (l *Log) recordSoon() {
	if l.record == nil && l.written != l.recorded {
		l.record = l.Clock.NewTimer(HeadInterval)
	}
}

// saveHead records the head beside the log. The log is sound without: if it fails, it is
// tried again.
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

// fail makes the log take nothing, and the store discard what it holds.
func (l *Log) fail(why error) {
	if !errors.Is(why, ErrClosed) {
		l.retrySoon() // before anyone is told of the failure
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
