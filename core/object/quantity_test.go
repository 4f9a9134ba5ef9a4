package object

import "testing"

func TestCanonicalQuantity(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"0.5", "500m"}, {"1", "1"}, {"1000m", "1"}, {"1024Mi", "1Gi"}, {"1.5Gi", "1536Mi"}, {"100Mi", "100Mi"},
		{"0.05", "50m"},
		{"1.500", "1.500"}, {"007", "007"}, {"+5", "+5"}, {"1e3", "1e3"}, {"12E6", "12E6"}, {"10000", "10k"},
		{"1.3Gi", "1395864371200m"},
		{"0.0000000001", "1n"}, {"-0.0000000001", "-1n"}, {"0", "0"}, {"00", "0"}, {"0Mi", "0"}, {"-", "0"}, {".5", "500m"},
		{"5.", "5."}, {" 2 ", "2"},
		{"0.5Ki", "512"}, {"62.50Ki", "64k"}, {"16Ei", "9223372036854775807"}, {"1000E", "1"}, {"100e1", "1e3"},
		{"1e-20", "1e-9"}, {"1e-999999", "1e-9"},
		{"123456789012345678901234567890", "123456789012345678901234567890"}, {"8Mi", "8Mi"}, {"2048Ki", "2Mi"},
		{"-1.5Gi", "-1536Mi"},
	} {
		if got, err := CanonicalQuantity(c.in); got != c.out || err != nil {
			t.Errorf("%q: %q %v, want %q", c.in, got, err, c.out)
		}
	}
	for in, want := range map[string]error{
		"": errQuantityFormat, "abc": errQuantityFormat, "1x": errQuantityFormat, "--1": errQuantitySuffix,
		"1 Gi": errQuantityFormat,
		"1i":   errQuantitySuffix, "1e": errQuantitySuffix, "1mm": errQuantitySuffix, ".e-20": errQuantityNumber,
		"1234567890123456789e999999": errQuantityTooLong,
	} {
		if got, err := CanonicalQuantity(in); err != want {
			t.Errorf("%q: %q %v, want %v", in, got, err, want)
		}
	}
}

// FuzzCanonicalQuantity checks that a canonical quantity stays as it is, except for those whose
// suffix Kubernetes drops.
func FuzzCanonicalQuantity(f *testing.F) {
	for _, s := range []string{"1.5Gi", "0.5", "1000E", "-12e-7", "007", "1234567890123456789012Ei", "1e-9999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := CanonicalQuantity(in)
		if err != nil {
			return
		}
		again, err := CanonicalQuantity(out)
		if err != nil {
			t.Fatalf("%q gives %q, which fails: %v", in, out, err)
		}
		if third, _ := CanonicalQuantity(again); third != again {
			t.Fatalf("%q, %q, %q, %q", in, out, again, third)
		}
	})
}
