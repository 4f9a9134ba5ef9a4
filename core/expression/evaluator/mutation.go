package evaluator

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"
)

// The types that mutations construct. A part of an Object is of the type Object.PATH.
const (
	objectName = "Object"
	patchName  = "JSONPatch"
)

var (
	objectType = cel.ObjectType(objectName)
	patchType  = cel.ObjectType(patchName)
)

// patching is environment with what only mutations have besides types.
var patching = sync.OnceValue(func() *cel.Env {
	env, err := environment().Extend(cel.Function("jsonpatch.escapeKey",
		cel.Overload("string_jsonpatch_escapeKey_string", args(cel.StringType), cel.StringType,
			unary(func(key string) ref.Val { return types.String(pointerKey.Replace(key)) }))))
	if err != nil {
		panic(err) // the options are all here
	}
	return env
})

// pointerKey escapes a key of a JSON pointer.
var pointerKey = strings.NewReplacer("/", "~1", "~", "~0")

// A mutationProvider has the types that mutations construct.
type mutationProvider struct{ types.Provider }

func isObjectName(name string) bool {
	return name == objectName || strings.HasPrefix(name, objectName+".")
}

// FindStructType implements types.Provider.
func (p mutationProvider) FindStructType(name string) (*types.Type, bool) {
	if name == patchName || isObjectName(name) {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p mutationProvider) FindStructFieldNames(name string) ([]string, bool) {
	switch {
	case name == patchName:
		return []string{"op", "from", "path", "value"}, true
	case isObjectName(name):
		return nil, true // all
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p mutationProvider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	switch {
	case name == patchName:
		t := &types.FieldType{}
		switch field {
		case "op", "from", "path":
			t.Type = cel.StringType
		case "value":
			t.Type = cel.DynType
		default:
			return nil, false
		}
		return t, true
	case isObjectName(name):
		return &types.FieldType{Type: cel.DynType,
			IsSet: func(obj any) bool {
				m, _ := obj.(map[string]any)
				_, ok := m[field]
				return ok
			},
			GetFrom: func(obj any) (any, error) {
				if m, ok := obj.(map[string]any); ok {
					return m[field], nil
				}
				return nil, fmt.Errorf("cannot get field %q", field)
			}}, true
	}
	return p.Provider.FindStructFieldType(name, field)
}

// NewValue implements types.Provider.
func (p mutationProvider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	switch {
	case name == patchName:
		return newPatch(fields)
	case isObjectName(name):
		return &part{types.NewObjectType(name), fields}
	}
	return p.Provider.NewValue(name, fields)
}

// A part is a value of Object or of a type below it.
type part struct {
	t      *types.Type
	fields map[string]ref.Val
}

var _ traits.Zeroer = (*part)(nil)

func (p *part) native() (map[string]any, error) {
	all := make(map[string]any, len(p.fields))
	for name, v := range p.fields {
		native, err := nativeField(v)
		if err != nil {
			return nil, fmt.Errorf("fail to convert field %q: %w", name, err)
		}
		all[name] = native
	}
	return all, nil
}

func nativeField(v ref.Val) (any, error) {
	switch value := v.Value().(type) {
	case []ref.Val:
		var all []any
		for _, item := range value {
			all = append(all, item.Value())
		}
		return all, nil
	case map[ref.Val]ref.Val:
		all := make(map[string]any, len(value))
		for key, item := range value {
			name, ok := key.Value().(string)
			if !ok {
				return nil, fmt.Errorf("map key %q is of type %T, not string", key, key)
			}
			all[name] = item.Value()
		}
		return all, nil
	default:
		return value, nil
	}
}

// ConvertToNative implements ref.Val.
func (p *part) ConvertToNative(t reflect.Type) (any, error) {
	native, err := p.native()
	switch {
	case err != nil:
		return nil, err
	case t == reflect.TypeOf(native):
		return native, nil
	case t == reflect.TypeFor[*structpb.Value]():
		return structpb.NewStruct(native)
	}
	return nil, fmt.Errorf("unable to convert to %v", t)
}

// ConvertToType implements ref.Val.
func (p *part) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t.TypeName() == p.t.TypeName():
		return p
	case t == types.TypeType:
		return types.NewTypeTypeWithParam(p.t)
	}
	return types.NewErr("unsupported conversion into %v", t)
}

// Equal implements ref.Val.
func (p *part) Equal(other ref.Val) ref.Val {
	o, ok := other.(*part)
	return types.Bool(ok && p.t.TypeName() == o.t.TypeName() && reflect.DeepEqual(p.fields, o.fields))
}

// Type implements ref.Val.
func (p *part) Type() ref.Type { return p.t }

// Value implements ref.Val.
func (p *part) Value() any {
	native, err := p.native()
	if err != nil {
		return types.WrapErr(err)
	}
	return native
}

// IsZeroValue implements traits.Zeroer.
func (p *part) IsZeroValue() bool { return len(p.fields) == 0 }

// misnamed returns what parts have types that do not say where they are, a line for each.
func misnamed(v ref.Val, at []string) (all []string) {
	if p, ok := v.(*part); ok {
		is, want := p.t.TypeName(), strings.Join(at, ".")
		if is != want {
			all = append(all,
				fmt.Sprintf("unexpected type name %q, expected %q, which matches field name path from root Object type", is, want))
		}
		for name, f := range p.fields {
			all = append(all, misnamed(f, append(slices.Clip(at), name))...)
		}
		return all
	}
	switch value := v.Value().(type) {
	case []ref.Val:
		for _, item := range value {
			all = append(all, misnamed(item, at)...)
		}
	case map[ref.Val]ref.Val:
		for _, item := range value {
			all = append(all, misnamed(item, at)...)
		}
	}
	return all
}

// mismatch returns what is wrong with the types of a part and of those in it.
func (p *part) mismatch() string {
	all := misnamed(p, []string{p.t.TypeName()})
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return "type mismatch: " + strings.Join(all, "\n")
}

// A patch is a value of JSONPatch.
type patch struct {
	op, from, path string
	value          ref.Val // nil: none
}

func newPatch(fields map[string]ref.Val) ref.Val {
	p := &patch{}
	for name, v := range fields {
		text, isText := v.Value().(string)
		if name != "value" && !isText {
			return types.NewErr("unexpected type %T for JSONPatchType '%s' field", v.Value(), name)
		}
		switch name {
		case "op":
			p.op = text
		case "path":
			p.path = text
		case "from":
			p.from = text
		case "value":
			p.value = v
		}
	}
	return p
}

// ConvertToNative implements ref.Val.
func (p *patch) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("cannot convert to native type: %v", t)
}

// ConvertToType implements ref.Val.
func (p *patch) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t.TypeName() == patchName:
		return p
	case t == types.TypeType:
		return types.NewTypeTypeWithParam(patchType)
	}
	return types.NewErr("unsupported type: %s", t.TypeName())
}

// Equal implements ref.Val.
func (p *patch) Equal(other ref.Val) ref.Val {
	o, ok := other.(*patch)
	switch {
	case !ok || p.op != o.op || p.from != o.from || p.path != o.path || (p.value == nil) != (o.value == nil):
		return types.False
	case p.value == nil:
		return types.True
	}
	return p.value.Equal(o.value)
}

// Type implements ref.Val.
func (p *patch) Type() ref.Type { return patchType }

// Value implements ref.Val.
func (p *patch) Value() any { return p }

// Get implements traits.Indexer.
func (p *patch) Get(index ref.Val) ref.Val {
	switch index.Value() {
	case "op":
		return types.String(p.op)
	case "path":
		return types.String(p.path)
	case "from":
		return types.String(p.from)
	case "value":
		return p.value
	}
	return types.NewErr("unsupported indexer: %s", index)
}

// IsSet implements traits.FieldTester.
func (p *patch) IsSet(field ref.Val) ref.Val {
	switch field.Value() {
	case "op":
		return types.Bool(p.op != "")
	case "path":
		return types.Bool(p.path != "")
	case "from":
		return types.Bool(p.from != "")
	case "value":
		return types.Bool(p.value != nil)
	}
	return types.NewErr("unsupported field: %s", field)
}
