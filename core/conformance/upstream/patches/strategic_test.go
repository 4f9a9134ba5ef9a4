package patches

import (
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
)

var (
	rounds = flag.Int("rounds", 500, "how many patches to try of each kind")
	seed   = flag.Uint64("seed", 1, "where chance begins")
)

// chances is how often the real code is run before an outcome counts as impossible.
const chances = 400

var types = []struct {
	group, kind string
	object      func() any
}{
	{"", "Pod", func() any { return new(corev1.Pod) }},
	{"", "Service", func() any { return new(corev1.Service) }},
	{"", "ConfigMap", func() any { return new(corev1.ConfigMap) }},
	{"", "Secret", func() any { return new(corev1.Secret) }},
	{"", "Node", func() any { return new(corev1.Node) }},
	{"", "ServiceAccount", func() any { return new(corev1.ServiceAccount) }},
	{"apps", "Deployment", func() any { return new(appsv1.Deployment) }},
	{"apps", "StatefulSet", func() any { return new(appsv1.StatefulSet) }},
	{"batch", "CronJob", func() any { return new(batchv1.CronJob) }},
	{"networking.k8s.io", "Ingress", func() any { return new(networkingv1.Ingress) }},
}

// outcome is the result of a patch: an object as JSON and its unknown fields, or an error.
type outcome struct{ object, quoted, problems, err string }

func TestStrategic(t *testing.T) {
	for _, typ := range types {
		t.Run(typ.kind, func(t *testing.T) {
			g := newGen(0)
			known := schema.TypeOf(typ.group, "v1", typ.kind)
			failed, refused := 0, 0
			for round := range *rounds {
				wild := []int{100000, 40, 12}[round%3]
				doc, _ := json.Marshal(g.Object(known, 0))
				change, _ := json.Marshal(g.patch(known, 0, wild))
				if g.OneIn(50) {
					change = g.broken(change)
				}
				got := ours(doc, change, known)
				if got.err != "" {
					refused++
				}
				var can []outcome
				for range chances {
					want, panicked := theirs(doc, change, typ.object)
					if panicked || same(got, want) {
						can = nil
						break
					}
					can = append(can, want)
				}
				if can != nil {
					t.Errorf("%s\npatched with\n%s\nis\n%+v\nwant\n%+v", doc, change, got, can[0])
					if failed++; failed == 5 {
						t.FailNow()
					}
				}
			}
			t.Logf("%d of %d patches were refused", refused, *rounds)
		})
	}
}

func same(a, b outcome) bool {
	return a.err == b.err && a.quoted == b.quoted && a.problems == b.problems && sameJSON(a.object, b.object)
}

func sameJSON(a, b string) bool {
	var x, y any
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil &&
		reflect.DeepEqual(x, y)
}

func ours(doc, change []byte, t *schema.Type) (o outcome) {
	tree, _, err := object.Decode(doc, t)
	if err == nil {
		tree, _, err = object.Normalize(tree, t) // as it is stored
	}
	if err != nil {
		return outcome{err: err.Error()}
	}
	p, duplicates, err := object.Decode(change, nil)
	if err != nil {
		return outcome{err: err.Error()}
	}
	merged, err := patch.Strategic(tree, p, t)
	if err != nil {
		return outcome{err: err.Error()}
	}
	o.quoted = fmt.Sprintf("%+v", p)
	obj, unknown, err := object.Convert(merged, t, nil)
	if err != nil {
		return outcome{quoted: o.quoted, err: err.Error()}
	}
	o.problems = fmt.Sprint(append(duplicates, unknown...))
	o.object = string(object.Encode(nil, obj, t))
	return o
}

// theirs returns the result of the real code. Patches with maps in the place of keys make it panic.
func theirs(doc, change []byte, object func() any) (o outcome, panicked bool) {
	defer func() {
		if recover() != nil {
			panicked = true
		}
	}()
	return apply(doc, change, object), false
}

func apply(doc, change []byte, object func() any) (o outcome) {
	before, after := object(), object()
	if err := json.Unmarshal(doc, before); err != nil {
		return outcome{err: err.Error()}
	}
	before, err := stored(before, object())
	if err != nil {
		return outcome{err: err.Error()}
	}
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(before)
	if err != nil {
		return outcome{err: err.Error()}
	}
	p := map[string]any{}
	duplicates, err := kjson.UnmarshalStrict(change, &p)
	if err != nil {
		return outcome{err: err.Error()}
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(tree, p, object())
	if err != nil {
		return outcome{err: err.Error()}
	}
	o.quoted = fmt.Sprintf("%+v", p)
	err = runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(merged, after, true)
	strict, isStrict := runtime.AsStrictDecodingError(err)
	if err != nil && !isStrict {
		return outcome{quoted: o.quoted, err: err.Error()}
	}
	if isStrict {
		duplicates = append(duplicates, strict.Errors()...)
	}
	o.problems = fmt.Sprint(duplicates)
	if after, err = stored(after, object()); err != nil {
		return outcome{err: err.Error()}
	}
	text, _ := json.Marshal(after)
	o.object = string(text)
	return o
}

// stored returns an object as it is stored: protobuf has no empty lists.
func stored(obj, empty any) (any, error) {
	type message interface {
		Marshal() ([]byte, error)
		Unmarshal([]byte) error
	}
	text, err := obj.(message).Marshal()
	if err != nil {
		return nil, err
	}
	return empty, empty.(message).Unmarshal(text)
}
