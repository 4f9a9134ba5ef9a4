package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/compare"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// bench runs the core's Go benchmarks and prints a row for each when it is done, then the rate of durable writes, and
// then compares the server with a bare handler.
func bench(ctx context.Context, out io.Writer) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench=.", "-benchmem", "./core/...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var failed []string
	lines := bufio.NewScanner(pipe)
	pkg := ""
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "pkg: "); ok {
			pkg = name[strings.LastIndex(name, "/core")+1:]
			continue
		}
		if m, ok := parseBenchmark(line); ok {
			if pkg != "" {
				fmt.Fprintln(out, pkg)
				pkg = ""
			}
			// Of fixed width, so that each can be shown when it is done.
			line := fmt.Sprintf("  %-44s %9s  %20s  %s", m.name, m.time, m.memory, m.more)
			fmt.Fprintln(out, strings.TrimRight(line, " "))
			continue
		}
		if strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic") {
			failed = append(failed, line)
		}
	}
	err = cmd.Wait()
	if err == nil {
		err = lines.Err()
	}
	if err != nil {
		return fmt.Errorf("go test -bench: %w\n%s", err, strings.Join(failed, "\n"))
	}
	if err := benchData(ctx, out); err != nil {
		return err
	}
	return errors.Join(compare.Run(ctx, out), watchesOf(ctx, out, watchCount))
}

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
