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
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/roomhost"
	"github.com/tabernetes/tabernetes/devserver/site"
)

const usage = `Devserver serves Tabernetes, a Kubernetes API server that runs in a browser tab:
the page, and on the same port an API server of its own for kubectl.

Usage:
  go run ./devserver [flags]         build the site, serve it and the API
  go run ./devserver build [flags]   build the site only, for any static host
  go run ./devserver size [flags]    build it and check the sizes of its files
  go run ./devserver shrink [NAME…]  measure what the tricks that make the binaries
                                     small save, or those named
  go run ./devserver edge [flags]    run rooms in Durable Objects on this machine
  go run ./devserver bench           run the core's benchmarks, as a table
  go run ./devserver bench-rooms [flags]  measure a room with many followers
  go run ./devserver check --data DIR     tell whether what is kept there is sound
  go run ./devserver salvage --data DIR   keep a copy of what is damaged there, and
                                          make a cluster of what is sound
  go run ./devserver stale           check that generated files are up to date
  go run ./devserver wasmflags       print the go command's flags for the binaries
  go run ./devserver wasmenv         print its environment for them

Flags of the server:
  --addr HOST:PORT   where to listen (default 127.0.0.1:8080); port 0 takes a
                     free one. Other hosts than loopback make the server, which
                     asks nobody who they are, reachable by others.
  --allow-host NAME  answer requests for this host name too, besides the
                     loopback names and the host of --addr (may be repeated).
                     Others are refused, so that no web site can reach the
                     server under a name of its own (DNS rebinding).
  --allow-origin ORIGIN  let pages of this origin, like https://host.example:8443,
                     use the API, over WebSockets too, besides the server's own
                     (may be repeated). Pages of others may not: they could act
                     as whoever has a browser here.
  --api-only         serve the API only; starts at once, builds no site
  --authorization MODE   AlwaysAllow: everybody is the administrator (default);
                     RBAC: roles and bindings say who may do what, and requests
                     without credentials are anonymous
  --token-auth-file FILE   the bearer tokens that are known, in kube-apiserver's
                     format: token,user,uid,"group1,group2" on each line. The
                     port speaks HTTPS too then, as with --tls, since kubectl
                     sends no token over HTTP.
  --tls              speak HTTPS on the same port; HTTP is still answered. The
                     certificate is signed by an authority of the server's own,
                     made at start, or kept in the directory of --data.
  --kubeconfig FILE  write into this file how kubectl reaches the server: cluster,
                     user and context tabernetes. A file that is there keeps all
                     else, its current context too; entries of that name that no
                     devserver wrote make it a failure.
  --seed PATH        apply the manifests of a file, or of a directory's .yaml, .yml
                     and .json files, at every start (may be repeated). Custom
                     resource definitions and namespaces come first; fields that
                     the manifests name get their values again. A manifest that
                     is refused ends the start.
  --controllers      run the small built-in controllers (default true;
                     --controllers=false for a server that only stores)
  --data DIR         keep the cluster in this directory, with its revisions and
                     history, and go on with it at the next start; what its
                     ControlPlane says then counts more than the flags. One
                     server at a time. If what is there is damaged, the server
                     says how and does not start (exit status 3).
  --quota BYTES      how much memory the objects and their history may take
                     (default 2147483648, as etcd's). Near it, history is
                     forgotten; beyond it, only deletions are accepted.
  --rooms            serve rooms too, clusters that several people share: POST /rooms
                     opens one, and its API is below /rooms/ID/. With --data they
                     are kept in the directory rooms below it; others end when
                     nobody has used them for half an hour. For rooms in a network,
                     as with --addr 0.0.0.0:8080, --tls is needed; the start says who
                     can do what, and the server's own cluster answers this machine
                     only.
  --dev              rebuild what a change of the sources affects, and reload
                     the page; changes of the server restart it
  --dir DIR          where the site is built and served from (default dist)
  --no-build         serve the site in --dir as it is
  --log              print every API request
  --count-api        count API requests, for tests: GET /_devserver/api-requests

Flags of build and size:
  --out DIR          where to build (default dist)
  --quick            compress quickly rather than well (build only)
  --devserver        a devserver will serve it: let the page choose that server's
                     cluster too (build only)
  --bounds           weigh only the files that have bounds (size only)

Flags of edge:
  --addr HOST:PORT   where to listen (default 127.0.0.1:8787)
  --data DIR         where rooms are kept (default data below --out)
  --out DIR          where to build (default .cache/edge)
  --site DIR         a site that is built already (default: site below --out, which
                     is built)
  --tls              speak HTTPS only
  --allow-host NAME, --allow-origin ORIGIN   as those of the server
  --no-build         run what is in --out as it is
  --build-only       build only: wrangler deploy, in --out, puts it on an account

Flags of bench-rooms:
  --url URL          measure the rooms of this server, rather than of one that is
                     started for it
  --pid PID          the process of that server, to tell its processor and memory
  --followers N      members that follow (default 300)
  --writers N        members that write (default 20)
  --time DURATION    how long each turn takes (default 5s)
  --websocket        follow over WebSockets

Examples:
  go run ./devserver --addr 127.0.0.1:8080 --api-only --controllers=false
  kubectl --server http://127.0.0.1:8080 get namespaces
  echo 'secret,root,1,system:masters' > tokens.csv
  go run ./devserver --api-only --authorization RBAC --token-auth-file tokens.csv
  kubectl --server https://127.0.0.1:8080 --insecure-skip-tls-verify --token secret auth whoami
  go run ./devserver --api-only --tls --kubeconfig lab.kubeconfig --seed web/samples
  kubectl --kubeconfig lab.kubeconfig get pods

Without --data the API's objects live in memory and are gone when the server stops.
`

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

// errUsage is the error of a wrong command line, which has been explained.
var errUsage = errors.New("wrong usage")

// commands are the commands besides serving.
var commands = []string{
	"build", "size", "shrink", "bench", "bench-rooms", "check", "salvage", "stale", "wasmflags",
	"wasmenv", "edge", "help",
}

func run(ctx context.Context, args []string) error {
	name := ""
	if len(args) > 0 && slices.Contains(commands, args[0]) {
		name, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("devserver", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	switch name {
	case "help":
		fmt.Print(usage)
		return nil
	case "wasmflags", "wasmenv":
		return printForWasm(ctx, name)
	case "edge":
		return runEdge(ctx, flags, args)
	case "shrink":
		if err := flags.Parse(args); err != nil {
			return err
		}
		return savings(ctx, flags.Args())
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
			return size(ctx, *out, bounds)
		}
		_, err := build(ctx, site.Options{Out: *out, Quick: quick, Devserver: devserver})
		return err
	}
	if name == "check" || name == "salvage" {
		var o options
		flags.StringVar(&o.data, "data", "", "")
		if err := parse(flags, args); err != nil {
			return err
		}
		if name == "salvage" {
			return o.salvage(os.Stdout)
		}
		return o.check(os.Stdout)
	}
	if name == "bench-rooms" {
		return benchRooms(ctx, flags, args)
	}
	if name == "bench" || name == "stale" {
		if err := parse(flags, args); err != nil {
			return err
		}
		if name == "bench" {
			return bench(ctx, os.Stdout)
		}
		return stale(ctx)
	}
	o := options{version: "tabernetes"}
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "")
	o.hostFlags(flags)
	flags.BoolVar(&o.apiOnly, "api-only", false, "")
	flags.StringVar(&o.authorization, "authorization", authorizationAlwaysAllow, "")
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
	if err := o.checkData(); err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		return errUsage
	}
	if err := o.readTokens(); err != nil {
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

// build builds the site once.
func build(ctx context.Context, o site.Options) (*site.Index, error) {
	start := time.Now()
	root, err := projectRoot()
	if err != nil {
		return nil, err
	}
	fmt.Printf("building the site into %s\n", o.Out)
	o.Root, o.Progress = root, os.Stdout
	builder, err := site.New(o)
	if err != nil {
		return nil, err
	}
	report, err := builder.Build(ctx, site.All)
	if err != nil {
		return nil, err
	}
	fmt.Printf("built in %.1f s: %s\n", time.Since(start).Seconds(), report.Index.Total())
	return report.Index, nil
}

// printForWasm prints the go command's flags for the binaries, or its environment.
func printForWasm(ctx context.Context, what string) error {
	root, err := projectRoot()
	if err != nil {
		return err
	}
	tricks, warning, err := site.Tricks(ctx, root, "")
	if err != nil {
		return err
	}
	if warning != "" {
		fmt.Fprintln(os.Stderr, "devserver: warning:", warning)
	}
	words := tricks.Flags()
	if what == "wasmenv" {
		words = tricks.Env()
	}
	fmt.Println(strings.Join(words, " "))
	return nil
}

// stale fails when a generated file is not up to date.
func stale(ctx context.Context) error {
	root, err := projectRoot()
	if err != nil {
		return err
	}
	list, err := site.Stale(ctx, root)
	if err == nil && len(list) > 0 {
		err = errors.New(strings.Join(list, "\n"))
	}
	return err
}

// projectRoot returns the directory with the project's go.mod: the working directory
// or one above it, or, for a binary run from elsewhere, where it was compiled.
func projectRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if isRoot(dir) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		if dir := filepath.Dir(filepath.Dir(file)); isRoot(dir) {
			return dir, nil
		}
	}
	return "", errors.New("the sources are needed to build the site: run this inside the project's directory, or with " +
		"--api-only or --no-build")
}

func isRoot(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "devserver", "site"))
	return err == nil
}
