package kinds

import (
	"math/big"
	"strings"
)

// quantity is the number that a text such as "500m", "64Mi" or "1e3" stands for;
// nil when it is none.
func quantity(v any) *big.Rat {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	number := strings.TrimRight(text, "EPTGMKkmunpi")
	factor, ok := quantitySuffixes[text[len(number):]]
	if e := strings.IndexAny(number, "eE"); e >= 0 && len(number)-e > 4 {
		return nil // no exponent of this world: big would write it out
	}
	r, fine := new(big.Rat).SetString(number)
	if !ok || !fine {
		return nil
	}
	base := int64(10)
	if factor.binary {
		base = 2
	}
	scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(abs(factor.power))), nil))
	if factor.power < 0 {
		scale.Inv(scale)
	}
	return r.Mul(r, scale)
}

func abs(n int) int { return max(n, -n) }

type suffix struct {
	binary bool
	power  int
}

var quantitySuffixes = map[string]suffix{
	"": {}, "p": {power: -12}, "n": {power: -9}, "u": {power: -6}, "m": {power: -3},
	"k": {power: 3}, "M": {power: 6}, "G": {power: 9}, "T": {power: 12}, "P": {power: 15}, "E": {power: 18},
	"Ki": {true, 10}, "Mi": {true, 20}, "Gi": {true, 30}, "Ti": {true, 40}, "Pi": {true, 50}, "Ei": {true, 60},
}

// moreThan reports whether a is a greater quantity than b; both must be some.
func moreThan(a, b any) bool {
	if a == b {
		return false
	}
	x, y := quantity(a), quantity(b)
	return x != nil && y != nil && x.Cmp(y) > 0
}

// signOf is the sign of a quantity, as cheap as looking at its digits.
func signOf(v any) int {
	text, _ := v.(string)
	digits := strings.TrimLeft(text, "+-0.")
	switch {
	case digits == "" || digits[0] < '1' || digits[0] > '9':
		return 0
	case text[0] == '-':
		return -1
	}
	return 1
}

func positive(v any) bool { return signOf(v) > 0 }
func negative(v any) bool { return signOf(v) < 0 }
