package core

import (
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// inherit gives the instance exactly the lasting objects of the instance that it replaces, which commits
// nothing meanwhile: see extension.Resource.
func (i *instance) inherit(old *instance) error {
	if i.follows {
		return nil
	}
	for _, a := range i.added {
		for _, t := range a.Resources {
			if !t.Lasting {
				continue
			}
			if err := i.takeOver(t.Row, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeOver replaces the objects of a type by those of another instance.
func (i *instance) takeOver(row *schema.Resource, old *instance) error {
	theirs, err := old.store.Range(row.Bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	kept := map[string]string{}
	for _, item := range theirs.Items {
		kept[item.Key] = string(item.Value)
	}
	mine, err := i.store.Range(row.Bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	for _, item := range mine.Items {
		if kept[item.Key] == string(item.Value) {
			continue
		}
		_, _, err := i.registry.Delete(i.ctx, registry.Target{Resource: row, Name: item.Key}, registry.DeleteOptions{})
		if err != nil {
			return err
		}
	}
	for _, item := range theirs.Items {
		obj, _, err := object.Decode(item.Value, row.Type())
		if err != nil {
			return err
		}
		again := map[string]any{
			"apiVersion": row.APIVersion(), "kind": row.Kind, "metadata": map[string]any{"name": object.Name(obj)},
			"spec": obj["spec"],
		}
		if err := i.ensure(again); err != nil {
			return err
		}
	}
	return nil
}
