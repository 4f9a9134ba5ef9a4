package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/internal/chaos"
	"github.com/tabernetes/tabernetes/core/mvcc"
)

// revisionState is the state of the cluster.
type revisionState struct {
	Head      int64   `json:"head"`
	Caches    []int64 `json:"caches"`
	Compacted int64   `json:"compacted"`
	// Cluster is the uid of the cluster, which changes with a reset.
	Cluster  string            `json:"cluster"`
	Replicas []revisionReplica `json:"replicas"`
	Clock    revisionClock     `json:"clock"`
	// Chaos is the progress of chaos; nil if it is disabled.
	Chaos *chaos.Report `json:"chaos,omitempty"`
	// Trouble is the reason why writes cannot be saved at present.
	Trouble string `json:"trouble,omitempty"`
}

// revisionReplica is the state of an API server's cache.
type revisionReplica struct {
	LagSeconds int64 `json:"lagSeconds"`
	Frozen     bool  `json:"frozen"`
	// Since is the revision from before which it remembers nothing of any type, and Why the reason.
	Since int64  `json:"since"`
	Why   string `json:"why"`
}

// revisionClock is the difference between the cluster's time and the host's. While the clock is
// paused, the offset would change all the time, so the time itself is shown.
type revisionClock struct {
	Paused        bool   `json:"paused"`
	OffsetSeconds int64  `json:"offsetSeconds"`
	Now           string `json:"now,omitempty"` // only while paused
	// Rate is how many seconds of the clock pass in one of the host's, if that is another number than one. The offset is
	// that at the host's time Since; without it, the clock is no faster at present.
	Rate  int64  `json:"rate,omitempty"`
	Since string `json:"since,omitempty"`
}

// clockState returns the state of the clock.
func (s *revisionStream) clockState() (now revisionClock) {
	at := s.Clock.State()
	if now.Paused = at.Paused; at.Paused {
		now.Now = at.At.UTC().Format(time.RFC3339Nano)
	} else {
		now.OffsetSeconds = int64(at.Offset / time.Second)
	}
	if rate := s.Settings().Rate; rate != 1 {
		now.Rate = rate
	}
	if at.Rate != 1 && !at.Paused {
		now.Since = at.Since.UTC().Format(time.RFC3339Nano)
	}
	return now
}

// revisionCommit is one commit of the cluster.
type revisionCommit struct {
	Revision  int64  `json:"revision"`
	Time      string `json:"time"`
	Verb      string `json:"verb"`
	Group     string `json:"group"`
	Version   string `json:"version"`
	Resource  string `json:"resource"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	// User and Manager are who made it, if writes say that: the author's name, and the
	// field manager.
	User    string `json:"user,omitempty"`
	Manager string `json:"manager,omitempty"`
	// Request is the ID of the request that made it, if its client gave one: see core/source.
	Request string `json:"request,omitempty"`
}

// revisionFrame is a line of the revisions stream.
type revisionFrame struct {
	Type   string          `json:"type"`
	State  *revisionState  `json:"state,omitempty"`
	Commit *revisionCommit `json:"commit,omitempty"`
}

// revisions streams every commit of the cluster after ?since=, the retained ones first, with state
// frames before, in between and whenever the state changes. It ends with the cluster.
func (p *ControlPlane) revisions(w http.ResponseWriter, r *http.Request, _ apiserver.Call) error {
	since, err := revisionParameter(r, "since", 0)
	if err != nil {
		return err
	}
	s := &revisionStream{ControlPlane: p}
	if err := s.open(since); err != nil {
		return err
	}
	defer func() { s.cursor.Close() }()
	return apiserver.Stream(r.Context(), w, s.next)
}

type revisionStream struct {
	*ControlPlane
	cursor *mvcc.Watcher
	state  revisionState
}

// open places the cursor at since, or at the horizon if that is higher. What is compacted from then on is
// kept until it is read.
func (s *revisionStream) open(since int64) error {
	for {
		cursor, err := s.Registry.Store.WatchKept(mvcc.Scope{}, max(since, s.Registry.Store.Status().Compacted))
		if !errors.Is(err, mvcc.ErrCompacted) {
			s.cursor = cursor
			return err
		}
	}
}

func (s *revisionStream) next(ctx context.Context, b []byte) ([]byte, error) {
	if s.state.Cluster == "" {
		b, _ = s.appendState(b)
		return b, nil
	}
	for {
		adjusted, troubled, disturbed := s.Clock.Changed(), s.Storage.Changed(), s.Chaos.Changed()
		events, err := s.cursor.Next(1000, 0)
		if errors.Is(err, mvcc.ErrCompacted) { // the client reads so slowly that no more is kept for it
			s.cursor.Close()
			if err := s.open(0); err != nil {
				return b, err
			}
			continue
		}
		for _, e := range events {
			b = s.appendCommit(b, e)
		}
		b, changed := s.appendState(b)
		if len(events) > 0 || changed {
			return b, nil
		}
		if err := s.sleep(ctx, adjusted, troubled, disturbed); err != nil {
			return b, err
		}
	}
}

// sleep waits for events that may change the state: a commit, which includes changes of settings,
// an adjustment of the clock, a move of a cache, a storage problem, or an act of chaos.
func (s *revisionStream) sleep(ctx context.Context, adjusted, troubled, disturbed <-chan struct{}) error {
	var moves <-chan time.Time
	if at, ok := s.Registry.Replicas.NextMove(); ok {
		timer := s.Clock.NewTimer(at.Sub(s.Clock.Now()))
		defer timer.Stop()
		moves = timer.C()
	}
	select {
	case <-s.cursor.Ready():
	case <-adjusted:
	case <-troubled:
	case <-disturbed:
	case <-moves:
	case <-s.Registry.Closing:
		return io.EOF
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// appendState adds a STATE frame if the state has changed.
func (s *revisionStream) appendState(b []byte) ([]byte, bool) {
	chaos := s.Chaos.Report() // first: the rest is then what its last act has made of it, or later
	at, settings := s.Registry.Store.Status(), s.Settings()
	now := revisionState{
		Head: at.Head, Caches: s.Registry.Replicas.Revisions(),
		Compacted: at.Compacted, Cluster: s.Header.UID,
		Clock: s.clockState(), Chaos: chaos,
	}
	if err := s.Storage.Trouble(); err != nil {
		now.Trouble = err.Error()
	}
	begun := s.Registry.Replicas.Forgotten().Begun
	for i, c := range settings.Caches {
		replica := revisionReplica{LagSeconds: int64(c.Lag / time.Second), Frozen: c.Frozen}
		if i < len(begun) {
			replica.Since, replica.Why = begun[i].Revision, string(begun[i].Why)
		}
		now.Replicas = append(now.Replicas, replica)
	}
	if reflect.DeepEqual(now, s.state) {
		return b, false
	}
	s.state = now
	return appendFrame(b, revisionFrame{Type: "STATE", State: &now}), true
}

func (s *revisionStream) appendCommit(b []byte, e *mvcc.Event) []byte {
	c, ok := s.Registry.CommitOf(e)
	if !ok {
		return b
	}
	return appendFrame(b, revisionFrame{Type: "COMMIT", Commit: &revisionCommit{
		Revision: c.Revision, Time: c.Time.UTC().Format(time.RFC3339Nano), Verb: c.Verb,
		Group: c.Resource.Group, Version: c.Resource.Version, Resource: c.Resource.Plural, Kind: c.Resource.Kind,
		Namespace: c.Namespace, Name: c.Name, UID: c.UID,
		User: s.authorName(c.Author.User), Manager: c.Author.Manager, Request: c.Author.Request,
	}})
}

// authorName returns what the author of a write is called.
func (p *ControlPlane) authorName(user string) string {
	if p.AuthorName == nil {
		return user
	}
	return p.AuthorName(user)
}

func appendFrame(b []byte, f revisionFrame) []byte {
	line, err := json.Marshal(f)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(append(b, line...), '\n')
}
