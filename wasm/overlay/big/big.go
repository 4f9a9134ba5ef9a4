// Package big is what the browser's binary has as math/big: the names by which
// encoding/asn1 mentions large numbers. asn1 reads and writes one only for a
// variable or field of type *big.Int, whatever its input is. The binary has none
// of those: the project itself does not import math/big there, and of
// crypto/x509/pkix it uses no type with one. A test of package overlay sees to both.
//
// Nobody imports this package: package overlay puts it in the place of the standard
// library's, and leaves the functions of crypto/rand about large numbers out.
package big

// An Int is a number whose value is not used.
type Int struct{}

// NewInt makes a number of a number. asn1 does so when it is loaded.
func NewInt(int64) *Int { return &Int{} }

// The methods panic.

func (z *Int) Add(_, _ *Int) *Int   { panic(absent) }
func (z *Int) Sub(_, _ *Int) *Int   { panic(absent) }
func (z *Int) Not(*Int) *Int        { panic(absent) }
func (z *Int) Neg(*Int) *Int        { panic(absent) }
func (z *Int) SetBytes([]byte) *Int { panic(absent) }
func (z *Int) Bytes() []byte        { panic(absent) }
func (z *Int) Sign() int            { panic(absent) }

const absent = "math/big: not in this binary"
