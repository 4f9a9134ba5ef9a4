package controller

import (
	"context"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// rest calls a function with whether a kube-controller-manager is at work: one that holds its Lease, as leader election
// has it. A Lease ends when it has not been renewed for leaseDurationSeconds by the clock that holders have, even while
// the cluster's is paused or advanced: as for other candidates, only that it has changed counts, and not its renewTime.
func rest(r *registry.Registry, leaders clock.Clock, replaced func(bool)) plan {
	l := &leader{client: client{r}, clock: leaders, replaced: replaced, lease: registry.Target{
		Resource: r.Table.Resource("coordination.k8s.io", "v1", "leases"), Namespace: "kube-system", Name: manager,
	}}
	p := one(l.lease, l.reconcile)
	p.clock = leaders
	return p
}

// A leader is what is known of the Lease's holder.
type leader struct {
	client
	clock    clock.Clock
	replaced func(bool)
	lease    registry.Target
	// seen is the Lease's spec when it was last read, in JSON, and since is when it was first read.
	seen  string
	since time.Time
}

func (l *leader) reconcile(ctx context.Context, _ string) (time.Duration, error) {
	lease, err := l.get(ctx, l.lease)
	if err != nil {
		return 0, err
	}
	now := l.clock.Now()
	if seen := string(object.Encode(nil, object.GetMap(lease, "spec"), nil)); seen != l.seen {
		l.seen, l.since = seen, now
	}
	var left time.Duration
	if object.GetString(lease, "spec", "holderIdentity") != "" {
		seconds, _ := object.GetInt(lease, "spec", "leaseDurationSeconds")
		left = time.Duration(seconds)*time.Second - now.Sub(l.since)
	}
	l.replaced(left > 0)
	return max(left, 0), nil
}
