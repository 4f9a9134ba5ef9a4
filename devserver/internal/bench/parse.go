package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// measurement is one benchmark's result, written for a reader.
type measurement struct{ name, time, memory, more string }

var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// parseBenchmark reads a line of go test's benchmark output.
func parseBenchmark(line string) (measurement, bool) {
	m := benchmarkLine.FindStringSubmatch(line)
	if m == nil {
		return measurement{}, false
	}
	result := measurement{name: m[1]}
	fields := strings.Fields(m[2])
	var more []string
	for i := 0; i+1 < len(fields); i += 2 {
		n, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return measurement{}, false
		}
		switch unit := fields[i+1]; unit {
		case "ns/op":
			result.time = duration(n)
		case "B/op":
			result.memory = site.Size(int(n))
		case "allocs/op":
			result.memory += fmt.Sprintf(" in %d", int(n))
		default:
			more = append(more, fields[i]+" "+unit)
		}
	}
	result.more = strings.Join(more, ", ")
	return result, result.time != ""
}

// duration returns nanoseconds with three digits.
func duration(ns float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= unit.size {
			return fmt.Sprintf("%.3g %s", ns/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", ns)
}
