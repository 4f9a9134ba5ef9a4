// More than 400 lines: one list of controllers that are made alike.

package manager

import (
	"context"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/scale"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-controller-manager/names"
	"k8s.io/kubernetes/pkg/controller/certificates/rootcacertpublisher"
	"k8s.io/kubernetes/pkg/controller/cronjob"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/disruption"
	"k8s.io/kubernetes/pkg/controller/endpoint"
	"k8s.io/kubernetes/pkg/controller/endpointslice"
	"k8s.io/kubernetes/pkg/controller/endpointslicemirroring"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/job"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/podgc"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/replication"
	"k8s.io/kubernetes/pkg/controller/resourcequota"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
	"k8s.io/kubernetes/pkg/controller/ttlafterfinished"
	"k8s.io/kubernetes/pkg/controller/volume/pvcprotection"
	"k8s.io/kubernetes/pkg/controller/volume/pvprotection"
	quotainstall "k8s.io/kubernetes/pkg/quota/v1/install"
)

// A loop is a controller at work, which returns when the context has ended.
type loop func(context.Context)

// A controller is one that the manager can run: its name in --controllers, and what makes it. Without a loop there is
// nothing for it to do.
type controller struct {
	name string
	make func(context.Context, *manager) (loop, error)
}

// controllers are all of them, in alphabetical order.
var controllers = []controller{
	{names.CronJobController, as("cronjob-controller", newCronJob)},
	{names.DaemonSetController, as("daemon-set-controller", newDaemonSet)},
	{names.DeploymentController, as("deployment-controller", newDeployment)},
	{names.DisruptionController, newDisruption},
	{names.EndpointsController, as("endpoint-controller", newEndpoints)},
	{names.EndpointSliceController, as("endpointslice-controller", newEndpointSlice)},
	{names.EndpointSliceMirroringController, as("endpointslicemirroring-controller", newEndpointSliceMirroring)},
	{names.GarbageCollectorController, newGarbageCollector},
	{names.JobController, as("job-controller", newJob)},
	{names.NamespaceController, newNamespace},
	{names.NodeLifecycleController, as("node-controller", newNodeLifecycle)},
	{names.PersistentVolumeClaimProtectionController, as("pvc-protection-controller", newClaimProtection)},
	{names.PersistentVolumeProtectionController, as("pv-protection-controller", newVolumeProtection)},
	{names.PodGarbageCollectorController, as("pod-garbage-collector", newPodGC)},
	{names.ReplicaSetController, as("replicaset-controller", newReplicaSet)},
	{names.ReplicationControllerController, as("replication-controller", newReplication)},
	{names.ResourceQuotaController, newResourceQuota},
	{names.RootCACertificatePublisherController, as("root-ca-cert-publisher", newRootCAPublisher)},
	{names.ServiceAccountController, as("service-account-controller", newServiceAccount)},
	{names.StatefulSetController, as("statefulset-controller", newStatefulSet)},
	{names.TaintEvictionController, as("node-controller", newTaintEviction)}, // with the rights of that one
	{names.TTLAfterFinishedController, as("ttl-after-finished-controller", newTTLAfterFinished)},
}

// What the original's configuration has by default: how many keys a controller works on at the same time, and the rest.
const (
	workers          = 5
	daemonWorkers    = 2
	namespaceWorkers = 10
	garbageWorkers   = 20

	resyncPeriod    = 5 * time.Minute // of namespaces and quotas
	discoverPeriod  = 30 * time.Second
	daemonBackOff   = time.Second
	daemonBackOffTo = 15 * time.Minute

	endpointsPerSlice    = 100
	mirroredPerSubset    = 1000
	terminatedPods       = 12500
	nodeMonitorPeriod    = 5 * time.Second
	nodeStartupGrace     = 60 * time.Second
	nodeMonitorGrace     = 50 * time.Second
	evictionRate         = 0.1 // nodes per second
	secondEvictionRate   = 0.01
	largeCluster         = 50 // nodes
	unhealthyZone        = 0.55
	namespaceQPSFactor   = 20
	namespaceBurstFactor = 100
)

// as has a controller made with the client of a user.
func as(user string, make func(context.Context, *manager, kubernetes.Interface) (loop, error)) func(context.Context,
	*manager) (loop, error) {
	return func(ctx context.Context, m *manager) (loop, error) {
		client, err := m.client(user)
		if err != nil {
			return nil, err
		}
		return make(ctx, m, client)
	}
}

// with returns a loop of so many workers.
func with(run func(context.Context, int), workers int) loop {
	return func(ctx context.Context) { run(ctx, workers) }
}

// both returns a loop that runs two at the same time.
func both(a, b loop) loop {
	return func(ctx context.Context) {
		var running sync.WaitGroup
		running.Go(func() { a(ctx) })
		running.Go(func() { b(ctx) })
		running.Wait()
	}
}

func newCronJob(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	c, err := cronjob.NewControllerV2(ctx, m.informers.Batch().V1().Jobs(), m.informers.Batch().V1().CronJobs(), client)
	if err != nil {
		return nil, err
	}
	return with(c.Run, workers), nil
}

func newDaemonSet(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	apps, core := m.informers.Apps().V1(), m.informers.Core().V1()
	c, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(),
		client, flowcontrol.NewBackOff(daemonBackOff, daemonBackOffTo))
	if err != nil {
		return nil, err
	}
	return with(c.Run, daemonWorkers), nil
}

func newDeployment(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	apps := m.informers.Apps().V1()
	c, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(),
		m.informers.Core().V1().Pods(), client)
	if err != nil {
		return nil, err
	}
	return with(c.Run, workers), nil
}

func newDisruption(ctx context.Context, m *manager) (loop, error) {
	const name = "disruption-controller"
	client, err := m.client(name)
	if err != nil {
		return nil, err
	}
	config, err := m.clients.Config(name)
	if err != nil {
		return nil, err
	}
	scales, err := scale.NewForConfig(config, m.mapper, dynamic.LegacyAPIPathResolverFunc,
		scale.NewDiscoveryScaleKindResolver(client.Discovery()))
	if err != nil {
		return nil, err
	}
	apps, core := m.informers.Apps().V1(), m.informers.Core().V1()
	c := disruption.NewDisruptionController(ctx, core.Pods(), m.informers.Policy().V1().PodDisruptionBudgets(),
		core.ReplicationControllers(), apps.ReplicaSets(), apps.Deployments(), apps.StatefulSets(), client, m.mapper, scales,
		client.Discovery())
	return c.Run, nil
}

func newEndpoints(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c := endpoint.NewEndpointController(ctx, core.Pods(), core.Services(), core.Endpoints(), client, 0)
	return with(c.Run, workers), nil
}

func newEndpointSlice(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c := endpointslice.NewController(ctx, core.Pods(), core.Services(), core.Nodes(),
		m.informers.Discovery().V1().EndpointSlices(), endpointsPerSlice, client, 0)
	return with(c.Run, workers), nil
}

func newEndpointSliceMirroring(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c := endpointslicemirroring.NewController(ctx, core.Endpoints(), m.informers.Discovery().V1().EndpointSlices(),
		core.Services(), mirroredPerSubset, client, 0)
	return with(c.Run, workers), nil
}

func newGarbageCollector(ctx context.Context, m *manager) (loop, error) {
	const name = "generic-garbage-collector"
	client, err := m.client(name)
	if err != nil {
		return nil, err
	}
	discovery, err := m.clients.DiscoveryClient(name)
	if err != nil {
		return nil, err
	}
	config, err := m.clients.Config(name)
	if err != nil {
		return nil, err
	}
	config.QPS *= 2 // a deletion takes two requests
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	c, err := garbagecollector.NewComposedGarbageCollector(ctx, client, metadataClient, m.mapper, m.graph)
	if err != nil {
		return nil, err
	}
	return both(
		func(ctx context.Context) { c.Run(ctx, garbageWorkers, discoverPeriod) },
		func(ctx context.Context) { c.Sync(ctx, discovery, discoverPeriod) },
	), nil
}

func newJob(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	// Workloads and PodGroups are alpha.
	c, err := job.NewController(ctx, client, m.informers.Core().V1().Pods(), m.informers.Batch().V1().Jobs(), nil, nil)
	if err != nil {
		return nil, err
	}
	return with(c.Run, workers), nil
}

func newNamespace(ctx context.Context, m *manager) (loop, error) {
	config, err := m.clients.Config("namespace-controller")
	if err != nil {
		return nil, err
	}
	config.QPS *= namespaceQPSFactor
	config.Burst *= namespaceBurstFactor
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	c := namespace.NewNamespaceController(ctx, client, metadataClient,
		client.Discovery().ServerPreferredNamespacedResources, m.informers.Core().V1().Namespaces(), resyncPeriod,
		corev1.FinalizerKubernetes)
	return with(c.Run, namespaceWorkers), nil
}

func newNodeLifecycle(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c, err := nodelifecycle.NewNodeLifecycleController(ctx, m.informers.Coordination().V1().Leases(), core.Pods(),
		core.Nodes(), m.informers.Apps().V1().DaemonSets(), client, nodeMonitorPeriod, nodeStartupGrace, nodeMonitorGrace,
		evictionRate, secondEvictionRate, largeCluster, unhealthyZone)
	if err != nil {
		return nil, err
	}
	return c.Run, nil
}

func newClaimProtection(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c, err := pvcprotection.NewPVCProtectionController(klog.FromContext(ctx), core.PersistentVolumeClaims(), core.Pods(),
		client)
	if err != nil {
		return nil, err
	}
	return with(c.Run, 1), nil
}

func newVolumeProtection(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	c := pvprotection.NewPVProtectionController(klog.FromContext(ctx), m.informers.Core().V1().PersistentVolumes(), client)
	return with(c.Run, 1), nil
}

func newPodGC(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	return podgc.NewPodGC(ctx, client, core.Pods(), core.Nodes(), terminatedPods).Run, nil
}

func newReplicaSet(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	c := replicaset.NewReplicaSetController(ctx, m.informers.Apps().V1().ReplicaSets(), m.informers.Core().V1().Pods(),
		client, replicaset.BurstReplicas)
	return with(c.Run, workers), nil
}

func newReplication(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c := replication.NewReplicationManager(ctx, core.Pods(), core.ReplicationControllers(), client,
		replication.BurstReplicas)
	return with(c.Run, workers), nil
}

func newResourceQuota(ctx context.Context, m *manager) (loop, error) {
	const name = "resourcequota-controller"
	client, err := m.client(name)
	if err != nil {
		return nil, err
	}
	discovery, err := m.clients.DiscoveryClient(name)
	if err != nil {
		return nil, err
	}
	quota, err := quotainstall.NewQuotaConfigurationForControllers(
		generic.ListerFuncForResourceFunc(m.informers.ForResource), m.informers)
	if err != nil {
		return nil, err
	}
	c, err := resourcequota.NewController(ctx, &resourcequota.ControllerOptions{
		QuotaClient:               client.CoreV1(),
		ResourceQuotaInformer:     m.informers.Core().V1().ResourceQuotas(),
		ResyncPeriod:              func() time.Duration { return resyncPeriod },
		InformerFactory:           m.generic,
		ReplenishmentResyncPeriod: resync,
		DiscoveryFunc:             discovery.ServerPreferredNamespacedResources,
		IgnoredResourcesFunc:      quota.IgnoredResources,
		InformersStarted:          m.started,
		Registry:                  generic.NewRegistry(quota.Evaluators()),
		UpdateFilter:              quotainstall.DefaultUpdateFilter(),
	})
	if err != nil {
		return nil, err
	}
	return both(
		with(c.Run, workers),
		func(ctx context.Context) { c.Sync(ctx, discovery.ServerPreferredNamespacedResources, discoverPeriod) },
	), nil
}

// newRootCAPublisher makes nothing if there is no certificate: it would publish an empty one.
func newRootCAPublisher(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	data, err := m.rootCAData(ctx)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	core := m.informers.Core().V1()
	c, err := rootcacertpublisher.NewPublisher(core.ConfigMaps(), core.Namespaces(), client, data)
	if err != nil {
		return nil, err
	}
	return with(c.Run, 1), nil
}

// rootCAData returns the certificate that namespaces get: that of the flag, or the one that the server itself has
// published; nil if there is neither.
func (m *manager) rootCAData(ctx context.Context) ([]byte, error) {
	if m.rootCA != "" {
		return os.ReadFile(m.rootCA)
	}
	found, err := m.own.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, rootcacertpublisher.RootCACertConfigMapName,
		metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []byte(found.Data["ca.crt"]), nil
}

func newServiceAccount(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c, err := serviceaccount.NewServiceAccountsController(klog.FromContext(ctx), core.ServiceAccounts(), core.Namespaces(),
		client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return nil, err
	}
	return with(c.Run, 1), nil
}

func newStatefulSet(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	apps, core := m.informers.Apps().V1(), m.informers.Core().V1()
	c := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(),
		apps.ControllerRevisions(), client)
	return with(c.Run, workers), nil
}

func newTaintEviction(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	core := m.informers.Core().V1()
	c, err := tainteviction.New(ctx, client, core.Pods(), core.Nodes(), names.TaintEvictionController)
	if err != nil {
		return nil, err
	}
	return c.Run, nil
}

func newTTLAfterFinished(ctx context.Context, m *manager, client kubernetes.Interface) (loop, error) {
	return with(ttlafterfinished.New(ctx, m.informers.Batch().V1().Jobs(), client).Run, workers), nil
}
