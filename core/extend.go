package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/extension"
)

// define is for definitions of which nothing but their content is known.
func (i *instance) define(name string, value []byte) { i.custom.Observe(name, value, 0) }

// extend asks the extensions what they add, and adds what the other parts of the instance are made with: resource
// types, and how writes are judged and signed.
func (i *instance) extend(host clock.Clock) error {
	o := &i.cluster.options
	i.shown = &extension.Instance{
		Registry: i.registry, Clock: i.clock, Host: host, Rand: o.Rand, Header: &i.header, Limits: o.Limits,
		Quota: o.quota(), Define: i.define, Cluster: assembler{i.cluster},
		Handler: i.cluster, CEL: o.CEL, RBAC: func() *auth.RBAC { return i.access.RBAC() },
		Access: func(ctx context.Context) (*auth.Access, error) { return i.access.Access(ctx) },
	}
	for _, e := range o.Extensions {
		a, err := e.Extend(i.shown)
		if err != nil {
			return err
		}
		for _, t := range a.Resources {
			if i.table.Resource(t.Row.Group, t.Row.Version, t.Row.Plural) != nil {
				return fmt.Errorf("core: an extension adds %s, which there is already", t.Row.Plural)
			}
			i.table.Add(t.Row)
		}
		if a.Space.Guard != nil {
			i.store.SetGuard(a.Space.Guard)
		}
		i.registry.Authors = i.registry.Authors || a.Authors != nil
		i.registry.Full += a.Space.Full
		i.added = append(i.added, a)
	}
	if i.follows = i.added.Follows(); i.follows && o.Storage != nil {
		return errors.New("core: a cluster that follows another has no Storage")
	}
	return nil
}

// assembler implements extension.Cluster.
type assembler struct{ cluster *Cluster }

// Assemble returns an empty instance, and what puts it in the place of the current one.
func (a assembler) Assemble(host clock.Clock) (*extension.Instance, func() error, error) {
	i, err := a.cluster.assemble(a.cluster.options.Rand, host)
	if err != nil {
		return nil, nil, err
	}
	return i.shown, func() error {
		return a.cluster.replace(func() (*instance, error) { return i, nil })
	}, nil
}
