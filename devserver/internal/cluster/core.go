package cluster

import "github.com/tabernetes/tabernetes/core"

// Core returns the options of the core for a cluster in memory, for hosts that start it themselves. They may set
// another clock, or another source of randomness.
func (o Options) Core() core.Options { return o.core(nil) }
