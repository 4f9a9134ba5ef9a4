package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/devserver/rules"
)

// damagedStatus is the exit status when the data directory is damaged.
const damagedStatus = 3

// explainDamage adds to the error of a damaged data directory what can be done.
func (o *options) explainDamage(err error) error {
	var damage *core.DamageError
	if !errors.As(err, &damage) {
		return err
	}
	return fmt.Errorf(`--data: %w
  %s. Nothing was changed.
  devserver salvage --data %s   keeps a copy of all of it and goes on with what is sound
  --data with another directory begins a new cluster`, err, damage.Sound(), o.data)
}

// check returns what is in a data directory: nil if it is sound, a *core.DamageError if not.
func (o *options) check(out io.Writer) error {
	s, err := o.existing()
	if err != nil {
		return err
	}
	defer s.Close()
	found, dropped, err := core.Check(core.Options{Storage: s, Clock: clock.Real(), Rand: rand.Reader,
		CELRules: rules.Rules{}})
	if err != nil {
		return o.explainDamage(err)
	}
	fmt.Fprintf(out, "%s is sound: %d versions of objects, up to revision %d, in %d bytes\n", o.data, found.Records,
		found.Revision, found.Sound)
	if dropped != "" {
		fmt.Fprintln(out, "At the next start:", dropped)
	}
	return nil
}

// salvage makes a sound data directory of a damaged one, of which it keeps a copy.
func (o *options) salvage(out io.Writer) error {
	s, err := o.existing()
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	o.onDamage = core.SalvageDamaged
	cluster, err := newCluster(*o)
	if err != nil {
		return err
	}
	if cluster.Recovery().Problem == "" {
		fmt.Fprintln(out, o.data, "is sound; nothing was changed")
	}
	return cluster.Close()
}

// existing opens a data directory that has to be there.
func (o *options) existing() (*store, error) {
	if o.data == "" {
		return nil, errors.New("--data DIR is missing")
	}
	for _, name := range []string{logName, headName} {
		if _, err := os.Stat(filepath.Join(o.data, name)); err == nil {
			return openStore(o.data, osDisk{})
		}
	}
	return nil, fmt.Errorf("--data: %s has no cluster", o.data)
}
