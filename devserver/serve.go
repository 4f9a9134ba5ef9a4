package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/certificate"
	"github.com/tabernetes/tabernetes/devserver/cluster"
	"github.com/tabernetes/tabernetes/devserver/credentials"
	"github.com/tabernetes/tabernetes/devserver/memory"
	"github.com/tabernetes/tabernetes/devserver/seed"
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
	tokens        credentials.Tokens
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
	// roomsAt are the URLs below which rooms are opened, empty if there are none.
	roomsAt []string
	// descriptions loads the descriptions of types.
	descriptions func(context.Context) ([]byte, error)
}

// shutdownGrace is how long requests under way may take after the end was asked
// for. Streams are ended at once.
const shutdownGrace = 3 * time.Second

// maxHeader is how long the URL and the headers of a request may be together, in bytes: a watch keeps its selectors.
const maxHeader = 64 << 10

// serve runs the server until ctx is done.
func serve(ctx context.Context, o options) error {
	manifests, err := seed.Read(o.seeds)
	if err != nil {
		return err
	}
	o.descriptions = func(context.Context) ([]byte, error) {
		return os.ReadFile(filepath.Join(o.dir, wellknown.DescriptionsFile))
	}
	if o.apiOnly {
		o.descriptions = cluster.InBackground(ctx, cluster.DescriptionsTimeout, makeDescriptions)
	}
	own, err := cluster.Open(o.clusterOptions())
	if err != nil {
		return err
	}
	defer own.Close()
	if err := seed.Apply(ctx, own, o.tokens.Administrator(), manifests); err != nil {
		return err
	}

	var certifier *certificate.Authority
	var pem []byte
	hosts := certificate.Hosts(o.addr, o.allowed)
	if o.usesTLS() {
		if certifier, err = certificate.Open(o.data, hosts, time.Now(), os.Stderr); err == nil {
			pem = certifier.PEM()
		} else {
			return fmt.Errorf("--tls: %w", err)
		}
	}
	listener, err := listen(o.addr)
	if err != nil {
		return err
	}
	host := pageHost(o.addr, listener.Addr())
	clusterURL := "http://" + host
	if certifier != nil {
		clusterURL = "https://" + host
	}
	kubectl, err := credentials.Kubectl(o.kubeconfigFile, clusterURL, pem, o.tokens)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	shared, err := o.roomServer()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	front := newFront(own, shared, o)
	front.authority = pem
	if o.rooms {
		o.roomsAt = o.roomURLs(listener.Addr(), certificate.Interfaces())
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
		signed, err := certifier.Sign(hosts, time.Now())
		if err != nil {
			return err
		}
		spoken = certificate.SpeakBoth(listener, signed)
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
	wg.Go(func() { memory.GiveBack(work) })
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
		if err := errors.Join(own.Close(), closeRooms(shared)); err != nil {
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
	return errors.Join(err, own.Close(), closeRooms(shared))
}

// clusterOptions are those of the server's own cluster.
func (o options) clusterOptions() cluster.Options {
	return cluster.Options{
		Data: o.data, Quota: o.quota, Controllers: o.controllers, Build: o.version,
		Authorization: o.authorization, WithoutCredentials: credentials.WithoutCredentials(o.authorization), Tokens: o.tokens,
		Webhooks: true, Descriptions: o.descriptions,
	}
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

// usesTLS reports whether the port speaks HTTPS.
func (o *options) usesTLS() bool { return o.tls || len(o.tokens) > 0 }

// makeDescriptions makes the descriptions of types as a build of the site does.
func makeDescriptions(ctx context.Context) ([]byte, error) {
	root, err := site.Root()
	if err != nil {
		return nil, err
	}
	return site.Descriptions(ctx, root, filepath.Join(root, ".cache"))
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
