package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/journal"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/devserver/rules"
	"github.com/tabernetes/tabernetes/devserver/site"
)

// options are the server's flags; usage explains them.
type options struct {
	addr        string
	allowed     []string
	origins     []string
	apiOnly     bool
	controllers bool
	dev         bool
	dir         string
	noBuild     bool
	log         bool
	countAPI    bool
	// reportMemory makes the server tell what it takes at memoryPath.
	reportMemory bool
	version      string
	// authorization is the mode, and tokens are what the file of that name has.
	authorization string
	tokenFile     string
	tokens        []core.Token
	// data is the directory that keeps the cluster; empty: it is kept in memory.
	data string
	// onDamage is what to do if that directory is damaged.
	onDamage core.OnDamage
	// quota is how much memory the objects and their history may take, in bytes.
	quota int64
	// tls makes the port speak HTTPS, which it does for tokens too.
	tls bool
	// kubeconfigFile is where to write how to reach the server; empty: nowhere.
	kubeconfigFile string
	// seeds are the files and directories of what is applied at start.
	seeds []string
	// memory is what the requests of all rooms share. The server's own cluster answers this machine only, and its
	// webhooks may make requests to it while theirs wait for them.
	memory *apiserver.Memory
	// rooms makes the server serve rooms. room is set for the cluster of one.
	rooms bool
	room  *core.Room
	// roomsAt are the URLs below which rooms are opened, empty if there are none.
	roomsAt []string
	// pendingDescriptions are the descriptions of types while they are made in the background; nil if they are made
	// when they are asked for.
	pendingDescriptions *pendingText
}

// shutdownGrace is how long requests under way may take after the end was asked
// for. Streams are ended at once.
const shutdownGrace = 3 * time.Second

// maxHeader is how long the URL and the headers of a request may be together, in bytes: a watch keeps its selectors.
const maxHeader = 64 << 10

// serve runs the server until ctx is done.
func serve(ctx context.Context, o options) error {
	manifests, err := readSeeds(o.seeds)
	if err != nil {
		return err
	}
	if o.apiOnly {
		o.pendingDescriptions = startPending(ctx, descriptionsTimeout, makeDescriptions)
	}
	cluster, err := newCluster(o)
	if err != nil {
		return err
	}
	defer cluster.Close()
	if err := (&seeder{api: cluster, token: o.administratorsToken()}).applyAll(ctx, manifests); err != nil {
		return err
	}

	var certifier *authority
	if o.usesTLS() {
		if certifier, err = o.authority(); err != nil {
			return fmt.Errorf("--tls: %w", err)
		}
	}
	listener, err := listen(o.addr)
	if err != nil {
		return err
	}
	host := pageHost(o.addr, listener.Addr())
	kubectl, err := o.kubectl(host, certifier)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	shared, err := o.roomServer()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	front := newFront(cluster, shared, o)
	if certifier != nil {
		front.authority = certifier.PEM()
	}
	if o.rooms {
		o.roomsAt = o.roomURLs(listener.Addr(), interfaces())
	}
	// Every request's context ends with this one, and with it every stream.
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	server := &http.Server{
		Handler:           limitBodyTime(bodyTimeout, front),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return streams },
	}
	spoken := listener
	if o.usesTLS() {
		certificate, err := certifier.sign(o.certificateHosts(), time.Now())
		if err != nil {
			return err
		}
		spoken = speakBoth(listener, certificate)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(spoken) }()

	url := "http://" + host
	if o.tls {
		url = "https://" + host
	}
	if shared != nil {
		file, err := hostKeyFile(o.data, host)
		if err == nil {
			err = hostKey{url, shared.HostKey}.write(file)
		}
		if o.data == "" { // it ends with the server
			defer os.Remove(file)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "devserver: --rooms: no key for the command teacher:", err)
		}
	}
	fmt.Println("listening on", url)

	var restart *restarter
	work, stopWork := context.WithCancel(ctx)
	defer stopWork()
	var wg sync.WaitGroup
	failed := make(chan error, 1)
	wg.Go(func() { giveBack(work) })
	wg.Go(func() { front.memory.Run(work) })
	if shared != nil {
		wg.Go(func() { shared.Run(work) })
	}
	if !o.apiOnly {
		restart = newRestarter(listener)
		wg.Go(func() {
			if err := keepSite(work, o, front, url, kubectl, restart); err != nil && work.Err() == nil {
				failed <- err
			}
		})
	} else {
		o.announce(os.Stdout, url, kubectl, false)
	}

	replace := false
	select {
	case err = <-served:
	case err = <-failed:
	case <-ctx.Done():
		fmt.Println("\nstopping")
	case <-restart.asked():
		replace = true
	}
	stopWork()
	endStreams()
	front.close()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if replace {
		// The listener lives on in the new process: Shutdown would close it.
		wg.Wait()
		if err := errors.Join(cluster.Close(), closeRooms(shared)); err != nil {
			return err
		}
		return restart.exec()
	}
	front.watches.wait(grace)
	if e := server.Shutdown(grace); e != nil {
		_ = server.Close() // requests under way have had their time
	}
	wg.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, cluster.Close(), closeRooms(shared))
}

// slowSync returns how much longer each sync of the data directory is to take: tests want to
// see what is not durable yet.
func slowSync() time.Duration {
	slow, err := time.ParseDuration(os.Getenv("TABERNETES_SLOW_SYNC"))
	if err != nil {
		return 0
	}
	return slow
}

// newCluster starts a cluster, or takes up the one that the data directory has.
func newCluster(o options) (*core.Cluster, error) {
	var storage journal.Storage
	if o.data != "" {
		s, err := openStore(o.data, osDisk{slow: slowSync()})
		if err != nil {
			return nil, err
		}
		storage = s
	}
	limits := apiserver.DefaultLimits()
	limits.Memory = o.memory
	cluster, err := core.New(core.Options{
		Clock:              clock.Real(),
		Rand:               rand.Reader,
		Storage:            storage,
		OnDamage:           o.onDamage,
		Quota:              o.quota,
		Controllers:        o.controllers,
		Authorization:      o.authorization,
		WithoutCredentials: o.withoutCredentials(),
		Tokens:             o.tokens,
		Room:               o.room,
		Build:              o.version,
		Webhooks:           o.webhooks(),
		CELRules:           rules.Rules{},
		Descriptions:       o.descriptions,
		OpenAPIv2:          openapi.V2,
		Limits:             limits,
		OnPanic: func(r *http.Request, value any, stack []byte) {
			fmt.Fprintf(os.Stderr, "a panic in %s %s: %v\n%s", r.Method, r.URL, value, stack)
		},
	})
	if err != nil {
		if storage != nil {
			_ = storage.Close() // nothing was written
		}
		return nil, o.explainDamage(err)
	}
	found := cluster.Recovery()
	if found.Unsaved {
		_ = cluster.Close() // which has nothing to save
		return nil, fmt.Errorf("--data: %s", found.Problem)
	}
	if found.Problem != "" {
		fmt.Fprintln(os.Stderr, "devserver: --data:", found.Problem)
	}
	if found.SetAside != "" {
		fmt.Fprintln(os.Stderr, "devserver: --data: what was saved is kept as", found.SetAside)
	}
	return cluster, nil
}

// keepSite builds the site (unless told not to), shows it, and with --dev keeps
// it up to date until ctx is done.
func keepSite(ctx context.Context, o options, front *front, url, kubectl string, restart *restarter) error {
	if o.noBuild {
		index, err := site.Open(o.dir)
		if err != nil {
			return fmt.Errorf("no site to serve in %s: %w", o.dir, err)
		}
		front.follow(o.dir, index)
		o.announce(os.Stdout, url, kubectl, true)
		return nil
	}
	root, err := site.Root()
	if err != nil {
		return err
	}
	builder, err := site.New(site.Options{Root: root, Out: o.dir, Dev: o.dev, Devserver: true, Quick: true,
		Progress: os.Stdout})
	if err != nil {
		return err
	}
	start := time.Now()
	fmt.Printf("building the site into %s\n", o.dir)
	report, err := builder.Build(ctx, site.All)
	if err != nil && (!o.dev || ctx.Err() != nil) {
		return err
	}
	if report != nil {
		front.show(o.dir, report.Index)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%v\n", err)
		front.fail(err)
	} else {
		fmt.Printf("built in %.1f s: %s\n", time.Since(start).Seconds(), report.Index.Total())
	}
	o.announce(os.Stdout, url, kubectl, true)
	if !o.dev {
		return nil
	}
	return watch(ctx, root, o.dir, builder, front, restart)
}

// announce says where everything is.
func (o *options) announce(out *os.File, url, kubectl string, page bool) {
	fmt.Fprintln(out)
	if page {
		fmt.Fprintf(out, "  page     %s/\n", url)
	}
	fmt.Fprintf(out, "  kubectl  %s get namespaces\n\n", kubectl)
	o.announceRooms(out, page, isTerminal(out))
}

// kubectl returns the command that reaches the server at this host, and writes the kubeconfig that was asked for. The
// authority is nil without TLS.
func (o *options) kubectl(host string, certifier *authority) (string, error) {
	server, pem := "http://"+host, []byte(nil)
	if certifier != nil {
		server, pem = "https://"+host, certifier.PEM()
	}
	if o.kubeconfigFile != "" {
		current, err := o.kubeconfig(server, pem).save(o.kubeconfigFile)
		if err != nil {
			return "", fmt.Errorf("--kubeconfig: %w", err)
		}
		command := "kubectl --kubeconfig " + o.kubeconfigFile
		if !current {
			command += " --context " + entry
		}
		return command, nil
	}
	command := "kubectl --server " + server
	if certifier == nil {
		return command, nil
	}
	token := "TOKEN"
	if len(o.tokens) == 0 {
		token = anyToken
	}
	return command + " --insecure-skip-tls-verify --token " + token, nil
}

// listen opens the port, or takes over the one of the process that this one
// replaces.
func listen(addr string) (net.Listener, error) {
	if l, err := inherited(); l != nil || err != nil {
		return l, err
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken, perhaps by another devserver: stop that, or choose another port with --addr "+
			"127.0.0.1:0 (make run ADDR=127.0.0.1:0)", addr)
	}
	return l, err
}

// pageHost returns the host and port to give to a browser: the port that was opened
// on the host that was asked for, or on loopback when that was "any".
func pageHost(addr string, opened net.Addr) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return opened.String()
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	_, port, err := net.SplitHostPort(opened.String())
	if err != nil {
		return opened.String()
	}
	return net.JoinHostPort(host, port)
}
