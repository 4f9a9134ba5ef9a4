package evaluator

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A boxed is a value of a Go type that CEL does not have, such as an address.
type boxed[T any] struct {
	value T
	box   *box[T]
}

// A box is such a type, with its equality; nil: its values cannot be compared.
type box[T any] struct {
	*types.Type
	equal func(a, b T) bool
}

func (b *box[T]) wrap(v T) ref.Val { return boxed[T]{v, b} }

func (b boxed[T]) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(b.value).AssignableTo(t) {
		return b.value, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", b.box.TypeName(), t)
}

func (b boxed[T]) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case ref.Type(b.box.Type):
		return b
	case types.TypeType:
		return b.box.Type
	}
	return types.NewErr("type conversion error from '%s' to '%s'", b.box.TypeName(), t.TypeName())
}

func (b boxed[T]) Equal(other ref.Val) ref.Val {
	o, ok := other.(boxed[T])
	if !ok || b.box.equal == nil {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(b.box.equal(b.value, o.value))
}

func (b boxed[T]) Type() ref.Type { return b.box.Type }
func (b boxed[T]) Value() any     { return b.value }

// Functions of one and of two arguments, which are the Go values of their types.

func unary[A any](f func(A) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		a, ok := v.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return f(a)
	})
}

func twoArguments[A, B any](f func(A, B) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		a, ok := v.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		b, ok := w.Value().(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(w)
		}
		return f(a, b)
	})
}

func args(all ...*cel.Type) []*cel.Type { return all }

// textList makes a list of texts.
func textList(all []string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, all) }
