package cbor

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	applyv1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/fixture"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const namespace = "default"

// serve starts a server and returns a config for clients that prefer CBOR. gate is the feature
// gate.
func serve(ctx context.Context, t *testing.T, gate bool) (*rest.Config, *fixture.MediaTypes) {
	t.Helper()
	url := fixture.Serve(t, core.Options{}, httptest.NewServer)
	plain, err := kubernetes.NewForConfig(&rest.Config{Host: url})
	if err != nil {
		t.Fatal(err)
	}
	body := fmt.Appendf(nil, `{"spec":{"featureGates":{"CBORServingAndStorage":%v}}}`, gate)
	patch := plain.CoreV1().RESTClient().Patch(types.MergePatchType).AbsPath(wellknown.ControlPlane).Body(body)
	if err := patch.Do(ctx).Error(); err != nil {
		t.Fatal(err)
	}
	featurestesting.SetFeatureDuringTest(t, features.ClientsAllowCBOR, true)
	featurestesting.SetFeatureDuringTest(t, features.ClientsPreferCBOR, true)
	s := new(fixture.MediaTypes)
	return &rest.Config{Host: url, QPS: -1, Transport: s}, s
}

func TestTypedClient(t *testing.T) {
	ctx := fixture.Context(t)
	config, seen := serve(ctx, t, true)
	config.ContentType = "application/cbor"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	secrets := client.CoreV1().Secrets(namespace)
	w, err := secrets.Watch(ctx, metav1.ListOptions{})
	check("watch", err)
	defer w.Stop()
	secret, err := secrets.Create(ctx,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string][]byte{"x": {0, 255}}},
		metav1.CreateOptions{})
	check("create", err)
	if got := secret.Data["x"]; !slices.Equal(got, []byte{0, 255}) || secret.CreationTimestamp.IsZero() {
		t.Errorf("created %v", secret)
	}
	secret.Data["y"] = []byte("z")
	_, err = secrets.Update(ctx, secret, metav1.UpdateOptions{})
	check("update", err)
	if _, err = secrets.Update(ctx, secret, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("a second update: %v", err)
	}
	_, err = secrets.Apply(ctx, applyv1.Secret("a", namespace).WithData(map[string][]byte{"applied": {1}}),
		metav1.ApplyOptions{FieldManager: "m", Force: true})
	check("apply", err)
	_, err = secrets.Patch(ctx, "a", types.StrategicMergePatchType, []byte(`{"data":{"y":null}}`), metav1.PatchOptions{})
	check("patch", err)
	list, err := secrets.List(ctx, metav1.ListOptions{Limit: 1})
	if check("list", err); len(list.Items) != 1 || len(list.Items[0].Data) != 2 || list.Items[0].Data["applied"][0] != 1 ||
		len(list.Items[0].ManagedFields) == 0 {
		t.Errorf("list: %v", list)
	}
	if _, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "A"}},
		metav1.CreateOptions{}); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "metadata.name") {
		t.Errorf("a bad name: %v", err)
	}
	check("delete", secrets.Delete(ctx, "a",
		metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(secret.UID))}))
	if _, err := secrets.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("deleted: %v", err)
	}
	fixture.Events(ctx, t, w, "ADDED a", "MODIFIED a", "MODIFIED a", "MODIFIED a", "DELETED a")
	if groups, _, err := client.Discovery().ServerGroupsAndResources(); err != nil || len(groups) == 0 { // always in JSON
		t.Errorf("discovery: %v, %v", groups, err)
	}
	seen.Has(t, "sent application/cbor", "sent application/apply-patch+cbor", "got application/cbor",
		"got application/cbor-seq")
}

// A dynamic client, and custom resources, which have no Go types.
func TestDynamicClient(t *testing.T) {
	ctx := fixture.Context(t)
	config, seen := serve(ctx, t, true)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	object := func(kind, name string, content map[string]any) *unstructured.Unstructured {
		content["apiVersion"], content["kind"], content["metadata"] = "example.com/v1", kind, map[string]any{"name": name}
		return &unstructured.Unstructured{Object: content}
	}
	definition := object("CustomResourceDefinition", "things.example.com", map[string]any{"spec": map[string]any{
		"group": "example.com", "scope": "Namespaced", "names": map[string]any{"plural": "things", "kind": "Thing"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "x-kubernetes-preserve-unknown-fields": true,
				"properties": map[string]any{"n": map[string]any{"type": "number", "maximum": 2.5}},
			}}}},
	}})
	definition.SetAPIVersion("apiextensions.k8s.io/v1")
	definitions := client.Resource(gvk.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	established(ctx, t, definitions)
	things := client.Resource(gvk.GroupVersionResource{Group: "example.com", Version: "v1",
		Resource: "things"}).Namespace(namespace)
	w, err := things.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	thing, err := things.Create(ctx,
		object("Thing", "a", map[string]any{"n": 1.5, "m": int64(1 << 60), "s": "AQI=",
			"l": []any{nil, true, map[string]any{}}}), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := thing.Object; got["n"] != 1.5 || got["m"] != int64(1<<60) || got["s"] != "AQI=" ||
		fmt.Sprint(got["l"]) != "[<nil> true map[]]" {
		t.Errorf("created %v", got)
	}
	thing.Object["n"] = 3.0
	if _, err := things.Update(ctx, thing, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("too much: %v", err)
	}
	thing.Object["n"] = 2.0
	if _, err := things.Update(ctx, thing, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := things.Apply(ctx, "b", object("Thing", "b", map[string]any{"n": 1.0}),
		metav1.ApplyOptions{FieldManager: "m"}); err != nil {
		t.Error(err)
	}
	list, err := things.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 2 || list.Items[1].GetName() != "b" {
		t.Errorf("list: %v, %v", list, err)
	}
	fixture.Events(ctx, t, w, "ADDED a", "MODIFIED a", "ADDED b")
	heads, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	partial, err := heads.Resource(gvk.GroupVersionResource{Version: "v1", Resource: "namespaces"}).List(ctx,
		metav1.ListOptions{})
	if err != nil || len(partial.Items) != 4 {
		t.Errorf("metadata: %v, %v", partial, err)
	}
	if err := things.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	seen.Has(t, "sent application/cbor", "got application/cbor", "got application/cbor-seq")
	for _, kind := range seen.All() {
		if strings.Contains(kind, "json") {
			t.Errorf("%s, too", kind)
		}
	}
}

// established waits until the definition is established.
func established(ctx context.Context, t *testing.T, definitions dynamic.ResourceInterface) {
	t.Helper()
	w, err := definitions.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		obj, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			t.Fatalf("%s %v", e.Type, e.Object)
		}
		conditions, _, _ := unstructured.NestedSlice(obj.Object, "status", "conditions")
		for _, c := range conditions {
			if c := c.(map[string]any); c["type"] == "Established" && c["status"] == "True" {
				return
			}
		}
	}
	t.Fatal("the definition does not become established")
}

// Without the feature gate, such clients fall back to JSON.
func TestClientFallsBack(t *testing.T) {
	ctx := fixture.Context(t)
	config, seen := serve(ctx, t, false)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	configMaps := client.Resource(gvk.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
	create := func() error {
		obj := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"generateName": "a"}}}
		_, err := configMaps.Create(ctx, obj, metav1.CreateOptions{})
		return err
	}
	if err := create(); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("the first time: %v", err)
	}
	if err := create(); err != nil {
		t.Errorf("the second time: %v", err)
	}
	if list, err := configMaps.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("list: %v, %v", list, err)
	}
	if all := seen.All(); slices.Contains(all, "got application/cbor") {
		t.Errorf("%v", all)
	}
}
