package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
)

// The functions below record the source of an answer, for clients that ask for it: a read once, at
// its end, and a write when it begins and when it ends.

// answered records the source of a read's answer: as planned, and the revision of the state that it
// shows, 0 for none, as with most errors.
func (r *Registry) answered(ctx context.Context, p plan, revision int64) {
	if p.err != nil {
		refuses(ctx, p.rule)
		return
	}
	if s := source.Of(ctx); s != nil {
		s.Rule, s.From, s.Revision = p.rule, p.from, revision
		s.Head, _ = r.Store.Bounds()
	}
}

// gone records why there is no answer for a version that is too old.
func gone(ctx context.Context, why horizon.Cause) {
	if s := source.Of(ctx); s != nil {
		s.Gone = string(why)
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
		s.Rule, s.From, s.Revision = semantics.WriteRefused, source.Etcd, 0
		s.Head, _ = r.Store.Bounds()
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
	s.Revision = 0
	s.Head, _ = r.Store.Bounds()
}
