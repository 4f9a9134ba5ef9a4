package cbor

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/conformance/upstream/samples"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gvk "k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

// perType is how many objects of each type are compared.
const perType = 10

// letters returns text with characters that JSON escapes.
func letters(r *rand.Rand) string {
	b := make([]rune, 1+r.Intn(30))
	for i := range b {
		if b[i] = rune('a' + r.Intn(26)); r.Intn(8) == 0 {
			b[i] = []rune("\"\\\n\t<>&\u2028äß世🙂\x01/ ")[r.Intn(14)]
		}
	}
	return string(b)
}

// filler makes random objects of Go types, of the values that JSON can represent.
func filler(seed int64) *randfill.Filler {
	return samples.Filler(seed, letters,
		func(r *runtime.RawExtension, c randfill.Continue) {
			r.Raw = fmt.Appendf(nil, `{"a":%d,"b":[1.5,-3,true,null,{}],"kind":"c"}`, c.Int63())
		},
		func(j *apiextensions.JSON, c randfill.Continue) { j.Raw = []byte(`{"ab":1.25,"c":-7}`) },
		func(f *metav1.FieldsV1, c randfill.Continue) {
			*f = *metav1.NewFieldsV1(`{"f:spec":{"f:b":{},".":{}},"f:a":{}}`)
		},
		func(f *float64, c randfill.Continue) { *f = float64(c.Intn(1000)) / []float64{1, 8, 3, 1e9}[c.Intn(4)] },
	)
}

// For every served type, its lists, and the types of its subresources: both encoders write the same
// bytes, and each decoder reads the other's.
func TestAsApimachinery(t *testing.T) { samples.Each(t, perType, compare) }

func compare(t *testing.T, kind gvk.GroupVersionKind, typ *schema.Type, seed int64) {
	text, _, same := samples.Object(t, kind, typ, filler(seed))
	codec := serializer.NewSerializer(scheme.Scheme, scheme.Scheme)
	var buffer bytes.Buffer
	if err := codec.Encode(same, &buffer); err != nil {
		t.Fatal(err)
	}
	got, err := cbor.FromJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	if want := buffer.Bytes(); !bytes.Equal(got, want) {
		a, _ := direct.Diagnose(got)
		b, _ := direct.Diagnose(want)
		t.Fatalf("seed %d: the document differs\n%s\n got %s\nwant %s", seed, text, a, b)
	}
	// The output of a client that does not sort, and of one without types.
	buffer.Reset()
	if err := codec.EncodeNondeterministic(same, &buffer); err != nil {
		t.Fatal(err)
	}
	readBack(t, buffer.Bytes(), text, typ)
	var untyped unstructured.Unstructured
	if _, _, err := codec.Decode(got, nil, &untyped); err != nil {
		t.Fatal(err)
	}
	buffer.Reset()
	if err := codec.Encode(&untyped, &buffer); err != nil {
		t.Fatal(err)
	}
	readBack(t, buffer.Bytes(), text, typ)
}

// readBack checks that a document is decoded to an object.
func readBack(t *testing.T, document, want []byte, typ *schema.Type) {
	t.Helper()
	read, err := cbor.ToJSON(document, "")
	if err != nil {
		t.Fatal(err)
	}
	tree, problems, err := object.Decode(read, typ)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %s: %s", err, problems, read)
	}
	if got := object.Encode(nil, tree, typ); !bytes.Equal(plainFields(t, got), plainFields(t, want)) {
		t.Fatalf("read as\n     %s\nwant %s", got, want)
	}
}

// plainFields returns a JSON document with sorted members: managedFields are stored as they came.
func plainFields(t *testing.T, document []byte) []byte {
	v, err := object.DecodeAny(document)
	if err != nil {
		t.Fatal(err)
	}
	return object.EncodeAny(nil, v)
}
