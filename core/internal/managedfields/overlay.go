package managedfields

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Merge merges config into live as Apply does, but nobody owns the result: managedFields stay as they are. It refuses
// to set what can only be replaced as a whole. The errors are those of a mutating policy.
func (w Write) Merge(live, config map[string]any) (map[string]any, error) {
	g := w.group()
	wanted, err := read(config, g.parser)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", sorted(err))
	}
	if atomic := wholes(nil, wanted.Schema(), wanted.TypeRef(), inOrder(config)); len(atomic) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s",
			strings.Join(atomic, ", "))
	}
	was, err := g.typed(live, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	obj, ok := merged(was, wanted).AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, errors.New("failed to convert typed object to object: it is none")
	}
	obj = object.DeepCopy(obj)
	if g.kind != nil {
		if obj, _, err = object.Convert(obj, g.kind, nil); err == nil {
			obj, _, err = object.Normalize(obj, g.kind)
		}
		if err != nil {
			return nil, err
		}
	}
	if owned := object.GetMap(live, "metadata")["managedFields"]; owned != nil {
		object.Meta(obj)["managedFields"] = owned
	}
	return obj, nil
}

// wholes returns the paths of the atomic parts of a value.
func wholes(at fieldpath.Path, s *smd.Schema, ref smd.TypeRef, v value.Value) (paths []string) {
	atom, ok := s.Resolve(ref)
	if !ok {
		return nil
	}
	if v.IsMap() && atom.Map != nil {
		if atom.Map.ElementRelationship == smd.Atomic {
			paths = append(paths, at.String())
		}
		v.AsMap().Iterate(func(key string, v value.Value) bool {
			if f, ok := atom.Map.FindField(key); ok {
				paths = append(paths, wholes(append(at, fieldpath.PathElement{FieldName: &key}), s, f.Type, v)...)
			}
			return true
		})
	}
	if v.IsList() && atom.List != nil {
		if atom.List.ElementRelationship == smd.Atomic {
			paths = append(paths, at.String())
		}
		list := v.AsList()
		for i := range list.Length() {
			paths = append(paths, wholes(append(at, fieldpath.PathElement{Index: &i}), s, atom.List.ElementType, list.At(i))...)
		}
	}
	return paths
}
