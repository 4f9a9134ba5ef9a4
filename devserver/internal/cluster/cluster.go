// Package cluster runs core's API server natively: it gives it a clock, randomness, a directory or memory to keep the
// cluster in, CEL, and the network for webhooks.
//
// Invariants: a cluster in a directory belongs to one process at a time. If what is there is damaged, Open says how and
// changes nothing, unless it may salvage.
//
// Opening costs as much time as it takes to read what the directory keeps, and a millisecond without one.
package cluster

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/devserver/internal/data"
)

// Options say what a cluster is to be like. The zero value is one in memory, in which everybody may do anything.
type Options struct {
	// Data is the directory that keeps the cluster; empty: it is kept in memory.
	Data string
	// OnDamage is what to do if that directory is damaged.
	OnDamage core.OnDamage
	// Quota is how much memory the objects and their history may take, in bytes.
	Quota int64
	// Controllers is whether the small built-in controllers run.
	Controllers bool
	// Authorization, WithoutCredentials and Tokens are those of core.Options.
	Authorization, WithoutCredentials string
	Tokens                            []core.Token
	// FeatureGates are the feature gates of a new cluster.
	FeatureGates gates.Set
	// Build is what the cluster says that it runs on.
	Build string
	// Webhooks is whether it calls admission webhooks over the network.
	Webhooks bool
	// Kubelets reaches the kubelets of nodes; nil: none can be reached.
	Kubelets http.RoundTripper
	// Descriptions loads the descriptions of Kubernetes' types.
	Descriptions func(context.Context) ([]byte, error)
	// Memory is what requests share with those of other clusters; nil: they share none.
	Memory *apiserver.Memory
	// Flags are those of the core.
	Flags core.Flags
	// Limits are those of requests; nil: the defaults of kube-apiserver.
	Limits *apiserver.Limits
	// Unsynced answers writes before they are on the disk: a crash of the machine may lose them, one of the program not.
	Unsynced bool
	// CEL evaluates expressions; nil: evaluator.Evaluator{}.
	CEL expression.Evaluator
	// Between and Drain are those of core.Options.
	Between func(context.Context) error
	Drain   time.Duration
	// Extensions are those of the core.
	Extensions []extension.Extension
}

// Open starts a cluster, or takes up the one that the directory has. Its errors name the flag that has named the
// directory.
func Open(o Options) (*core.Cluster, error) {
	var storage journal.Storage
	if o.Data != "" {
		open := data.Open
		if o.Unsynced {
			open = data.OpenUnsynced
		}
		s, err := open(o.Data)
		if err != nil {
			return nil, err
		}
		storage = s
	}
	cluster, err := core.New(o.core(storage))
	if err != nil {
		if storage != nil {
			_ = storage.Close() // nothing was written
		}
		return nil, explainDamage(o.Data, err)
	}
	found := cluster.Recovery()
	if found.Unsaved {
		_ = cluster.Close() // which has nothing to save
		return nil, fmt.Errorf("--data: %s", found.Problem)
	}
	if found.Problem != "" {
		fmt.Fprintln(os.Stderr, "devserver: --data:", found.Problem)
	}
	if found.SetAside != "" {
		fmt.Fprintln(os.Stderr, "devserver: --data: what was saved is kept as", found.SetAside)
	}
	return cluster, nil
}

// core returns the options of the core.
func (o Options) core(storage journal.Storage) core.Options {
	limits := apiserver.DefaultLimits()
	if o.Limits != nil {
		limits = *o.Limits
	}
	limits.Memory = o.Memory
	if o.CEL == nil {
		o.CEL = evaluator.Evaluator{}
	}
	all := core.Options{
		Clock:              clock.Real(),
		Rand:               rand.Reader,
		Storage:            storage,
		OnDamage:           o.OnDamage,
		Quota:              o.Quota,
		Controllers:        o.Controllers,
		Authorization:      o.Authorization,
		FeatureGates:       o.FeatureGates,
		WithoutCredentials: o.WithoutCredentials,
		Tokens:             o.Tokens,
		Flags:              o.Flags,
		Extensions:         o.Extensions,
		Build:              o.Build,
		CEL:                o.CEL,
		Kubelets:           o.Kubelets,
		Descriptions:       o.Descriptions,
		Between:            o.Between,
		Drain:              o.Drain,
		OpenAPIv2:          openapi.V2,
		Limits:             limits,
		OnPanic: func(r *http.Request, value any, stack []byte) {
			fmt.Fprintf(os.Stderr, "a panic in %s %s: %v\n%s", r.Method, r.URL, value, stack)
		},
	}
	if o.Webhooks {
		all.Webhooks = new(webhookClient).call
	}
	return all
}
