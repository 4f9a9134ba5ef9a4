package evaluator

import (
	"math"
	"strings"
	"testing"
)

// Which quantities are integers depends on how they are written.
func TestIntegerQuantities(t *testing.T) {
	for text, want := range map[string]bool{
		"3": true, "0": true, "-7": true, "50k": true, "1e3": true, "0e60": true, "9223372036854775807": false,
		"999999999999999999": true, "9E": true, "10E": false, "1e40": false,
		"1.0": false, "1000m": false, "1.5k": true, "1.5e3": true, "0.": true,
		"1Ki": true, "20Gi": true, "10000Gi": true, "1000000Gi": false, "0Ki": true, "01Ti": true, "10Ti": true,
		"100Ti": false, "1000Ti": false, "1Pi": false, "1Ei": false, "1.5Gi": false, "1.0Ki": false, "1.Ki": true,
	} {
		q, err := parseQuantity(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := q.isInteger(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// A sum has the lesser power of ten; zero changes nothing.
func TestSumsOfQuantities(t *testing.T) {
	for _, test := range []struct {
		a, b, sum string
		integer   bool
	}{
		{"1", "2", "3", true}, {"1k", "1", "1001", true}, {"500m", "500m", "1", false}, {"0", "1000m", "1", false},
		{"5", "0m", "5", true}, {"1.5Gi", "0.5Gi", "2Gi", false}, {"1.5Gi", "0", "1.5Gi", false},
		{"9E", "9E", "18E", false}, {"9e18", "9E", "18E", false}, {"9E", "1", "9000000000000000001", true},
		{"900E", "1", "900000000000000000001", false},
	} {
		parse := func(s string) *quantity {
			q, err := parseQuantity(s)
			if err != nil {
				t.Fatal(s, err)
			}
			return q
		}
		a, b := parse(test.a), parse(test.b)
		got := joined(parse("0").Add(a.Rat, b.Rat), a, b)
		if got.Cmp(parse(test.sum).Rat) != 0 || got.isInteger() != test.integer {
			t.Errorf("%s + %s: %v, integer %v", test.a, test.b, got, got.isInteger())
		}
	}
}

// A billionth is the least quantity; with a binary suffix there is a largest one.
func TestRoundedQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"1.5n": "2n", "-1.5n": "-2n", "1e-20": "1n", "0.0000000001Ki": "103n", "8Ei": "9223372036854775807",
		"-99Ei": "-9223372036854775807", "99E": "99E",
	} {
		a, err := parseQuantity(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if b, _ := parseQuantity(want); a.Cmp(b.Rat) != 0 {
			t.Errorf("%s is %v, want %s", text, a, want)
		}
	}
}

// Numbers may be missing, and suffixes are read after the rest.
func TestForms(t *testing.T) {
	for text, want := range map[string]string{
		"": errQuantity.Error(), "1 ": errQuantity.Error(), "1.2.3": errQuantity.Error(), "1-2": errSuffix.Error(),
		"1e": errSuffix.Error(), "1eE5": errSuffix.Error(), "1mm": errSuffix.Error(), "Ei": errNumber.Error(), "k": "0",
		"+": "0", ".": "0", "Ki": "0", "-1E-3": "-1/1000", "1E2": "100", "00.5": "1/2",
	} {
		got := ""
		if q, err := parseQuantity(text); err != nil {
			got = err.Error()
		} else {
			got = q.RatString()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A float is approximately the quantity: it is multiplied by a power of ten that is one, too.
func TestApproximateFloats(t *testing.T) {
	for text, want := range map[string]float64{"1900m": 1900 * 1e-3, "1.5Gi": 1.5 * 1024 * 1024 * 1024, "0": 0,
		"1e300": 1e300, "1234567890123456789012": 1234567890123456789012} {
		q, err := parseQuantity(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if got := q.approximately(); math.Abs(got-want) > want*1e-15 {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

// Nothing equals a sum on the right, nor differs from it.
func TestComputedQuantities(t *testing.T) {
	for text, want := range map[string]string{
		"quantity('1').add(1) == quantity('2')": "", "quantity('2') == quantity('1').add(1)": "no such overload",
		"[quantity('1').sub(1)] == [quantity('0')]": "",
	} {
		if got := evaluate(t, unitOf(text), input(t)); !strings.HasSuffix(got.Error, want) || got.Value == false ||
			want == "" && got.Error != "" {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// A text that is an error is matched against no pattern that is known.
func TestCostsOfErrors(t *testing.T) {
	for text, want := range map[string]int64{"'a'.charAt(7).find('x')": 1, "'a'.charAt(7).matches('x')": 1,
		"'a'.charAt(7).findAll('x', 1)": 1, "'a'.charAt(7).matches('x' + 'y')": 3, "'a'.charAt(7).find('x' + 'y')": 3} {
		c, _ := compileUnit(t, unitOf(text))
		_, left, err := c.Evaluate(t.Context(), []int{0}, input(t), 1000)
		if err != nil || 1000-left != want {
			t.Errorf("%s costs %d, want %d (%v)", text, 1000-left, want, err)
		}
	}
}
