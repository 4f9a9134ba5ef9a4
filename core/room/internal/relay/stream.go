package relay

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/internal/persist"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/registry"
)

// beatInterval is how long a stream is silent at most, by the host's clock.
const beatInterval = 15 * time.Second

// A stream is one member's.
type stream struct {
	*Relay
	member *auth.User
	// credentials are those of the request, and user is whose they were when it began.
	credentials auth.Credentials
	user        *auth.User
	// roles and users are those of the Relay when the rights were looked at last.
	roles, users int64
	feed         *feed
	// looked is when the credentials were looked at last, by the host's clock.
	looked time.Time

	// beats is whether the stream is never silent for long.
	beats, begun bool
	// since is the last revision that the client has, compacted the horizon that it knows.
	since, compacted int64
	// adjusted ends with the state of the clock that was sent.
	adjusted <-chan struct{}
	// caches is what caches have forgotten, as it was sent. The client's copy has nothing from before began,
	// the horizon of its snapshot.
	caches registry.Forgotten
	began  int64
	// snapshot are the versions that are still to be sent, and extent is that of all.
	snapshot []*mvcc.Event
	extent   mvcc.Extent
	synced   bool
}

// open decides where the stream begins: a client that has the commits of the cluster up to since,
// with the same rights, needs no snapshot.
func (s *stream) open(ctx context.Context, cluster, rights string) error {
	s.roles, s.users = s.Relay.roles.Load(), s.Relay.users.Load()
	access, err := s.Access(ctx)
	if err != nil {
		return err
	}
	if s.user, err = access.Authenticate(s.credentials, func(string) {}); err != nil {
		return err
	}
	s.looked = s.Host.Now()
	if s.feed, err = s.enter(grantsOf(access.Authorizer, s.member)); err != nil {
		return err
	}
	at := s.Registry.Store.Status()
	same := cluster == s.Header.UID && rights == s.feed.key
	if s.synced = same && s.since >= max(at.Compacted, 1) && s.since <= at.Head; s.synced {
		return nil
	}
	s.since = 0
	s.snapshot, s.extent, err = s.Registry.Store.Events(0)
	if err != nil {
		s.close()
	}
	return err
}

func (s *stream) close() { s.leave(s.feed) }

// next appends the next lines, and waits until there are some.
func (s *stream) next(ctx context.Context, b []byte) ([]byte, error) {
	switch {
	case !s.begun:
		s.begun = true
		b = s.appendHello(b)
		return s.appendClock(b), nil
	case !s.synced:
		return s.checked(ctx, s.appendSnapshot(b))
	}
	var beat <-chan time.Time
	for {
		news := s.upcoming()
		b, to, err := s.feed.after(s.since, b)
		if errors.Is(err, mvcc.ErrCompacted) {
			return s.end("commits that this stream has not sent yet were compacted"), io.EOF
		} else if err != nil {
			return b, err
		}
		if b, err = s.checked(ctx, b); err != nil {
			return b, err
		}
		s.since = to
		if at := s.Registry.Store.Status().Compacted; at > s.compacted && at <= s.since {
			s.compacted = at
			b = appendLine(b, Line{Type: Compacted, Compacted: at})
		}
		b = s.appendCaches(b)
		if b = s.appendClock(b); len(b) > 0 {
			return b, nil
		}
		if s.beats && beat == nil {
			timer := s.Host.NewTimer(beatInterval)
			defer timer.Stop()
			beat = timer.C()
		}
		select {
		case <-news:
		case <-s.adjusted:
		case <-beat:
			return appendLine(b, Line{Type: Beat}), nil
		case <-s.Registry.Closing:
			return b, io.EOF
		case <-ctx.Done():
			return b, context.Cause(ctx)
		}
	}
}

// checked returns b, or ends the stream if the member's rights have changed since they were looked
// at last, or the credentials have become invalid without a commit for as long as a beat. b may have commits that were
// made after the change, so it is called after they were read.
func (s *stream) checked(ctx context.Context, b []byte) ([]byte, error) {
	roles, users, now := s.Relay.roles.Load(), s.Relay.users.Load(), s.Host.Now()
	if roles == s.roles && users == s.users && now.Sub(s.looked) < beatInterval {
		return b, nil
	}
	access, err := s.Access(ctx)
	if err != nil {
		return nil, err
	}
	user, err := access.Authenticate(s.credentials, func(string) {})
	if err != nil {
		return s.end("the credentials are not valid any more"), io.EOF
	}
	if !sameUser(user, s.user) || roles != s.roles && grantsOf(access.Authorizer, s.member).key() != s.feed.key {
		return s.end("the member's rights have changed"), io.EOF
	}
	s.roles, s.users, s.looked = roles, users, now
	return b, nil
}

// end returns the last line.
func (s *stream) end(reason string) []byte { return appendLine(nil, Line{Type: End, Reason: reason}) }

func (s *stream) appendHello(b []byte) []byte {
	now := s.Host.Now().UTC()
	l := Line{
		Type: Hello, Cluster: s.Header.UID, Rights: s.feed.key, Grants: s.feed.grants, Since: s.since, Time: &now,
		You: &You{Name: s.member.Name, UID: s.member.UID, Groups: s.member.Groups},
	}
	if s.synced {
		l.Compacted = s.Registry.Store.Status().Compacted
	}
	return appendLine(b, l)
}

// appendSnapshot appends a piece of the snapshot. Above the horizon every revision is in it.
func (s *stream) appendSnapshot(b []byte) []byte {
	f, events := s.feed, s.snapshot
	f.mu.Lock()
	defer f.mu.Unlock()
	below := 0 // nobody needs to know which revisions below the horizon were used
	for ; below < len(events) && events[below].Revision <= s.extent.Compacted; below++ {
		if len(b) > pieceBytes {
			s.snapshot = events[below:]
			return b
		}
		if e := events[below]; f.relays(e) {
			b = appendCommit(b, e)
		} else {
			b = f.define(b, e)
		}
	}
	events = events[below:]
	b, n := f.lines(b, events)
	if s.snapshot = events[n:]; len(s.snapshot) > 0 {
		return b
	}
	s.snapshot, s.synced = nil, true
	s.since, s.compacted, s.began = s.extent.Head, s.extent.Compacted, s.extent.Compacted
	return appendLine(b, Line{Type: Synced, Revision: s.extent.Head, Compacted: s.extent.Compacted})
}

// appendCaches appends what caches have forgotten, if that is more than the client knows.
func (s *stream) appendCaches(b []byte) []byte {
	now := s.Registry.Replicas.Forgotten()
	if slices.Equal(now.Begun, s.caches.Begun) && now.Compacted == s.caches.Compacted || now.Compacted > s.since {
		return b
	}
	line, news := Line{Type: Caches, Compacted: now.Compacted}, now.Compacted > 0
	for _, begun := range now.Begun {
		if begun.Revision > s.since {
			return b // after the commits up to there
		}
		known := max(1, s.began)
		news = news || begun.Revision > known || begun.Revision == known && begun.Why != horizon.Started
		line.Servers = append(line.Servers, Begin{begun.Revision, begun.Why})
	}
	if s.caches = now; !news {
		return b
	}
	if now.Compacted > 0 {
		line.Time = &now.Due
	}
	return appendLine(b, line)
}

// appendClock appends the state of the cluster's clock if it was adjusted since.
func (s *stream) appendClock(b []byte) []byte {
	if adjusted := s.Clock.Changed(); adjusted != s.adjusted {
		s.adjusted = adjusted
		b = appendLine(b, Line{Type: Clock, Clock: persist.CopyClock(s.Clock)})
	}
	return b
}
