package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/extension"
	"github.com/tabernetes/tabernetes/core/trial"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/devserver/internal/certificate"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
	"github.com/tabernetes/tabernetes/devserver/internal/credentials"
	"github.com/tabernetes/tabernetes/devserver/internal/develop"
	"github.com/tabernetes/tabernetes/devserver/internal/front"
	"github.com/tabernetes/tabernetes/devserver/internal/memory"
	"github.com/tabernetes/tabernetes/devserver/internal/programs"
	"github.com/tabernetes/tabernetes/devserver/internal/room"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// shutdownGrace is how long requests under way may take after the end was asked
// for. Streams are ended at once.
const shutdownGrace = 3 * time.Second

// A server is what runs, put together.
type server struct {
	options
	own *core.Cluster
	// shared serves the rooms, or nil.
	shared *room.Server
	guard  *memory.Guard
	// reloads is nil unless developing, and onDemand has what is built when a page asks for it.
	reloads  *develop.Reloads
	onDemand []*develop.OnDemand
	front    *front.Front
	listener net.Listener
	// host is that of the URLs, with the port.
	host string
	// kubectl is the command that reaches the server's own cluster.
	kubectl string
	// passes are the tokens of the control plane's programs; none if requests need none.
	passes credentials.Tokens
	// kubelets reaches what stands in for those of its nodes; nil without nodes.
	kubelets *programs.Kubelets
}

// serve runs the server until ctx is done.
func serve(ctx context.Context, o options) error {
	manifests, err := seed.Read(o.seeds)
	if err != nil {
		return err
	}
	s := &server{options: o}
	if o.controlPlane && len(o.tokens) > 0 {
		s.passes = programs.Tokens()
	}
	kept := o.clusterOptions(ctx)
	own := kept
	own.Tokens = slices.Concat(own.Tokens, s.passes)
	if s.nodes > 0 {
		s.kubelets = programs.NewKubelets()
		own.Kubelets = s.kubelets
	}
	if s.own, err = cluster.Open(own); err != nil {
		return err
	}
	defer s.own.Close()
	if err := seed.Apply(ctx, s.own, o.tokens.Administrator(), manifests); err != nil {
		return err
	}
	var authority *certificate.Authority
	if o.usesTLS() {
		hosts := certificate.Hosts(o.addr, o.allowed)
		if authority, err = certificate.Open(o.data, hosts, time.Now(), os.Stderr); err != nil {
			return fmt.Errorf("--tls: %w", err)
		}
	}
	if s.listener, err = develop.Listen(o.addr); err != nil {
		return err
	}
	s.host = front.PageHost(o.addr, s.listener.Addr())
	if err := s.assemble(kept, authority); err != nil {
		return errors.Join(err, s.listener.Close())
	}
	return s.run(ctx, authority)
}

// clusterOptions are those of the server's own cluster.
func (o options) clusterOptions(ctx context.Context) cluster.Options {
	all := cluster.Options{
		Data: o.data, Quota: o.quota, Controllers: o.controllers, Build: "tabernetes", Webhooks: true, Tokens: o.tokens,
		FeatureGates: o.gates, Extensions: []extension.Extension{new(cluster.Shares), trial.Trials{}},
		Authorization: o.authorization, WithoutCredentials: credentials.WithoutCredentials(o.authorization),
		Descriptions: func(context.Context) ([]byte, error) {
			return site.ReadAsset(o.files(), wellknown.DescriptionsFile)
		},
	}
	if o.controlPlane { // which makes the accounts
		all.Flags.WithPlugins = []string{"ServiceAccount"}
	}
	if o.apiOnly && o.embedded == nil { // there is no site that has them
		all.Descriptions = cluster.InBackground(ctx, cluster.DescriptionsTimeout, func(ctx context.Context) ([]byte, error) {
			root, err := site.Root()
			if err != nil {
				return nil, err
			}
			return site.Descriptions(ctx, root, filepath.Join(root, ".cache"))
		})
	}
	return all
}

// assemble puts together what answers requests, before any is accepted. The authority is nil without TLS.
func (s *server) assemble(kept cluster.Options, authority *certificate.Authority) (err error) {
	o := front.Options{
		Addr: s.addr, Allowed: s.allowed, Origins: s.origins, TLS: s.usesTLS(), APIOnly: s.apiOnly, CountAPI: s.countAPI,
		ReportMemory: s.reportMemory,
	}
	url := "http://" + s.host
	if authority != nil {
		url, o.Authority = "https://"+s.host, authority.PEM()
	}
	if s.kubectl, err = credentials.Kubectl(s.kubeconfigFile, url, o.Authority, s.tokens); err != nil {
		return err
	}
	if s.rooms {
		if s.shared, err = room.New(kept); err != nil {
			return err
		}
		o.Rooms = s.shared
		shareProcessors()
	}
	s.guard = room.Guard(s.shared, s.quota)
	o.Guard = s.guard
	if s.log {
		o.Log = os.Stdout
	}
	if s.dev {
		s.reloads = develop.NewReloads()
		o.Reloads = s.reloads
	}
	if !s.apiOnly && !s.noBuild && s.embedded == nil {
		for _, program := range nestedPrograms {
			s.onDemand = append(s.onDemand, develop.NewOnDemand(program.Name, func(ctx context.Context) (string, error) {
				return partsOf(ctx, program, true)
			}))
		}
		o.OnDemand = s.onDemand
	}
	s.front = front.New(s.own, o)
	return nil
}

// threadsPerProcessor is how many threads run Go code for each processor when rooms are served.
const threadsPerProcessor = 4

// shareProcessors has the system's scheduler, rather than Go's, decide whose request comes next. Go lets each goroutine
// run for up to 10 ms before one that has become ready: a short request waits for all long ones before it. The system
// prefers a thread that has waited. GOMAXPROCS takes precedence.
func shareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * runtime.NumCPU())
	}
}

// run answers requests until ctx is done, the site cannot be built, or another process takes over.
func (s *server) run(ctx context.Context, authority *certificate.Authority) error {
	// Every request's context ends with this one, and with it every stream.
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	server := s.front.Server(streams)
	spoken := s.listener
	if authority != nil {
		signed, err := authority.Sign(certificate.Hosts(s.addr, s.allowed), time.Now())
		if err != nil {
			return err
		}
		spoken = certificate.SpeakBoth(s.listener, signed)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(spoken) }()

	url := "http://" + s.host
	if s.tls {
		url = "https://" + s.host
	}
	if s.shared != nil {
		defer s.leaveKey(url)()
	}
	fmt.Println("listening on", url)

	work, stopWork := context.WithCancel(ctx)
	defer stopWork()
	var wg sync.WaitGroup
	failed := make(chan error, 1)
	wg.Go(func() { memory.GiveBack(work) })
	wg.Go(func() { s.guard.Run(work) })
	if s.shared != nil {
		wg.Go(func() { s.shared.Run(work) })
	}
	endPrograms := func() {}
	if s.controlPlane {
		endPrograms = s.runPrograms(work, authority, failed)
	}
	restart := (*develop.Restarter)(nil)
	switch {
	case s.apiOnly:
		s.announce(os.Stdout, url, false)
	case s.embedded != nil:
		index, err := site.ReadIndex(s.embedded)
		if err != nil {
			failed <- err
			break
		}
		s.front.ShowFiles(s.embedded, index)
		s.announce(os.Stdout, url, true)
	default:
		restart = develop.NewRestarter(s.listener)
		keeper := &develop.Keeper{
			Dir: s.dir, NoBuild: s.noBuild, Watch: s.dev, Page: s.front, Reloads: s.reloads, Restart: restart,
			OnDemand: s.onDemand,
			Ready:    func() { s.announce(os.Stdout, url, true) },
		}
		wg.Go(func() {
			if err := keeper.Keep(work); err != nil && work.Err() == nil {
				failed <- err
			}
		})
	}

	var err error
	replace := false
	select {
	case err = <-served:
	case err = <-failed:
	case <-ctx.Done():
		fmt.Println("\nstopping")
	case <-restart.Asked():
		replace = true
	}
	endPrograms() // while they can still give back their Leases
	stopWork()
	endStreams()
	s.front.Close()
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if replace {
		// The listener lives on in the new process: Shutdown would close it.
		wg.Wait()
		if err := s.close(); err != nil {
			return err
		}
		return restart.Exec()
	}
	s.front.Wait(grace)
	if e := server.Shutdown(grace); e != nil {
		_ = server.Close() // requests under way have had their time
	}
	wg.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.close())
}

// runPrograms runs the control plane's programs, once they are built. The function that it returns ends them.
func (s *server) runPrograms(ctx context.Context, authority *certificate.Authority, failed chan<- error) (end func()) {
	o := programs.Options{
		Source: s.programs, URL: "http://" + s.host, Tokens: s.passes, RBAC: s.authorization == credentials.RBAC,
		Nodes: s.nodes, Kubelets: s.kubelets,
		Problems: os.Stderr,
	}
	if authority != nil {
		o.URL, o.Authority = "https://"+s.host, authority.PEM()
	}
	if s.log {
		o.Log = os.Stdout
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		err := s.programs.Ready(ctx)
		if err == nil {
			err = programs.Run(ctx, o)
		}
		if err != nil && ctx.Err() == nil {
			select {
			case failed <- fmt.Errorf("--control-plane: %w", err):
			case <-ctx.Done():
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// close closes the clusters.
func (s *server) close() error {
	err := s.own.Close()
	if s.shared != nil {
		err = errors.Join(err, s.shared.Close())
	}
	return err
}

// leaveKey leaves the key of the rooms for the command teacher. The function that it returns removes a key that ends
// with the server.
func (s *server) leaveKey(url string) (remove func()) {
	file, err := room.HostKeyFile(s.data, s.host)
	if err == nil {
		err = room.HostKey{URL: url, Key: s.shared.HostKey}.Write(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "devserver: --rooms: no key for the command teacher:", err)
	}
	if s.data != "" {
		return func() {}
	}
	return func() { _ = os.Remove(file) } // it may not exist
}

// announce says where everything is.
func (s *server) announce(out *os.File, url string, page bool) {
	fmt.Fprintln(out)
	if page {
		fmt.Fprintf(out, "  page     %s/\n", url)
	}
	fmt.Fprintf(out, "  kubectl  %s get namespaces\n\n", s.kubectl)
	if s.shared != nil {
		at := room.Address{
			Addr: s.addr, Opened: s.listener.Addr(), TLS: s.usesTLS(), Allowed: s.allowed,
			Interfaces: certificate.Interfaces(),
		}
		room.Announce(out, s.addr, at.URLs(), page, isTerminal(out))
	}
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
