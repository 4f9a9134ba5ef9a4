package kubetest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// expiry is how old a ConfigMap becomes.
const expiry = 3 * time.Hour

// A reconciler deletes ConfigMaps of the namespace default that are as old as expiry.
type reconciler struct{ client.Client }

func (r reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var obj corev1.ConfigMap
	if err := r.Get(ctx, request.NamespacedName, &obj); err != nil || obj.Namespace != "default" {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if left := expiry - time.Since(obj.CreationTimestamp.Time); left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(r.Delete(ctx, &obj))
}

// startManager runs the reconciler until the result is called.
func startManager(t kubetest.TB, s *kubetest.Server) (stop func()) {
	t.Helper()
	log.SetLogger(logr.Discard())
	skip := true
	m, err := ctrl.NewManager(config(s.Client), ctrl.Options{
		Metrics:    server.Options{BindAddress: "0"},
		Controller: ctrlconfig.Controller{SkipNameValidation: &skip}, // several managers run in one process
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if err := ctrl.NewControllerManagedBy(m).For(&corev1.ConfigMap{}).Complete(reconciler{m.GetClient()}); err != nil {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := m.Start(ctx); err != nil {
			t.Errorf("the manager: %v", err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// TestManagerInFakeTime runs a manager in a bubble for the three hours that its reconciler waits, while a request of it
// fails.
func TestManagerInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := kubetest.New(t, kubetest.FailOnOpenWatches())
		stop := startManager(t, s)
		defer stop()
		const path = "/api/v1/namespaces/default/configmaps"
		if code, body, err := s.Do("POST", path, `{"metadata":{"name":"a"}}`); err != nil || code != 201 {
			t.Fatal(code, body, err)
		}
		s.Fail("delete", "configmaps", "a", kubetest.Failure{Code: 500, Times: 2})
		time.Sleep(expiry - time.Minute)
		if code, _, _ := s.Do("GET", path+"/a", ""); code != 200 {
			t.Errorf("before its time it is %d", code)
		}
		s.Cut()
		time.Sleep(2 * time.Minute)
		if code, _, _ := s.Do("GET", path+"/a", ""); code != 404 {
			t.Errorf("after its time it is %d", code)
		}
		deletions := 0
		for _, r := range s.Requests() {
			if r.Verb == "delete" {
				deletions++
			}
		}
		if deletions != 3 {
			t.Errorf("it was deleted by %d requests: %q", deletions, s.Writes())
		}
	})
}
