// Package item has what RFC 8949 says of the items of CBOR: their types, and how they write
// numbers. It is for those who read items, whatever they make of them.
package item

import (
	"math"
	"strconv"
)

// The major types: the upper three bits of the first byte of an item.
const (
	Unsigned = iota
	Negative
	Bytes
	Text
	Array
	Map
	Tag
	Primitive
)

const (
	// Endless is the code, the lower five bits of the first byte, of an item that ends with
	// a Break.
	Endless = 31
	// Break is the byte that ends such an item.
	Break = 0xff
)

// Float returns the value of a primitive that is a float, by its code and its number.
func Float(code byte, n uint64) float64 {
	switch code {
	case 25:
		return Half(uint16(n))
	case 26:
		return float64(math.Float32frombits(uint32(n)))
	}
	return math.Float64frombits(n)
}

// Half returns the value of a float of 16 bits: five are the exponent, ten the fraction.
func Half(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		f = math.Inf(1)
	case exponent == 31:
		f = math.NaN()
	}
	return math.Copysign(f, 1-2*float64(b>>15))
}

// Negated returns -1-n in decimal: the value of a negative integer, by its number.
func Negated(n uint64) string {
	if n == math.MaxUint64 {
		return "-18446744073709551616"
	}
	return "-" + strconv.FormatUint(n+1, 10)
}
