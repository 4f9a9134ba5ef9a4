package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
)

// The functions below record the source of an answer, for clients that ask for it: each verb calls
// them where it decides.

// answers records the rule of a read, and that this reader answers it.
func (r Reader) answers(ctx context.Context, rule string) {
	s := source.Of(ctx)
	if s == nil {
		return
	}
	s.Rule, s.From = rule, source.Etcd
	if r.cache != nil {
		s.From = source.Cache
	}
	r.shows(ctx, 0)
}

// shows records the revision of the state that an answer shows, 0 for none, and the head of the
// store.
func (r *Registry) shows(ctx context.Context, rev int64) {
	if s := source.Of(ctx); s != nil {
		s.Revision, s.Head = rev, r.Store.Status().Head
	}
}

// refuses records the rule of a read that is refused before anything is read.
func refuses(ctx context.Context, rule string) {
	if s := source.Of(ctx); s != nil {
		s.Rule = rule
	}
}

// writes records that a request is about to write: errors from here on depend on the store. What it
// has read before is not shown in its answer.
func (r *Registry) writes(ctx context.Context) {
	if s := source.Of(ctx); s != nil && len(s.Wrote) == 0 {
		s.Rule, s.From = semantics.WriteRefused, source.Etcd
		r.shows(ctx, 0)
	}
}

// wrote records the result of a verb that writes: which of its events are committed, and its error.
func (r *Registry) wrote(ctx context.Context, o WriteOptions, err error) {
	s := source.Of(ctx)
	if s == nil {
		return
	}
	for _, e := range o.written.all {
		if r.Store.Await(ctx, e) == nil {
			s.Write(e.Revision)
		}
	}
	o.written.all = nil // an update that creates is settled twice
	switch {
	case len(s.Wrote) > 0:
		s.Rule = semantics.WriteStored
	case err != nil:
		s.Rule = semantics.WriteRefused
	case o.DryRun:
		s.Rule = semantics.WriteDryRun
	default:
		s.Rule = semantics.WriteUnchanged
	}
	r.shows(ctx, 0)
}
