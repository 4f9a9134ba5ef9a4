package fields

import (
	"encoding/json"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/tabernetes/tabernetes/core/schema"
)

// versioned replaces the conversions of the real server, where there is one version and no internal
// one: trees become Go structs and back.
type versioned struct{ kind kschema.GroupVersionKind }

func (v versioned) Convert(any, any, any) error { return fmt.Errorf("nothing to convert") }

func (v versioned) ConvertFieldLabel(kschema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", fmt.Errorf("no field labels")
}

func (v versioned) ConvertToVersion(in runtime.Object, gv runtime.GroupVersioner) (runtime.Object, error) {
	kind := in.GetObjectKind().GroupVersionKind()
	if to, ok := gv.(kschema.GroupVersion); ok && kind.GroupVersion() != to || !scheme.Scheme.Recognizes(kind) {
		return nil, runtime.NewNotRegisteredErrForKind(scheme.Scheme.Name(), kind)
	}
	tree, ok := in.(*unstructured.Unstructured)
	if !ok {
		return in, nil
	}
	return scheme.Scheme.ConvertToVersion(tree, gv)
}

func (v versioned) Default(runtime.Object) {}

// New returns an empty object that knows its kind.
func (v versioned) New(kind kschema.GroupVersionKind) (runtime.Object, error) {
	obj, err := scheme.Scheme.New(kind)
	if err == nil {
		obj.GetObjectKind().SetGroupVersionKind(kind)
	}
	return obj, err
}

// real is the real server's field management of one resource.
type real struct {
	versioned
	managers map[string]*managedfields.FieldManager // by subresource
	live     runtime.Object                         // nil if it is not there
}

func newReal(t testing.TB, r *schema.Resource, resets map[string]fieldpath.Filter) *real {
	t.Helper()
	types, err := managedfields.NewTypeConverter(realModels(t), false)
	if err != nil {
		t.Fatal(err)
	}
	v := versioned{kschema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}}
	m := &real{versioned: v, managers: map[string]*managedfields.FieldManager{}}
	for sub, reset := range resets {
		filters := map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(r.APIVersion()): reset}
		if m.managers[sub], err = managedfields.NewDefaultFieldManager(types, v, v, v, v.kind, v.kind.GroupVersion(), sub,
			filters); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *real) before() runtime.Object {
	if m.live != nil {
		return m.live.DeepCopyObject()
	}
	obj, err := m.New(m.kind)
	if err != nil {
		panic(err)
	}
	return obj
}

// update writes an object, which is given as JSON.
func (m *real) update(text []byte, subresource, manager string) {
	obj, err := m.New(m.kind)
	if err == nil {
		err = json.Unmarshal(text, obj)
	}
	if err != nil {
		panic(fmt.Sprint(err, string(text)))
	}
	m.live = m.managers[subresource].UpdateNoErrors(m.before(), obj, manager)
}

func (m *real) apply(text []byte, subresource, manager string, force bool) error {
	config := &unstructured.Unstructured{Object: map[string]any{}}
	if err := utiljson.Unmarshal(text, &config.Object); err != nil { // which reads whole numbers as int64
		panic(fmt.Sprint(err, string(text)))
	}
	live, err := m.managers[subresource].Apply(m.before(), config, manager, force)
	if err == nil {
		m.live = live
	}
	return err
}

// store sends the object through protobuf, as storing it does, and changes the time of the entries
// written now.
func (m *real) store(step metav1.Time) {
	if m.live == nil {
		return
	}
	text, err := m.live.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		panic(err)
	}
	obj, err := m.New(m.kind)
	if err == nil {
		err = obj.(interface{ Unmarshal([]byte) error }).Unmarshal(text)
	}
	if err != nil {
		panic(err)
	}
	entries := obj.(metav1.Object).GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Year() > start.Year() {
			entries[i].Time = &step
		}
	}
	m.live = obj
}

// tree returns the object as JSON has it.
func (m *real) tree() any {
	if m.live == nil {
		return nil
	}
	text, err := json.Marshal(m.live)
	if err != nil {
		panic(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err)
	}
	return tree
}
