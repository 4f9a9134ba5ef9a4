package core

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

// revisionState is where the cluster stands.
type revisionState struct {
	Head      int64   `json:"head"`
	Caches    []int64 `json:"caches"`
	Compacted int64   `json:"compacted"`
	// Cluster is the uid of the cluster: another one after a reset.
	Cluster string `json:"cluster"`
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
}

// revisionFrame is a line of the revisions stream.
type revisionFrame struct {
	Type   string          `json:"type"`
	State  *revisionState  `json:"state,omitempty"`
	Commit *revisionCommit `json:"commit,omitempty"`
}

// actRevisions streams every commit of the cluster above ?since=, the retained
// ones first, with the cluster's position before, in between and whenever it
// changes. It ends with the cluster.
func (i *instance) actRevisions(w http.ResponseWriter, r *http.Request, _ apiserver.Call) error {
	since := int64(0)
	if text := r.URL.Query().Get("since"); text != "" {
		n, err := strconv.ParseUint(text, 10, 62)
		if err != nil {
			return status.NewBadRequest("since: " + err.Error())
		}
		since = int64(n)
	}
	s := &revisionStream{instance: i}
	if err := s.open(since); err != nil {
		return err
	}
	defer func() { s.cursor.Close() }()
	return apiserver.Stream(r.Context(), w, s.next)
}

type revisionStream struct {
	*instance
	cursor *mvcc.Watcher
	state  revisionState
}

// open places the cursor at since, or at the horizon if that is higher.
func (s *revisionStream) open(since int64) error {
	for {
		cursor, err := s.store.Watch(mvcc.Scope{}, max(since, s.store.Status().Compacted))
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
		events, err := s.cursor.Next(1000)
		if errors.Is(err, mvcc.ErrCompacted) {
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
		select {
		case <-s.cursor.Ready():
		case <-s.ctx.Done():
			return b, io.EOF
		case <-ctx.Done():
			return b, context.Cause(ctx)
		}
	}
}

// appendState adds a STATE frame if the position has changed.
func (s *revisionStream) appendState(b []byte) ([]byte, bool) {
	at := s.store.Status()
	now := revisionState{
		Head: at.Head, Caches: []int64{s.registry.Cache.Revision()},
		Compacted: at.Compacted, Cluster: s.header.UID,
	}
	if now.Head == s.state.Head && now.Compacted == s.state.Compacted && slices.Equal(now.Caches, s.state.Caches) {
		return b, false
	}
	s.state = now
	return appendFrame(b, revisionFrame{Type: "STATE", State: &now}), true
}

func (s *revisionStream) appendCommit(b []byte, e *mvcc.Event) []byte {
	c, ok := s.registry.CommitOf(e)
	if !ok {
		return b
	}
	return appendFrame(b, revisionFrame{Type: "COMMIT", Commit: &revisionCommit{
		Revision: c.Revision, Time: c.Time.UTC().Format(time.RFC3339Nano), Verb: c.Verb,
		Group: c.Resource.Group, Version: c.Resource.Version, Resource: c.Resource.Plural, Kind: c.Resource.Kind,
		Namespace: c.Namespace, Name: c.Name, UID: c.UID,
	}})
}

func appendFrame(b []byte, f revisionFrame) []byte {
	line, err := json.Marshal(f)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return append(append(b, line...), '\n')
}
