package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/devserver/envtest"
	"github.com/tabernetes/tabernetes/devserver/internal/bench"
	"github.com/tabernetes/tabernetes/devserver/internal/bench/compare"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/nested"
	"github.com/tabernetes/tabernetes/devserver/internal/record"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
	roombench "github.com/tabernetes/tabernetes/devserver/internal/room/bench"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
	sitecommands "github.com/tabernetes/tabernetes/devserver/internal/site/commands"
)

// commands are those besides serving, by their names. Each reads its own flags.
var commands = map[string]func(ctx context.Context, flags *flag.FlagSet, args []string) error{
	"build":         build,
	"npm":           buildPackage,
	"offline":       buildOneFile,
	"release":       buildRelease,
	"version":       withoutFlags(printVersion),
	"size":          size,
	"shrink":        shrink,
	"kubectl":       buildNested(nested.Kubectl),
	"controllers":   buildNested(nested.Controllers),
	"stale":         withoutFlags(sitecommands.Stale),
	"wasmflags":     withoutFlags(sitecommands.WasmFlags),
	"wasmenv":       withoutFlags(sitecommands.WasmEnv),
	"check":         checkAll,
	"test":          testAll,
	"salvage":       onData(cluster.Salvage),
	"edge":          edge,
	"envtest":       installEnvtest,
	"teacher":       teacher,
	"record":        recordCluster,
	"bench":         withoutFlags(func(ctx context.Context) error { return bench.Run(ctx, os.Stdout) }),
	"bench-rooms":   benchRooms,
	"bench-watches": benchWatches,
	"bench-fanout":  benchFanOut,
	"bench-servers": benchServers,
	"help": func(context.Context, *flag.FlagSet, []string) error {
		fmt.Print(usage)
		return nil
	},
}

// withoutFlags returns a command that has none.
func withoutFlags(do func(context.Context) error) func(context.Context, *flag.FlagSet, []string) error {
	return func(ctx context.Context, flags *flag.FlagSet, args []string) error {
		if err := parse(flags, args); err != nil {
			return err
		}
		return do(ctx)
	}
}

// onData returns a command on a data directory.
func onData(do func(out io.Writer, dir string) error) func(context.Context, *flag.FlagSet, []string) error {
	return func(_ context.Context, flags *flag.FlagSet, args []string) error {
		dir := flags.String("data", "", "")
		if err := parse(flags, args); err != nil {
			return err
		}
		return do(os.Stdout, *dir)
	}
}

func build(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var o site.Options
	flags.StringVar(&o.Out, "out", "dist", "")
	flags.BoolVar(&o.Quick, "quick", false, "")
	flags.BoolVar(&o.Devserver, "devserver", false, "")
	flags.BoolVar(&o.Names, "names", false, "")
	without := map[string]*bool{
		nested.Kubectl.Name:     flags.Bool("without-kubectl", false, ""),
		nested.Controllers.Name: flags.Bool("without-controllers", false, ""),
	}
	if err := parse(flags, args); err != nil {
		return err
	}
	var err error
	if o.Nested, err = nestedParts(ctx, o.Quick, func(p nested.Program) bool { return !*without[p.Name] }); err != nil {
		return err
	}
	_, err = sitecommands.Build(ctx, o)
	return err
}

// nestedPrograms are those of nested modules that a site may have.
var nestedPrograms = []nested.Program{nested.Kubectl, nested.Controllers}

// nestedParts builds those that are wanted, and returns the directories of their parts.
func nestedParts(ctx context.Context, quick bool, wanted func(nested.Program) bool) (map[string]string, error) {
	dirs := map[string]string{}
	for _, program := range nestedPrograms {
		if !wanted(program) {
			continue
		}
		var err error
		if dirs[program.Name], err = partsOf(ctx, program, quick); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// partsOf builds a program of a nested module in the cache, and returns the directory of its parts. If the environment
// names a directory that has them already, as TABERNETES_KUBECTL does for kubectl, it builds nothing.
func partsOf(ctx context.Context, program nested.Program, quick bool) (string, error) {
	if dir := os.Getenv("TABERNETES_" + strings.ToUpper(program.Name)); dir != "" {
		return dir, nil
	}
	root, err := site.Root()
	if err != nil {
		return "", err
	}
	cache := filepath.Join(root, ".cache")
	dir := filepath.Join(cache, program.Name, "parts")
	if quick {
		dir += "-quick"
	}
	fmt.Printf("building %s (the first time takes minutes)\n", program.Name)
	_, err = nested.Build(ctx, nested.Options{Program: program, Root: root, Cache: cache, Progress: os.Stdout}, dir, quick)
	return dir, err
}

func size(ctx context.Context, flags *flag.FlagSet, args []string) error {
	out := flags.String("out", "dist", "")
	bounds := flags.Bool("bounds", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return sitecommands.Size(ctx, *out, *bounds)
}

func shrink(ctx context.Context, flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	return sitecommands.Savings(ctx, flags.Args())
}

// buildNested returns the command that builds a program of a nested module for the page.
func buildNested(program nested.Program) func(context.Context, *flag.FlagSet, []string) error {
	return func(ctx context.Context, flags *flag.FlagSet, args []string) error {
		root, err := site.Root()
		if err != nil {
			return err
		}
		o := nested.Options{Program: program, Root: root, Cache: filepath.Join(root, ".cache"), Progress: os.Stdout}
		out := flags.String("out", filepath.Join("dist", program.Name), "")
		quick := flags.Bool("quick", false, "")
		bound := flags.Bool("bounds", false, "")
		flags.Func("without", "", func(name string) error {
			o.Without = append(o.Without, name)
			return nil
		})
		if err := parse(flags, args); err != nil {
			return err
		}
		m, err := nested.Build(ctx, o, *out, *quick)
		if err == nil && *bound {
			err = program.Check(m, os.Stdout)
		}
		return err
	}
}

// installEnvtest puts the pair of envtest into a directory.
func installEnvtest(_ context.Context, flags *flag.FlagSet, args []string) error {
	o := envtest.Options{Out: os.Stdout, Notes: os.Stderr}
	flags.StringVar(&o.Dir, "dir", "", "")
	flags.BoolVar(&o.Store, "store", false, "")
	flags.DurationVar(&o.Settings.Latency, "latency", envtest.DefaultLatency, "")
	flags.Uint64Var(&o.Settings.Seed, "seed", 0, "")
	flags.BoolVar(&o.Settings.Controllers, "controllers", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return envtest.Install(o)
}

func teacher(ctx context.Context, flags *flag.FlagSet, args []string) error {
	return printTeacher(ctx, flags, args, os.Stdout, "")
}

// printTeacher prints a link by which a page is a teacher of a room of the server with this data directory, unless the
// flags say another. The room may come before or after them.
func printTeacher(ctx context.Context, flags *flag.FlagSet, args []string, out io.Writer, dir string) error {
	var r room.Reopening
	flags.StringVar(&r.Addr, "addr", "127.0.0.1:8080", "")
	flags.StringVar(&r.Data, "data", dir, "")
	flags.StringVar(&r.URL, "url", "", "")
	flags.StringVar(&r.KeyFile, "key-file", "", "")
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		r.ID, args = args[0], args[1:]
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if rest := flags.Args(); r.ID == "" && len(rest) == 1 {
		r.ID = rest[0]
	} else if len(rest) > 0 {
		r.ID = ""
	}
	return room.PrintTeacher(ctx, out, r)
}

// recordCluster records a real cluster. The first interrupt ends that, a second one what is done then.
func recordCluster(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var c record.Command
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "")
	flags.StringVar(&c.Context, "context", "", "")
	flags.StringVar(&c.Namespace, "namespace", "", "")
	flags.StringVar(&c.Out, "out", "", "")
	flags.Func("types", "", func(text string) error {
		c.Types = append(c.Types, strings.Split(text, ",")...)
		return nil
	})
	flags.Func("redact", "", func(text string) error {
		c.Redact = append(c.Redact, text)
		return nil
	})
	if err := parse(flags, args); err != nil {
		return err
	}
	finishing, stop := context.WithCancel(context.Background())
	defer stop()
	defer context.AfterFunc(ctx, func() {
		time.Sleep(time.Second) // what passes on signals may do so twice
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		<-again
		stop()
	})()
	return record.Run(ctx, finishing, os.Stderr, c)
}

func benchRooms(ctx context.Context, flags *flag.FlagSet, args []string) error {
	o := roombench.Options{Paces: []int{20, 100, 0}}
	flags.StringVar(&o.URL, "url", "", "")
	flags.IntVar(&o.Process, "pid", -1, "")
	flags.IntVar(&o.Followers, "followers", 300, "")
	flags.IntVar(&o.Writers, "writers", 20, "")
	flags.DurationVar(&o.Time, "time", 5*time.Second, "")
	flags.BoolVar(&o.WebSocket, "websocket", false, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return roombench.RunOwn(ctx, os.Stdout, o)
}

func benchFanOut(ctx context.Context, flags *flag.FlagSet, args []string) error {
	f := bench.DefaultFanOut
	flags.StringVar(&f.URL, "url", "", "")
	flags.StringVar(&f.Token, "token", "", "")
	flags.IntVar(&f.Process, "pid", -1, "")
	flags.IntVar(&f.Watches, "watches", f.Watches, "")
	flags.IntVar(&f.Receivers, "receivers", f.Receivers, "")
	flags.IntVar(&f.Slow, "slow", 0, "")
	flags.IntVar(&f.Rate, "rate", f.Rate, "")
	flags.DurationVar(&f.Time, "time", f.Time, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return f.Run(ctx, os.Stdout)
}

func benchServers(ctx context.Context, flags *flag.FlagSet, args []string) error {
	var servers []compare.Server
	flags.Func("server", "", func(text string) error {
		name, url, found := strings.Cut(text, "=")
		if !found || name == "" {
			return errors.New("want NAME=URL, or NAME=URL,TOKEN")
		}
		s := compare.Server{Name: name}
		s.URL, s.Token, _ = strings.Cut(url, ",")
		servers = append(servers, s)
		return nil
	})
	if err := parse(flags, args); err != nil {
		return err
	}
	if len(servers) == 0 {
		return errors.New("which servers? --server NAME=URL, once for each")
	}
	return compare.Servers(ctx, os.Stdout, servers)
}

func benchWatches(ctx context.Context, flags *flag.FlagSet, args []string) error {
	n := flags.Int("watches", bench.WatchCount, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return bench.Watches(ctx, os.Stdout, *n)
}
