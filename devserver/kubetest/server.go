package kubetest

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/clock"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/gates"
	"github.com/tabernetes/tabernetes/core/random"
	"github.com/tabernetes/tabernetes/devserver/internal/cluster"
)

// TB is the part of testing.TB that this package needs. What ginkgo's GinkgoT returns has it, too.
type TB interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A Server is an API server with its store. Its methods may be called by several goroutines at once.
type Server struct {
	// The Client of a Server may do anything.
	*Client

	t       TB
	config  config
	cluster *core.Cluster
	hooks   *hooks
	traffic traffic
	rules   rules
	socket  socket

	mu    sync.Mutex
	forks uint64
	ended bool
	// serving counts the requests that are not answered yet.
	serving sync.WaitGroup
}

// config is what options set.
type config struct {
	controllers, rbac                    bool
	failOnOpenWatches, failOnUnusedRules bool
	seeded                               bool
	seed                                 int64
	latency, jitter                      time.Duration
	gates                                map[string]bool
}

// An Option changes what New starts.
type Option func(*config)

// Controllers runs controllers that envtest has not: those that delete what is in a namespace before it goes, collect
// garbage by owner references, give each namespace its default service account and root CA, aggregate ClusterRoles and
// measure ResourceQuotas.
func Controllers() Option { return func(c *config) { c.controllers = true } }

// RBAC authorizes requests by roles and bindings, of which there are the default ones. Requests without credentials are
// anonymous. Otherwise everybody may do anything.
func RBAC() Option { return func(c *config) { c.rbac = true } }

// Seed makes uids and generated names the same in each run, and the choices of Latency. Otherwise they are random.
func Seed(seed int64) Option { return func(c *config) { c.seeded, c.seed = true, seed } }

// Latency makes each request wait before it is served, for d and up to jitter more. A controller that is right only if
// the server answers at once is found out by it.
func Latency(d, jitter time.Duration) Option {
	return func(c *config) { c.latency, c.jitter = d, jitter }
}

// FeatureGates sets feature gates of kube-apiserver by their names. Those that the server does not have fail the test.
func FeatureGates(values map[string]bool) Option { return func(c *config) { c.gates = values } }

// FailOnOpenWatches fails a test at whose end a watch is still open, a second after its own cleanups. Otherwise that is
// logged.
func FailOnOpenWatches() Option { return func(c *config) { c.failOnOpenWatches = true } }

// FailOnUnusedRules fails a test at whose end no request has met a rule that Block, Fail or Faults has made. Otherwise
// that is logged.
func FailOnUnusedRules() Option { return func(c *config) { c.failOnUnusedRules = true } }

// New starts a server, which ends with the test. It has the namespaces and objects that a new cluster has.
func New(t TB, options ...Option) *Server {
	needs(t, "New")
	t.Helper()
	s := &Server{t: t, hooks: newHooks()}
	s.Client = &Client{server: s}
	t.Cleanup(s.close)
	for _, o := range options {
		o(&s.config)
	}
	o, err := s.core(nil)
	if err == nil {
		s.cluster, err = core.New(o)
	}
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	return s
}

// Fork starts a copy of the server as it is now, with its objects and their history, its clock, and what its watch
// caches remember. Neither sees what is written to the other from then on. The copy has the same options and webhooks,
// and none of the rules that Block, Fail and Faults have made. It takes time and memory for what changes only, whatever
// the number of objects, and ends with the test that it is made for.
func (s *Server) Fork(t TB) *Server {
	needs(t, "Fork")
	t.Helper()
	f := &Server{t: t, config: s.config, hooks: s.hooks.fork()}
	f.Client = &Client{server: f}
	t.Cleanup(f.close)
	s.mu.Lock()
	s.forks++
	n := s.forks
	s.mu.Unlock()
	// What forks make has other uids than what is there.
	f.config.seed = int64(rand.New(rand.NewPCG(uint64(s.config.seed), n)).Uint64() >> 1)
	o, err := f.core(nil)
	if err == nil {
		f.cluster, err = s.cluster.Fork(o)
	}
	if err != nil {
		t.Fatalf("kubetest: %v", err)
	}
	return f
}

// core returns the options of the server's cluster, whose expressions cel evaluates; it may be nil.
func (s *Server) core(cel expression.Evaluator) (core.Options, error) {
	all := cluster.Options{
		Controllers: s.config.controllers, Build: "kubetest", Webhooks: true, CEL: cel,
		Tokens: []core.Token{{Token: adminToken, User: "kubernetes-admin", Groups: []string{"system:masters"}}},
	}
	if s.config.rbac {
		all.Authorization, all.WithoutCredentials = "RBAC", "Anonymous"
	}
	if s.config.latency < 0 || s.config.jitter < 0 {
		return core.Options{}, fmt.Errorf("Latency: %v and %v more: neither may be negative", s.config.latency,
			s.config.jitter)
	}
	set, wrong := gates.Set{}.With(s.config.gates)
	for name, err := range wrong {
		return core.Options{}, fmt.Errorf("FeatureGates: %s: %w", name, err)
	}
	all.FeatureGates = set
	o := all.Core()
	o.Clock, o.Rand = clock.Real(), io.Reader(crand.Reader)
	if s.config.seeded {
		o.Rand = random.NewSeeded(s.config.seed)
	}
	o.Webhooks = s.hooks.caller(o.Webhooks)
	if s.config.latency > 0 || s.config.jitter > 0 {
		// Each further write of a request waits as its first did, and watches outlive their definition by a second, as they
		// do at the real server.
		o.Between = func(ctx context.Context) error { return clock.Sleep(ctx, clock.Real(), s.config.latency) }
		o.Drain = time.Second
	}
	return o, nil
}

// close ends the server.
func (s *Server) close() {
	if s.cluster == nil {
		return
	}
	s.reportWatches()
	s.reportRules()
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.rules.end()
	if err := s.cluster.Close(); err != nil {
		s.t.Errorf("kubetest: %v", err)
	}
	s.socket.close()
	s.serving.Wait()
}
