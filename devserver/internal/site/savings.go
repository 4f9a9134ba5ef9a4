package site

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/wasm/shrink"
)

// Sizes are the sizes of the binaries in brotli of the quality Good, in bytes.
type Sizes struct{ Server, Lab, CEL int }

// Savings measures what the tricks of package shrink save. It keeps what it has
// measured.
type Savings struct {
	b        *Builder
	measured map[string]Sizes // by the tricks that were used
}

// NewSavings returns Savings for a project. Nothing is written into o.Out.
func NewSavings(o Options) (*Savings, error) {
	b, err := New(o)
	return &Savings{b, map[string]Sizes{}}, err
}

// Of returns how much larger the binaries are without the trick of a name. Tricks that need it are left out of both, so
// that each trick counts once.
func (s *Savings) Of(ctx context.Context, name string) (Sizes, error) {
	without := shrink.Dependents(name)
	with, err := s.measure(ctx, without)
	if err != nil {
		return Sizes{}, err
	}
	plain, err := s.measure(ctx, append(without, name))
	return Sizes{plain.Server - with.Server, plain.Lab - with.Lab, plain.CEL - with.CEL}, err
}

// Totals returns what the binaries weigh with all tricks and with none.
func (s *Savings) Totals(ctx context.Context) (all, none Sizes, err error) {
	if all, err = s.measure(ctx, nil); err != nil {
		return all, none, err
	}
	none, err = s.measure(ctx, shrink.Names())
	return all, none, err
}

// measure returns the sizes of the binaries without some of the tricks.
func (s *Savings) measure(ctx context.Context, without []string) (Sizes, error) {
	key := strings.Join(without, ",")
	if sizes, ok := s.measured[key]; ok {
		return sizes, nil
	}
	tricks, _, err := Tricks(ctx, s.b.opt.Root, s.b.opt.GoVersion, without...)
	if err != nil {
		return Sizes{}, err
	}
	var sizes [3]int
	var wg sync.WaitGroup
	for i, bin := range append(slices.Clone(binaries), program{celBinary, celPackage}) {
		// One after another, since they share what they are compiled from.
		file := filepath.Join(s.b.opt.Cache, "wasm", "measured", bin.name)
		data, err := buildWasm(ctx, tricks, s.b.opt.Root, file, bin.pkg, "-ldflags=-s -w")
		if err != nil {
			wg.Wait()
			return Sizes{}, err
		}
		wg.Go(func() { sizes[i] = brotliSize(data, Good) })
	}
	wg.Wait()
	s.measured[key] = Sizes{Server: sizes[0], Lab: sizes[1], CEL: sizes[2]}
	return s.measured[key], nil
}
