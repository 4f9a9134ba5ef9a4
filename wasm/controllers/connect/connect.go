// Package connect is what both programs do alike: they find the API server, wait until it is healthy, and of several
// copies only the one that holds the Lease works.
package connect

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// The times of leader election, by default those of k8s.io/component-base/config/v1alpha1.
type times struct{ lease, renew, retry time.Duration }

// A Server is the API server, as one program reaches it.
type Server struct {
	// Config is how it is reached: what Run is given, completed by what flags say; nil: flags say all of it.
	Config *rest.Config

	name               string
	master, kubeconfig string
	qps                float64
	burst              int
	elect, untilStdin  bool
	identity, as       string
	times              times
}

// Flags defines the flags of all programs for the one with a name.
func Flags(flags *flag.FlagSet, name string) *Server {
	s := &Server{name: name}
	flags.StringVar(&s.master, "master", "", "the URL of the API server, instead of the kubeconfig's")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "the file that says how the API server is reached")
	flags.Float64Var(&s.qps, "kube-api-qps", 0, "requests per second of each client; 0: as many as the original's")
	flags.IntVar(&s.burst, "kube-api-burst", 0, "requests of each client at once; 0: as many as the original's")
	flags.BoolVar(&s.elect, "leader-elect", true, "work only while this copy holds the program's Lease in kube-system")
	flags.StringVar(&s.identity, "leader-elect-identity", "",
		"who holds the Lease: a copy with the same name takes it over at once; empty: a new name")
	flags.DurationVar(&s.times.lease, "leader-elect-lease-duration", 15*time.Second,
		"how long a Lease counts after its holder has renewed it")
	flags.DurationVar(&s.times.renew, "leader-elect-renew-deadline", 10*time.Second,
		"how long the holder tries to renew its Lease before it ends")
	flags.DurationVar(&s.times.retry, "leader-elect-retry-period", 2*time.Second,
		"the time between two renewals, or two tries to get the Lease")
	flags.StringVar(&s.as, "as", "", "the user to act as, by impersonation")
	flags.BoolVar(&s.untilStdin, "end-with-stdin", false, "end when standard input does, as with the process that has it")
	return s
}

// Limits sets the requests per second, and at once, of each client, unless flags say others.
func (s *Server) Limits(qps float32, burst int) {
	if s.Config.QPS == 0 {
		s.Config.QPS = qps
	}
	if s.Config.Burst == 0 {
		s.Config.Burst = burst
	}
}

// Run runs a program until the context ends, or until it has lost its Lease, which is an error.
func (s *Server) Run(ctx context.Context, start func(context.Context, *Server) error) error {
	if s.untilStdin {
		alone, end := context.WithCancel(ctx)
		ctx = alone
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // however it ends
			end()
		}()
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	config.QPS, config.Burst = float32(s.qps), s.burst
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.DisableCompression = true
	config.Impersonate.UserName = s.as
	s.Config = config
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(config, "leader-election"))
	if err != nil {
		return err
	}
	if err := await(ctx, client); err != nil {
		return err
	}
	if !s.elect {
		return start(ctx, s)
	}
	return s.lead(ctx, client, start)
}

// config returns how the server is reached.
func (s *Server) config() (*rest.Config, error) {
	if s.Config != nil {
		return rest.CopyConfig(s.Config), nil
	}
	return clientcmd.BuildConfigFromFlags(s.master, s.kubeconfig)
}

// await waits until the server says that it is healthy.
func await(ctx context.Context, client kubernetes.Interface) error {
	return wait.PollUntilContextCancel(ctx, time.Second, true, func(ctx context.Context) (bool, error) {
		body, err := client.Discovery().RESTClient().Get().AbsPath("/healthz").DoRaw(ctx)
		return err == nil && string(body) == "ok", nil
	})
}

// lead runs the program while it holds its Lease.
func (s *Server) lead(ctx context.Context, client kubernetes.Interface,
	start func(context.Context, *Server) error) error {
	identity := s.identity
	if identity == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		identity = host + "_" + string(uuid.NewUUID())
	}
	lease, err := resourcelock.New(resourcelock.LeasesResourceLock, metav1.NamespaceSystem, s.name, client.CoreV1(),
		client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: identity})
	if err != nil {
		return err
	}
	lock := &lock{Interface: lease}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, Name: s.name, ReleaseOnCancel: true,
		LeaseDuration: s.times.lease, RenewDeadline: s.times.renew, RetryPeriod: s.times.retry,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				ended <- start(ctx, s)
				cancel()
			},
			OnStoppedLeading: func() {},
		},
	})
	switch {
	case ctx.Err() == nil: // what it still does ends with the process
		return fmt.Errorf("%s has lost its Lease", s.name)
	case lock.held:
		return <-ended
	}
	return ctx.Err()
}

// A lock is a Lease that knows whether it has ever been held: then the program has been started.
type lock struct {
	resourcelock.Interface
	held bool
}

func (l *lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	err := l.Interface.Create(ctx, r)
	l.held = l.held || err == nil
	return err
}

func (l *lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	err := l.Interface.Update(ctx, r)
	l.held = l.held || err == nil
	return err
}
