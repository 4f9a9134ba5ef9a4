package text

import (
	"encoding/hex"
	"testing"
)

func TestHex(t *testing.T) {
	for _, test := range []struct{ digits, want string }{
		{"", ""},
		{"6b387300ff", "000000  6b 38 73 00 ff                                    k8s..\n"},
		{"000102030405060708090a0b0c0d0e0f41",
			"000000  00 01 02 03 04 05 06 07  08 09 0a 0b 0c 0d 0e 0f  ................\n" +
				"000010  41                                                A\n"},
	} {
		b, _ := hex.DecodeString(test.digits)
		all, got := string(b), ""
		for _, l := range Hex(all) {
			got += l.String() + "\n"
		}
		if got != test.want {
			t.Errorf("%s:\n%q, want\n%q", test.digits, got, test.want)
		}
	}
}
