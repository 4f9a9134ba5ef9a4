package evaluator

import "testing"

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
