package journal

import (
	"errors"
	"sync"
)

// mostTail is how many bytes of commits, at most, may be left to write when a log takes the place of another: commits
// wait for that.
const mostTail = 1 << 20

// A rewriting writes a snapshot of the store as the next log, while the present one is appended to, and then what was
// appended meanwhile. Its memory grows by that until the snapshot is written.
type rewriting struct {
	log  *Log
	at   int64 // the revision of the snapshot
	done chan error

	next Successor
	size int64

	mu    sync.Mutex
	tail  []byte // what was appended and is not written yet
	ended bool   // nobody waits for it any more
}

// begin begins to rewrite the log beside it, and reports whether the storage can do that.
func (l *Log) begin() bool {
	storage, ok := l.Storage.(Successive)
	if !ok {
		return false
	}
	r := &rewriting{log: l, at: l.written, done: make(chan error, 1)}
	l.next = r
	go func() { r.done <- r.write(storage) }()
	return true
}

// ready returns a channel with the result once the next log can take the place of the present one; nil is for none.
func (r *rewriting) ready() <-chan error {
	if r == nil {
		return nil
	}
	return r.done
}

// follow has what was appended to the present log follow in the next one; nil is for none.
func (r *rewriting) follow(group []byte) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail = append(r.tail, group...)
}

var errAbandoned = errors.New("journal: the next log is not wanted any more")

// Write writes to the next log, unless that is not wanted any more.
func (r *rewriting) Write(p []byte) (int, error) {
	r.mu.Lock()
	ended := r.ended
	r.mu.Unlock()
	if ended {
		return 0, errAbandoned
	}
	n, err := r.next.Write(p)
	r.size += int64(n)
	return n, err
}

// write writes the next log but for a small part of what has been appended since.
func (r *rewriting) write(storage Successive) (err error) {
	if r.next, err = storage.Succeed(); err != nil {
		return err
	}
	if err := snapshotAt(r, r.log.Meta, r.log.Store, r.at); err != nil {
		return err
	}
	for {
		r.mu.Lock()
		tail := r.tail
		r.tail = nil
		r.mu.Unlock()
		if _, err := r.Write(tail); err != nil {
			return err
		}
		if err := r.next.Sync(); err != nil || len(tail) < mostTail {
			return err
		}
	}
}

// take puts the next log, once it is written, in the place of the present one. If that fails, this one continues.
func (l *Log) take(err error) {
	r := l.next
	if l.next = nil; err == nil {
		_, err = r.Write(r.tail)
	}
	if err != nil {
		r.remove()
		l.rewriteAt = 2 * l.size
		return
	}
	if r.next.Take() != nil {
		l.rewriteAt = 2 * l.size
		return
	}
	l.size, l.rewriteAt = r.size, max(minRewrite, 2*r.size)
}

// abandon ends the rewriting, if there is one.
func (l *Log) abandon() {
	r := l.next
	if r == nil {
		return
	}
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	<-r.done
	r.remove()
	l.next = nil
}

func (r *rewriting) remove() {
	if r.next != nil {
		r.next.Abandon()
	}
}
