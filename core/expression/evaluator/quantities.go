package evaluator

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// A quantity is a number in one of two forms, as in the real server, where only the short one can be an integer: it is
// an int64 times a power of ten. What has more digits, or more than nine after the point, has the long form, as have
// fractions and large numbers with a binary suffix.
type quantity struct {
	*big.Rat
	short bool
	scale int // the power of ten that the number is a multiple of in its form
}

// A computed is a sum or a difference of quantities. A quantity does not equal one, nor differ: the real server has
// these in another type, which it does not expect on the right.
type computed struct{ boxed[*quantity] }

// isInteger reports whether a quantity can be an integer: 1.5Gi, 1.0 and 1000m cannot.
func (q *quantity) isInteger() bool { return q.short && q.scale >= 0 && isInt64(q.Rat) }

func isInt64(r *big.Rat) bool { return r.IsInt() && r.Num().IsInt64() }

// joined gives a sum or a difference its form.
func joined(sum *big.Rat, a, b *quantity) *quantity {
	switch scale := min(a.scale, b.scale); {
	case !a.short || !b.short:
	case b.Sign() == 0:
		return &quantity{Rat: sum, short: true, scale: a.scale}
	case a.Sign() == 0:
		return &quantity{Rat: sum, short: true, scale: b.scale}
	case isInt64(shift(a.Rat, -scale)) && isInt64(shift(b.Rat, -scale)) && isInt64(shift(sum, -scale)):
		return &quantity{Rat: sum, short: true, scale: scale}
	}
	return &quantity{Rat: sum, scale: min(a.scale, b.scale)}
}

// approximately returns the number as a float, with the error of the real server's two roundings.
func (q *quantity) approximately() float64 {
	whole, _ := shift(q.Rat, -q.scale).Float64()
	if q.scale == 0 {
		return whole
	}
	return whole * math.Pow10(q.scale)
}

// shift returns r times a power of ten.
func shift(r *big.Rat, exponent int) *big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		scale.Inv(scale)
	}
	return scale.Mul(scale, r)
}

var quantityBox = &box[*quantity]{Type: cel.ObjectType("kubernetes.Quantity"),
	equal: func(a, b *quantity) bool { return a.Cmp(b.Rat) == 0 }}

// quantities are the functions of quantities such as 500m or 2Gi.
var quantities = []cel.EnvOption{
	cel.Function("quantity", cel.Overload("string_to_quantity", args(cel.StringType), quantityBox.Type,
		unary(func(s string) ref.Val { return orError(parseQuantity(s))(quantityBox.wrap) }))),
	cel.Function("isQuantity", cel.Overload("is_quantity_string", args(cel.StringType), cel.BoolType,
		unary(func(s string) ref.Val {
			_, err := parseQuantity(s)
			return types.Bool(err == nil)
		}))),
	cel.Function("sign", cel.Overload("quantity_sign", args(quantityBox.Type), cel.IntType,
		unary(func(q *quantity) ref.Val { return types.Int(q.Sign()) }))),
	cel.Function("isInteger", cel.MemberOverload("quantity_is_integer", args(quantityBox.Type), cel.BoolType,
		unary(func(q *quantity) ref.Val { return types.Bool(q.isInteger()) }))),
	cel.Function("asInteger", cel.MemberOverload("quantity_get_int", args(quantityBox.Type), cel.IntType,
		unary(func(q *quantity) ref.Val {
			if !q.isInteger() {
				return types.NewErr("cannot convert value to integer")
			}
			return types.Int(q.Num().Int64())
		}))),
	cel.Function("asApproximateFloat",
		cel.MemberOverload("quantity_get_float", args(quantityBox.Type), cel.DoubleType, unary(func(q *quantity) ref.Val {
			return types.Double(q.approximately())
		}))),
	cel.Function("compareTo", cel.MemberOverload("quantity_compare_to", args(quantityBox.Type, quantityBox.Type),
		cel.IntType,
		twoArguments(func(a, b *quantity) ref.Val { return types.Int(a.Cmp(b.Rat)) }))),
	cel.Function("isGreaterThan", cel.MemberOverload("quantity_is_greater_than", args(quantityBox.Type, quantityBox.Type),
		cel.BoolType,
		twoArguments(func(a, b *quantity) ref.Val { return types.Bool(a.Cmp(b.Rat) > 0) }))),
	cel.Function("isLessThan", cel.MemberOverload("quantity_is_less_than", args(quantityBox.Type, quantityBox.Type),
		cel.BoolType,
		twoArguments(func(a, b *quantity) ref.Val { return types.Bool(a.Cmp(b.Rat) < 0) }))),
	quantityOperation("add", (*big.Rat).Add),
	quantityOperation("sub", (*big.Rat).Sub),
}

func quantityOperation(name string, operation func(z, x, y *big.Rat) *big.Rat) cel.EnvOption {
	both := func(a, b *quantity) ref.Val {
		return computed{boxed[*quantity]{joined(operation(new(big.Rat), a.Rat, b.Rat), a, b), quantityBox}}
	}
	return cel.Function(name,
		cel.MemberOverload("quantity_"+name, args(quantityBox.Type, quantityBox.Type), quantityBox.Type,
			twoArguments(both)),
		cel.MemberOverload("quantity_"+name+"_int", args(quantityBox.Type, cel.IntType), quantityBox.Type,
			twoArguments(func(a *quantity, n int64) ref.Val {
				return both(a, &quantity{Rat: new(big.Rat).SetInt64(n), short: true})
			})))
}

var (
	quantityForm = regexp.MustCompile(`^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$`)
	errQuantity  = errors.New("quantities must match the regular expression " +
		"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	errSuffix     = errors.New("unable to parse quantity's suffix")
	errNumber     = errors.New("unable to parse numeric part of quantity")
	binaryScales  = map[string]uint{"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
	decimalScales = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
)

const (
	// maxExponent replaces larger exponents: no float is that large.
	maxExponent = 400
	// maxDigits is how many digits the short form has, less with a binary suffix.
	maxDigits, maxBinaryDigits = 18, 14
	// nano is the least scale.
	nano = -9
)

var maxBinary = new(big.Rat).SetInt64(math.MaxInt64)

// parseQuantity parses a quantity as the real server does: a suffix without a number, and a sign or a point by itself,
// are 0.
func parseQuantity(s string) (*quantity, error) {
	m := quantityForm.FindStringSubmatch(s)
	if m == nil || s == "" || len(s) > 512 {
		return nil, errQuantity
	}
	sign, whole, fraction, suffix := m[1], m[2], m[3], m[4]
	r, ok := new(big.Rat).SetString(sign + "0" + whole + "." + fraction + "0")
	if !ok {
		return nil, errNumber // not so: these are digits
	}
	digits, hasDigit := max(len(whole), 1), strings.ContainsAny(s[:len(s)-len(suffix)], "0123456789")
	if bits, binary := binaryScales[suffix]; binary {
		r.Mul(r, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), bits)))
		if fraction == "" && digits+int(bits)*3/10 <= maxBinaryDigits {
			return &quantity{Rat: r, short: true}, nil
		}
		if !hasDigit {
			return nil, errNumber
		}
		return long(r, -len(fraction), true), nil
	}
	exponent, err := exponentOf(suffix)
	if err != nil {
		return nil, err
	}
	scale := exponent - len(fraction)
	r = shift(r, exponent)
	if digits+len(fraction) <= maxDigits && scale >= nano {
		return &quantity{Rat: r, short: true, scale: scale}, nil
	}
	if !hasDigit {
		return nil, errNumber
	}
	return long(r, scale, false), nil
}

// exponentOf returns the power of ten of a decimal suffix.
func exponentOf(suffix string) (int, error) {
	if exponent, ok := decimalScales[suffix]; ok {
		return exponent, nil
	}
	if !strings.HasPrefix(strings.ToLower(suffix), "e") {
		return 0, errSuffix
	}
	n, err := strconv.ParseInt(suffix[1:], 10, 64)
	if err != nil {
		return 0, errSuffix
	}
	return int(min(max(int64(int32(n)), -maxExponent), maxExponent)), nil
}

// long returns a quantity in the long form. It is rounded away from zero, to a billionth; zero keeps its scale.
func long(r *big.Rat, scale int, binary bool) *quantity {
	size := new(big.Rat).Abs(r)
	if n := shift(size, -nano); !n.IsInt() {
		up := new(big.Int).Quo(n.Num(), n.Denom())
		size = shift(new(big.Rat).SetInt(up.Add(up, big.NewInt(1))), nano)
	}
	if r.Sign() != 0 {
		scale = nano
	}
	if binary && size.Cmp(maxBinary) > 0 {
		size, scale = maxBinary, 0
	}
	if r.Sign() < 0 {
		size = new(big.Rat).Neg(size)
	}
	return &quantity{Rat: size, scale: scale}
}
