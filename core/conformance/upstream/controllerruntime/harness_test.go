package controllerruntime

import (
	"net/http/httptest"
	"testing"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
)

const namespace = "default"

func init() { ctrl.SetLogger(logr.Discard()) }

// newCluster starts a server on loopback, and returns a config for it.
func newCluster(t testing.TB, options core.Options) *rest.Config {
	t.Helper()
	return &rest.Config{Host: fixture.Serve(t, options, httptest.NewServer), QPS: -1}
}

// newClient returns a client of a new cluster, without controllers.
func newClient(t testing.TB) client.Client {
	t.Helper()
	c, err := client.New(newCluster(t, core.Options{}), client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// check fails the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: namespace}
}

func key(name string) client.ObjectKey { return client.ObjectKey{Namespace: namespace, Name: name} }

// deployment returns one with a container.
func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: meta(name),
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1"}}},
			},
		},
	}
}
