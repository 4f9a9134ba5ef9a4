package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/room/roomhost"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
	"github.com/tabernetes/tabernetes/devserver/internal/data"
	"github.com/tabernetes/tabernetes/devserver/internal/programs"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
	"github.com/tabernetes/tabernetes/devserver/internal/site/embedded"
)

// options are the server's flags; usage explains them.
type options struct {
	addr             string
	allowed, origins []string
	apiOnly          bool
	controllers      bool
	// controlPlane has kube-controller-manager and kube-scheduler run beside the server, from programs, and as many nodes.
	controlPlane bool
	nodes        int
	programs     programs.Source
	dev          bool
	dir          string
	// embedded is the site inside this program; nil: none, or another one is to be served.
	embedded     fs.FS
	noBuild      bool
	log          bool
	countAPI     bool
	reportMemory bool
	// authorization is the mode, and tokens are what the file of that name has.
	authorization string
	// gates are the feature gates of a new cluster.
	gates     gates.Set
	tokenFile string
	tokens    credentials.Tokens
	// data is the directory that keeps the cluster; empty: it is kept in memory.
	data string
	// quota is how much memory the objects and their history may take, in bytes.
	quota int64
	// tls makes the port speak HTTPS, which it does for tokens too.
	tls bool
	// kubeconfigFile is where to write how to reach the server; empty: nowhere.
	kubeconfigFile string
	// seeds are the files and directories of what is applied at start.
	seeds []string
	// rooms makes the server serve rooms.
	rooms bool
}

// files are those of the site.
func (o options) files() fs.FS {
	if o.embedded != nil {
		return o.embedded
	}
	return os.DirFS(o.dir)
}

// usesTLS reports whether the port speaks HTTPS.
func (o options) usesTLS() bool { return o.tls || len(o.tokens) > 0 }

// readOptions reads the server's flags, and the file of tokens that they name.
func readOptions(flags *flag.FlagSet, args []string) (o options, err error) {
	flags.StringVar(&o.addr, "addr", "127.0.0.1:8080", "")
	hostFlags(flags, &o.allowed, &o.origins)
	flags.BoolVar(&o.apiOnly, "api-only", false, "")
	flags.StringVar(&o.authorization, "authorization", credentials.AlwaysAllow, "")
	flags.StringVar(&o.tokenFile, "token-auth-file", "", "")
	flags.BoolVar(&o.controllers, "controllers", true, "")
	flags.BoolVar(&o.controlPlane, "control-plane", false, "")
	flags.IntVar(&o.nodes, "nodes", 0, "")
	flags.Func("feature-gates", "", func(text string) (err error) {
		o.gates, err = gates.Parse(text)
		return err
	})
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
		return o, err
	}
	named := false
	flags.Visit(func(f *flag.Flag) { named = named || f.Name == "dir" })
	if !o.dev && !o.noBuild && !named {
		o.embedded = embedded.Site()
	}
	if o.tokens, err = o.check(); err != nil {
		fmt.Fprintln(os.Stderr, "devserver:", err)
		return o, errUsage
	}
	if o.nodes < 0 || o.nodes > 0 && !o.controlPlane {
		fmt.Fprintln(os.Stderr, "devserver: --nodes is how many nodes --control-plane has")
		return o, errUsage
	}
	if o.controlPlane {
		if o.programs, err = programs.Find(); err != nil {
			return o, fmt.Errorf("--control-plane: %w", err)
		}
	}
	return o, nil
}

// hostFlags are the flags for who may use a server: further names of its host, and the origins of pages from elsewhere.
func hostFlags(flags *flag.FlagSet, allowed, origins *[]string) {
	flags.Func("allow-host", "", func(name string) error {
		*allowed = append(*allowed, name)
		return nil
	})
	flags.Func("allow-origin", "", func(text string) error {
		origin, err := roomhost.ParseOrigin(text)
		*origins = append(*origins, origin)
		return err
	})
}

// check returns what is wrong with the flags together, and the tokens of the file that they name.
func (o options) check() (credentials.Tokens, error) {
	if o.dev && (o.apiOnly || o.noBuild) {
		return nil, errors.New("--dev rebuilds the site, so it goes with neither --api-only nor --no-build")
	}
	if o.quota <= 0 {
		return nil, errors.New("--quota has to be above 0")
	}
	if o.data != "" && !o.apiOnly {
		if err := data.CheckApart(o.data, o.dir); err != nil {
			return nil, err
		}
	}
	tokens, err := credentials.ReadTokens(o.tokenFile, o.authorization)
	if err != nil {
		return nil, err
	}
	if o.tokens = tokens; o.rooms {
		return tokens, room.CheckAddr(o.addr, o.usesTLS())
	}
	return tokens, nil
}
