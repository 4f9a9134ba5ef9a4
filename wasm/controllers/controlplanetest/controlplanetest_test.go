package controlplanetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// TestStart wants a Deployment to become available.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := kubetest.New(t)
		Start(t, server)
		client := kubernetes.NewForConfigOrDie(&rest.Config{Host: kubetest.Host, Transport: server.Transport()})
		deployments := client.AppsV1().Deployments("default")
		labels := map[string]string{"app": "web"}
		_, err := deployments.Create(t.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
				},
			},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		w, err := deployments.Watch(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		for e := range w.ResultChan() {
			if d := e.Object.(*appsv1.Deployment); d.Status.AvailableReplicas == 1 {
				return
			}
		}
		t.Error("it does not become available")
	})
}
