package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/horizon"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// Get returns the bytes of an object. resourceVersion unset reads the most recent state from the
// store, "0" the state of the cache, and N one that is not older.
func (r Reader) Get(ctx context.Context, t Target, resourceVersion string) ([]byte, error) {
	r = r.forType(t.Resource)
	p := planGet(t, resourceVersion, r.state())
	v, rev, err := r.version(ctx, t, p)
	r.answered(ctx, p, rev)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, status.NewNotFound(t.GroupResource(), t.Name)
	}
	return r.read(ctx, t.Resource, v.Value)
}

// version carries out the plan of a get. It returns the version, nil if there is no object, and the
// revision that was read.
func (r Reader) version(ctx context.Context, t Target, p plan) (v *mvcc.Version, rev int64, err error) {
	if p.err != nil {
		return nil, 0, p.err
	}
	r = r.as(p)
	if err := r.await(ctx, t.Resource, p); err != nil {
		return nil, 0, err
	}
	for again := true; again; again = p.outdated(err) {
		v, rev, err = r.Store.Get(t.bucket(), t.key(t.Name), r.at(t.Resource, p))
	}
	return v, rev, err
}

// Get reads the most recent state of an object, for the server itself.
func (r *Registry) Get(ctx context.Context, t Target) ([]byte, error) {
	return r.Through(nil).Get(source.Without(ctx), t, "")
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
	r = r.forType(t.Resource)
	p := planList(t, o, r.state())
	page, err := r.page(ctx, t, o, &p)
	r.answered(ctx, p, page.Revision)
	if err != nil {
		return nil, err
	}
	list := &List{Revision: page.Revision, Items: page.Values, Remaining: -1}
	if list.Items == nil {
		list.Items = make([][]byte, len(page.Items))
		for i, item := range page.Items {
			list.Items[i] = item.Value
		}
	}
	if !r.asStored(t.Resource) {
		read := r.readKept
		if p.from == source.Etcd {
			read = r.read
		}
		for i, value := range list.Items {
			if list.Items[i], err = read(ctx, t.Resource, value); err != nil {
				return nil, err
			}
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

// page carries out the plan of a list. If etcd answers in the cache's place, the plan becomes that.
func (r Reader) page(ctx context.Context, t Target, o ListOptions, p *plan) (page mvcc.Page, err error) {
	if p.err != nil {
		return page, p.err
	}
	r = r.as(*p)
	if err = r.await(ctx, t.Resource, *p); err != nil {
		if !p.orEtcd || !status.Is(err, status.Timeout) {
			return page, err
		}
		*p = planList(t, o, state{cached: false})
		r = r.as(*p)
	}
	if p.exact && r.cache != nil && !r.cache.snapshot(t.Resource, p.revision) {
		p.from = source.Etcd
		r = r.as(*p)
	}
	if err = r.listed(ctx, t); err != nil {
		if o.Limit == 0 || !o.Empty() {
			return page, err
		}
		*p = planList(t, o, state{cached: false})
		r = r.as(*p)
	}
	q := mvcc.Query{Group: t.group(), Key: p.key, Name: p.name, Start: p.start, Limit: p.limit,
		Match: o.match(t.Resource), Terms: o.terms(t.Resource), ValuesOnly: true, Kept: r.cache != nil}
	for again := true; again; again = p.outdated(err) {
		q.Revision = r.at(t.Resource, *p)
		if err = r.convertAll(ctx, t, o.Selection, q); err != nil {
			return page, err
		}
		page, err = r.Store.Range(t.bucket(), q)
	}
	switch {
	case errors.Is(err, mvcc.ErrCompacted):
		gone(ctx, horizon.Compacted)
		err = expired(o, q)
	case errors.Is(err, mvcc.ErrFuture):
		err = status.NewTooLargeResourceVersion(q.Revision, r.Store.Status().Head, 0)
	}
	return page, err
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
