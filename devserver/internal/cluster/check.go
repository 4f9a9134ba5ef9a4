package cluster

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

// explainDamage adds to the error of a damaged data directory what can be done.
func explainDamage(dir string, err error) error {
	var damage *core.DamageError
	if !errors.As(err, &damage) {
		return err
	}
	if damage.Other() {
		return fmt.Errorf("--data %s: %w. Nothing was changed; --data with another directory begins a new cluster",
			dir, err)
	}
	return fmt.Errorf(`--data: %w
  %s. Nothing was changed.
  devserver salvage --data %s   keeps a copy of all of it and continues with the intact part
  --data with another directory begins a new cluster`, err, damage.Sound(), dir)
}

// Check tells what is in a data directory. The error is a *core.DamageError if it is damaged.
func Check(out io.Writer, dir string) error {
	s, err := data.OpenExisting(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	found, dropped, err := core.Check(core.Options{Storage: s, Clock: clock.Real(), Rand: rand.Reader,
		CEL: evaluator.Evaluator{}})
	if err != nil {
		return explainDamage(dir, err)
	}
	fmt.Fprintf(out, "%s is sound: %d versions of objects, up to revision %d, in %d bytes\n", dir, found.Records,
		found.Revision, found.Sound)
	if dropped != "" {
		fmt.Fprintln(out, "At the next start:", dropped)
	}
	return nil
}

// Salvage makes a sound data directory of a damaged one, of which it keeps a copy.
func Salvage(out io.Writer, dir string) error {
	s, err := data.OpenExisting(dir)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	cluster, err := Open(Options{Data: dir, OnDamage: core.SalvageDamaged})
	if err != nil {
		return err
	}
	if cluster.Recovery().Problem == "" {
		fmt.Fprintln(out, dir, "is sound; nothing was changed")
	}
	return cluster.Close()
}
