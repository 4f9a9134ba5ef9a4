// Package program runs what the program can be, by its arguments: kube-controller-manager, kube-scheduler, or what
// stands in for kubelets.
package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/wasm/controllers/connect"
	"github.com/tabernetes/tabernetes/wasm/controllers/inside"
	"github.com/tabernetes/tabernetes/wasm/controllers/manager"
	"github.com/tabernetes/tabernetes/wasm/controllers/nodes"
	"github.com/tabernetes/tabernetes/wasm/controllers/scheduler"
)

// programs are what the program can be, by name.
var programs = map[string]func(*flag.FlagSet) func(context.Context, *connect.Server) error{
	manager.Name:   manager.Flags,
	scheduler.Name: scheduler.Flags,
	nodes.Name:     nodes.Flags,
}

// Is reports whether the program can be what has this name.
func Is(name string) bool { return programs[name] != nil }

// Run runs the one with a name, with the flags in args, until the context ends. A config says how the server is
// reached, instead of the flags; nil: they do.
func Run(ctx context.Context, config *rest.Config, name string, args ...string) error {
	program := programs[name]
	if program == nil {
		return fmt.Errorf("which program? The first argument is one of %s",
			strings.Join(slices.Sorted(maps.Keys(programs)), ", "))
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	klog.InitFlags(flags)
	flags.Func("feature-gates", "features to switch on or off, as in Name=false,Other=true",
		utilfeature.DefaultMutableFeatureGate.Set)
	server := connect.Flags(flags, name)
	server.Config = config
	start := program(flags)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q", name, flags.Arg(0))
	}
	inside.Serve(flags)
	return server.Run(ctx, start)
}
