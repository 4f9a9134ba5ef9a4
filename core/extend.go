package core

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/controlplane"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/field"
)

// additions are what each extension adds to an instance.
type additions []extension.Additions

// extend asks the extensions what they add, and adds what the parts of the instance are made with: resource types,
// and how writes are judged and signed.
func (i *instance) extend(host clock.Clock) error {
	o := &i.cluster.options
	i.shown = &extension.Instance{
		Registry: i.registry, Clock: i.clock, Host: host, Rand: o.Rand, Header: &i.header, Limits: o.Limits,
		Quota: o.quota(), Define: i.custom.Observe, Cluster: assembler{i.cluster},
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
		i.follows = i.follows || a.Follows
		i.added = append(i.added, a)
	}
	if i.follows && o.Storage != nil {
		return errors.New("core: a cluster that follows another has no Storage")
	}
	return nil
}

// verifiers returns what verifies bearer tokens.
func (all additions) verifiers() (list auth.TokenVerifiers) {
	for _, a := range all {
		if a.Tokens != nil {
			list = append(list, a.Tokens)
		}
	}
	return list
}

// restrict returns what says why a request is refused that RBAC would allow; nil if nothing does.
func (all additions) restrict() func(*auth.Attributes) string {
	var list []func(*auth.Attributes) string
	for _, a := range all {
		if a.Restrict != nil {
			list = append(list, a.Restrict)
		}
	}
	if list == nil {
		return nil
	}
	return func(a *auth.Attributes) string {
		for _, restrict := range list {
			if reason := restrict(a); reason != "" {
				return reason
			}
		}
		return ""
	}
}

// settings returns the rows for the ControlPlane.
func (all additions) settings() (rows []controlplane.Setting) {
	for _, a := range all {
		rows = append(rows, a.Settings...)
	}
	return rows
}

// checks returns what checks settings.
func (all additions) checks() (list []func(*controlplane.Settings) field.ErrorList) {
	for _, a := range all {
		if a.Check != nil {
			list = append(list, a.Check)
		}
	}
	return list
}

// authorName returns what says how the author of a write is called; nil if nothing does.
func (all additions) authorName() func(string) string {
	for _, a := range all {
		if a.Authors != nil {
			return a.Authors
		}
	}
	return nil
}

// defaults changes the defaults of settings.
func (all additions) defaults(s *controlplane.Settings) {
	for _, a := range all {
		if a.Defaults != nil {
			a.Defaults(s)
		}
	}
}

// addTo adds to the parts of an instance what they look up for requests.
func (all additions) addTo(i *instance) {
	for _, a := range all {
		for _, t := range a.Resources {
			i.registry.Hooks[t.Row] = t.Hooks
		}
		maps.Copy(i.server.Subresources, a.Acts)
		i.server.Checks = append(i.server.Checks, a.Health...)
		if a.Limiter != nil {
			i.server.Limiters = append(i.server.Limiters, a.Limiter)
		}
		if a.Access != nil {
			i.server.Access = a.Access
		}
	}
	if i.follows {
		i.server.Faults = nil // they are for the clients of the other cluster
	}
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
