// Command devserver serves Tabernetes natively: the site, and the API server itself to kubectl,
// client-go and curl, on one port. It also builds the site. README.md describes commands and flags.
//
// This package reads the command line, and puts together what the packages below it have. API and site
// are distinguished by path: paths of a Kubernetes API server go to the core, every other path is a file of
// the site. The page answers its own API requests, so they do not come here.
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
	"syscall"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/devserver/envtest"
)

func main() {
	if run := envtest.Program(os.Args[0]); run != nil {
		os.Exit(run(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case errors.Is(err, errRefused):
		os.Exit(1)
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

// errRefused is the error of manifests with findings, or of tests that fail, which have been reported.
var errRefused = errors.New("manifests are refused, or tests fail")

// run does what the command line says: a command, or else it serves.
func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	if len(args) > 0 {
		if do := commands[args[0]]; do != nil {
			return do(ctx, flags, args[1:])
		}
	}
	o, err := readOptions(flags, args)
	if err != nil {
		return err
	}
	return serve(ctx, o)
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
