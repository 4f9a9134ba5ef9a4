package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// Get returns the bytes of an object. resourceVersion unset reads the most recent state from the
// store, "0" the state of the cache, and N one that is not older.
func (r Reader) Get(ctx context.Context, t Target, resourceVersion string) ([]byte, error) {
	rev, err := parseVersion(resourceVersion)
	r = r.of(t.Resource)
	if err != nil && r.cache == nil {
		err = status.NewBadRequest("invalid resource version: " + err.Error())
	}
	if err != nil {
		refuses(ctx, semantics.GetInvalid)
		return nil, err
	}
	rule := semantics.GetNotOlderThan
	switch {
	case resourceVersion == "":
		r.cache, rule = nil, semantics.GetLatest
	case t.Uncached:
		rule = semantics.GetUncached
	case resourceVersion == "0":
		rule = semantics.GetAny
	}
	r.answers(ctx, rule)
	if err := r.await(ctx, rev); err != nil {
		return nil, err
	}
	v, err := stable(r.known, func(rev int64) (*mvcc.Version, error) {
		v, at, err := r.Store.Get(t.bucket(), t.key(t.Name), rev)
		r.shows(ctx, at)
		return v, err
	})
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, status.NewNotFound(t.GroupResource(), t.Name)
	}
	return r.read(t.Resource, v.Value), nil
}

// Get reads the most recent state of an object, for the server itself.
func (r *Registry) Get(ctx context.Context, t Target) ([]byte, error) {
	return r.Through(nil).Get(source.Without(ctx), t, "")
}

// stable reads at the revision that at returns, and again if that revision is compacted meanwhile.
func stable[T any](at func() int64, read func(rev int64) (T, error)) (T, error) {
	for {
		v, err := read(at())
		if !errors.Is(err, mvcc.ErrCompacted) {
			return v, err
		}
	}
}

// List is the result of a list.
type List struct {
	// Revision is the collection's resourceVersion.
	Revision int64
	// Items are the bytes of the objects, in the order of their keys.
	Items [][]byte
	// Continue is the token for the next page; empty on the last one.
	Continue string
	// Remaining is the number of objects after the page; negative if that is not known, as with any
	// selector.
	Remaining int
}

const (
	expiredToken = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may " +
		"show up in the list."
	expiredVersion = "The resourceVersion for the provided list is too old."
)

// List reads a collection or a page of it from the store itself, for the server itself.
func (r *Registry) List(ctx context.Context, t Target, o ListOptions) (*List, error) {
	return r.Through(nil).List(source.Without(ctx), t, o)
}

// List reads a collection or a page of it. The options must be valid.
func (r Reader) List(ctx context.Context, t Target, o ListOptions) (*List, error) {
	r = r.of(t.Resource)
	var q mvcc.Query
	var page mvcc.Page
	for again := true; again; {
		var exact bool
		var err error
		if q, exact, err = r.query(ctx, t, o); err != nil {
			return nil, err
		}
		q.ValuesOnly = true
		page, err = r.Store.Range(t.bucket(), q)
		r.shows(ctx, page.Revision)
		again = errors.Is(err, mvcc.ErrCompacted) && !exact // compaction has moved the cache
		switch {
		case errors.Is(err, mvcc.ErrCompacted):
			err = expired(o, q)
		case errors.Is(err, mvcc.ErrFuture):
			err = status.NewTooLargeResourceVersion(q.Revision, r.Store.Status().Head, 0)
		}
		if err != nil && !again {
			return nil, err
		}
	}
	list := &List{Revision: page.Revision, Items: page.Values, Remaining: -1}
	if list.Items == nil {
		list.Items = make([][]byte, len(page.Items))
		for i, item := range page.Items {
			list.Items[i] = item.Value
		}
	}
	if !r.asStored(t.Resource) {
		for i, value := range list.Items {
			list.Items[i] = r.read(t.Resource, value)
		}
	}
	if page.More {
		list.Continue = newToken("/"+page.Next[len(t.group()):], page.Revision)
		if o.Empty() {
			list.Remaining = page.Remaining
		}
	}
	return list, nil
}

// query decides what a list reads: it implements the table of resourceVersion,
// resourceVersionMatch, limit and continue in the API concepts page. exact reports whether the
// client asked for exactly the revision that is read.
func (r Reader) query(ctx context.Context, t Target, o ListOptions) (q mvcc.Query, exact bool, err error) {
	q = mvcc.Query{Group: t.group(), Match: o.match(t.Resource)}
	if o.Limit > 0 {
		q.Limit = int(min(o.Limit, 1<<31-1))
	}
	if o.Continue != "" {
		return r.resume(ctx, q, t, o)
	}
	single := r.narrow(&q, t, o)
	rev, err := parseVersion(o.ResourceVersion)
	if err != nil {
		refuses(ctx, semantics.ListInvalid)
		return q, false, status.NewBadRequest("invalid resource version: " + err.Error())
	}
	switch o.ResourceVersion {
	case "": // most recent
		r, err = r.latest(ctx, t.orUncached(semantics.ListLatest))
		q.Revision = r.known()
		return q, false, err
	case "0": // any
		r.answers(ctx, t.orUncached(semantics.ListAny))
		q.Limit = r.limit(q, o)
		q.Revision = r.known()
		return q, false, nil
	}
	asked, rule := o.ResourceVersionMatch, t.orUncached(semantics.ListNotOlderThan)
	if asked == MatchExact {
		rule = semantics.ListExact
	}
	if asked == "" && q.Limit > 0 {
		asked, rule = MatchExact, semantics.ListExactByLimit // the behaviour before there was a resourceVersionMatch
		if single {
			asked, rule = "", semantics.ListOneName // which never applied to a single object
		}
	}
	if single && (asked == MatchExact || q.Limit > 0 && asked == "") {
		r.cache = nil
	}
	r.answers(ctx, rule)
	if err := r.await(ctx, rev); err != nil {
		return q, false, err
	}
	if asked == MatchExact {
		q.Revision = rev
		return q, rev > 0, nil
	}
	q.Revision = r.known() // not older than
	return q, false, nil
}

// narrow limits a query by a selector of names. It reports whether that is a single object, which
// has no pages.
func (r Reader) narrow(q *mvcc.Query, t Target, o ListOptions) bool {
	name, ok := o.Fields.RequiresExact("metadata.name")
	if !ok || name == "" {
		return false
	}
	if t.Namespace == "" && t.Namespaced {
		namespace, ok := o.Fields.RequiresExact("metadata.namespace")
		if !ok {
			q.Name = name
			return false
		}
		t.Namespace = namespace
	}
	q.Key = t.key(name)
	return true
}

// orUncached returns the rule for a list of a type without a watch cache, else the one given.
func (t Target) orUncached(rule string) string {
	if t.Uncached {
		return semantics.ListUncached
	}
	return rule
}

// limit returns the size of a page: a cache that is asked for any version answers with everything.
func (r Reader) limit(q mvcc.Query, o ListOptions) int {
	if o.ResourceVersion == "0" && r.cache != nil {
		return 0
	}
	return q.Limit
}

// resume completes a query from a continue token: the key to continue with, at the revision in the
// token or at the most recent one.
func (r Reader) resume(ctx context.Context, q mvcc.Query, t Target, o ListOptions) (_ mvcc.Query, exact bool,
	err error) {
	start, rev, err := parseToken(o.Continue)
	if err == nil && o.ResourceVersion != "" && o.ResourceVersion != "0" {
		err = status.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	if err != nil {
		refuses(ctx, semantics.ListInvalid)
		return q, false, err
	}
	if rev < 0 {
		r, err = r.latest(ctx, semantics.ListContinueInconsistent)
		rev = r.known()
	} else {
		rule := semantics.ListContinue
		if r.limit(q, o) != q.Limit {
			rule = semantics.ListContinueAny
		}
		r.answers(ctx, rule)
		exact, err = true, r.await(ctx, rev)
	}
	q.Start, q.Revision, q.Limit = t.group()+start, rev, r.limit(q, o)
	q.Name, _ = o.Fields.RequiresExact("metadata.name")
	return q, exact, err
}

// expired returns the 410 of a list whose revision is gone. For an expired token it has a fresh
// one, which continues at the most recent state.
func expired(o ListOptions, q mvcc.Query) error {
	if o.Continue == "" {
		return status.NewExpired(expiredVersion)
	}
	err := status.NewExpired(expiredToken)
	err.Status.Metadata.Continue = newToken(q.Start[len(q.Group):], -1)
	return err
}
