package controlplane

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/core/status"
)

// maxAdvance is how far the clock may be moved at once, in seconds: a year.
const maxAdvance = 365 * 24 * 60 * 60

// forgetsBoth is what a compact forgets if nothing else is asked for.
const forgetsBoth = "both"

// compact drops the history below a revision, or all of it if none is given: etcd's, the events in the
// watch caches, or both.
func (p *ControlPlane) compact(ctx context.Context, c apiserver.Call, given map[string]any) error {
	forgets := forgetsBoth
	if value := given["forgets"]; value != nil {
		switch forgets, _ = value.(string); forgets {
		case forgetsBoth, settings.ForgetsEtcd, settings.ForgetsCaches:
		default:
			return status.NewBadRequest(fmt.Sprintf("forgets: %v: has to be %s, %s or %s", value, settings.ForgetsEtcd,
				settings.ForgetsCaches, forgetsBoth))
		}
	}
	at := p.Registry.Store.Status()
	rev := at.Head
	if value := given["revision"]; value != nil {
		whole, ok := value.(int64)
		if !ok {
			return status.NewBadRequest(fmt.Sprintf("revision: %v is not a revision", value))
		}
		rev = whole
	}
	switch {
	case rev > at.Head:
		return status.NewBadRequest(fmt.Sprintf("revision %d is in the future: the head is at %d", rev, at.Head))
	case rev < 1:
		return status.NewBadRequest(fmt.Sprintf("revision %d: revisions begin at 1", rev))
	case c.DryRun:
		return nil
	}
	if forgets != settings.ForgetsCaches && rev > at.Compacted {
		if err := p.History.Compact(rev); err != nil && p.Registry.Store.Status().Compacted < rev {
			return err
		}
	}
	if forgets != settings.ForgetsEtcd {
		p.Registry.Replicas.Forget(rev)
	}
	return p.flush(ctx)
}

// restart restarts an API server: its watches end, and its watch caches begin with what is there now.
func (p *ControlPlane) restart(_ context.Context, c apiserver.Call, given map[string]any) error {
	server, replicas := int64(0), p.Registry.Replicas
	if value := given["server"]; value != nil {
		whole, ok := value.(int64)
		if !ok || whole < 0 || whole >= int64(replicas.Len()) {
			return status.NewBadRequest(fmt.Sprintf("server: %v: there are %d API servers, counted from 0", value,
				replicas.Len()))
		}
		server = whole
	}
	if !c.DryRun {
		replicas.Restart(int(server))
	}
	return nil
}

// advance moves the cluster's clock forward, with the programs that go by it. History that gets too old is compacted
// before the answer. By 0 seconds it waits until these programs have done what they do at once, and changes nothing.
func (p *ControlPlane) advance(ctx context.Context, c apiserver.Call, given map[string]any) error {
	seconds, ok := given["seconds"].(int64)
	if !ok || seconds < 0 || seconds > maxAdvance {
		return status.NewBadRequest(fmt.Sprintf("seconds: has to be a whole number from 0 to %d", maxAdvance))
	}
	step := time.Duration(seconds) * time.Second
	if to := p.Clock.Now().Add(step); !clock.Lasts(to) {
		return status.NewBadRequest(fmt.Sprintf("seconds: the clock cannot be moved to the year %d", to.Year()))
	}
	if p.Programs == nil && p.Controllers.Replaced() {
		c.Warn(ownTime)
	}
	switch {
	case c.DryRun, seconds == 0 && p.Programs == nil:
		return nil
	case seconds == 0:
		_, _, err := p.Programs.Settle(ctx, p.Clock)
		return err
	}
	err := p.Clock.AdvanceWith(ctx, p.Programs, step)
	p.History.CompactOld()
	if err != nil {
		return err
	}
	return p.flush(ctx)
}

// ownTime is the warning where programs have the host's time.
const ownTime = "kube-controller-manager works in this cluster and keeps the time of its machine: what controllers, " +
	"scheduler and kubelets wait for comes no sooner"

// flush waits until the changes made by levers are durable.
func (p *ControlPlane) flush(ctx context.Context) error {
	return p.Registry.StorageError(p.Storage.Flush(ctx))
}

// disconnect ends every open watch.
func (p *ControlPlane) disconnect(_ context.Context, c apiserver.Call, _ map[string]any) error {
	if !c.DryRun {
		p.Registry.Disconnect()
	}
	return nil
}

// maxPurge is the maximum number of namespaces in one purge.
const maxPurge = 1000

// purge removes namespaces with all their content, in spite of finalizers.
func (p *ControlPlane) purge(ctx context.Context, c apiserver.Call, given map[string]any) error {
	list, ok := given["namespaces"].([]any)
	if !ok || len(list) == 0 || len(list) > maxPurge {
		return status.NewBadRequest(fmt.Sprintf("namespaces: has to be a list of 1 to %d names", maxPurge))
	}
	names := make([]string, len(list))
	for n, one := range list {
		name, ok := one.(string)
		if !ok || syntax.Label(name) != nil {
			return status.NewBadRequest(fmt.Sprintf("namespaces[%d]: %v cannot be the name of a namespace", n, one))
		}
		if name == "default" || strings.HasPrefix(name, "kube-") {
			return status.NewForbidden(status.GroupResource{Resource: "namespaces"}, name,
				"a namespace of the system may not be purged")
		}
		names[n] = name
	}
	return p.Registry.Purge(ctx, names, c.WriteOptions)
}

// reset starts a new cluster. With a seed, its randomness is repeatable.
func (p *ControlPlane) reset(_ context.Context, c apiserver.Call, given map[string]any) error {
	var seeded io.Reader
	if value := given["seed"]; value != nil {
		seed, ok := value.(int64)
		if !ok || seed < 0 || seed > settings.MaxSeed {
			return status.NewBadRequest(fmt.Sprintf("seed: has to be a whole number from 0 to %d", int64(settings.MaxSeed)))
		}
		seeded = random.NewSeeded(seed)
	}
	if c.DryRun {
		return nil
	}
	return p.Cluster.Reset(seeded)
}
