package object

import (
	"errors"
	"math/bits"
	"strconv"
	"strings"
)

// The errors of quantities, with Kubernetes' texts.
var (
	errQuantityFormat = errors.New("quantities must match the regular expression " +
		"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	errQuantityNumber  = errors.New("unable to parse numeric part of quantity")
	errQuantitySuffix  = errors.New("unable to parse quantity's suffix")
	errQuantityTooLong = errors.New("unable to parse numeric part of quantity: the exponent is out of range")
)

// suffixFormat is the family of a quantity's suffix, which its canonical form keeps.
type suffixFormat uint8

const (
	decimalSI       suffixFormat = iota // n u m k M G T P E
	binarySI                            // Ki Mi Gi Ti Pi Ei
	decimalExponent                     // e3 E-6
)

// nano is the finest scale of a quantity; what is finer is rounded away from zero.
const nano = -9

// CanonicalQuantity returns the form in which Kubernetes writes a quantity after reading it ("0.5"
// is "500m", "1024Mi" is "1Gi"), or its error. A text that Kubernetes takes for canonical stays as
// it is, although some of them are not ("1.500", "007").
func CanonicalQuantity(text string) (string, error) {
	text = strings.TrimSpace(text)
	q, err := splitQuantity(text)
	if err != nil {
		return "", err
	}
	if text == "0" {
		return text, nil
	}
	if q.isShort() {
		if s, ok := q.short(text); ok {
			return s, nil
		}
	}
	return q.long()
}

// quantity is the text of a number, in parts.
type quantity struct {
	negative  bool
	num       string // the digits before the point, without leading zeros unless it is "0"
	frac      string // the digits after the point
	hasDigits bool   // any at all
	format    suffixFormat
	exponent  int32 // of ten, or for binarySI of two
}

func splitQuantity(text string) (q quantity, err error) {
	if text == "" {
		return q, errQuantityFormat
	}
	rest := text
	if rest[0] == '-' || rest[0] == '+' {
		q.negative = rest[0] == '-'
		rest = rest[1:]
	}
	trimmed := strings.TrimLeft(rest, "0")
	q.hasDigits = len(trimmed) < len(rest)
	rest = trimmed
	if rest == "" { // nothing but a sign counts as zero, too
		q.num = "0"
		return q, nil
	}
	q.num, rest = cutDigits(rest)
	q.hasDigits = q.hasDigits || q.num != ""
	if q.num == "" {
		q.num = "0"
	}
	if strings.HasPrefix(rest, ".") {
		q.frac, rest = cutDigits(rest[1:])
		q.hasDigits = q.hasDigits || q.frac != ""
	}
	tail := rest
	for tail != "" && strings.IndexByte("eEinumkKMGTP", tail[0]) >= 0 { // TrimLeft would make a set of them first
		tail = tail[1:]
	}
	if tail != "" && (tail[0] == '-' || tail[0] == '+') {
		tail = tail[1:]
	}
	if _, tail = cutDigits(tail); tail != "" {
		return q, errQuantityFormat
	}
	var ok bool
	if q.format, q.exponent, ok = parseSuffix(rest); !ok {
		return q, errQuantitySuffix
	}
	return q, nil
}

func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}

// decimalSuffixes are the powers of a thousand from nano up; the one for 1 is empty.
var decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}

const binarySuffixes = "KMGTPE"

func parseSuffix(s string) (format suffixFormat, exponent int32, ok bool) {
	for i, d := range decimalSuffixes {
		if s == d {
			return decimalSI, int32(i*3 + nano), true
		}
	}
	if len(s) == 2 && s[1] == 'i' {
		i := strings.IndexByte(binarySuffixes, s[0])
		return binarySI, int32(i+1) * 10, i >= 0
	}
	if len(s) > 1 && (s[0] == 'e' || s[0] == 'E') {
		n, err := strconv.ParseInt(s[1:], 10, 64)
		return decimalExponent, int32(n), err == nil
	}
	return 0, 0, false
}

// isShort reports whether Kubernetes computes with the number in 64 bits. Only then may the text be
// kept as it is.
func (q *quantity) isShort() bool {
	if q.format != binarySI {
		return 18-len(q.num)-len(q.frac) >= 0 && int64(q.exponent)-int64(len(q.frac)) >= nano
	}
	return q.frac == "" && 15-len(q.num)-int(q.exponent)*3/10-1 >= 0
}

func (q *quantity) short(text string) (string, bool) {
	digits := q.num + q.frac
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return "", false
	}
	scale := q.exponent - int32(len(q.frac))
	if q.format == binarySI {
		if hi, _ := bits.Mul64(uint64(n), 1<<q.exponent); hi != 0 || n<<q.exponent < 0 {
			return "", false
		}
		if n&7 != 0 {
			return text, true
		}
		scale = 0
		n <<= q.exponent
	} else if scale%3 == 0 && !strings.HasSuffix(digits, "000") && digits[0] != '0' {
		return text, true
	}
	return q.canonical(decimal{strconv.FormatInt(n, 10), int64(scale)}), true
}

// maxExponent limits the powers of ten that are computed: larger ones are no real values, and take
// memory.
const maxExponent = 10000

// mostBinary is the greatest number that a quantity with a binary suffix can be.
const mostBinary = "9223372036854775807"

// long computes with any number of digits: it rounds away from zero to nano, and caps binary
// quantities.
func (q *quantity) long() (string, error) {
	if !q.hasDigits {
		return "", errQuantityNumber
	}
	d := q.decimal()
	switch {
	case d.digits == "":
		return "0", nil
	case d.scale > maxExponent:
		return "", errQuantityTooLong
	}
	d = d.roundUp(nano)
	if most := (decimal{mostBinary, 0}); q.format == binarySI && d.compare(most) > 0 {
		d = most
	}
	return q.canonical(d), nil
}

// canonical writes d with the suffix that leaves no fraction and the fewest digits.
func (q *quantity) canonical(d decimal) string {
	d = d.short()
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if q.negative {
		sign = "-"
	}
	format := q.format
	if format == binarySI {
		// A number that is not a multiple of 1024 has no suffix: Kubernetes stores it so, and then reads it
		// as a decimal.
		if d.scale >= 0 {
			whole, _ := strconv.ParseUint(d.digits+zeroes(d.scale), 10, 64) // at most mostBinary
			if shift := bits.TrailingZeros64(whole) / 10; shift > 0 {
				return sign + strconv.FormatUint(whole>>(shift*10), 10) + binarySuffixes[shift-1:shift] + "i"
			}
		}
		format = decimalSI
	}
	surplus := (d.scale%3 + 3) % 3
	return sign + d.digits + zeroes(surplus) + decimalText(format, int32(d.scale-surplus))
}

// decimalText writes a power of a thousand. There is no suffix beyond E: Kubernetes then writes none at all.
func decimalText(format suffixFormat, scale int32) string {
	if format == decimalExponent {
		if scale == 0 {
			return ""
		}
		return "e" + strconv.Itoa(int(scale))
	}
	if i := int(scale-nano) / 3; i >= 0 && i < len(decimalSuffixes) {
		return decimalSuffixes[i]
	}
	return ""
}
