package commands

import (
	"context"
	"fmt"
	"os"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// Savings prints what each trick, or each of those named, saves in the binaries, as soon as it is measured, which takes
// a minute a trick, or some minutes if it changes what all packages are compiled from. Then it prints the sizes of the
// binaries.
func Savings(ctx context.Context, names []string) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	if _, err := shrink.All().Without(names...); err != nil {
		return err
	}
	all := len(names) == 0
	if all {
		names = shrink.Names()
	}
	s, err := site.NewSavings(site.Options{Root: root, Out: root})
	if err != nil {
		return err
	}
	row := func(name string, w site.Sizes) {
		const kb = 1000.0
		fmt.Fprintf(os.Stdout, "%-14s %9.1f %9.1f %9.1f %9.1f\n", name,
			float64(w.Server)/kb, float64(w.Lab)/kb, float64(w.Server+w.Lab)/kb, float64(w.CEL)/kb)
	}
	fmt.Fprintf(os.Stdout, "%-14s %9s %9s %9s %9s\n", "KB of brotli", "server", "lab", "both", "CEL")
	for _, name := range names {
		saved, err := s.Of(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		row(name, saved)
	}
	if !all {
		return nil
	}
	with, without, err := s.Totals(ctx)
	if err != nil {
		return err
	}
	row("with all", with)
	row("with none", without)
	return nil
}
