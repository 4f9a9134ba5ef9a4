package admission

import (
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

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
