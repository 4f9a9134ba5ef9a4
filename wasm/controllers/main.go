// Command controllers is kube-controller-manager and kube-scheduler of Kubernetes in one program: the name by which it
// is called, or its first argument, says which. Both are clients of the API like any other, with the flags of the
// originals that matter here. README.md says what they leave out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/wasm/controllers/connect"
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run runs the program that the arguments name.
func run(ctx context.Context, args []string) error {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	args = args[1:]
	if programs[name] == nil && len(args) > 0 {
		name, args = args[0], args[1:]
	}
	os.Args[0] = name // clients take it for their User-Agent, which names the manager of the fields that they write
	program := programs[name]
	if program == nil {
		var names []string
		for name := range programs {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("which program? The first argument is one of %s", strings.Join(names, ", "))
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	klog.InitFlags(flags)
	server := connect.Flags(flags, name)
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
	return server.Run(ctx, start)
}
