package object

import (
	"cmp"
	"math/bits"
	"strconv"
	"strings"
)

// A decimal is digits * 10^scale. The digits have no leading zeroes; those of zero are empty.
//
// Quantities need so little arithmetic that it is done on decimal digits; math/big would be a large
// part of what the browser loads.
type decimal struct {
	digits string
	scale  int64
}

// decimal returns the number without its sign.
func (q *quantity) decimal() decimal {
	d := decimal{strings.TrimLeft(q.num+q.frac, "0"), int64(-len(q.frac))}
	if q.format != binarySI {
		d.scale += int64(q.exponent)
		return d
	}
	if n, err := strconv.ParseUint(d.digits, 10, 64); err == nil && bits.Len64(n)+int(q.exponent) <= 64 {
		d.digits = strconv.FormatUint(n<<q.exponent, 10)
		return d
	}
	for range q.exponent / 10 {
		d.digits = times1024(d.digits)
	}
	return d
}

func times1024(digits string) string {
	out := make([]byte, len(digits)+4)
	carry := 0
	for i := len(out) - 1; i >= 0; i-- {
		if at := i - 4; at >= 0 {
			carry += int(digits[at]-'0') * 1024
		}
		out[i] = byte('0' + carry%10)
		carry /= 10
	}
	return strings.TrimLeft(string(out), "0")
}

// short returns the same number without trailing zeroes.
func (d decimal) short() decimal {
	digits := strings.TrimRight(d.digits, "0")
	return decimal{digits, d.scale + int64(len(d.digits)-len(digits))}
}

// roundUp rounds the number up to scale.
func (d decimal) roundUp(scale int64) decimal {
	if d.scale >= scale {
		return d
	}
	keep := max(0, int64(len(d.digits))-(scale-d.scale))
	digits, rest := d.digits[:keep], d.digits[keep:]
	if strings.Trim(rest, "0") != "" {
		digits = plusOne(digits)
	}
	return decimal{digits, scale}
}

func plusOne(digits string) string {
	kept := strings.TrimRight(digits, "9")
	nines := len(digits) - len(kept)
	if kept == "" {
		return "1" + zeroes(int64(nines))
	}
	last := len(kept) - 1
	return kept[:last] + string(kept[last]+1) + zeroes(int64(nines))
}

// compare returns a negative number if d is less than e, a positive one if it is greater.
func (d decimal) compare(e decimal) int {
	d, e = d.short(), e.short()
	switch {
	case d.digits == "" || e.digits == "":
		return len(d.digits) - len(e.digits)
	case d.magnitude() != e.magnitude():
		return int(min(max(d.magnitude()-e.magnitude(), -1), 1))
	}
	return strings.Compare(d.digits, e.digits)
}

// magnitude returns the smallest power of ten above the number.
func (d decimal) magnitude() int64 { return int64(len(d.digits)) + d.scale }

func zeroes(n int64) string { return strings.Repeat("0", int(n)) }

// plus returns the sum of two numbers, or with sign -1 their difference, which is not less than zero.
func (d decimal) plus(e decimal, sign int) decimal {
	scale := min(d.scale, e.scale)
	a, b := d.digits+zeroes(d.scale-scale), e.digits+zeroes(e.scale-scale)
	width := max(len(a), len(b))
	a, b = zeroes(int64(width-len(a)))+a, zeroes(int64(width-len(b)))+b
	sum, carry := make([]byte, width+1), 0
	for i := width - 1; i >= 0; i-- {
		n := int(a[i]-'0') + sign*int(b[i]-'0') + carry
		carry = 0
		if n < 0 || n > 9 {
			n, carry = n-sign*10, sign
		}
		sum[i+1] = byte('0' + n)
	}
	sum[0] = byte('0' + carry)
	return decimal{strings.TrimLeft(string(sum), "0"), scale}
}

// SumQuantities adds two quantities, neither of them less than zero. The sum has the format of the
// first, with binary or with decimal suffixes; of the second if the first is zero. It returns an
// error for what ParseQuantity refuses, and for negative ones.
func SumQuantities(a, b string) (string, error) { return combine(a, b, 1) }

// SubtractQuantities is SumQuantities for the first less the second, or "0" if that is not greater than zero.
func SubtractQuantities(a, b string) (string, error) { return combine(a, b, -1) }

// combine adds two quantities, or with sign -1 subtracts the second.
func combine(a, b string, sign int) (string, error) {
	for _, text := range []string{a, b} {
		if q, err := ParseQuantity(text); err != nil || q.negative {
			return "", cmp.Or(err, errQuantityNumber)
		}
	}
	q, _ := splitQuantity(strings.TrimSpace(a))
	r, _ := splitQuantity(strings.TrimSpace(b))
	d, e := q.decimal(), r.decimal()
	if sign < 0 && d.compare(e) <= 0 {
		return "0", nil
	}
	sum := d.plus(e, sign).roundUp(nano)
	if strings.Trim(q.num+q.frac, "0") == "" {
		q = r
	}
	if most := (decimal{mostBinary, 0}); q.format == binarySI && sum.compare(most) > 0 {
		sum = most
	}
	return q.canonical(sum), nil
}

// RoundUpQuantity returns a quantity, rounded away from zero to a multiple of that power of ten: 0 leaves no
// fraction, -3 thousandths.
func RoundUpQuantity(text string, power int64) string {
	q, err := splitQuantity(text)
	if err != nil || q.format == binarySI && q.frac == "" { // which is whole
		return text
	}
	if d := q.decimal(); d.scale < power {
		return q.canonical(d.roundUp(power))
	}
	return text
}

// A Quantity is the parsed number of a quantity.
type Quantity struct {
	number   decimal
	negative bool
}

// ParseQuantity parses a text such as "500m", "64Mi" or "1e3". It refuses what CanonicalQuantity
// does, and also a suffix without digits and a power of ten past ten thousand: no canonical
// quantity has them.
func ParseQuantity(text string) (Quantity, error) {
	q, err := splitQuantity(strings.TrimSpace(text))
	if err != nil {
		return Quantity{}, err
	}
	d := q.decimal()
	switch {
	case !q.hasDigits && q.format != decimalSI, !q.hasDigits && q.exponent != 0:
		return Quantity{}, errQuantityNumber
	case d.digits != "" && d.scale > maxExponent:
		return Quantity{}, errQuantityTooLong
	}
	return Quantity{d, q.negative && d.digits != ""}, nil
}

// Compare returns a negative number if q is less than r, a positive one if it is greater.
func (q Quantity) Compare(r Quantity) int {
	switch {
	case q.negative && r.negative:
		return r.number.compare(q.number)
	case q.negative:
		return -1
	case r.negative:
		return 1
	}
	return q.number.compare(r.number)
}

// Whole reports whether q has no fraction.
func (q Quantity) Whole() bool { return q.number.short().scale >= 0 || q.number.digits == "" }

// Float returns the nearest floating point number.
func (q Quantity) Float() float64 {
	sign := ""
	if q.negative {
		sign = "-"
	}
	// infinite if out of range
	f, _ := strconv.ParseFloat(sign+"0"+q.number.digits+"e"+strconv.FormatInt(q.number.scale, 10), 64)
	return f
}
