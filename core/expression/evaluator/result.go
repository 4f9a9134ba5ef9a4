package evaluator

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/object"
)

// resultOf makes the result of a value.
func resultOf(v ref.Val, returns expression.Type) expression.Result {
	var tree any
	var err error
	switch returns {
	case expression.ApplyConfiguration:
		tree, err = configurationOf(v)
	case expression.JSONPatches:
		tree, err = patchesOf(v)
	default:
		tree, err = treeOf(v.Value())
	}
	if err != nil {
		return expression.Result{Error: err.Error(), Kind: expression.Failed}
	}
	return expression.Result{Value: tree}
}

func configurationOf(v ref.Val) (any, error) {
	p, ok := v.(*part)
	if !ok {
		return nil, fmt.Errorf("unsupported return type from ApplyConfiguration expression: %v", v.Type())
	}
	if wrong := p.mismatch(); wrong != "" {
		return nil, fmt.Errorf("%s", wrong)
	}
	native, err := p.native()
	if err != nil {
		return nil, fmt.Errorf("invalid return type: %T", v)
	}
	return treeOf(native)
}

func patchesOf(v ref.Val) (any, error) {
	list, ok := v.(traits.Lister)
	if !ok {
		return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array")
	}
	all := []any{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		v := it.Next()
		p, ok := v.(*patch)
		if !ok {
			return nil, fmt.Errorf("type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch, "+
				"got element of %T", v)
		}
		tree := map[string]any{"op": p.op, "path": p.path}
		if p.from != "" {
			tree["from"] = p.from
		}
		if p.value != nil {
			value, err := jsonOf(p.value)
			if err != nil {
				return nil, err
			}
			tree["value"] = value
		}
		all = append(all, tree)
	}
	return all, nil
}

// jsonOf returns the value of a patch as a tree.
func jsonOf(v ref.Val) (any, error) {
	if p, ok := v.(*part); ok {
		if wrong := p.mismatch(); wrong != "" {
			return nil, fmt.Errorf("%s", wrong)
		}
	}
	const noJSON = "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "
	if holdsPart(v) {
		return nil, errors.New(noJSON + "an Object in a list or a map")
	}
	made, err := v.ConvertToNative(reflect.TypeFor[*structpb.Value]())
	if err != nil {
		return nil, fmt.Errorf(noJSON+"%w", err)
	}
	var text []byte
	switch made := made.(type) {
	case *structpb.Value:
		text, err = made.MarshalJSON()
	case *structpb.Struct:
		text, err = made.MarshalJSON()
	}
	if err != nil {
		return nil, fmt.Errorf(noJSON+"%w", err)
	}
	return object.DecodeAny(text)
}

// holdsPart reports whether a part of an Object is in a list or a map, which cel-go cannot make JSON of.
func holdsPart(v ref.Val) bool {
	var items traits.Iterator
	get := func(v ref.Val) ref.Val { return v }
	switch v := v.(type) {
	case traits.Mapper:
		items, get = v.Iterator(), v.Get
	case traits.Lister:
		items = v.Iterator()
	default:
		return false
	}
	for items.HasNext() == types.True {
		item := get(items.Next())
		if _, ok := item.(*part); ok || holdsPart(item) {
			return true
		}
	}
	return false
}

// treeOf makes a tree of a value of Go that cel-go made of one of CEL. What no tree can have becomes a text.
func treeOf(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string, int64:
		return v, nil
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v, nil
		}
	case structpb.NullValue:
		return nil, nil
	case uint64:
		if v > math.MaxInt64 {
			return float64(v), nil
		}
		return int64(v), nil
	case error:
		return nil, v
	case ref.Val:
		if o, ok := v.(*types.Optional); ok {
			if !o.HasValue() {
				return nil, nil
			}
			return treeOf(o.GetValue())
		}
		if value := v.Value(); reflect.TypeOf(value) != reflect.TypeOf(v) {
			return treeOf(value)
		}
	case []any:
		return treesOf(v)
	case []string:
		return treesOf(v)
	case []ref.Val:
		return treesOf(v)
	case map[string]any:
		all := make(map[string]any, len(v))
		for name, item := range v {
			tree, err := treeOf(item)
			if err != nil {
				return nil, err
			}
			all[name] = tree
		}
		return all, nil
	case map[ref.Val]ref.Val:
		all := make(map[string]any, len(v))
		for key, item := range v {
			tree, err := treeOf(item)
			if err != nil {
				return nil, err
			}
			all[fmt.Sprint(key.Value())] = tree
		}
		return all, nil
	}
	return fmt.Sprint(v), nil
}

func treesOf[T any](list []T) (any, error) {
	all := make([]any, len(list))
	for i, item := range list {
		tree, err := treeOf(item)
		if err != nil {
			return nil, err
		}
		all[i] = tree
	}
	return all, nil
}
