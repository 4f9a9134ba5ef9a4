package registry

import (
	"context"
	"errors"

	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/status"
)

// Get returns the bytes of an object. resourceVersion unset reads the most
// recent state, "0" whatever the cache has, and N one that is not older.
func (r *Registry) Get(ctx context.Context, t Target, resourceVersion string) ([]byte, error) {
	rev, err := parseVersion(resourceVersion)
	if err != nil {
		return nil, err
	}
	if err := r.Cache.Await(ctx, rev); err != nil {
		return nil, err
	}
	v, _, err := r.Store.Get(t.bucket(), t.key(t.Name), 0)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, status.NewNotFound(t.GroupResource(), t.Name)
	}
	return r.read(t.Resource, v.Value), nil
}

// List is the answer to a list.
type List struct {
	// Revision is the collection's resourceVersion.
	Revision int64
	// Items are the bytes of the objects, in the order of their keys.
	Items [][]byte
	// Continue is the token for the next page; empty on the last one.
	Continue string
	// Remaining is the number of objects behind the page; negative if that is
	// not known, as with any selector.
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

// List reads a collection or a page of it. The options must be valid.
func (r *Registry) List(ctx context.Context, t Target, o ListOptions) (*List, error) {
	q, err := r.query(ctx, t, o)
	if err != nil {
		return nil, err
	}
	page, err := r.Store.Range(t.bucket(), q)
	switch {
	case errors.Is(err, mvcc.ErrCompacted):
		return nil, expired(o, q)
	case errors.Is(err, mvcc.ErrFuture):
		return nil, status.NewTooLargeResourceVersion(q.Revision, r.Cache.Revision())
	case err != nil:
		return nil, err
	}
	list := &List{Revision: page.Revision, Items: make([][]byte, len(page.Items)), Remaining: -1}
	for i, item := range page.Items {
		list.Items[i] = r.read(t.Resource, item.Value)
	}
	if page.More {
		list.Continue = newToken("/"+page.Next[len(t.group()):], page.Revision)
		if q.Match == nil {
			list.Remaining = page.Remaining
		}
	}
	return list, nil
}

// query decides what a list reads: the table of resourceVersion,
// resourceVersionMatch, limit and continue of the API concepts page.
func (r *Registry) query(ctx context.Context, t Target, o ListOptions) (mvcc.Query, error) {
	q := mvcc.Query{Group: t.group(), Match: o.match()}
	if name, ok := o.Fields.RequiresExact("metadata.name"); ok && (t.Namespace != "" || !t.Namespaced) && name != "" {
		q.Key = t.key(name)
	}
	if o.Limit > 0 {
		q.Limit = int(min(o.Limit, 1<<31-1))
	}
	if o.Continue != "" {
		start, rev, err := parseToken(o.Continue)
		if err != nil {
			return q, err
		}
		if o.ResourceVersion != "" && o.ResourceVersion != "0" {
			return q, status.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		q.Start, q.Revision = t.group()+start, max(0, rev)
		return q, nil
	}
	rev, err := parseVersion(o.ResourceVersion)
	if err != nil {
		return q, status.NewBadRequest("invalid resource version: " + err.Error())
	}
	switch {
	case o.ResourceVersion == "": // most recent
	case rev == 0: // any: all that the cache has
		q.Limit = 0
	default:
		if err := r.Cache.Await(ctx, rev); err != nil {
			return q, err
		}
		if o.ResourceVersionMatch == MatchExact || o.ResourceVersionMatch == "" && q.Limit > 0 {
			q.Revision = rev
		} // else not older than: the present
	}
	return q, nil
}

// expired is the 410 of a list whose revision is gone. An expired token is
// answered with a fresh one, which goes on at whatever is there by then.
func expired(o ListOptions, q mvcc.Query) error {
	if o.Continue == "" {
		return status.NewExpired(expiredVersion)
	}
	err := status.NewExpired(expiredToken)
	err.Status.Metadata.Continue = newToken(q.Start[len(q.Group):], -1)
	return err
}
