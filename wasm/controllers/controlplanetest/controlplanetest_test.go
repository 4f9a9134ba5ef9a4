package controlplanetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
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

// TestClaimsEnd wants a claim, and a volume, that nobody uses to be gone once they are deleted: the server has given
// both a finalizer.
func TestClaimsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := kubetest.New(t)
		Start(t, server)
		client := kubernetes.NewForConfigOrDie(&rest.Config{Host: kubetest.Host, Transport: server.Transport()}).CoreV1()
		modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
		claim, err := client.PersistentVolumeClaims("default").Create(t.Context(), &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "a"},
			Spec: corev1.PersistentVolumeClaimSpec{AccessModes: modes,
				Resources: corev1.VolumeResourceRequirements{Requests: size}},
		}, metav1.CreateOptions{})
		if err != nil || len(claim.Finalizers) == 0 {
			t.Fatal(claim.Finalizers, err)
		}
		volume, err := client.PersistentVolumes().Create(t.Context(), &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: "a"},
			Spec: corev1.PersistentVolumeSpec{AccessModes: modes, Capacity: size, PersistentVolumeSource: corev1.
				PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/a"}}},
		}, metav1.CreateOptions{})
		if err != nil || len(volume.Finalizers) == 0 {
			t.Fatal(volume.Finalizers, err)
		}
		claims, volumes := client.PersistentVolumeClaims("default"), client.PersistentVolumes()
		if err := claims.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := volumes.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, err := claims.Get(t.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the claim: %v", err)
		}
		if _, err := volumes.Get(t.Context(), "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the volume: %v", err)
		}
	})
}
