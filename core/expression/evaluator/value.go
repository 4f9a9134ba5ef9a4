// More than 400 lines: a value of CEL has that many methods.

package evaluator

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// valueOf returns the CEL value of a value of a schema.
func valueOf(v any, s *structural.Schema) ref.Val {
	switch {
	case v == nil && s.Nullable:
		return types.NullValue
	case v == nil:
		return types.NewErr("invalid data, got null for schema with nullable=false")
	case s.IntOrString:
		switch v := v.(type) {
		case string:
			return types.String(v)
		case int64:
			return types.Int(v)
		}
		return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
	}
	switch s.Type {
	case "object":
		if m, ok := v.(map[string]any); ok {
			if s.Embedded {
				s = withMetadata(s)
			}
			return &record{m, s}
		}
		return types.NewErr("invalid data, expected a map for the provided schema with type=object")
	case "array":
		if l, ok := v.([]any); ok && s.Items != nil {
			return &list{l, s}
		}
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	case "string":
		if text, ok := v.(string); ok {
			return textOf(text, s.Format)
		}
		return types.NewErr("invalid data, expected string, got %T", v)
	case "number":
		switch v := v.(type) {
		case int64:
			return types.Double(v)
		case float64:
			return types.Double(v)
		}
		return types.NewErr("invalid data, expected float, got %T", v)
	case "integer":
		if n, ok := v.(int64); ok {
			return types.Int(n)
		}
		return types.NewErr("invalid data, expected int, got %T", v)
	case "boolean":
		if b, ok := v.(bool); ok {
			return types.Bool(b)
		}
		return types.NewErr("invalid data, expected bool, got %T", v)
	}
	return &opaque{v}
}

func textOf(text, format string) ref.Val {
	switch format {
	case "duration":
		d, err := time.ParseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case "date":
		d, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case "date-time":
		d, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: d}
	case "byte":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	}
	return types.String(text)
}

// An opaque is a value that no schema describes: it can only be compared.
type opaque struct{ v any }

func (o *opaque) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion to '%s' not supported for values preserved by "+
		"x-kubernetes-preserve-unknown-fields", t)
}

func (o *opaque) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by "+
		"x-kubernetes-preserve-unknown-fields", t.TypeName())
}

func (o *opaque) Equal(other ref.Val) ref.Val {
	return types.Bool(reflect.DeepEqual(o.v, other.Value()))
}
func (o *opaque) Type() ref.Type { return types.UnknownType }
func (o *opaque) Value() any     { return o.v }

// A list is an array. It is compared and added to as its list type says: the order of sets and maps does not matter.
type list struct {
	items []any
	*structural.Schema
}

var _ traits.Lister = (*list)(nil)

func (l *list) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	if l.Items.Type != "string" {
		return l.items, nil
	}
	all := make([]string, len(l.items))
	for i, v := range l.items {
		text, ok := v.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %T", v)
		}
		all[i] = text
	}
	return all, nil
}

func (l *list) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), t.TypeName())
}

func (l *list) Type() ref.Type { return types.ListType }
func (l *list) Value() any     { return l.items }
func (l *list) Size() ref.Val  { return types.Int(len(l.items)) }

func (l *list) at(i int) ref.Val { return valueOf(l.items[i], l.Items) }

func (l *list) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	switch {
	case !ok:
		return types.ValOrErr(index, "unsupported index: %v", index)
	case i < 0 || int(i) >= len(l.items):
		return types.NewErr("index out of bounds: %v", index)
	}
	return l.at(int(i))
}

func (l *list) Contains(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	for i := range l.items {
		if l.at(i).Equal(v) == types.True {
			return types.True
		}
	}
	return types.False
}

// identity returns what distinguishes an item of a set or a map from the others; nil in other lists.
func (l *list) identity(v any) any {
	switch l.ListType {
	case "set":
		return fmt.Sprintf("%T %v", v, v)
	case "map":
		m, _ := v.(map[string]any)
		keys := make([]any, len(l.ListMapKeys))
		for i, k := range l.ListMapKeys {
			keys[i] = m[k]
		}
		return fmt.Sprintf("%#v", keys)
	}
	return nil
}

func (l *list) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if o.Size() != l.Size() {
		return types.False
	}
	if l.ListType != "set" && l.ListType != "map" {
		for i := range l.items {
			if eq := l.at(i).Equal(o.Get(types.Int(i))); eq != types.True {
				return eq
			}
		}
		return types.True
	}
	index := map[any]int{}
	for i, v := range l.items {
		index[l.identity(v)] = i
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		i, ok := index[l.identity(v.Value())]
		if !ok {
			return types.False
		}
		if eq := l.at(i).Equal(v); eq != types.True {
			return eq
		}
	}
	return types.True
}

func (l *list) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	all, index := append([]any(nil), l.items...), map[any]int{}
	for i, v := range all {
		index[l.identity(v)] = i
	}
	for it := o.Iterator(); it.HasNext() == types.True; {
		v := it.Next().Value()
		id := l.identity(v)
		i, known := index[id]
		switch {
		case id == nil || !known:
			index[id] = len(all)
			all = append(all, v)
		default:
			all[i] = v
		}
	}
	return &list{all, l.Schema}
}

func (l *list) Iterator() traits.Iterator {
	all := make([]ref.Val, len(l.items))
	for i := range l.items {
		all[i] = l.at(i)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, all).(traits.Lister).Iterator()
}

// A record is an object or a map.
type record struct {
	fields map[string]any
	*structural.Schema
}

var _ traits.Mapper = (*record)(nil)

// isMap reports whether names are the keys of a map, which are not escaped.
func (o *record) isMap() bool { return o.Properties == nil }

// schema returns the schema of a field, nil if rules cannot see it.
func (o *record) schema(name string) *structural.Schema {
	if o.isMap() {
		return o.Additional
	}
	return o.Properties[name]
}

func (o *record) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Map {
		return o.fields, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", o.Type(), t)
}

func (o *record) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.Type(), t.TypeName())
}

func (o *record) Type() ref.Type { return types.MapType }
func (o *record) Value() any     { return o.fields }
func (o *record) Size() ref.Val  { return types.Int(len(o.fields)) }

func (o *record) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	name := string(text)
	if !o.isMap() {
		if name, ok = unescape(name); !ok {
			return nil, false
		}
	}
	return o.find(name)
}

func (o *record) find(name string) (ref.Val, bool) {
	v, ok := o.fields[name]
	s := o.schema(name)
	if !ok || s == nil || v == nil && !o.isMap() { // no null is different from nothing
		return nil, false
	}
	return valueOf(v, s), true
}

func (o *record) Get(key ref.Val) ref.Val { return get(o, key) }

func (o *record) Contains(key ref.Val) ref.Val { return contains(o, key) }

// A finder is what get and contains need of a traits.Mapper.
type finder interface {
	Find(key ref.Val) (ref.Val, bool)
}

// get implements traits.Indexer.
func get(m finder, key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

// contains implements traits.Container.
func contains(m finder, key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

func (o *record) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if o.Size() != m.Size() {
		return types.False
	}
	for name, v := range o.fields {
		if o.schema(name) == nil {
			unseen, ok := other.(*record)
			if !ok {
				return types.MaybeNoSuchOverloadErr(other)
			}
			if was, ok := unseen.fields[name]; !ok || !reflect.DeepEqual(v, was) {
				return types.False
			}
			continue
		}
		key := name
		if !o.isMap() {
			if key, ok = escape(name); !ok {
				continue
			}
		}
		mine, found := o.find(name)
		its, foundToo := m.Find(types.String(key))
		if found != foundToo {
			return types.False
		}
		if !found {
			continue
		}
		if eq := mine.Equal(its); eq != types.True {
			return eq
		}
	}
	return types.True
}

func (o *record) Iterator() traits.Iterator {
	var keys []ref.Val
	for name := range o.fields {
		if o.schema(name) == nil {
			continue
		}
		if !o.isMap() {
			if escaped, ok := escape(name); ok {
				name = escaped
			}
		}
		keys = append(keys, types.String(name))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, keys).(traits.Lister).Iterator()
}
