// Package bench has the devserver's commands that measure: the core, what a directory of data costs, the server against
// a bare handler, and idle watches.
//
// Invariants: what is measured over connections is a server in its own process. Each row is printed when it is
// done, and what is past its bound is an error at the end. It takes minutes.
package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/bench/compare"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// Run runs the core's Go benchmarks and prints a row for each when it is done, then the rate of durable writes; then it
// measures idle watches, and compares the server with a bare handler.
func Run(ctx context.Context, out io.Writer) error {
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
		why := len(failed) > 0 && strings.HasPrefix(line, " ") // what is indented below
		if why || strings.HasPrefix(line, "FAIL") || strings.HasPrefix(line, "--- FAIL") || strings.HasPrefix(line, "panic") {
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
	if err := durableWrites(ctx, out); err != nil {
		return err
	}
	// Watches first: what Go keeps of a goroutine cannot be measured where many have ended.
	return errors.Join(objects(ctx, out), Watches(ctx, out, WatchCount), DefaultFanOut.Run(ctx, out),
		compare.Run(ctx, out))
}
