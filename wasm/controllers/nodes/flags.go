package nodes

import (
	"context"
	"flag"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/wasm/controllers/connect"
)

// Name is the name of the program.
const Name = "kubelets"

// listening defines flags by which requests reach the kubelets, and returns what has a handler answer them until the
// context ends. It is nil where programs cannot listen.
var listening func(*flag.FlagSet) func(context.Context, http.Handler) error

// Flags defines the program's flags, and returns what runs it.
func Flags(flags *flag.FlagSet) func(context.Context, *connect.Server) error {
	n := flags.Int("nodes", 1, "how many Nodes to register, node-1 and so on")
	all := flags.Bool("all-nodes", false,
		"give a kubelet to every Node, not only to those and the ones with the annotation "+ManagedAnnotation)
	as := flags.Bool("impersonate", false, "make the writes of each node those of the user system:node:NAME")
	lease := flags.Duration("node-lease-duration", leaseDuration,
		"how long the Leases of nodes last, which are renewed four times in that time")
	var listen func(context.Context, http.Handler) error
	if listening != nil {
		listen = listening(flags)
	}
	return func(ctx context.Context, s *connect.Server) error {
		config := rest.CopyConfig(s.Config)
		if config.QPS == 0 {
			config.QPS = -1 // each kubelet has its own limit, which it never reaches here
		}
		k, err := New(Options{Config: config, Nodes: make([]Node, max(*n, 0)), All: *all, Impersonate: *as,
			LeaseDuration: *lease})
		if err != nil {
			return err
		}
		if listen != nil {
			if err := listen(ctx, k.Handler()); err != nil {
				return err
			}
		}
		return k.Run(ctx)
	}
}
