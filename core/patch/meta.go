package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// typed is a Go type, perhaps a pointer to it.
type typed struct {
	t       *schema.Type
	pointer bool
}

// fieldMeta describes how a field is merged: the type of its value, or of its items if it is a
// list; its strategy; and its merge key.
type fieldMeta struct {
	typed
	strategy, mergeKey string
}

// field returns how a field is merged whose value is a map.
func (at typed) field(key string) (fieldMeta, error) {
	switch kind := goKind(at.t); {
	case kind != "struct":
		return fieldMeta{}, fmt.Errorf("merging an object in json but data type is not struct, instead is: %s", kind)
	case at.t.Kind == schema.Struct:
		if f := fieldOf(at.t, key); f != nil {
			strategy := strings.TrimPrefix(strings.TrimSuffix(f.PatchStrategy, ",retainKeys"), "retainKeys")
			return fieldMeta{typed{f.Type, f.Pointer}, strategy, f.PatchMergeKey}, nil
		}
	}
	_, name, _ := strings.Cut(at.t.GoName, ".")
	return fieldMeta{}, fmt.Errorf("unable to find api field in struct %s for the json field %q", name, key)
}

// fieldOf finds a field as encoding/json does, which does not heed case.
func fieldOf(t *schema.Type, key string) *schema.Field {
	if f := t.Field(key); f != nil {
		return f
	}
	for i := range t.Fields {
		if strings.EqualFold(t.Fields[i].Name, key) {
			return &t.Fields[i]
		}
	}
	return nil
}

// list returns how a field is merged whose value is a list.
func (at typed) list(key string) (fieldMeta, error) {
	f, err := at.field(key)
	if err != nil {
		return f, err
	}
	switch {
	case f.t.Kind == schema.List && goKind(f.t.Elem) == "slice":
		return f, errors.New("unexpected slice of slice")
	case f.t.Kind == schema.List:
		f.typed = typed{t: f.t.Elem}
	case f.pointer:
		f.pointer = false
	default:
		return f, fmt.Errorf("expected slice or array type, but got: %s", at.kind())
	}
	return f, nil
}

// kind returns the type's kind in Go's reflection.
func (at typed) kind() string {
	if at.pointer {
		return "ptr"
	}
	return goKind(at.t)
}

func goKind(t *schema.Type) string {
	switch t.Kind {
	case schema.Map:
		return "map"
	case schema.List, schema.Bytes:
		return "slice"
	case schema.String:
		return "string"
	case schema.Bool:
		return "bool"
	case schema.Int32:
		return "int32"
	case schema.Int64:
		return "int64"
	case schema.Float64:
		return "float64"
	}
	return "struct"
}
