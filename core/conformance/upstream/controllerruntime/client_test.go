package controllerruntime

import (
	"maps"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

func TestCreateGetUpdate(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	made := &corev1.ConfigMap{ObjectMeta: meta("a"), Data: map[string]string{"x": "1"}}
	check(t, c.Create(ctx, made, client.FieldOwner("maker")))
	if made.UID == "" || len(made.ManagedFields) != 1 || made.ManagedFields[0].Manager != "maker" {
		t.Errorf("made: %v", made.ObjectMeta)
	}
	if err := c.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta("a")}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("made twice: %v", err)
	}
	got := &corev1.ConfigMap{}
	check(t, c.Get(ctx, key("a"), got))
	got.Data["x"] = "2"
	check(t, c.Update(ctx, got))
	made.Data["x"] = "3"
	if err := c.Update(ctx, made); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
	dry := got.DeepCopy()
	dry.Data["x"] = "4"
	check(t, c.Update(ctx, dry, client.DryRunAll))
	check(t, c.Get(ctx, key("a"), got))
	if dry.Data["x"] != "4" || got.Data["x"] != "2" {
		t.Errorf("dry run: %s, stored: %s", dry.Data["x"], got.Data["x"])
	}
	if err := c.Delete(ctx, got, client.Preconditions{UID: ptr.To(made.UID),
		ResourceVersion: ptr.To(made.ResourceVersion)}); !apierrors.IsConflict(err) {
		t.Errorf("deleted at an old version: %v", err)
	}
	check(t, c.Delete(ctx, got, client.Preconditions{UID: ptr.To(made.UID)}))
	if err := c.Get(ctx, key("a"), got); !apierrors.IsNotFound(err) {
		t.Errorf("deleted: %v", err)
	}

	generic := &unstructured.Unstructured{}
	generic.SetAPIVersion("v1")
	generic.SetKind("ConfigMap")
	generic.SetNamespace(namespace)
	generic.SetGenerateName("generic-")
	check(t, c.Create(ctx, generic))
	metadata := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}
	check(t, c.Get(ctx, key(generic.GetName()), metadata))
	if metadata.UID != generic.GetUID() {
		t.Errorf("metadata %v of %v", metadata, generic)
	}
}

func TestPatch(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	d := deployment("web")
	check(t, c.Create(ctx, d))
	old := d.DeepCopy()

	before := d.DeepCopy()
	d.Spec.Replicas, d.Labels = ptr.To(int32(3)), map[string]string{"l": "m"}
	check(t, c.Patch(ctx, d, client.MergeFrom(before)))
	if *d.Spec.Replicas != 3 || d.Generation != 2 {
		t.Errorf("merge patch: %d replicas, generation %d", *d.Spec.Replicas, d.Generation)
	}

	stale := old.DeepCopy()
	stale.Labels = map[string]string{"l": "n"}
	if err := c.Patch(ctx, stale, client.MergeFromWithOptions(old,
		client.MergeFromWithOptimisticLock{})); !apierrors.IsConflict(err) {
		t.Errorf("a patch of an old version: %v", err)
	}

	before = d.DeepCopy()
	d.Labels["l"] = "o"
	check(t, c.Patch(ctx, d, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))

	// Two writers that know nothing of each other add a container each.
	one, two := d.DeepCopy(), d.DeepCopy()
	containers := func(d *appsv1.Deployment) *[]corev1.Container { return &d.Spec.Template.Spec.Containers }
	*containers(one) = append(*containers(one), corev1.Container{Name: "one", Image: "one:1"})
	*containers(two) = append(*containers(two), corev1.Container{Name: "two", Image: "two:1"})
	check(t, c.Patch(ctx, one, client.StrategicMergeFrom(d)))
	check(t, c.Patch(ctx, two, client.StrategicMergeFrom(d)))
	var names []string
	for _, container := range *containers(two) {
		names = append(names, container.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"one", "two", "web"}) {
		t.Errorf("containers %v", names)
	}
	before = two.DeepCopy()
	check(t, c.Patch(ctx, two, client.MergeFrom(before)))
	if two.ResourceVersion != before.ResourceVersion {
		t.Errorf("an empty patch makes version %s of %s", two.ResourceVersion, before.ResourceVersion)
	}
	check(t, c.Patch(ctx, two, client.RawPatch("application/json-patch+json",
		[]byte(`[{"op":"remove","path":"/metadata/labels/l"}]`))))
	if len(two.Labels) > 0 {
		t.Errorf("labels %v", two.Labels)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	config := func(value string) *applycore.ConfigMapApplyConfiguration {
		return applycore.ConfigMap("a", namespace).WithData(map[string]string{"x": value})
	}
	mine := config("1")
	check(t, c.Apply(ctx, mine, client.FieldOwner("one")))
	if mine.UID == nil || mine.ResourceVersion == nil {
		t.Errorf("the answer is %v", mine)
	}
	err := c.Apply(ctx, config("2"), client.FieldOwner("two"))
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		t.Errorf("what another manager has: %v", err)
	}
	check(t, c.Apply(ctx, config("2"), client.FieldOwner("two"), client.ForceOwnership))

	generic := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": namespace},
		"data": map[string]any{"y": "1"},
	}}
	check(t, c.Apply(ctx, client.ApplyConfigurationFromUnstructured(generic), client.FieldOwner("three")))
	got := &corev1.ConfigMap{}
	check(t, c.Get(ctx, key("a"), got))
	if want := map[string]string{"x": "2", "y": "1"}; !maps.Equal(got.Data, want) {
		t.Errorf("data %v, want %v", got.Data, want)
	}
}

func TestDeleteAllOf(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	for name, color := range map[string]string{"a": "red", "b": "red", "c": "blue"} {
		cm := &corev1.ConfigMap{ObjectMeta: meta(name)}
		cm.Labels = map[string]string{"color": color}
		check(t, c.Create(ctx, cm))
	}
	check(t, c.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace), client.MatchingLabels{"color": "red"}))
	var list corev1.ConfigMapList
	check(t, c.List(ctx, &list, client.InNamespace(namespace), client.HasLabels{"color"}))
	if len(list.Items) != 1 || list.Items[0].Name != "c" {
		t.Errorf("left: %v", list.Items)
	}
	check(t, c.List(ctx, &list, client.MatchingFields{"metadata.name": "c"}, client.Limit(1)))
	if len(list.Items) != 1 {
		t.Errorf("by name: %v", list.Items)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	d := deployment("web")
	d.Status.Replicas = 7
	check(t, c.Create(ctx, d))
	if d.Status.Replicas != 0 {
		t.Errorf("made with a status: %v", d.Status)
	}
	d.Status.Replicas, d.Spec.Replicas = 1, ptr.To(int32(9))
	check(t, c.Status().Update(ctx, d))
	if d.Status.Replicas != 1 || *d.Spec.Replicas != 1 || d.Generation != 1 {
		t.Errorf("status: %d of %d replicas, generation %d", d.Status.Replicas, *d.Spec.Replicas, d.Generation)
	}
	before := d.DeepCopy()
	d.Status.Replicas, d.Status.ReadyReplicas = 2, 2
	check(t, c.Status().Patch(ctx, d, client.MergeFrom(before)))
	d.Status.Replicas = 8
	d.Labels = map[string]string{"l": "m"}
	check(t, c.Update(ctx, d))
	if d.Status.Replicas != 2 || d.Labels["l"] != "m" {
		t.Errorf("an update: status %v, labels %v", d.Status, d.Labels)
	}
	absent := deployment("absent")
	if err := c.Status().Update(ctx, absent); !apierrors.IsNotFound(err) {
		t.Errorf("the status of what is not there: %v", err)
	}
}

func TestScale(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	d := deployment("web")
	check(t, c.Create(ctx, d))
	scale := &autoscalingv1.Scale{}
	check(t, c.SubResource("scale").Get(ctx, d, scale))
	if scale.Spec.Replicas != 1 || scale.Status.Selector != "app=web" || scale.UID != d.UID {
		t.Errorf("scale %v", scale)
	}
	scale.Spec.Replicas = 4
	check(t, c.SubResource("scale").Update(ctx, d, client.WithSubResourceBody(scale)))
	check(t, c.Get(ctx, key("web"), d))
	if *d.Spec.Replicas != 4 || d.Generation != 2 {
		t.Errorf("%d replicas, generation %d", *d.Spec.Replicas, d.Generation)
	}
	scale.ResourceVersion, scale.Spec.Replicas = "1", 5
	if err := c.SubResource("scale").Update(ctx, d, client.WithSubResourceBody(scale)); !apierrors.IsConflict(err) {
		t.Errorf("a scale of an old version: %v", err)
	}
	before := scale.DeepCopy()
	scale.Spec.Replicas = 6
	check(t, c.SubResource("scale").Patch(ctx, d, client.MergeFrom(before), client.WithSubResourceBody(scale)))
	check(t, c.Get(ctx, key("web"), d))
	if *d.Spec.Replicas != 6 {
		t.Errorf("%d replicas", *d.Spec.Replicas)
	}
}

func TestCreateOrUpdate(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), fixture.Context(t)
	image := "nginx:1"
	for _, row := range []struct {
		image string
		want  controllerutil.OperationResult
	}{
		{"nginx:1", controllerutil.OperationResultCreated},
		{"nginx:1", controllerutil.OperationResultNone},
		{"nginx:2", controllerutil.OperationResultUpdated},
		{"nginx:2", controllerutil.OperationResultNone},
	} {
		image = row.image
		for name, write := range map[string]func(d *appsv1.Deployment,
			f controllerutil.MutateFn) (controllerutil.OperationResult, error){
			"update": func(d *appsv1.Deployment, f controllerutil.MutateFn) (controllerutil.OperationResult, error) {
				return controllerutil.CreateOrUpdate(ctx, c, d, f)
			},
			"patch": func(d *appsv1.Deployment, f controllerutil.MutateFn) (controllerutil.OperationResult, error) {
				return controllerutil.CreateOrPatch(ctx, c, d, f)
			},
		} {
			d := &appsv1.Deployment{ObjectMeta: meta(name)}
			got, err := write(d, func() error {
				if d.CreationTimestamp.IsZero() {
					d.Spec = deployment(name).Spec
				}
				d.Spec.Template.Spec.Containers[0].Image = image
				return nil
			})
			if err != nil || got != row.want {
				t.Errorf("%s to %s: %s, want %s, %v", name, row.image, got, row.want, err)
			}
		}
	}
}
