package object

import (
	"math/big"
	"strings"
	"testing"
)

func TestParseQuantity(t *testing.T) {
	for _, c := range []struct {
		text  string
		float float64
	}{
		{"0", 0}, {"-0", 0}, {"1", 1}, {"500m", 0.5}, {"-1.5Gi", -1610612736}, {"12E2", 1200}, {"1n", 1e-9}, {"1e-12", 1e-12},
		{"16Ei", 18446744073709551616}, {"0.0009765625Ki", 1}, {" 2 ", 2}, {"+007", 7}, {".5", .5}, {"-", 0},
	} {
		if q, err := ParseQuantity(c.text); err != nil || q.Float() != c.float {
			t.Errorf("%q is %v, %v, want %v", c.text, q.Float(), err, c.float)
		}
	}
	for text, want := range map[string]error{
		"": errQuantityFormat, "x": errQuantityFormat, "1X": errQuantityFormat, "Mi": errQuantityNumber,
		"-m": errQuantityNumber,
		"e3": errQuantityNumber, "1e99999999": errQuantityTooLong, "1MiMi": errQuantitySuffix, "1mm": errQuantitySuffix,
	} {
		if q, err := ParseQuantity(text); err != want {
			t.Errorf("%q: %v %v, want %v", text, q, err, want)
		}
	}
}

func TestSumQuantities(t *testing.T) {
	for _, c := range [][3]string{
		{"1", "2", "3"}, {"500m", "500m", "1"}, {"0.1", "200m", "300m"}, {"999", "1", "1k"}, {"1n", "1", "1000000001n"},
		{"2Gi", "2Gi", "4Gi"}, {"2Gi", "128974848", "2171Mi"}, {"128974848", "2Gi", "2276458496"},
		{"2Gi", "100M", "2247483648"}, {"100M", "64Mi", "167108864"},
		{"0", "1Gi", "1Gi"}, {"1Gi", "0", "1Gi"}, {"0", "0", "0"}, {"1e3", "1", "1001"},
		{"4Ei", "7Ei", "9223372036854775807"},
	} {
		got, err := SumQuantities(c[0], c[1])
		if err != nil || got != c[2] {
			t.Errorf("%s + %s is %q, %v, want %s", c[0], c[1], got, err, c[2])
		}
		want := new(big.Rat).Add(rational(c[0]), rational(c[1]))
		if c[1] != "7Ei" && rational(got).Cmp(want) != 0 {
			t.Errorf("%s + %s is %q, which is not %v", c[0], c[1], got, want)
		}
	}
	for _, c := range [][2]string{{"x", "1"}, {"1", ""}, {"-1", "2"}, {"2", "-1m"}} {
		if got, err := SumQuantities(c[0], c[1]); err == nil {
			t.Errorf("%s + %s is %q", c[0], c[1], got)
		}
	}
}

func TestSubtractQuantities(t *testing.T) {
	for _, c := range [][3]string{
		{"3", "2", "1"}, {"1", "1m", "999m"}, {"1Gi", "512Mi", "512Mi"}, {"1000", "1", "999"}, {"1", "2", "0"},
		{"1Gi", "1073741824", "0"}, {"0", "0", "0"}, {"1", "0", "1"}, {"100Mi", "1", "104857599"},
		{"1k", "1n", "999999999999n"},
	} {
		if got, err := SubtractQuantities(c[0], c[1]); err != nil || got != c[2] {
			t.Errorf("%s - %s is %q, %v, want %s", c[0], c[1], got, err, c[2])
		}
	}
	for _, c := range [][2]string{{"x", "1"}, {"1", ""}, {"-1", "2"}, {"2", "-1m"}} {
		if got, err := SubtractQuantities(c[0], c[1]); err == nil {
			t.Errorf("%s - %s is %q", c[0], c[1], got)
		}
	}
}

func TestRoundUpQuantity(t *testing.T) {
	for text, want := range map[string]string{"1500m": "2", "1": "1", "1Gi": "1Gi", "0.1": "1", "1e3": "1e3",
		"2000m": "2"} {
		if got := RoundUpQuantity(text, 0); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"1n": "1m", "100u": "1m", "-1u": "-1m", "1001u": "2m", "1500m": "1500m",
		"1e-9": "1e-3", "1.500": "1.500", "1Ki": "1Ki", "0.0001Ki": "103m", "": "", "x": "x",
		"999999999999999999999u": "1P"} {
		if got := RoundUpQuantity(text, -3); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// rational parses text by other means.
func rational(text string) *big.Rat {
	factor := big.NewRat(1, 1)
	if number, ok := strings.CutSuffix(text, "i"); ok {
		last := len(number) - 1
		factor.SetInt(new(big.Int).Lsh(big.NewInt(1), uint(strings.IndexByte(binarySuffixes, number[last])+1)*10))
		text = number[:last]
	} else {
		for i, suffix := range decimalSuffixes {
			if number, ok := strings.CutSuffix(text, suffix); ok && suffix != "" {
				factor.SetString([]string{"1e-9", "1e-6", "1e-3", "1", "1e3", "1e6", "1e9", "1e12", "1e15", "1e18"}[i])
				text = number
				break
			}
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r.Mul(r, factor)
}

// FuzzQuantityCompare checks that quantities compare as rational numbers do.
func FuzzQuantityCompare(f *testing.F) {
	for _, pair := range [][2]string{
		{"1", "1000m"}, {"1Ki", "1024"}, {"0.1", "100m"}, {"1E", "1000P"}, {"1Ei", "1024Pi"}, {"2", "1500m"}, {"64Mi", "64M"},
		{"-1", "0"},
		{"-5", "-7"}, {"100n", "1u"}, {"1e-3", "1m"}, {"12E2", "1200"}, {".5", "500m"}, {"9", "10"},
		{"99999999999999999999Ki", "1e23"}, {"0", "-0.0"},
	} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errA := ParseQuantity(a)
		y, errB := ParseQuantity(b)
		if errA != nil || errB != nil {
			return
		}
		if strings.TrimSpace(a) != a || strings.TrimSpace(b) != b || strings.ContainsAny(a+b, "eE") && len(a)+len(b) > 12 {
			return // more than big can write out
		}
		r, s := rational(a), rational(b)
		if r == nil || s == nil {
			return // forms without digits
		}
		if got := x.Compare(y); (got > 0) != (r.Cmp(s) > 0) || (got < 0) != (r.Cmp(s) < 0) {
			t.Errorf("%q and %q compare as %d, want %d", a, b, got, r.Cmp(s))
		}
	})
}
