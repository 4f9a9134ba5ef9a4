package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/check"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

// checkAll checks manifests, or with --data a data directory.
func checkAll(ctx context.Context, flags *flag.FlagSet, args []string) error {
	o := check.Options{In: os.Stdin}
	paths := func(to *[]string) func(string) error {
		return func(path string) error {
			*to = append(*to, path)
			return nil
		}
	}
	dir := flags.String("data", "", "")
	flags.Func("crds", "", paths(&o.Definitions))
	flags.Func("policies", "", paths(&o.Policies))
	flags.Func("context", "", paths(&o.Context))
	flags.StringVar(&o.Old, "old", "", "")
	flags.BoolVar(&o.SkipUnknown, "skip-unknown", false, "")
	flags.BoolVar(&o.NamespacesMustExist, "namespaces-must-exist", false, "")
	output := flags.String("output", "text", "")
	for len(args) > 0 { // flags may be behind paths
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return err
		} else if err != nil {
			return errUsage // which Parse has explained
		}
		if args = flags.Args(); len(args) > 0 {
			o.Paths, args = append(o.Paths, args[0]), args[1:]
		}
	}
	write := check.Formats[*output]
	switch {
	case *dir != "" && len(o.Paths) == 0:
		return cluster.Check(os.Stdout, *dir)
	case *dir != "":
		return misused(flags, "check --data is for a data directory, and takes no manifests")
	case len(o.Paths) == 0:
		return misused(flags, "check needs files, directories or URLs of manifests, - for the standard input, "+
			"or --data DIR")
	case write == nil:
		return misused(flags, fmt.Sprintf("--output is one of %s, not %q",
			strings.Join(slices.Sorted(maps.Keys(check.Formats)), ", "), *output))
	}
	report, err := check.Run(ctx, o)
	if err != nil {
		return misused(flags, "check: "+err.Error())
	}
	if err := write(os.Stdout, report); err != nil {
		return err
	}
	if report.Failed() {
		return errRefused
	}
	return nil
}

// misused explains why nothing can be done as the command line has it.
func misused(flags *flag.FlagSet, why string) error {
	fmt.Fprintln(flags.Output(), "devserver:", why)
	return errUsage
}
