package valid

import (
	"testing"
)

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1", "1000m", 0}, {"1Ki", "1024", 0}, {"1k", "1000", 0},
		{"0.1", "100m", 0}, {"1e3", "1k", 0}, {"1E", "1000P", 0}, {"1Ei", "1024Pi", 0},
		{"2", "1500m", 1}, {"64Mi", "64M", 1}, {"-1", "0", -1},
		{"100n", "1u", -1}, {"1e-3", "1m", 0}, {"12E2", "1200", 0}, {".5", "500m", 0},
	} {
		got := 0
		if MoreThan(c.a, c.b) {
			got = 1
		} else if MoreThan(c.b, c.a) {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s and %s compare as %d, want %d", c.a, c.b, got, c.want)
		}
	}
	for text, want := range map[string]int{
		"0": 0, "0.0": 0, "-0": 0, "0m": 0, "": 0, "x": 0,
		"1": 1, "0.001": 1, "-5Mi": -1, "+3": 1, "0Ki": 0, "00.10": 1,
	} {
		if got := SignOf(text); got != want {
			t.Errorf("the sign of %q is %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "x", "1X", "1e99999999", "Mi", "1MiMi"} {
		if q, ok := Quantity(text); ok {
			t.Errorf("%q is %v", text, q)
		}
	}
	if _, ok := Quantity(int64(1)); ok || MoreThan(nil, "1") || MoreThan("1", nil) || Positive(nil) {
		t.Error("what is no text is no quantity")
	}
}
