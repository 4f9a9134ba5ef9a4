package linearizable

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/tabernetes/tabernetes/core/journal"
)

var (
	errDisk = errors.New("the disk failed")
	errDead = errors.New("the machine is dead")
)

// A disk is a journal.Storage in memory that fails at random, and then for good: then it keeps what
// was durable, for the next one.
type disk struct {
	kept   *journal.Memory // what remains after a crash
	mu     sync.Mutex
	random *rand.Rand
	// sound disks do not fail yet, so that a cluster can start.
	sound bool
	dead  chan struct{} // closed when it fails for good
}

var _ journal.Storage = (*disk)(nil)

// newDisk returns a disk with the durable content of another one, if there was one.
func newDisk(before *disk, random *rand.Rand) *disk {
	d := &disk{random: random, sound: true, dead: make(chan struct{})}
	if before != nil {
		d.kept = journal.NewMemory(before.kept.Bytes())
		head, _ := before.kept.Head()
		_ = d.kept.SaveHead(head)
	} else {
		d.kept = new(journal.Memory)
	}
	return d
}

// startFailing makes the disk fail from now on.
func (d *disk) startFailing() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sound = false
}

// died reports whether the disk has failed for good.
func (d *disk) died() bool {
	select {
	case <-d.dead:
		return true
	default:
		return false
	}
}

// die makes the disk fail for good.
func (d *disk) die() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.died() {
		close(d.dead)
	}
}

// write takes some time, in which other goroutines run. Then it writes n bytes or a part of them,
// and succeeds, fails, or dies. A failure may come before the first byte, in the middle, or after
// the last.
func (d *disk) write(n int, whole bool, put func(n int) error) error {
	d.mu.Lock()
	turns := d.random.IntN(60)
	d.mu.Unlock()
	for range turns {
		runtime.Gosched()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.died() {
		return errDead
	}
	if d.sound {
		return put(n)
	}
	part := [...]int{0, d.random.IntN(n + 1), n}[d.random.IntN(3)]
	if whole && part < n { // all or nothing
		part = 0
	}
	fate := d.random.IntN(100)
	if fate > 3 {
		return put(n)
	}
	if part > 0 {
		if err := put(part); err != nil {
			return err
		}
	}
	if fate > 0 {
		return errDisk
	}
	close(d.dead)
	return errDead
}

func (d *disk) Read() (io.ReadCloser, error) { return d.kept.Read() }

func (d *disk) Append(p []byte) error {
	return d.write(len(p), false, func(n int) error { return d.kept.Append(p[:n]) })
}

func (d *disk) Replace(write func(io.Writer) error) error {
	var all bytes.Buffer
	if err := write(&all); err != nil {
		return err
	}
	return d.write(all.Len(), true, func(int) error {
		return d.kept.Replace(func(w io.Writer) error { _, err := w.Write(all.Bytes()); return err })
	})
}

func (d *disk) Head() ([]byte, error) { return d.kept.Head() }

func (d *disk) SaveHead(p []byte) error {
	return d.write(len(p), true, func(int) error { return d.kept.SaveHead(p) })
}

func (d *disk) SetAside() (string, error) { return d.kept.SetAside() }

func (d *disk) Close() error { return nil }
