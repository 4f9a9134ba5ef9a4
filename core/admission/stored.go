package admission

import (
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Stored returns the object of a type with a key, decoded; nil if none is stored.
func Stored(store *mvcc.Store, t *schema.Resource, key string) (map[string]any, error) {
	v, _, err := store.Get(t.Bucket(), key, 0)
	if err != nil || v == nil {
		return nil, err
	}
	obj, _, err := object.Decode(v.Value, t.Type())
	return obj, err
}

// EachStored calls f with the stored objects of a type that a query finds, in the order of their keys, until it fails.
// Each is decoded.
func EachStored(store *mvcc.Store, t *schema.Resource, query mvcc.Query, f func(obj map[string]any) error) error {
	page, err := store.Range(t.Bucket(), query)
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		obj, _, err := object.Decode(item.Value, t.Type())
		if err != nil {
			return err
		}
		if err := f(obj); err != nil {
			return err
		}
	}
	return nil
}
