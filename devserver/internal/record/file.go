package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

const (
	// flushInterval is how often what has come is written.
	flushInterval = 500 * time.Millisecond
	// maxPending is how much may wait to be written, in bytes: beyond it nothing more is read of the cluster.
	maxPending = 16 << 20
)

// A medium is where a file is: an *os.File.
type medium interface {
	io.Writer
	io.Seeker
	Truncate(size int64) error
	Sync() error
}

// A note is said in the file and in the page.
type note struct {
	Time time.Time `json:"time"`
	// Kind is one of: types, fields, rights, gap, connection, disk, redaction, size, begun, ended.
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Types are those that it is about, and From and To the revisions, if it is about some.
	Types []string `json:"types,omitempty"`
	From  int64    `json:"from,omitempty"`
	To    int64    `json:"to,omitempty"`
}

// A file is the recording. Its methods may be called at the same time.
type file struct {
	to  medium
	now func() time.Time
	// say is called with each note.
	say func(note)

	writing sync.Mutex // held while something is written
	dirty   bool       // whether there may be a part of something behind size
	mu      sync.Mutex
	pending []byte
	size    int64 // of what is written
	failed  error // the last write's
	since   time.Time
	lost    bool // it was closed
	free    *sync.Cond

	// versions and memory are of all that was added: how many, and what they take in a cluster that has them.
	versions, memory int64
	head, horizon    int64
	reached          map[string]int64 // by bucket, how far all of its versions are recorded
	moved            map[string]bool  // of reached, those that are not in the file yet
}

func newFile(to medium, size int64, now func() time.Time, say func(note)) *file {
	f := &file{to: to, size: size, now: now, say: say, reached: map[string]int64{}, moved: map[string]bool{}}
	f.free = sync.NewCond(&f.mu)
	return f
}

// add queues a frame. It waits while too much is pending.
func (f *file) add(frame []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pending) > maxPending && !f.lost {
		f.free.Wait()
	}
	f.pending = append(f.pending, frame...)
}

// version queues a version, which its bucket has come to.
func (f *file) version(r *mvcc.Record) {
	f.add(journal.AppendRecord(nil, r))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.versions++
	f.memory += int64(len(r.Value)) + mvcc.VersionCost
	f.head = max(f.head, r.Revision)
}

// gone queues that a key was found to be deleted, by a revision.
func (f *file) gone(bucket, key string, rev int64) {
	f.add(journal.AppendGone(nil, bucket, key, rev, f.now()))
}

// progress says that all versions of a type up to a revision were added.
func (f *file) progress(bucket string, rev int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rev > f.reached[bucket] {
		f.reached[bucket], f.moved[bucket] = rev, true
		f.head = max(f.head, rev)
	}
}

// begin says that the recording has a state of every type from a revision on.
func (f *file) begin(horizon int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.horizon, f.head = horizon, max(f.head, horizon)
}

// note queues a note.
func (f *file) note(n note) {
	f.add(f.frame(n))
	f.say(n)
}

// queue queues a note without waiting.
func (f *file) queue(n note) {
	frame := f.frame(n)
	f.mu.Lock()
	f.pending = append(f.pending, frame...)
	f.mu.Unlock()
	f.say(n)
}

func (f *file) frame(n note) []byte {
	n.Time = f.now().UTC()
	text, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings and numbers
	}
	return journal.AppendNote(nil, text)
}

// flush writes what is pending, and how far each type has come. If it fails, the file is as it was.
func (f *file) flush() error {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	for bucket := range f.moved {
		f.pending = journal.AppendProgress(f.pending, bucket, f.reached[bucket])
	}
	if len(f.pending) > 0 && f.horizon > 0 {
		f.pending = journal.AppendPosition(f.pending, f.head, f.horizon)
	}
	clear(f.moved)
	writing := f.pending
	f.mu.Unlock()
	if len(writing) == 0 {
		return nil
	}
	err := f.write(writing) // what is added meanwhile is behind it
	f.mu.Lock()
	was, since := f.failed, f.since
	if err == nil {
		f.size += int64(len(writing))
		f.pending = append([]byte(nil), f.pending[len(writing):]...)
		f.free.Broadcast()
	} else if was == nil {
		f.since = f.now()
	}
	f.failed = err
	f.mu.Unlock()
	switch {
	case err == nil && was != nil:
		f.queue(note{Kind: "disk", Text: fmt.Sprintf("From %s to %s the file could not be written (%v). What came then was "+
			"kept in memory, and as far as that was too little, it is in a gap that another note names.",
			since.UTC().Format(time.TimeOnly), f.now().UTC().Format(time.TimeOnly), was)})
	case err != nil && was == nil:
		f.say(note{Kind: "disk", Text: fmt.Sprintf("The file cannot be written: %v. It is tried again.", err)})
	}
	return err
}

// write writes at the end of the file. What a failed write has left is taken back, at the latest before the next one.
func (f *file) write(text []byte) error {
	if f.dirty {
		if err := f.undo(); err != nil {
			return err
		}
	}
	_, err := f.to.Write(text)
	if err == nil {
		err = f.to.Sync()
	}
	if err != nil {
		f.dirty = true
		err = errors.Join(err, f.undo())
	}
	return err
}

func (f *file) undo() error {
	if err := f.to.Truncate(f.size); err != nil {
		return err
	}
	_, err := f.to.Seek(f.size, io.SeekStart)
	f.dirty = err != nil
	return err
}

// run flushes until done is closed.
func (f *file) run(done <-chan struct{}) {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = f.flush() // which notes it, and tries again
		case <-done:
			return
		}
	}
}

// close writes what is pending. After it nothing waits any more.
func (f *file) close() error {
	err := f.flush()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lost = true
	f.free.Broadcast()
	return err
}

// figures are what a recording has come to.
type figures struct {
	versions, size, memory, head, horizon int64
}

func (f *file) figures() figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	return figures{f.versions, f.size + int64(len(f.pending)), f.memory, f.head, f.horizon}
}

var _ medium = (*os.File)(nil)
