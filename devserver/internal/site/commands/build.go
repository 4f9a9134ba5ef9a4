// Package commands has what the devserver's commands about the site do: build it, weigh it, tell what makes the
// binaries small, and whether generated files are up to date.
//
// Invariants: each command prints to standard output while it runs; a command that checks something fails if that is
// not as it should be. The costs are those of the builds: see package site.
package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// Build builds the site once, from the project's sources.
func Build(ctx context.Context, o site.Options) (*site.Index, error) {
	start := time.Now()
	root, err := site.Root()
	if err != nil {
		return nil, err
	}
	fmt.Printf("building the site into %s\n", o.Out)
	o.Root, o.Progress = root, os.Stdout
	builder, err := site.New(o)
	if err != nil {
		return nil, err
	}
	report, err := builder.Build(ctx, site.All)
	if err != nil {
		return nil, err
	}
	fmt.Printf("built in %.1f s: %s\n", time.Since(start).Seconds(), report.Index.Total())
	return report.Index, nil
}

// WasmFlags prints the go command's flags for the binaries.
func WasmFlags(ctx context.Context) error { return printWords(ctx, shrink.Set.Flags) }

// WasmEnv prints the go command's environment for the binaries.
func WasmEnv(ctx context.Context) error { return printWords(ctx, shrink.Set.Env) }

// printWords prints what the tricks that make the binaries small ask of the go command.
func printWords(ctx context.Context, words func(shrink.Set) []string) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	tricks, warning, err := site.Tricks(ctx, root, "")
	if err != nil {
		return err
	}
	if warning != "" {
		fmt.Fprintln(os.Stderr, "devserver: warning:", warning)
	}
	fmt.Println(strings.Join(words(tricks), " "))
	return nil
}

// Stale fails when a generated file is not up to date.
func Stale(ctx context.Context) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	list, err := site.Stale(ctx, root)
	if err == nil && len(list) > 0 {
		err = errors.New(strings.Join(list, "\n"))
	}
	return err
}
