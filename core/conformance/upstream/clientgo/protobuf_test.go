package clientgo

import (
	"context"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

// plainClient returns a client with the default media types: it prefers Protobuf.
func (c *cluster) plainClient() (*kubernetes.Clientset, *fixture.MediaTypes) {
	c.t.Helper()
	s := new(fixture.MediaTypes)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: c.url, QPS: -1, Transport: s})
	if err != nil {
		c.t.Fatal(err)
	}
	return client, s
}

// samples returns objects with values of all sorts.
func samples() []runtime.Object {
	labels := map[string]string{"app": "web"}
	meta := func() metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: "web", Namespace: namespace, Labels: labels,
			Annotations: map[string]string{"note": "✓ ü", "empty": ""}, Finalizers: []string{"example.com/hold"}}
	}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{
				Name: "web", Image: "nginx:1", Args: []string{"", "-v"},
				Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 80}},
				Env: []corev1.EnvVar{{Name: "A", Value: ""}, {Name: "NODE", ValueFrom: &corev1.EnvVarSource{
					FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("1500m"), corev1.ResourceMemory: resource.MustParse("1Gi")}},
				LivenessProbe: &corev1.Probe{PeriodSeconds: 7, ProbeHandler: corev1.ProbeHandler{
					HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")}}},
				VolumeMounts:    []corev1.VolumeMount{{Name: "data", MountPath: "/data", ReadOnly: true}},
				SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To(int64(0)), Privileged: ptr.To(false)},
			}},
			Volumes: []corev1.Volume{{Name: "data",
				VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
			TerminationGracePeriodSeconds: ptr.To(int64(0)),
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists,
				TolerationSeconds: ptr.To(int64(-1)), Effect: corev1.TaintEffectNoExecute}},
		},
	}
	job := template
	job.Spec.RestartPolicy = corev1.RestartPolicyNever
	return []runtime.Object{
		&corev1.ConfigMap{ObjectMeta: meta(), Data: map[string]string{"b": "2", "a": "1", "none": ""},
			BinaryData: map[string][]byte{"x": {0, 255}}, Immutable: ptr.To(false)},
		&corev1.Secret{ObjectMeta: meta(), Data: map[string][]byte{"k": {1, 2, 3}, "none": {}},
			StringData: map[string]string{"s": "t"}},
		&corev1.Service{ObjectMeta: meta(), Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{
			{Name: "a", Port: 80, TargetPort: intstr.FromInt32(8080)},
			{Name: "b", Port: 81, TargetPort: intstr.FromString("http")}}}},
		&corev1.Pod{ObjectMeta: meta(), Spec: template.Spec},
		&corev1.PersistentVolumeClaim{ObjectMeta: meta(), Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("8Gi")}}}},
		&appsv1.Deployment{ObjectMeta: meta(), Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(0)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template,
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxSurge: ptr.To(intstr.FromString("30%")), MaxUnavailable: ptr.To(intstr.FromInt32(2))}}}},
		&batchv1.CronJob{ObjectMeta: meta(), Spec: batchv1.CronJobSpec{Schedule: "* * * * *", Suspend: ptr.To(true),
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: job, BackoffLimit: ptr.To(int32(0))}}}},
		&networkingv1.NetworkPolicy{ObjectMeta: meta(), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app",
				Operator: metav1.LabelSelectorOpIn, Values: []string{"a", "b"}}}},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{}}}},
		&policyv1.PodDisruptionBudget{ObjectMeta: meta(), Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromString("50%")), Selector: &metav1.LabelSelector{}}},
		&autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta(),
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 3,
				ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
				Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType,
					Resource: &autoscalingv2.ResourceMetricSource{
						Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType,
							AverageValue: ptr.To(resource.MustParse("0.5"))}}}}}},
		&rbacv1.Role{ObjectMeta: meta(),
			Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}},
	}
}

// raw returns the REST client of an object's group and the name of its resource.
func raw(t testing.TB, client *kubernetes.Clientset, obj runtime.Object) (rest.Interface, string) {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		t.Fatal(err)
	}
	byGroup := map[string]rest.Interface{
		"": client.CoreV1().RESTClient(), "apps": client.AppsV1().RESTClient(), "batch": client.BatchV1().RESTClient(),
		"networking.k8s.io": client.NetworkingV1().RESTClient(), "policy": client.PolicyV1().RESTClient(),
		"autoscaling": client.AutoscalingV2().RESTClient(), "rbac.authorization.k8s.io": client.RbacV1().RESTClient(),
	}
	kind := kinds[0].Kind
	if strings.HasSuffix(kind, "y") {
		return byGroup[kinds[0].Group], strings.ToLower(strings.TrimSuffix(kind, "y")) + "ies"
	}
	return byGroup[kinds[0].Group], strings.ToLower(kind) + "s"
}

// TestProtobuf writes objects in one representation and reads them in both.
func TestProtobuf(t *testing.T) {
	t.Parallel()
	ctx := fixture.Context(t)
	for _, obj := range samples() {
		kind := fmt.Sprintf("%T", obj)
		t.Run(strings.TrimPrefix(kind, "*"), func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			plain, _ := c.plainClient()
			get := func(client *kubernetes.Clientset) runtime.Object {
				t.Helper()
				rest, resource := raw(t, client, obj)
				got, err := rest.Get().UseProtobufAsDefault().Namespace(namespace).Resource(resource).Name("web").Do(ctx).Get()
				if err != nil {
					t.Fatal(err)
				}
				return got
			}
			rest, resource := raw(t, plain, obj)
			made, err := rest.Post().UseProtobufAsDefault().Namespace(namespace).Resource(resource).Body(obj).Do(ctx).Get()
			if err != nil {
				t.Fatal(err)
			}
			inProtobuf, inJSON := get(plain), get(c.client)
			if !equality.Semantic.DeepEqual(made, inProtobuf) || !equality.Semantic.DeepEqual(inProtobuf, inJSON) {
				t.Errorf("made:\n%v\nread in Protobuf:\n%v\nread in JSON:\n%v", made, inProtobuf, inJSON)
			}
			// The same, written in JSON.
			other := newCluster(t)
			rest, resource = raw(t, other.client, obj)
			want, err := rest.Post().Namespace(namespace).Resource(resource).Body(obj).Do(ctx).Get()
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []runtime.Object{want, made} {
				forget(o)
			}
			if !equality.Semantic.DeepEqual(made, want) {
				t.Errorf("written in Protobuf:\n%v\nwritten in JSON:\n%v", made, want)
			}
		})
	}
}

// forget removes from an object what is new each time.
func forget(obj runtime.Object) {
	m := obj.(metav1.Object)
	m.SetUID("")
	m.SetResourceVersion("")
	m.SetCreationTimestamp(metav1.Time{})
	m.SetManagedFields(nil)
	if s, ok := obj.(*corev1.Service); ok {
		s.Spec.ClusterIP, s.Spec.ClusterIPs = "", nil
	}
}

// TestPlainClient uses a client with Protobuf in all common ways.
func TestPlainClient(t *testing.T) {
	t.Parallel()
	c, ctx := newCluster(t), fixture.Context(t)
	client, seen := c.plainClient()
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	configs := client.CoreV1().ConfigMaps(namespace)
	w, err := configs.Watch(ctx, metav1.ListOptions{})
	check("watch", err)
	defer w.Stop()
	cm, err := configs.Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"x": "1"}},
		metav1.CreateOptions{})
	check("create", err)
	cm.Data["x"] = "2"
	_, err = configs.Update(ctx, cm, metav1.UpdateOptions{})
	check("update", err)
	if _, err = configs.Update(ctx, cm, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a second update: %v", err)
	}
	_, err = configs.Apply(ctx, config("a", "y", "1"), managedBy("one"))
	check("apply", err)
	list, err := configs.List(ctx, metav1.ListOptions{Limit: 1})
	if check("list", err); len(list.Items) != 1 || list.Items[0].Data["y"] != "1" || list.ResourceVersion == "" {
		t.Errorf("list: %v", list)
	}
	check("delete", configs.Delete(ctx, "a",
		metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(cm.UID))}))
	fixture.Events(ctx, t, w, "ADDED a", "MODIFIED a", "MODIFIED a", "DELETED a")

	for _, obj := range samples() {
		switch o := obj.(type) {
		case *appsv1.Deployment:
			_, err = client.AppsV1().Deployments(namespace).Create(ctx, o, metav1.CreateOptions{})
		case *corev1.Pod:
			_, err = client.CoreV1().Pods(namespace).Create(ctx, o, metav1.CreateOptions{})
		}
		check(fmt.Sprintf("%T", obj), err)
	}
	scale, err := client.AppsV1().Deployments(namespace).GetScale(ctx, "web", metav1.GetOptions{})
	check("scale", err)
	scale.Spec.Replicas = 4
	_, err = client.AppsV1().Deployments(namespace).UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	check("update scale", err)
	check("bind", client.CoreV1().Pods(namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "web"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node1"}},
		metav1.CreateOptions{}))
	check("evict", client.PolicyV1().Evictions(namespace).Evict(ctx, &policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}))
	mayGet := authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "pods"}}
	review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx,
		&authorizationv1.SelfSubjectAccessReview{Spec: mayGet}, metav1.CreateOptions{})
	if check("may I", err); !review.Status.Allowed {
		t.Errorf("may I: %v", review.Status)
	}
	self, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{},
		metav1.CreateOptions{})
	if check("who am I", err); self.Status.UserInfo.Username != "admin" {
		t.Errorf("who am I: %v", self.Status)
	}
	check("delete all", client.AppsV1().Deployments(namespace).DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{}))
	if _, err := configs.Get(context.WithoutCancel(ctx), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("deleted: %v", err)
	}
	seen.Has(t, "sent application/vnd.kubernetes.protobuf", "got application/vnd.kubernetes.protobuf",
		"got application/vnd.kubernetes.protobuf;stream=watch")
}
