package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/nested"
	"github.com/tabernetes/tabernetes/devserver/internal/release"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
	sitecommands "github.com/tabernetes/tabernetes/devserver/internal/site/commands"
	"github.com/tabernetes/tabernetes/devserver/internal/site/embedded"
)

// buildRelease builds what is published of a version.
func buildRelease(ctx context.Context, flags *flag.FlagSet, args []string) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	o := release.Options{Root: root, Progress: os.Stdout}
	flags.StringVar(&o.Out, "out", filepath.Join("dist", "release"), "")
	flags.StringVar(&o.Version, "version", "", "")
	flags.StringVar(&o.Site, "site", "", "")
	flags.Func("target", "", func(text string) error {
		t, err := release.ParseTarget(text)
		o.Targets = append(o.Targets, t)
		return err
	})
	if err := parse(flags, args); err != nil {
		return err
	}
	if o.Version == "" || strings.ContainsAny(o.Version, " '\"") {
		return errors.New("release: --version has to name the version, such as v0.1.0")
	}
	if o.Site == "" {
		o.Site = filepath.Join(root, ".cache", "release", "site")
		built := site.Options{Out: o.Site, Devserver: true}
		all := func(nested.Program) bool { return true }
		if built.Nested, err = nestedParts(ctx, false, all); err != nil {
			return err
		}
		if _, err := sitecommands.Build(ctx, built); err != nil {
			return err
		}
	}
	return release.Build(ctx, o)
}

// printVersion prints which version this program is.
func printVersion(context.Context) error {
	version := embedded.Version
	if info, ok := debug.ReadBuildInfo(); ok && version == "" {
		version = info.Main.Version // what go install was asked for
	}
	fmt.Printf("tabernetes %s, %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

// buildPackage builds the package for npm.
func buildPackage(ctx context.Context, flags *flag.FlagSet, args []string) error {
	version, out := flags.String("version", "0.0.0", ""), flags.String("out", filepath.Join("dist", "npm"), "")
	b, err := builtSite(ctx, flags, args, "npm")
	if err != nil {
		return err
	}
	return b.NPM(ctx, *out, strings.TrimPrefix(*version, "v"))
}

// builtSite parses args and returns the builder of a site that is built: that of the flag --site, or one that is built
// now, in the folder of that name in the cache.
func builtSite(ctx context.Context, flags *flag.FlagSet, args []string, name string) (*site.Builder, error) {
	root, err := site.Root()
	if err != nil {
		return nil, err
	}
	o := site.Options{Root: root, Quick: true, Progress: os.Stdout}
	flags.StringVar(&o.Out, "site", "", "")
	if err := parse(flags, args); err != nil {
		return nil, err
	}
	if o.Out == "" {
		o.Out = filepath.Join(root, ".cache", name, "site")
		if _, err := sitecommands.Build(ctx, o); err != nil {
			return nil, err
		}
	}
	return site.New(o)
}

// buildOneFile builds the page that is one file.
func buildOneFile(ctx context.Context, flags *flag.FlagSet, args []string) error {
	out := flags.String("out", filepath.Join("dist", "offline", "tabernetes.html"), "")
	rules := flags.Bool("rules", false, "")
	b, err := builtSite(ctx, flags, args, "offline")
	if err != nil {
		return err
	}
	size, err := b.OneFile(ctx, *out, *rules)
	if err == nil {
		bound := site.OneFileBound
		if *rules {
			bound = site.OneFileRulesBound
		}
		fmt.Printf("%s: %s, of at most %s\n", *out, site.Size(size), site.Size(bound))
	}
	return err
}
