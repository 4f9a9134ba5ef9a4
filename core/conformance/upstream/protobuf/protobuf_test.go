package protobuf

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/conformance/upstream/samples"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"github.com/tabernetes/tabernetes/core/schema"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// perType is how many objects of each type are compared.
const perType = 15

func letters(r *rand.Rand) string {
	b := make([]byte, 1+r.Intn(8))
	for i := range b {
		b[i] = byte('a' + r.Intn(26))
	}
	return string(b)
}

// filler makes random objects of Go types, of the values that JSON can represent.
func filler(seed int64) *randfill.Filler {
	return samples.Filler(seed, letters,
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = []byte(`{"a":"` + letters(c.Rand) + `"}`) },
		func(j *apiextensions.JSON, c randfill.Continue) { j.Raw = []byte(`"` + letters(c.Rand) + `"`) },
		func(f *metav1.FieldsV1, c randfill.Continue) {
			*f = *metav1.NewFieldsV1(`{"f:` + letters(c.Rand) + `":{}}`)
		},
		func(f *float64, c randfill.Continue) { *f = float64(c.Intn(1000)) / 8 },
	)
}

type marshaler interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// For every served type, its lists, and the types of its subresources: Encode writes what the
// generated code writes, and Decode reads what it writes.
func TestAsTheGeneratedCode(t *testing.T) { samples.Each(t, perType, compare) }

func compare(t *testing.T, kind gvk.GroupVersionKind, typ *schema.Type, seed int64) {
	text, tree, obj := samples.Object(t, kind, typ, filler(seed))
	same, ok := obj.(marshaler)
	if !ok {
		t.Fatalf("%v has no generated code", kind)
	}
	fresh := func() marshaler {
		obj, _ := scheme.Scheme.New(kind)
		return obj.(marshaler)
	}
	want, err := same.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got := protobuf.Message(tree, typ)
	if !bytes.Equal(got, want) {
		back := fresh()
		err := back.Unmarshal(got)
		t.Fatalf("seed %d: the message differs (equal objects: %v, %v)\n%s\n got %x\nwant %x", seed,
			reflect.DeepEqual(back, same), err, text, got, want)
	}
	read, err := protobuf.Decode(want, typ)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	// In protobuf an empty list and none are the same, for both sides.
	theirs := fresh()
	if err := theirs.Unmarshal(want); err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(theirs); err != nil {
		t.Fatal(err)
	}
	if tree, _, err = object.Decode(text, typ); err != nil {
		t.Fatal(err)
	}
	if got, want := object.Encode(nil, read, typ), object.Encode(nil, tree, typ); !bytes.Equal(got, want) {
		t.Fatalf("seed %d: read as\n     %s\nwant %s", seed, got, want)
	}
	// With the envelope.
	var buffer bytes.Buffer
	obj.GetObjectKind().SetGroupVersionKind(kind)
	codec := serializer.NewSerializer(scheme.Scheme, scheme.Scheme)
	if err := codec.Encode(obj, &buffer); err != nil {
		t.Fatal(err)
	}
	object.SetTypeMeta(tree, kind.GroupVersion().String(), kind.Kind)
	whole := protobuf.Envelope(kind.GroupVersion().String(), kind.Kind, protobuf.Message(tree, typ))
	if !bytes.Equal(whole, buffer.Bytes()) {
		t.Fatalf("seed %d: the envelope differs\n got %x\nwant %x", seed, whole, buffer.Bytes())
	}
	u, err := protobuf.Open(buffer.Bytes())
	if err != nil || u.Kind != kind.Kind || u.APIVersion != kind.GroupVersion().String() || !bytes.Equal(u.Message, want) {
		t.Fatalf("seed %d: the envelope is read as %+v, %v", seed, u, err)
	}
}
