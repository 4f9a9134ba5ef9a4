package big_test

import (
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay/big"
)

func TestNothingIsCalculated(t *testing.T) {
	one := big.NewInt(1)
	for name, calculate := range map[string]func(){
		"Add":      func() { one.Add(one, one) },
		"Sub":      func() { one.Sub(one, one) },
		"Not":      func() { one.Not(one) },
		"Neg":      func() { one.Neg(one) },
		"SetBytes": func() { one.SetBytes(nil) },
		"Bytes":    func() { one.Bytes() },
		"Sign":     func() { one.Sign() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s has a result", name)
				}
			}()
			calculate()
		}()
	}
}
