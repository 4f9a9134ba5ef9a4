// Command devserver serves Tabernetes natively: the site, and the API server itself to kubectl,
// client-go and curl, on one port. It also builds the site. README.md describes commands and flags.
//
// API and site are told apart by path: paths of a Kubernetes API server go to the core, every other
// path is a file of the site. The page answers its own API requests, so they do not come here.
//
// Invariants: a cluster in --data belongs to one process at a time; if its files are damaged, the
// server says how and does not start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/roomhost"
	"github.com/tabernetes/tabernetes/devserver/cluster"
	"github.com/tabernetes/tabernetes/devserver/credentials"
	"github.com/tabernetes/tabernetes/devserver/data"
	"github.com/tabernetes/tabernetes/devserver/site"
	"github.com/tabernetes/tabernetes/devserver/site/commands"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "devserver:", err)
		if damage := new(core.DamageError); errors.As(err, &damage) {
			os.Exit(damagedStatus)
		}
		os.Exit(1)
	}
}

// damagedStatus is the exit status when the data directory is damaged.
const damagedStatus = 3

// errUsage is the error of a wrong command line, which has been explained.
var errUsage = errors.New("wrong usage")

// names are those of the commands besides serving.
var names = []string{
	"build", "size", "shrink", "bench", "bench-rooms", "bench-watches", "check", "salvage", "stale", "wasmflags",
	"wasmenv", "edge", "teacher", "help",
}

func run(ctx context.Context, args []string) error {
	name := ""
	if len(args) > 0 && slices.Contains(names, args[0]) {
		name, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	switch name {
	case "help":
		fmt.Print(usage)
		return nil
	case "wasmflags":
		return commands.WasmFlags(ctx)
	case "wasmenv":
		return commands.WasmEnv(ctx)
	case "teacher":
		return runTeacher(ctx, flags, args, os.Stdout, false)
	case "edge":
		if len(args) > 0 && args[0] == "teacher" {
			return runTeacher(ctx, flags, args[1:], os.Stdout, true)
		}
		return runEdge(ctx, flags, args)
	case "shrink":
		if err := flags.Parse(args); err != nil {
			return err
		}
		return commands.Savings(ctx, flags.Args())
	case "build", "size":
		out := flags.String("out", "dist", "")
		var quick, devserver, bounds bool
		switch name {
		case "size":
			flags.BoolVar(&bounds, "bounds", false, "")
		case "build":
			flags.BoolVar(&quick, "quick", false, "")
			flags.BoolVar(&devserver, "devserver", false, "")
		}
		if err := parse(flags, args); err != nil {
			return err
		}
		if name == "size" {
			return commands.Size(ctx, *out, bounds)
		}
		_, err := commands.Build(ctx, site.Options{Out: *out, Quick: quick, Devserver: devserver})
		return err
	}
	if name == "check" || name == "salvage" {
		dir := flags.String("data", "", "")
		if err := parse(flags, args); err != nil {
			return err
		}
		if name == "salvage" {
			return cluster.Salvage(os.Stdout, *dir)
		}
		return cluster.Check(os.Stdout, *dir)
	}
	if name == "bench-rooms" {
		return benchRooms(ctx, flags, args)
	}
	if name == "bench-watches" {
		return benchWatches(ctx, os.Stdout, flags, args)
	}
	if name == "bench" || name == "stale" {
		if err := parse(flags, args); err != nil {
			return err
		}
		if name == "bench" {
			return bench(ctx, os.Stdout)
		}
		return commands.Stale(ctx)
	}
	o := options{version: "tabernetes"}
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "")
	o.hostFlags(flags)
	flags.BoolVar(&o.apiOnly, "api-only", false, "")
	flags.StringVar(&o.authorization, "authorization", credentials.AlwaysAllow, "")
	flags.StringVar(&o.tokenFile, "token-auth-file", "", "")
	flags.BoolVar(&o.controllers, "controllers", true, "")
	flags.BoolVar(&o.tls, "tls", false, "")
	flags.Func("kubeconfig", "", func(name string) error {
		if o.kubeconfigFile = name; name == "" {
			return errors.New("it has to name a file")
		}
		return nil
	})
	flags.Func("seed", "", func(path string) error {
		o.seeds = append(o.seeds, path)
		return nil
	})
	flags.Func("data", "", func(dir string) error {
		if o.data = dir; dir == "" {
			return errors.New("it has to name a directory")
		}
		return nil
	})
	flags.Int64Var(&o.quota, "quota", core.DefaultQuota, "")
	flags.BoolVar(&o.rooms, "rooms", false, "")
	flags.BoolVar(&o.dev, "dev", false, "")
	flags.StringVar(&o.dir, "dir", "dist", "")
	flags.BoolVar(&o.noBuild, "no-build", false, "")
	flags.BoolVar(&o.log, "log", false, "")
	flags.BoolVar(&o.countAPI, "count-api", false, "")
	flags.BoolVar(&o.reportMemory, "report-memory", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	if o.dev && (o.apiOnly || o.noBuild) {
		fmt.Fprintln(os.Stderr, "devserver: --dev rebuilds the site, so it goes with neither --api-only nor --no-build")
		return errUsage
	}
	if o.quota <= 0 {
		fmt.Fprintln(os.Stderr, "devserver: --quota has to be above 0")
		return errUsage
	}
	if o.data != "" && !o.apiOnly {
		if err := data.CheckApart(o.data, o.dir); err != nil {
			fmt.Fprintln(os.Stderr, "devserver:", err)
			return errUsage
		}
	}
	var err error
	if o.tokens, err = credentials.ReadTokens(o.tokenFile, o.authorization); err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		return errUsage
	}
	if err := o.checkRooms(); err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		return errUsage
	}
	return serve(ctx, o)
}

// hostFlags are the flags for who may use the server.
func (o *options) hostFlags(flags *flag.FlagSet) {
	flags.Func("allow-host", "", func(name string) error {
		o.allowed = append(o.allowed, name)
		return nil
	})
	flags.Func("allow-origin", "", func(text string) error {
		origin, err := roomhost.ParseOrigin(text)
		o.origins = append(o.origins, origin)
		return err
	})
}

// parse parses flags that allow no arguments after them.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage // which Parse has explained
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(flags.Output(), "devserver: %q is neither a flag nor a command; see --help\n", flags.Arg(0))
		return errUsage
	}
	return nil
}
