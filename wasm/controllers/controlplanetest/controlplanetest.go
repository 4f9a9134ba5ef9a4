// Package controlplanetest gives a kubetest server a control plane: the real controllers and the real scheduler of
// Kubernetes, and nodes on which Pods look as if they ran, in the test's own process.
//
// Invariants:
//   - What is started has ended when the cleanup of the test has run.
//   - It takes no socket and no file, so it works in a bubble of testing/synctest, in which an hour takes a moment.
//
// Costs: half a second until a Deployment is available, and a second at the end of a test outside of a bubble.
// README.md of the module says how others use it.
package controlplanetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/klog/v2"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
	"github.com/tabernetes/tabernetes/wasm/controllers/manager"
	"github.com/tabernetes/tabernetes/wasm/controllers/nodes"
	"github.com/tabernetes/tabernetes/wasm/controllers/program"
	"github.com/tabernetes/tabernetes/wasm/controllers/scheduler"
)

// Two things that client-go and Go make once in a process must not meet a bubble's time and channels. After an error
// client-go waits, counting from when the process has started, which is years after a bubble's time. And what carries
// signals to channels, for one of which the scheduler waits, is made with the first.
func init() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
}

// lastLook is how long the scheduler's metrics may sleep until they see that it has ended, which nothing waits for.
const lastLook = time.Second + time.Millisecond

// config is what options set.
type config struct {
	nodes int
	flags map[string][]string
	wrap  transport.WrapperFunc
	log   logr.Logger
}

// An Option changes what Start starts.
type Option func(*config)

// Nodes is how many Nodes there are: node-1 and so on. Without this option there is one.
func Nodes(n int) Option { return func(c *config) { c.nodes = n } }

// Flags adds flags to those of a program: kube-controller-manager, kube-scheduler or kubelets.
func Flags(program string, flags ...string) Option {
	return func(c *config) { c.flags[program] = append(c.flags[program], flags...) }
}

// Wrap has the requests of all programs go through a transport.
func Wrap(wrap func(http.RoundTripper) http.RoundTripper) Option {
	return func(c *config) { c.wrap = wrap }
}

// Log is where the programs log to. Without this option they do not, but for what some write with klog's own functions.
func Log(log logr.Logger) Option { return func(c *config) { c.log = log } }

// Start starts the programs, which end with the test. They may do anything.
func Start(t kubetest.TB, server *kubetest.Server, options ...Option) {
	t.Helper()
	c := config{nodes: 1, flags: map[string][]string{}, log: logr.Discard()}
	for _, o := range options {
		o(&c)
	}
	c.flags[nodes.Name] = append([]string{fmt.Sprintf("--nodes=%d", c.nodes)}, c.flags[nodes.Name]...)
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), c.log))
	var running sync.WaitGroup
	for _, name := range []string{manager.Name, scheduler.Name, nodes.Name} {
		running.Go(func() {
			err := Run(ctx, server, c.wrap, name, c.flags[name]...)
			if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
				t.Errorf("controlplanetest: %s has ended: %v", name, err)
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		running.Wait()
		time.Sleep(lastLook)
	})
}

// Run runs one program with its flags, as Start does, until the context ends. Its requests go through what wrap
// returns; wrap may be nil.
func Run(ctx context.Context, server *kubetest.Server, wrap transport.WrapperFunc, name string, flags ...string) error {
	own := &rest.Config{Host: kubetest.Host, Transport: server.Transport()}
	own.Wrap(transport.Wrappers(wrap, named(name)))
	return program.Run(ctx, own, name, flags...)
}

// named makes the process's name in a User-Agent, which client-go puts there, that of a program.
func named(name string) transport.WrapperFunc {
	process := filepath.Base(os.Args[0]) + "/"
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if rest, ok := strings.CutPrefix(r.UserAgent(), process); ok {
				r = r.Clone(r.Context())
				r.Header.Set("User-Agent", name+"/"+rest)
			}
			return next.RoundTrip(r)
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
