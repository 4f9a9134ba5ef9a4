// Package manager is kube-controller-manager with the controllers that the page's cluster has work for: those of
// workloads, Services, namespaces and nodes. They are made as the original makes them, with its defaults.
package manager

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/controller-manager/pkg/clientbuilder"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"

	"github.com/tabernetes/tabernetes/wasm/controllers/connect"
)

// Name is the program's.
const Name = "kube-controller-manager"

// What the original has by default: the limits of each client, and how long informers wait at least until they hand out
// everything again.
const (
	qps, burst = 20, 30
	minResync  = 12 * time.Hour
)

// shutdown is how long controllers may take to end.
const shutdown = 10 * time.Second

// options are the manager's flags.
type options struct {
	controllers, rootCA string
	accounts            bool
}

// Flags defines the manager's flags, and returns what runs it.
func Flags(flags *flag.FlagSet) func(context.Context, *connect.Server) error {
	o := &options{}
	flags.StringVar(&o.controllers, "controllers", "*",
		"the controllers to run: * for all, foo for the one with that name, -foo for all but that one")
	flags.StringVar(&o.rootCA, "root-ca-file", "",
		"the certificate that namespaces get; without it, that of kube-root-ca.crt in kube-system, if that is there")
	flags.BoolVar(&o.accounts, "use-service-account-credentials", false, "each controller uses its own ServiceAccount")
	return o.run
}

// A manager is what controllers are made of.
type manager struct {
	options
	// own is the manager's client; clients makes those of controllers.
	own       kubernetes.Interface
	clients   clientbuilder.ControllerClientBuilder
	informers informers.SharedInformerFactory
	// generic are informers for any resource: those of informers, or for other types, of metadata alone.
	generic informerfactory.InformerFactory
	mapper  *restmapper.DeferredDiscoveryRESTMapper
	// graph is what the garbage collector knows of owners.
	graph *garbagecollector.GraphBuilder
	// started is closed when the informers are.
	started chan struct{}
}

// resync returns a period; no two are the same, so that informers do not hand out everything at the same time.
func resync() time.Duration { return time.Duration(float64(minResync) * (1 + rand.Float64())) }

// trim leaves out what no controller reads.
func trim(obj any) (any, error) {
	if accessor, err := meta.Accessor(obj); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return obj, nil
}

// run runs the controllers until the context ends.
func (o *options) run(ctx context.Context, server *connect.Server) error {
	rest.SetDefaultWarningHandler(rest.NoWarnings{}) // the garbage collector watches old versions too
	server.Limits(qps, burst)
	wanted, err := o.wanted()
	if err != nil {
		return err
	}
	m, err := newManager(ctx, *o, server.Config)
	if err != nil {
		return err
	}
	loops := map[string]loop{}
	for _, c := range wanted {
		logger := klog.LoggerWithName(klog.FromContext(ctx), c.name)
		run, err := c.make(klog.NewContext(ctx, logger), m)
		if err != nil {
			return fmt.Errorf("making the %s: %w", c.name, err)
		}
		if run != nil {
			loops[c.name] = run
		}
	}
	m.informers.Start(ctx.Done())
	m.generic.Start(ctx.Done())
	close(m.started)
	return runAll(ctx, loops)
}

// wanted returns the controllers that the flag names.
func (o *options) wanted() ([]controller, error) {
	words := strings.Split(o.controllers, ",")
	for _, word := range words {
		name := strings.TrimPrefix(word, "-")
		if word != "*" && !slices.ContainsFunc(controllers, func(c controller) bool { return c.name == name }) {
			return nil, fmt.Errorf("--controllers: there is no %q", name)
		}
	}
	var wanted []controller
	for _, c := range controllers {
		if !slices.Contains(words, "-"+c.name) && (slices.Contains(words, "*") || slices.Contains(words, c.name)) {
			wanted = append(wanted, c)
		}
	}
	return wanted, nil
}

// newManager returns what the controllers are made of.
func newManager(ctx context.Context, o options, config *rest.Config) (*manager, error) {
	root := clientbuilder.SimpleControllerClientBuilder{ClientConfig: config}
	m := &manager{options: o, clients: root, started: make(chan struct{})}
	var err error
	if m.own, err = root.Client("shared-informers"); err != nil {
		return nil, err
	}
	if o.accounts {
		m.clients = clientbuilder.NewDynamicClientBuilder(rest.AnonymousClientConfig(config), m.own.CoreV1(),
			metav1.NamespaceSystem)
	}
	metadataConfig, err := root.Config("metadata-informers")
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(metadataConfig)
	if err != nil {
		return nil, err
	}
	discovery, err := root.DiscoveryClient("controller-discovery")
	if err != nil {
		return nil, err
	}
	m.informers = informers.NewSharedInformerFactoryWithOptions(m.own, resync(), informers.WithTransform(trim))
	m.generic = informerfactory.NewInformerFactory(m.informers, metadatainformer.NewSharedInformerFactoryWithOptions(
		metadataClient, resync(), metadatainformer.WithTransform(trim)))
	m.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(discovery))
	go wait.Until(m.mapper.Reset, discoverPeriod, ctx.Done())
	m.graph = garbagecollector.NewDependencyGraphBuilder(ctx, metadataClient, m.mapper,
		garbagecollector.DefaultIgnoredResources(), m.generic, m.started)
	return m, nil
}

// client returns a client that says in its User-Agent, and to RBAC, whose it is.
func (m *manager) client(name string) (kubernetes.Interface, error) { return m.clients.Client(name) }

// runAll runs the loops until the context ends, and waits for them for some time.
func runAll(ctx context.Context, loops map[string]loop) error {
	var running sync.WaitGroup
	for name, run := range loops {
		// What it logs says which it is.
		named := klog.NewContext(ctx, klog.LoggerWithName(klog.FromContext(ctx), name))
		running.Go(func() { run(named) })
	}
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	<-ctx.Done()
	select {
	case <-ended:
		return ctx.Err()
	case <-time.After(shutdown):
		return errors.New("controllers have not ended in time")
	}
}
