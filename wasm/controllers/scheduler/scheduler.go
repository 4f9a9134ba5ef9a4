// Package scheduler is kube-scheduler with its default profile.
package scheduler

import (
	"context"
	"flag"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"

	"github.com/tabernetes/tabernetes/wasm/controllers/connect"
)

// Name is the program's.
const Name = "kube-scheduler"

// The limits of each client, those of its default configuration.
const (
	qps   = 50
	burst = 100
)

// unschedulableFor is how long a Pod that fits nowhere waits at most until it is tried again, as by the original's
// flag.
const unschedulableFor = 5 * time.Minute

// Flags defines the scheduler's flags, and returns what runs it.
func Flags(*flag.FlagSet) func(context.Context, *connect.Server) error { return run }

// run schedules Pods until the context ends.
func run(ctx context.Context, server *connect.Server) error {
	server.Limits(qps, burst)
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(server.Config, "scheduler"))
	if err != nil {
		return err
	}
	recording, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		return err
	}
	dynamicClient, err := dynamic.NewForConfig(server.Config)
	if err != nil {
		return err
	}
	broadcaster := events.NewEventBroadcasterAdapterWithContext(ctx, recording)
	informers := scheduler.NewInformerFactory(client, 0)
	dynamicInformers := dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0)
	s, err := scheduler.New(ctx, client, informers, dynamicInformers,
		profile.RecorderFactory(func(name string) events.EventRecorderLogger { return broadcaster.NewRecorder(name) }),
		scheduler.WithKubeConfig(server.Config),
		scheduler.WithPodMaxInUnschedulablePodsDuration(unschedulableFor),
	)
	if err != nil {
		return err
	}
	broadcaster.StartRecordingToSink(ctx.Done())
	defer broadcaster.Shutdown()
	informers.Start(ctx.Done())
	dynamicInformers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	dynamicInformers.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		return err
	}
	s.Run(ctx)
	return ctx.Err()
}
