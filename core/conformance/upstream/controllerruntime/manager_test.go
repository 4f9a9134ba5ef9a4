package controllerruntime

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

const (
	finalizer = "example.com/record"
	// observed is the annotation that records what the reconciler has seen.
	observed = "example.com/observed"
)

// sites is a reconciler: for every ConfigMap with the label "site" it creates a Deployment and a
// Service, which the ConfigMap owns, and a record, which it does not own.
type sites struct{ client.Client }

func (s sites) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &corev1.ConfigMap{}
	if err := s.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	record := &corev1.ConfigMap{ObjectMeta: meta(site.Name + "-record")}
	if !site.DeletionTimestamp.IsZero() {
		if err := client.IgnoreNotFound(s.Delete(ctx, record)); err != nil {
			return ctrl.Result{}, err
		}
		controllerutil.RemoveFinalizer(site, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(s.Update(ctx, site))
	}
	if before := site.DeepCopy(); controllerutil.AddFinalizer(site, finalizer) {
		if err := s.Patch(ctx, site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := client.IgnoreAlreadyExists(s.Create(ctx, record)); err != nil {
		return ctrl.Result{}, err
	}
	replicas, err := strconv.Atoi(site.Data["replicas"])
	if err != nil {
		return ctrl.Result{}, err
	}
	d := &appsv1.Deployment{ObjectMeta: meta(site.Name)}
	if _, err := controllerutil.CreateOrUpdate(ctx, s, d, func() error {
		if d.CreationTimestamp.IsZero() {
			d.Spec = deployment(site.Name).Spec
		}
		d.Spec.Replicas = ptr.To(int32(replicas))
		d.Spec.Template.Spec.Containers[0].Image = site.Data["image"]
		return controllerutil.SetControllerReference(site, d, s.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if err := s.Apply(ctx, applycore.Service(site.Name, namespace).
		WithOwnerReferences(applymeta.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").
			WithName(site.Name).WithUID(site.UID).WithController(true).WithBlockOwnerDeletion(true)).
		WithSpec(applycore.ServiceSpec().WithSelector(map[string]string{"app": site.Name}).
			WithPorts(applycore.ServicePort().WithPort(80))),
		client.FieldOwner("sites"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	before := site.DeepCopy()
	if site.Annotations == nil {
		site.Annotations = map[string]string{}
	}
	site.Annotations[observed] = fmt.Sprintf("%s %s ready %d", site.Data["image"], site.Data["replicas"],
		d.Status.ReadyReplicas)
	return ctrl.Result{}, s.Patch(ctx, site, client.MergeFrom(before))
}

// startManager runs a manager with the reconciler until the test ends, and
// returns a client without a cache.
func startManager(ctx context.Context, t *testing.T) client.Client {
	t.Helper()
	cfg := newCluster(t, core.Options{Controllers: true})
	m, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                 scheme.Scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Controller:             config.Controller{SkipNameValidation: ptr.To(true)},
	})
	check(t, err)
	labelled := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetLabels()["site"] == "yes" })
	check(t, ctrl.NewControllerManagedBy(m).Named("sites").
		For(&corev1.ConfigMap{}, builder.WithPredicates(labelled)).
		Owns(&appsv1.Deployment{}).Owns(&corev1.Service{}).Complete(sites{m.GetClient()}))
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- m.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	c, err := client.New(cfg, client.Options{Scheme: scheme.Scheme})
	check(t, err)
	return c
}

// await polls until a condition holds.
func await(ctx context.Context, t *testing.T, what string, holds func() (bool, error)) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, fixture.Patience, true,
		func(context.Context) (bool, error) { return holds() })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestManager checks that a reconciler creates what is wanted, and nothing more.
func TestManager(t *testing.T) {
	t.Parallel()
	ctx := fixture.Context(t)
	c := startManager(ctx, t)
	site := &corev1.ConfigMap{ObjectMeta: meta("web"), Data: map[string]string{"image": "nginx:1", "replicas": "2"}}
	site.Labels = map[string]string{"site": "yes"}
	check(t, c.Create(ctx, site))
	d, service := &appsv1.Deployment{}, &corev1.Service{}
	settled := func(want string) {
		t.Helper()
		await(ctx, t, want, func() (bool, error) {
			err := c.Get(ctx, key("web"), site)
			return site.Annotations[observed] == want, err
		})
		check(t, c.Get(ctx, key("web"), d))
		check(t, c.Get(ctx, key("web"), service))
	}
	image := func() string { return d.Spec.Template.Spec.Containers[0].Image }
	change := func(data map[string]string) {
		t.Helper()
		before := site.DeepCopy()
		site.Data = data
		check(t, c.Patch(ctx, site, client.MergeFrom(before)))
	}

	settled("nginx:1 2 ready 0")
	if *d.Spec.Replicas != 2 || image() != "nginx:1" || service.Spec.ClusterIP == "" {
		t.Errorf("deployment %v, service %v", d.Spec, service.Spec)
	}
	// Changes of owned objects trigger it.
	before := d.DeepCopy()
	d.Status.Replicas, d.Status.ReadyReplicas = 2, 2
	check(t, c.Status().Patch(ctx, d, client.MergeFrom(before)))
	settled("nginx:1 2 ready 2")
	// So do changes of the ConfigMap.
	change(map[string]string{"image": "nginx:2", "replicas": "3"})
	settled("nginx:2 3 ready 2")
	if *d.Spec.Replicas != 3 || image() != "nginx:2" {
		t.Errorf("deployment %v", d.Spec)
	}
	// It restores what others change or delete.
	before = d.DeepCopy()
	d.Spec.Template.Spec.Containers[0].Image = "other:1"
	check(t, c.Patch(ctx, d, client.StrategicMergeFrom(before)))
	await(ctx, t, "the image put back", func() (bool, error) {
		err := c.Get(ctx, key("web"), d)
		return image() == "nginx:2", err
	})
	gone := service.UID
	check(t, c.Delete(ctx, service))
	await(ctx, t, "a new service", func() (bool, error) {
		err := client.IgnoreNotFound(c.Get(ctx, key("web"), service))
		return service.UID != gone, err
	})
	// Without a difference it writes nothing.
	settled("nginx:2 3 ready 2")
	versions := func() string { return d.ResourceVersion + " " + service.ResourceVersion }
	was := versions()
	change(map[string]string{"image": "nginx:2", "replicas": "03"})
	settled("nginx:2 03 ready 2")
	if now := versions(); now != was {
		t.Errorf("versions %s became %s", was, now)
	}
	// At the end its finalizer deletes the record, and the garbage collector the rest.
	check(t, c.Delete(ctx, site, client.PropagationPolicy("Background")))
	for _, obj := range []client.Object{site, &corev1.ConfigMap{ObjectMeta: meta("web-record")}, d, service} {
		await(ctx, t, fmt.Sprintf("%T %s gone", obj, obj.GetName()), func() (bool, error) {
			err := c.Get(ctx, client.ObjectKeyFromObject(obj), obj)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	}
}
