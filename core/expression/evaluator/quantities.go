package evaluator

import (
	"errors"
	"math/big"
	"regexp"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var quantityBox = &box[*big.Rat]{cel.ObjectType("kubernetes.Quantity"),
	func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }}

// quantities are the functions of quantities such as 500m or 2Gi.
var quantities = []cel.EnvOption{
	cel.Function("quantity", cel.Overload("string_to_quantity", args(cel.StringType), quantityBox.Type,
		unary(func(s string) ref.Val { return orError(parseQuantity(s))(quantityBox.of) }))),
	cel.Function("isQuantity", cel.Overload("is_quantity_string", args(cel.StringType), cel.BoolType,
		unary(func(s string) ref.Val {
			_, err := parseQuantity(s)
			return types.Bool(err == nil)
		}))),
	cel.Function("sign", cel.Overload("quantity_sign", args(quantityBox.Type), cel.IntType,
		unary(func(q *big.Rat) ref.Val { return types.Int(q.Sign()) }))),
	cel.Function("isInteger", cel.MemberOverload("quantity_is_integer", args(quantityBox.Type), cel.BoolType,
		unary(func(q *big.Rat) ref.Val { return types.Bool(isInt64(q)) }))),
	cel.Function("asInteger", cel.MemberOverload("quantity_get_int", args(quantityBox.Type), cel.IntType,
		unary(func(q *big.Rat) ref.Val {
			if !isInt64(q) {
				return types.NewErr("cannot convert value to integer")
			}
			return types.Int(q.Num().Int64())
		}))),
	cel.Function("asApproximateFloat",
		cel.MemberOverload("quantity_get_float", args(quantityBox.Type), cel.DoubleType, unary(func(q *big.Rat) ref.Val {
			f, _ := q.Float64()
			return types.Double(f)
		}))),
	cel.Function("compareTo", cel.MemberOverload("quantity_compare_to", args(quantityBox.Type, quantityBox.Type),
		cel.IntType,
		twoArguments(func(a, b *big.Rat) ref.Val { return types.Int(a.Cmp(b)) }))),
	cel.Function("isGreaterThan", cel.MemberOverload("quantity_is_greater_than", args(quantityBox.Type, quantityBox.Type),
		cel.BoolType,
		twoArguments(func(a, b *big.Rat) ref.Val { return types.Bool(a.Cmp(b) > 0) }))),
	cel.Function("isLessThan", cel.MemberOverload("quantity_is_less_than", args(quantityBox.Type, quantityBox.Type),
		cel.BoolType,
		twoArguments(func(a, b *big.Rat) ref.Val { return types.Bool(a.Cmp(b) < 0) }))),
	quantityOperation("add", (*big.Rat).Add),
	quantityOperation("sub", (*big.Rat).Sub),
}

func quantityOperation(name string, operation func(z, x, y *big.Rat) *big.Rat) cel.EnvOption {
	return cel.Function(name,
		cel.MemberOverload("quantity_"+name, args(quantityBox.Type, quantityBox.Type), quantityBox.Type,
			twoArguments(func(a, b *big.Rat) ref.Val { return quantityBox.of(operation(new(big.Rat), a, b)) })),
		cel.MemberOverload("quantity_"+name+"_int", args(quantityBox.Type, cel.IntType), quantityBox.Type,
			twoArguments(func(a *big.Rat, n int64) ref.Val {
				return quantityBox.of(operation(new(big.Rat), a, new(big.Rat).SetInt64(n)))
			})))
}

func isInt64(q *big.Rat) bool { return q.IsInt() && q.Num().IsInt64() }

var (
	quantityForm = regexp.MustCompile(`^([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:([KMGTPE]i|[numkMGTPE])|` +
		`[eE]([+-]?[0-9]+))?$`)
	errQuantity = errors.New("quantities must match the regular expression " +
		"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	binaryScales  = map[string]uint{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
	decimalScales = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
)

// maxExponent replaces larger exponents; no quantity is that large.
const maxExponent = 64

func parseQuantity(s string) (*big.Rat, error) {
	m := quantityForm.FindStringSubmatch(s)
	if m == nil || len(s) > 512 {
		return nil, errQuantity
	}
	q, ok := new(big.Rat).SetString(m[1])
	if !ok {
		return nil, errQuantity
	}
	if bits, ok := binaryScales[m[2]]; ok {
		return q.Mul(q, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits))), nil
	}
	exponent := decimalScales[m[2]]
	if m[3] != "" {
		n, err := strconv.Atoi(m[3])
		if err != nil {
			return nil, errQuantity
		}
		exponent = min(max(n, -maxExponent), maxExponent)
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		scale.Inv(scale)
	}
	return q.Mul(q, scale), nil
}
