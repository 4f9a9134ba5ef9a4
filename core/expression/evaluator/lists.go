package evaluator

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// lists are the functions of lists: isSorted, sum, min, max, indexOf and lastIndexOf.
var lists = []cel.EnvOption{
	cel.Function("isSorted", each(comparable, func(name string, t *cel.Type) cel.FunctionOpt {
		return cel.MemberOverload("list_"+name+"_is_sorted_bool", args(cel.ListType(t)), cel.BoolType,
			cel.UnaryBinding(isSorted))
	})...),
	cel.Function("min", each(comparable, func(name string, t *cel.Type) cel.FunctionOpt {
		return cel.MemberOverload("list_"+name+"_min_"+name, args(cel.ListType(t)), t,
			cel.UnaryBinding(extreme("min", types.IntOne)))
	})...),
	cel.Function("max", each(comparable, func(name string, t *cel.Type) cel.FunctionOpt {
		return cel.MemberOverload("list_"+name+"_max_"+name, args(cel.ListType(t)), t,
			cel.UnaryBinding(extreme("max", types.IntNegOne)))
	})...),
	cel.Function("sum", each(comparable[:4], func(name string, t *cel.Type) cel.FunctionOpt {
		return cel.MemberOverload("list_"+name+"_sum_"+name, args(cel.ListType(t)), t, cel.UnaryBinding(sum(zeros[name])))
	})...),
	cel.Function("indexOf", cel.MemberOverload("list_a_index_of_int", args(cel.ListType(anything), anything), cel.IntType,
		cel.BinaryBinding(func(l, v ref.Val) ref.Val { return indexOf(l, v, true) }))),
	cel.Function("lastIndexOf", cel.MemberOverload("list_a_last_index_of_int", args(cel.ListType(anything), anything),
		cel.IntType,
		cel.BinaryBinding(func(l, v ref.Val) ref.Val { return indexOf(l, v, false) }))),
}

var anything = cel.TypeParamType("A")

// comparable are the types that have an order; the first four of them can be summed.
var comparable = []struct {
	name string
	*cel.Type
}{
	{"int", cel.IntType}, {"uint", cel.UintType}, {"double", cel.DoubleType}, {"duration", cel.DurationType},
	{"bool", cel.BoolType}, {"timestamp", cel.TimestampType}, {"string", cel.StringType}, {"bytes", cel.BytesType},
}

var zeros = map[string]ref.Val{"int": types.Int(0), "uint": types.Uint(0), "double": types.Double(0),
	"duration": types.Duration{}}

func each(all []struct {
	name string
	*cel.Type
}, overload func(string, *cel.Type) cel.FunctionOpt) []cel.FunctionOpt {
	var overloads []cel.FunctionOpt
	for _, t := range all {
		overloads = append(overloads, overload(t.name, t.Type))
	}
	return overloads
}

// walk calls f for the items of a list, with the item before each, until it returns something.
func walk(v ref.Val, f func(before, item ref.Val) ref.Val) ref.Val {
	l, ok := v.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	var before ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if got := f(before, item); got != nil {
			return got
		}
		before = item
	}
	return nil
}

func compare(a, b ref.Val) ref.Val {
	c, ok := a.(traits.Comparer)
	if !ok {
		return types.MaybeNoSuchOverloadErr(a)
	}
	return c.Compare(b)
}

func isSorted(v ref.Val) ref.Val {
	unsorted := walk(v, func(before, item ref.Val) ref.Val {
		if before != nil && compare(before, item) == types.IntOne {
			return types.False
		}
		return nil
	})
	if unsorted != nil {
		return unsorted
	}
	return types.True
}

// extreme returns the item to which no other compares with a result: the smallest or the largest.
func extreme(name string, worse ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		var best ref.Val
		if wrong := walk(v, func(_, item ref.Val) ref.Val {
			if best == nil || compare(best, item) == worse {
				best = item
			}
			return nil
		}); wrong != nil {
			return wrong
		}
		if best == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return best
	}
}

func sum(zero ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		total := zero
		if wrong := walk(v, func(_, item ref.Val) ref.Val {
			adder, ok := total.(traits.Adder)
			if !ok {
				return types.MaybeNoSuchOverloadErr(total)
			}
			total = adder.Add(item)
			return nil
		}); wrong != nil {
			return wrong
		}
		return total
	}
}

func indexOf(v, wanted ref.Val, first bool) ref.Val {
	i, found := types.Int(0), types.Int(-1)
	if wrong := walk(v, func(_, item ref.Val) ref.Val {
		if (found < 0 || !first) && item.Equal(wanted) == types.True {
			found = i
		}
		i++
		return nil
	}); wrong != nil {
		return wrong
	}
	return found
}
