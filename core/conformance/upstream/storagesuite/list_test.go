package storagesuite

import (
	"context"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage"

	"github.com/tabernetes/tabernetes/core/mvcc"
)

const (
	expiredToken = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter, or use the continue token in this response to " +
		"retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - " +
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may " +
		"show up in the list."
	expiredVersion = "The resourceVersion for the provided list is too old."
)

// query returns a range over the keys below a prefix, or over one key.
func query(key string, recursive bool) mvcc.Query {
	if !recursive {
		q := mvcc.Query{Key: key}
		if key == "" { // an object may have this name; in a Query it means all
			q.Match = func(k string, _ *mvcc.Version) bool { return k == "" }
		}
		return q
	}
	var q mvcc.Query
	if i := strings.IndexByte(key, '/'); i >= 0 {
		q.Group = key[:i+1]
	}
	if q.Group != key {
		q.Match = func(k string, _ *mvcc.Version) bool { return strings.HasPrefix(k, key) }
	}
	return q
}

func (s *store) GetList(ctx context.Context, path string, o storage.ListOptions, out runtime.Object) error {
	key, err := split(path, o.Recursive)
	if err != nil {
		return err
	}
	keyPrefix := prefix + key
	rev, from, err := storage.ValidateListOptions(keyPrefix, s.versioner, o)
	if err != nil {
		return err
	}
	if err := s.reached(o.ResourceVersion, s.data.Status().Head); err != nil {
		return err
	}
	q := query(key, o.Recursive)
	q.Revision, q.Start = rev, strings.TrimPrefix(from, prefix)
	items, err := itemsOf(out)
	if err != nil {
		return err
	}
	wanted := int(o.Predicate.Limit)
	if !o.Recursive {
		wanted = 0
	}
	for q.Limit = wanted; ; q.Limit *= 2 { // few match, as it seems
		page, err := s.data.Range(bucket, q)
		if err != nil {
			return s.listError(err, o, rev, from, keyPrefix)
		}
		q.Revision = page.Revision
		for i, item := range page.Items {
			obj := reflect.New(items.Type().Elem())
			decoded := obj.Interface().(runtime.Object)
			if _, _, err := s.at(ctx, item.Key, item.Value, item.Revision, decoded); err != nil {
				return err
			}
			matches, err := o.Predicate.Matches(decoded)
			if err != nil {
				return err
			}
			if !matches {
				continue
			}
			items.Set(reflect.Append(items, obj.Elem()))
			if last := i == len(page.Items)-1; wanted > 0 && items.Len() == wanted {
				more, count := page.More || !last, int64(wanted+page.Remaining)
				return s.finish(out, prefix+item.Key, keyPrefix, page.Revision, count, more, o)
			}
		}
		if !page.More {
			return s.finish(out, "", keyPrefix, page.Revision, 0, false, o)
		}
		q.Start = page.Next
	}
}

// itemsOf returns the items of a list object, made empty but not nil.
func itemsOf(list runtime.Object) (reflect.Value, error) {
	p, err := meta.GetItemsPtr(list)
	if err != nil {
		return reflect.Value{}, err
	}
	items := reflect.ValueOf(p).Elem()
	items.Set(reflect.MakeSlice(items.Type(), 0, 0))
	return items, nil
}

// finish sets a list's metadata.
func (s *store) finish(out runtime.Object, last, keyPrefix string, rev, count int64, more bool,
	o storage.ListOptions) error {
	token, remaining, err := storage.PrepareContinueToken(last, keyPrefix, rev, count, more, o)
	if err != nil {
		return err
	}
	return s.versioner.UpdateList(out, uint64(rev), token, remaining)
}

func (s *store) listError(err error, o storage.ListOptions, rev int64, from, keyPrefix string) error {
	switch {
	case errors.Is(err, mvcc.ErrFuture):
		return storage.NewTooLargeResourceVersionError(uint64(rev), uint64(s.data.Status().Head), 0)
	case !errors.Is(err, mvcc.ErrCompacted):
		return err
	case o.Predicate.Continue == "":
		return apierrors.NewResourceExpired(expiredVersion)
	}
	token, tokenErr := storage.EncodeContinue(from, keyPrefix, -1)
	if tokenErr != nil {
		return tokenErr
	}
	expired := apierrors.NewResourceExpired(expiredToken)
	expired.ErrStatus.ListMeta.Continue = token
	return expired
}
