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
	write, err := pathsAndFlags(flags, args, &o.Paths)
	if err != nil {
		return err
	}
	switch {
	case *dir != "" && len(o.Paths) == 0:
		return cluster.Check(os.Stdout, *dir)
	case *dir != "":
		return misused(flags, "check --data is for a data directory, and takes no manifests")
	case len(o.Paths) == 0:
		return misused(flags, "check needs files, directories or URLs of manifests, - for the standard input, "+
			"or --data DIR")
	}
	return write(func() (*check.Report, error) { return check.Run(ctx, o) })
}

// testAll runs tests of policies.
func testAll(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var o check.TestOptions
	var recorded check.RecordedOptions
	flags.BoolVar(&o.Covered, "covered", false, "")
	flags.StringVar(&recorded.File, "recording", "", "")
	flags.DurationVar(&recorded.Since, "since", 0, "")
	write, err := pathsAndFlags(flags, args, &o.Paths)
	if err != nil {
		return err
	}
	if len(o.Paths) == 0 {
		return misused(flags, "test needs files or directories with tests")
	}
	if recorded.File != "" {
		recorded.Policies = o.Paths
		return write(func() (*check.Report, error) { return check.Recorded(ctx, recorded) })
	}
	return write(func() (*check.Report, error) { return check.Test(ctx, o) })
}

// pathsAndFlags reads paths with flags among them, and returns a function that prints a report.
func pathsAndFlags(flags *flag.FlagSet, args []string, paths *[]string) (
	write func(func() (*check.Report, error)) error, err error) {
	output := flags.String("output", "text", "")
	for len(args) > 0 {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, errUsage // which Parse has explained
		}
		if args = flags.Args(); len(args) > 0 {
			*paths, args = append(*paths, args[0]), args[1:]
		}
	}
	format := check.Formats[*output]
	if format == nil {
		return nil, misused(flags, fmt.Sprintf("--output is one of %s, not %q",
			strings.Join(slices.Sorted(maps.Keys(check.Formats)), ", "), *output))
	}
	return func(run func() (*check.Report, error)) error {
		report, err := run()
		if err != nil {
			return misused(flags, err.Error())
		}
		if err := format(os.Stdout, report); err != nil {
			return err
		}
		if report.Failed() {
			return errRefused
		}
		return nil
	}, nil
}

// misused explains why nothing can be done as the command line has it.
func misused(flags *flag.FlagSet, why string) error {
	fmt.Fprintln(flags.Output(), "devserver:", why)
	return errUsage
}
