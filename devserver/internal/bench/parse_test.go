package bench

import "testing"

func TestParseBenchmark(t *testing.T) {
	for line, want := range map[string]measurement{
		"BenchmarkCreate-2   \t   93818\t     12345 ns/op\t    2048 B/op\t      31 allocs/op": {"Create", "12.3 µs",
			"2.0 KB in 31", ""},
		"BenchmarkPage/of_1,000,000 \t 10 \t 1500000 ns/op":   {"Page/of_1,000,000", "1.5 ms", "", ""},
		"BenchmarkFanOut-2 5 2000000000 ns/op 46000 events/s": {"FanOut", "2 s", "", "46000 events/s"},
		"BenchmarkTiny-2 1000 3.25 ns/op":                     {"Tiny", "3.25 ns", "", ""},
	} {
		if got, ok := parseBenchmark(line); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", line, got, ok, want)
		}
	}
	for _, line := range []string{"", "PASS", "goos: linux", "BenchmarkCreate", "ok  \tcore\t1.2s"} {
		if got, ok := parseBenchmark(line); ok {
			t.Errorf("%q was read as %+v", line, got)
		}
	}
}
