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

	"github.com/tabernetes/tabernetes/devserver/embedded"
	"github.com/tabernetes/tabernetes/devserver/release"
	"github.com/tabernetes/tabernetes/devserver/site"
	sitecommands "github.com/tabernetes/tabernetes/devserver/site/commands"
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
		if built.Kubectl, err = kubectlParts(ctx, false); err != nil {
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
	root, err := site.Root()
	if err != nil {
		return err
	}
	version, out := flags.String("version", "0.0.0", ""), flags.String("out", filepath.Join("dist", "npm"), "")
	built := flags.String("site", "", "")
	if err := parse(flags, args); err != nil {
		return err
	}
	o := site.Options{Root: root, Out: *built, Quick: true, Progress: os.Stdout}
	if *built == "" {
		o.Out = filepath.Join(root, ".cache", "npm", "site")
		if _, err := sitecommands.Build(ctx, o); err != nil {
			return err
		}
	}
	b, err := site.New(o)
	if err != nil {
		return err
	}
	return b.NPM(ctx, *out, strings.TrimPrefix(*version, "v"))
}

func buildOneFile(ctx context.Context, flags *flag.FlagSet, args []string) error {
	root, err := site.Root()
	if err != nil {
		return err
	}
	out := flags.String("out", filepath.Join("dist", "offline", "tabernetes.html"), "")
	built := flags.String("site", "", "")
	if err := parse(flags, args); err != nil {
		return err
	}
	o := site.Options{Root: root, Out: *built, Quick: true, Progress: os.Stdout}
	if *built == "" {
		o.Out = filepath.Join(root, ".cache", "offline", "site")
		if _, err := sitecommands.Build(ctx, o); err != nil {
			return err
		}
	}
	b, err := site.New(o)
	if err != nil {
		return err
	}
	size, err := b.OneFile(ctx, *out)
	if err == nil {
		fmt.Printf("%s: %s, of at most %s\n", *out, site.Size(size), site.Size(site.OneFileBound))
	}
	return err
}
