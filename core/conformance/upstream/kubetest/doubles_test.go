package kubetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	clientgofake "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	runtimefake "sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/tabernetes/tabernetes/devserver/kubetest"
)

// A double is what a test uses in the place of a cluster, as far as it is compared here. All are asked about ConfigMaps
// of the namespace default, but for defaulted.
type double interface {
	create(obj *corev1.ConfigMap) (*corev1.ConfigMap, error)
	update(obj *corev1.ConfigMap) (*corev1.ConfigMap, error)
	get(name string) (*corev1.ConfigMap, error)
	delete(name string) error
	apply(manager, value string) error
	// page lists one object, and returns how many came and whether there is a token for more.
	page() (items int, more bool, err error)
	watchFrom(version string) (watch.Interface, error)
	// defaulted creates a Deployment without replicas, and returns those that it has.
	defaulted() (*int32, error)
}

// properties are what is compared: each reports whether a double has it.
var properties = map[string]func(t *testing.T, d double) bool{
	"each write has a version of its own": func(t *testing.T, d double) bool {
		a, b := made(t, d, "a"), made(t, d, "b")
		return a.ResourceVersion != "" && a.ResourceVersion != b.ResourceVersion
	},
	"a stale update is a conflict": func(t *testing.T, d double) bool {
		stale := made(t, d, "a")
		fresh := stale.DeepCopy()
		fresh.Data = map[string]string{"a": "1"}
		if _, err := d.update(fresh); err != nil {
			t.Fatal(err)
		}
		stale.Data = map[string]string{"a": "2"}
		_, err := d.update(stale)
		return apierrors.IsConflict(err)
	},
	"lists have pages": func(t *testing.T, d double) bool {
		made(t, d, "a")
		made(t, d, "b")
		items, more, err := d.page()
		return err == nil && items == 1 && more
	},
	"a watch begins at a version": func(t *testing.T, d double) bool {
		a := made(t, d, "a")
		made(t, d, "b")
		w, err := d.watchFrom(a.ResourceVersion)
		if err != nil {
			return false
		}
		defer w.Stop()
		made(t, d, "end")
		e := <-w.ResultChan()
		obj, ok := e.Object.(*corev1.ConfigMap)
		return ok && e.Type == watch.Added && obj.Name == "b"
	},
	"finalizers hold a deletion": func(t *testing.T, d double) bool {
		obj := configMap("a")
		obj.Finalizers = []string{"example.com/a"}
		if _, err := d.create(obj); err != nil {
			t.Fatal(err)
		}
		if err := d.delete("a"); err != nil {
			t.Fatal(err)
		}
		got, err := d.get("a")
		return err == nil && got.DeletionTimestamp != nil
	},
	"apply by two managers is a conflict": func(t *testing.T, d double) bool {
		if err := d.apply("one", "1"); err != nil {
			return false
		}
		return apierrors.IsConflict(d.apply("two", "2"))
	},
	"objects are validated": func(_ *testing.T, d double) bool {
		_, err := d.create(configMap("Not_A_Name"))
		return apierrors.IsInvalid(err)
	},
	"defaults are set": func(t *testing.T, d double) bool {
		replicas, err := d.defaulted()
		if err != nil {
			t.Fatal(err)
		}
		return replicas != nil && *replicas == 1
	},
	"a namespace has to exist": func(_ *testing.T, d double) bool {
		obj := configMap("a")
		obj.Namespace = "none"
		_, err := d.create(obj)
		return apierrors.IsNotFound(err)
	},
}

// TestDoubles keeps the table of kubetest's README true: which properties of a cluster its servers have, and which the
// fakes of client-go and controller-runtime have.
func TestDoubles(t *testing.T) {
	t.Parallel()
	all := slices.Sorted(maps.Keys(properties))
	for name, c := range map[string]struct {
		start func(t *testing.T) double
		has   []string
	}{
		"kubetest": {func(t *testing.T) double {
			return clientset{kubernetes.NewForConfigOrDie(config(kubetest.New(t).Client))}
		}, all},
		"kubetest with controller-runtime": {func(t *testing.T) double {
			c, err := client.NewWithWatch(config(kubetest.New(t).Client), client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return runtimeClient{c}
		}, all},
		"client-go's fake": {func(*testing.T) double { return clientset{clientgofake.NewClientset()} },
			[]string{"apply by two managers is a conflict"}},
		"controller-runtime's fake": {func(*testing.T) double {
			return runtimeClient{runtimefake.NewClientBuilder().Build()}
		}, []string{"a stale update is a conflict", "apply by two managers is a conflict", "finalizers hold a deletion"}},
	} {
		var has []string
		for _, property := range all {
			if properties[property](t, c.start(t)) {
				has = append(has, property)
			}
		}
		if !slices.Equal(has, c.has) {
			t.Errorf("%s has %q, want %q", name, has, c.has)
		}
	}
}

func made(t *testing.T, d double, name string) *corev1.ConfigMap {
	t.Helper()
	obj, err := d.create(configMap(name))
	if err != nil {
		t.Fatal(err)
	}
	return obj
}

func deployment() *appsv1.Deployment {
	labels := map[string]string{"a": "b"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d", Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}
}

// clientset is a double that is reached by client-go.
type clientset struct{ kubernetes.Interface }

func (c clientset) create(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	return c.CoreV1().ConfigMaps(obj.Namespace).Create(context.Background(), obj, metav1.CreateOptions{})
}

func (c clientset) update(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	return c.CoreV1().ConfigMaps("default").Update(context.Background(), obj, metav1.UpdateOptions{})
}

func (c clientset) get(name string) (*corev1.ConfigMap, error) {
	return c.CoreV1().ConfigMaps("default").Get(context.Background(), name, metav1.GetOptions{})
}

func (c clientset) delete(name string) error {
	return c.CoreV1().ConfigMaps("default").Delete(context.Background(), name, metav1.DeleteOptions{})
}

func (c clientset) apply(manager, value string) error {
	_, err := c.CoreV1().ConfigMaps("default").Apply(context.Background(),
		applyv1.ConfigMap("a", "default").WithData(map[string]string{"a": value}),
		metav1.ApplyOptions{FieldManager: manager})
	return err
}

func (c clientset) page() (int, bool, error) {
	list, err := c.CoreV1().ConfigMaps("default").List(context.Background(), metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, false, err
	}
	return len(list.Items), list.Continue != "", nil
}

func (c clientset) watchFrom(version string) (watch.Interface, error) {
	return c.CoreV1().ConfigMaps("default").Watch(context.Background(), metav1.ListOptions{ResourceVersion: version})
}

func (c clientset) defaulted() (*int32, error) {
	d, err := c.AppsV1().Deployments("default").Create(context.Background(), deployment(), metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	return d.Spec.Replicas, nil
}

// runtimeClient is a double that is reached by controller-runtime.
type runtimeClient struct{ client.WithWatch }

func (c runtimeClient) create(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	return obj, c.Create(context.Background(), obj)
}

func (c runtimeClient) update(obj *corev1.ConfigMap) (*corev1.ConfigMap, error) {
	return obj, c.Update(context.Background(), obj)
}

func (c runtimeClient) get(name string) (*corev1.ConfigMap, error) {
	obj := configMap(name)
	return obj, c.Get(context.Background(), client.ObjectKeyFromObject(obj), obj)
}

func (c runtimeClient) delete(name string) error {
	return c.Delete(context.Background(), configMap(name))
}

func (c runtimeClient) apply(manager, value string) error {
	return c.Apply(context.Background(), applyv1.ConfigMap("a", "default").WithData(map[string]string{"a": value}),
		client.FieldOwner(manager))
}

func (c runtimeClient) page() (int, bool, error) {
	var list corev1.ConfigMapList
	if err := c.List(context.Background(), &list, client.InNamespace("default"), client.Limit(1)); err != nil {
		return 0, false, err
	}
	return len(list.Items), list.Continue != "", nil
}

func (c runtimeClient) watchFrom(version string) (watch.Interface, error) {
	return c.Watch(context.Background(), &corev1.ConfigMapList{}, client.InNamespace("default"),
		&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
}

func (c runtimeClient) defaulted() (*int32, error) {
	d := deployment()
	err := c.Create(context.Background(), d)
	return d.Spec.Replicas, err
}

// BenchmarkDoubles starts each one, makes an object in it, and ends it.
func BenchmarkDoubles(b *testing.B) {
	for name, start := range map[string]func(t kubetest.TB) double{
		"kubetest": func(t kubetest.TB) double {
			return clientset{kubernetes.NewForConfigOrDie(config(kubetest.New(t).Client))}
		},
		"client-go's fake": func(kubetest.TB) double { return clientset{clientgofake.NewClientset()} },
		"controller-runtime's fake": func(kubetest.TB) double {
			return runtimeClient{runtimefake.NewClientBuilder().Build()}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t := &scope{B: b}
				if _, err := start(t).create(configMap("a")); err != nil {
					b.Fatal(err)
				}
				t.end()
			}
		})
	}
}

// A scope ends what was started for it before its benchmark ends.
type scope struct {
	*testing.B
	cleanups []func()
}

func (s *scope) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *scope) end() {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
}
