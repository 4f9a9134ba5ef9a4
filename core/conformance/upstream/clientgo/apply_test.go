package clientgo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	applyautoscaling "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	applymeta "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// managedBy returns the options for an apply by a manager.
func managedBy(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }

// forced returns those with force.
func forced(m string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: m, Force: true} }

// config returns a ConfigMap with these pairs of key and value.
func config(name string, pairs ...string) *applycore.ConfigMapApplyConfiguration {
	data := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		data[pairs[i]] = pairs[i+1]
	}
	return applycore.ConfigMap(name, namespace).WithData(data)
}

// must fails the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// owners returns the managers of an object: manager, operation and subresource.
func owners(obj metav1.Object) string {
	var out []string
	for _, e := range obj.GetManagedFields() {
		out = append(out, strings.TrimRight(fmt.Sprint(e.Manager, " ", e.Operation, " ", e.Subresource), " "))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// conflicts returns the fields of a conflict between managers with their messages; nil if the error
// is another one.
func conflicts(err error) map[string]string {
	var failed *apierrors.StatusError
	if !apierrors.IsConflict(err) || !errors.As(err, &failed) || failed.ErrStatus.Details == nil {
		return nil
	}
	out := map[string]string{}
	for _, c := range failed.ErrStatus.Details.Causes {
		if c.Type == metav1.CauseTypeFieldManagerConflict {
			out[c.Field] = c.Message
		}
	}
	return out
}

func expectConflicts(t testing.TB, err error, want map[string]string) {
	t.Helper()
	if got := conflicts(err); !maps.Equal(got, want) {
		t.Errorf("conflicts %v, want %v (%v)", got, want, err)
	}
}

func expectData(t testing.TB, cm *corev1.ConfigMap, want map[string]string) {
	t.Helper()
	if !maps.Equal(cm.Data, want) {
		t.Errorf("data %v, want %v", cm.Data, want)
	}
}

func TestApplyConfigMap(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	apply, ok := c.configMaps().Apply, must[*corev1.ConfigMap](t)

	first := ok(apply(ctx, config("a", "x", "1", "y", "1"), managedBy("one")))
	if got := owners(first); got != "one Apply" {
		t.Errorf("owned by %s", got)
	}
	if again := ok(apply(ctx, config("a", "x", "1", "y", "1"),
		managedBy("one"))); again.ResourceVersion != first.ResourceVersion {
		t.Errorf("applied again, version %s becomes %s", first.ResourceVersion, again.ResourceVersion)
	}

	_, err := apply(ctx, config("a", "x", "2", "y", "2", "z", "2"), managedBy("two"))
	expectConflicts(t, err, map[string]string{".data.x": `conflict with "one"`, ".data.y": `conflict with "one"`})
	expectData(t, ok(c.configMaps().Get(ctx, "a", metav1.GetOptions{})), map[string]string{"x": "1", "y": "1"})

	// A value that both apply is owned by both, and removed when neither applies it any more.
	shared := ok(apply(ctx, config("a", "x", "1", "z", "2"), managedBy("two")))
	expectData(t, shared, map[string]string{"x": "1", "y": "1", "z": "2"})
	if got := owners(shared); got != "one Apply, two Apply" {
		t.Errorf("owned by %s", got)
	}
	expectData(t, ok(apply(ctx, config("a", "y", "1"), managedBy("one"))), map[string]string{"x": "1", "y": "1", "z": "2"})
	expectData(t, ok(apply(ctx, config("a", "z", "2"), managedBy("two"))), map[string]string{"y": "1", "z": "2"})

	// A field that was taken by force is not removed when the other manager gives it up.
	expectData(t, ok(apply(ctx, config("a", "z", "2", "y", "2"), forced("two"))), map[string]string{"y": "2", "z": "2"})
	gone := ok(apply(ctx, config("a"), managedBy("one")))
	expectData(t, gone, map[string]string{"y": "2", "z": "2"})
}

// TestApplyMeetsUpdates applies to fields that were written by updates.
func TestApplyMeetsUpdates(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	ok := must[*corev1.ConfigMap](t)
	cm := ok(c.configMaps().Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"x": "1"},
	}, metav1.CreateOptions{FieldManager: "maker"}))
	_, err := c.configMaps().Apply(ctx, config("a", "x", "2"), managedBy("one"))
	expectConflicts(t, err, map[string]string{".data.x": `conflict with "maker" using v1`})
	cm = ok(c.configMaps().Apply(ctx, config("a", "x", "2"), forced("one")))
	if got := owners(cm); got != "maker Update, one Apply" { // the manager that still owns the map itself
		t.Errorf("owned by %s", got)
	}
	cm.Data["x"] = "3"
	cm = ok(c.configMaps().Update(ctx, cm, metav1.UpdateOptions{FieldManager: "changer"}))
	if got := owners(cm); got != "changer Update, maker Update" {
		t.Errorf("owned by %s", got)
	}
	_, err = c.configMaps().Apply(ctx, config("a", "x", "2"), managedBy("one"))
	expectConflicts(t, err, map[string]string{".data.x": `conflict with "changer" using v1`})
}

func TestApplyDryRun(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	ok := must[*corev1.ConfigMap](t)
	dry := managedBy("one")
	dry.DryRun = []string{metav1.DryRunAll}
	if cm := ok(c.configMaps().Apply(ctx, config("a", "x", "1"), dry)); owners(cm) != "one Apply" || cm.UID == "" {
		t.Errorf("the answer is %v", cm)
	}
	if _, err := c.configMaps().Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after a dry run: %v", err)
	}
	ok(c.configMaps().Apply(ctx, config("a", "x", "1"), managedBy("one")))
	expectData(t, ok(c.configMaps().Apply(ctx, config("a", "x", "2"), dry)), map[string]string{"x": "2"})
	expectData(t, ok(c.configMaps().Get(ctx, "a", metav1.GetOptions{})), map[string]string{"x": "1"})
	dry.FieldManager = "two"
	_, err := c.configMaps().Apply(ctx, config("a", "x", "2"), dry)
	expectConflicts(t, err, map[string]string{".data.x": `conflict with "one"`})
}

// TestApplyRefused checks the errors of an apply.
func TestApplyRefused(t *testing.T) {
	t.Parallel()
	const uid = "00000000-0000-0000-0000-000000000000"
	c, ctx := newCluster(t), fixture.Context(t)
	must[*corev1.ConfigMap](t)(c.configMaps().Apply(ctx, config("a", "x", "1"), managedBy("one")))
	for name, row := range map[string]struct {
		configuration *applycore.ConfigMapApplyConfiguration
		manager       string
		is            func(error) bool
		text          string
	}{
		"no manager": {config("a", "x", "1"), "", apierrors.IsInvalid,
			`PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`},
		"another uid": {config("a", "x", "1").WithUID(uid), "one", apierrors.IsInvalid,
			`metadata.uid: Invalid value: "00000000-0000-0000-0000-000000000000": field is immutable`},
		"an old version": {config("a", "x", "2").WithResourceVersion("1"), "one", apierrors.IsConflict,
			"the object has been modified"},
		"invalid": {config("a", "no spaces", "1"), "one", apierrors.IsInvalid, `data[no spaces]: Invalid value: "no spaces"`},
		"absent, with a uid": {config("b").WithUID(uid), "one", apierrors.IsConflict,
			"uid mismatch: the provided object specified uid 00000000-0000-0000-0000-000000000000, " +
				"and no existing object was found"},
	} {
		_, err := c.configMaps().Apply(ctx, row.configuration, managedBy(row.manager))
		if err == nil || !row.is(err) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExtract changes what a manager has applied without knowing what it was.
func TestExtract(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	ok := must[*corev1.ConfigMap](t)
	ok(c.configMaps().Apply(ctx, config("a", "x", "1", "y", "1").WithLabels(map[string]string{"l": "m"}),
		managedBy("one")))
	cm := ok(c.configMaps().Apply(ctx, config("a", "z", "1"), managedBy("two")))
	mine := must[*applycore.ConfigMapApplyConfiguration](t)(applycore.ExtractConfigMap(cm, "one"))
	if !maps.Equal(mine.Data, map[string]string{"x": "1", "y": "1"}) ||
		!maps.Equal(mine.Labels, map[string]string{"l": "m"}) {
		t.Errorf("extracted: data %v, labels %v", mine.Data, mine.Labels)
	}
	delete(mine.Data, "x")
	expectData(t, ok(c.configMaps().Apply(ctx, mine, managedBy("one"))), map[string]string{"y": "1", "z": "1"})
	nobody := must[*applycore.ConfigMapApplyConfiguration](t)(applycore.ExtractConfigMap(cm, "nobody"))
	if len(nobody.Data) > 0 || *nobody.Name != "a" {
		t.Errorf("nobody has %v", nobody)
	}
}

// workload returns a Deployment with a container.
func workload(containers ...*applycore.ContainerApplyConfiguration) *applyapps.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "web"}
	return applyapps.Deployment("web", namespace).WithSpec(applyapps.DeploymentSpec().
		WithSelector(applymeta.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(applycore.PodTemplateSpec().WithLabels(labels).
			WithSpec(applycore.PodSpec().WithContainers(containers...))))
}

func container(name, image string) *applycore.ContainerApplyConfiguration {
	return applycore.Container().WithName(name).WithImage(image)
}

// images returns a Deployment's containers.
func images(d *appsv1.Deployment) string {
	var out []string
	for _, c := range d.Spec.Template.Spec.Containers {
		out = append(out, c.Name+"="+c.Image)
	}
	return strings.Join(out, " ")
}

func TestApplyDeployment(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	deployments, ok := c.client.AppsV1().Deployments(namespace), must[*appsv1.Deployment](t)

	web := workload(container("web", "nginx:1").WithPorts(applycore.ContainerPort().WithContainerPort(80)))
	web.Spec.WithReplicas(2)
	d := ok(deployments.Apply(ctx, web, managedBy("owner")))
	if *d.Spec.Replicas != 2 || d.Spec.Template.Spec.Containers[0].Ports[0].Protocol != corev1.ProtocolTCP {
		t.Errorf("without defaults: %v", d.Spec)
	}
	// Lists merge by their keys: each manager owns a container.
	d = ok(deployments.Apply(ctx, workload(container("side", "side:1")), managedBy("sidecar")))
	if got := images(d); got != "web=nginx:1 side=side:1" {
		t.Errorf("containers %s", got)
	}
	_, err := deployments.Apply(ctx, workload(container("web", "nginx:2")), managedBy("sidecar"))
	expectConflicts(t, err, map[string]string{
		`.spec.template.spec.containers[name="web"].image`: `conflict with "owner"`,
	})
	// A manager that leaves out its container removes it, and no other.
	d = ok(deployments.Apply(ctx, applyapps.Deployment("web", namespace), managedBy("sidecar")))
	if got := images(d); got != "web=nginx:1" {
		t.Errorf("containers %s", got)
	}

	// An autoscaler takes over the number of replicas.
	_, err = deployments.ApplyScale(ctx, "web", scaleOf(5), managedBy("scaler"))
	expectConflicts(t, err, map[string]string{".spec.replicas": `conflict with "owner"`})
	scale := must[*autoscalingv1.Scale](t)(deployments.ApplyScale(ctx, "web", scaleOf(5), forced("scaler")))
	if scale.Spec.Replicas != 5 || scale.Status.Selector != "app=web" {
		t.Errorf("scaled to %v", scale)
	}
	_, err = deployments.Apply(ctx, web, managedBy("owner"))
	expectConflicts(t, err, map[string]string{".spec.replicas": `conflict with "scaler" with subresource "scale"`})
	d = ok(deployments.Apply(ctx, workload(container("web", "nginx:2")), managedBy("owner")))
	if got := images(d); *d.Spec.Replicas != 5 || got != "web=nginx:2" {
		t.Errorf("%d replicas, containers %s", *d.Spec.Replicas, got)
	}

	// Another manager owns the status.
	d = ok(deployments.ApplyStatus(ctx, applyapps.Deployment("web", namespace).
		WithSpec(applyapps.DeploymentSpec().WithReplicas(9)).
		WithStatus(applyapps.DeploymentStatus().WithReplicas(1).WithConditions(applyapps.DeploymentCondition().
			WithType(appsv1.DeploymentAvailable).WithStatus(corev1.ConditionTrue))), managedBy("controller")))
	if *d.Spec.Replicas != 5 || d.Status.Replicas != 1 || len(d.Status.Conditions) != 1 {
		t.Errorf("after its status was applied: %d replicas, status %v", *d.Spec.Replicas, d.Status)
	}
	if got := owners(d); got != "controller Apply status, owner Apply, scaler Apply scale" {
		t.Errorf("owned by %s", got)
	}
	its := must[*applyapps.DeploymentApplyConfiguration](t)(applyapps.ExtractDeploymentStatus(d, "controller"))
	if its.Spec != nil || its.Status == nil || *its.Status.Replicas != 1 || len(its.Status.Conditions) != 1 {
		t.Errorf("extracted: %v", its)
	}
}

func scaleOf(replicas int32) *applyautoscaling.ScaleApplyConfiguration {
	return applyautoscaling.Scale().WithName("web").WithNamespace(namespace).
		WithSpec(applyautoscaling.ScaleSpec().WithReplicas(replicas))
}

func TestApplyService(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	services, ok := c.client.CoreV1().Services(namespace), must[*corev1.Service](t)
	port := func(name string, port int32) *applycore.ServiceApplyConfiguration {
		return applycore.Service("web", namespace).WithSpec(applycore.ServiceSpec().
			WithPorts(applycore.ServicePort().WithName(name).WithPort(port).WithProtocol(corev1.ProtocolTCP)))
	}
	ports := func(s *corev1.Service) (out []int32) {
		for _, p := range s.Spec.Ports {
			out = append(out, p.Port)
		}
		return out
	}
	made := ok(services.Apply(ctx, port("http", 80), managedBy("one")))
	if made.Spec.ClusterIP == "" || made.Spec.Type != corev1.ServiceTypeClusterIP {
		t.Errorf("without defaults: %v", made.Spec)
	}
	both := ok(services.Apply(ctx, port("https", 443), managedBy("two")))
	if got := ports(both); !slices.Equal(got, []int32{80, 443}) || both.Spec.ClusterIP != made.Spec.ClusterIP {
		t.Errorf("ports %v, address %s", got, both.Spec.ClusterIP)
	}
	left := ok(services.Apply(ctx, applycore.Service("web", namespace), managedBy("one")))
	if got := ports(left); !slices.Equal(got, []int32{443}) {
		t.Errorf("ports %v", got)
	}
	_, err := services.Apply(ctx, applycore.Service("web", namespace), managedBy("two"))
	if err == nil || !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.ports: Required value") {
		t.Errorf("without ports: %v", err)
	}
}

func TestApplyPodStatus(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	pods, ok := c.client.CoreV1().Pods(namespace), must[*corev1.Pod](t)
	ok(pods.Apply(ctx, applycore.Pod("p",
		namespace).WithSpec(applycore.PodSpec().WithContainers(container("c", "nginx:1"))), managedBy("maker")))
	condition := func(kind corev1.PodConditionType) *applycore.PodApplyConfiguration {
		return applycore.Pod("p", namespace).WithStatus(applycore.PodStatus().
			WithConditions(applycore.PodCondition().WithType(kind).WithStatus(corev1.ConditionTrue)))
	}
	conditions := func(p *corev1.Pod) string {
		var out []string
		for _, c := range p.Status.Conditions {
			out = append(out, string(c.Type))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	kubelet := condition(corev1.PodReady)
	kubelet.Status.WithPhase(corev1.PodRunning)
	ok(pods.ApplyStatus(ctx, kubelet, forced("kubelet")))
	p := ok(pods.ApplyStatus(ctx, condition("example.com/Gate"), managedBy("gate")))
	if got := conditions(p); got != "Ready example.com/Gate" || p.Status.Phase != corev1.PodRunning {
		t.Errorf("conditions %s, phase %s", got, p.Status.Phase)
	}
	if got := owners(p); got != "gate Apply status, kubelet Apply status, maker Apply" {
		t.Errorf("owned by %s", got)
	}
	_, err := pods.ApplyStatus(ctx,
		applycore.Pod("p", namespace).WithStatus(applycore.PodStatus().WithPhase(corev1.PodFailed)), managedBy("gate"))
	expectConflicts(t, err, map[string]string{".status.phase": `conflict with "kubelet" with subresource "status"`})
	p = ok(pods.ApplyStatus(ctx, applycore.Pod("p", namespace), managedBy("gate")))
	if got := conditions(p); got != "Ready" {
		t.Errorf("conditions %s", got)
	}
	its := must[*applycore.PodApplyConfiguration](t)(applycore.ExtractPodStatus(p, "kubelet"))
	if its.Status == nil || *its.Status.Phase != corev1.PodRunning || len(its.Status.Conditions) != 1 {
		t.Errorf("extracted: %v", its.Status)
	}
	if _, err := pods.ApplyStatus(ctx, applycore.Pod("absent", namespace), managedBy("gate")); !apierrors.IsNotFound(err) {
		t.Errorf("the status of what is not there: %v", err)
	}
}

// TestApplyAtOnce lets managers apply an object that does not exist at the same time. Nothing is
// lost, and there are no conflicts.
func TestApplyAtOnce(t *testing.T) {
	t.Parallel()
	const managers = 20
	c, ctx := newCluster(t), fixture.Context(t)
	failures := make(chan error, managers)
	for i := range managers {
		go func() {
			_, err := c.configMaps().Apply(context.WithoutCancel(ctx), config("a", named(i), "1"), managedBy(named(i)))
			failures <- err
		}()
	}
	for range managers {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	cm := must[*corev1.ConfigMap](t)(c.configMaps().Get(ctx, "a", metav1.GetOptions{}))
	if len(cm.Data) != managers || len(cm.ManagedFields) != managers {
		t.Errorf("%d of %d values, %d managers", len(cm.Data), managers, len(cm.ManagedFields))
	}
}
