package registry

import (
	"context"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
)

// What clients that ask are told of where an answer comes from: each verb says it where
// it decides it.

// answers notes by which rule a read is answered, and that it is from this reader.
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

// shows notes the revision of the state that an answer shows, 0 for none, and where the
// store is meanwhile.
func (r *Registry) shows(ctx context.Context, rev int64) {
	if s := source.Of(ctx); s != nil {
		s.Revision, s.Head = rev, r.Store.Status().Head
	}
}

// refuses notes the rule by which a read is refused before anything is read.
func refuses(ctx context.Context, rule string) {
	if s := source.Of(ctx); s != nil {
		s.Rule = rule
	}
}

// writes notes that a request is about to write: whatever refuses it from here on is of
// the store. What it has read before is not what it answers with.
func (r *Registry) writes(ctx context.Context) {
	if s := source.Of(ctx); s != nil && len(s.Wrote) == 0 {
		s.Rule, s.From = semantics.WriteRefused, source.Etcd
		r.shows(ctx, 0)
	}
}

// wrote notes what has become of a verb that writes, once that is decided: which of its
// events are committed, and the error that it ends with.
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
