package relay

import (
	"errors"
	"time"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

const (
	// breath is the least time between two rounds of sending for each stream: what is committed meanwhile goes with the
	// next round. It is three or four times what sending a piece costs, so that commits that come fast cost what a part
	// of them would, and one that comes after a rest is sent at once.
	breath = 100 * time.Microsecond
	// least is how long that has to be for a timer to be worth its cost.
	least = time.Millisecond
)

// news tells the streams of a relay that there may be something new. The relay's lock guards it.
type news struct {
	// come is closed when there may be something new, and replaced.
	come chan struct{}
	// streams is how many there are. While there are some, a goroutine looks for commits until stop is closed.
	streams int
	commits *mvcc.Watcher
	stop    chan struct{}
}

// attend adds a stream. Callers hold the lock.
func (r *Relay) attend() (err error) {
	n := &r.news
	if n.streams == 0 {
		if n.commits, err = r.watchHead(); err != nil {
			return err
		}
		n.come, n.stop = make(chan struct{}), make(chan struct{})
		go r.announce(n.commits, n.stop)
	}
	n.streams++
	return nil
}

// depart removes a stream. Callers hold the lock.
func (r *Relay) depart() {
	n := &r.news
	if n.streams--; n.streams == 0 {
		close(n.stop)
		n.commits.Close()
	}
}

// upcoming returns a channel that is closed when there may be something that was not there yet.
func (r *Relay) upcoming() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.news.come
}

// announce tells the streams of commits until stop is closed.
func (r *Relay) announce(commits *mvcc.Watcher, stop <-chan struct{}) {
	for commits != nil {
		select {
		case <-commits.Ready():
		case <-stop:
			return
		}
		var pause time.Duration
		if commits, pause = r.tell(commits, stop); pause < least {
			continue
		}
		timer := r.Host.NewTimer(pause)
		select {
		case <-timer.C():
		case <-stop:
			timer.Stop()
			return
		}
	}
}

// tell wakes the streams, and returns what to wait for until the next time, and how long at least.
func (r *Relay) tell(commits *mvcc.Watcher, stop <-chan struct{}) (*mvcc.Watcher, time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := &r.news
	if n.streams == 0 || n.stop != stop {
		return nil, 0 // its streams are gone
	}
	if _, err := commits.Next(0, 0); errors.Is(err, mvcc.ErrCompacted) {
		commits.Close()
		if commits, err = r.watchHead(); err != nil {
			return nil, 0 // not so: it was opened before
		}
		n.commits = commits
	}
	close(n.come)
	n.come = make(chan struct{})
	return commits, time.Duration(n.streams) * breath
}
