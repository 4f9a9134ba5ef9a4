// Package samples makes random objects of every served type, for tests that compare encodings with
// those of the real code.
package samples

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// minTypes is the minimum number of types.
const minTypes = 100

// Each runs a test for every type that is served, its lists, and the types of its
// subresources: compare is called for n seeds, until it fails.
func Each(t *testing.T, n int, compare func(t *testing.T, kind gvk.GroupVersionKind, typ *schema.Type, seed int64)) {
	kinds := map[gvk.GroupVersionKind]*schema.Type{}
	add := func(group, version, kind string) {
		if typ := schema.TypeOf(group, version, kind); typ != nil {
			kinds[gvk.GroupVersionKind{Group: group, Version: version, Kind: kind}] = typ
		}
	}
	for _, r := range schema.Builtin().Resources() {
		add(r.Group, r.Version, r.Kind)
		add(r.Group, r.Version, r.Kind+"List")
		for _, s := range r.Subresources {
			add(s.Group, s.Version, s.Kind)
		}
	}
	if err := apiextensions.AddToScheme(scheme.Scheme); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for kind, typ := range kinds {
		if _, err := scheme.Scheme.New(kind); err != nil {
			t.Logf("%v is not in the scheme", kind) // apiregistration
			continue
		}
		compared++
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			for seed := range int64(n) {
				compare(t, kind, typ, seed)
				if t.Failed() {
					return
				}
			}
		})
	}
	if compared < minTypes {
		t.Errorf("only %d types were compared", compared)
	}
}

// Filler makes random objects of Go types, of the values that JSON can represent. text makes their
// strings; own are randfill functions for further types.
func Filler(seed int64, text func(*rand.Rand) string, own ...any) *randfill.Filler {
	return randfill.NewWithSeed(seed).NilChance(0.4).NumElements(0, 3).MaxDepth(12).Funcs(
		func(s *string, c randfill.Continue) {
			if *s = text(c.Rand); c.Intn(4) == 0 {
				*s = ""
			}
		},
		func(t *metav1.Time, c randfill.Continue) { *t = metav1.Unix(1e9+c.Int63n(1e9), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) {
			*t = metav1.NewMicroTime(time.UnixMicro(1e15 + c.Int63n(1e15)))
		},
		func(d *metav1.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Int63n(1e15)) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewMilliQuantity(c.Int63n(1e9), resource.DecimalSI)
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(c.Int31n(1000)); c.Intn(2) == 0 {
				*v = intstr.FromString(text(c.Rand))
			}
		},
		func(t *metav1.TypeMeta, _ randfill.Continue) { *t = metav1.TypeMeta{} },
	).Funcs(own...)
}

// Object fills an object of a kind, and returns it as our JSON has it: the text, what it
// says as a tree, and the Go object that is read from it, so that all begin with the same.
func Object(t *testing.T, kind gvk.GroupVersionKind, typ *schema.Type, filler *randfill.Filler) (text []byte,
	tree map[string]any, same runtime.Object) {
	t.Helper()
	filled, err := scheme.Scheme.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	filler.Fill(filled)
	if text, err = json.Marshal(filled); err != nil {
		t.Fatal(err)
	}
	if tree, _, err = object.Decode(text, typ); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	object.SetTypeMeta(tree, kind.GroupVersion().String(), kind.Kind)
	text = object.Encode(nil, tree, typ)
	same, _ = scheme.Scheme.New(kind)
	if err := json.Unmarshal(text, same); err != nil {
		t.Fatal(err)
	}
	return text, tree, same
}
