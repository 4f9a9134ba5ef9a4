package protobuf

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The bytes are those of k8s.io/api's generated code; core/conformance/upstream checks that for all
// types.
func TestMessage(t *testing.T) {
	obj, _, err := object.Decode([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},`+
		`"data":{"k":"v"},"binaryData":{"b":"AQI="}}`), schema.TypeOf("", "v1", "ConfigMap"))
	if err != nil {
		t.Fatal(err)
	}
	got := hex.EncodeToString(Envelope("v1", "ConfigMap", Message(obj, schema.TypeOf("", "v1", "ConfigMap"))))
	want := hex.EncodeToString([]byte("k8s\x00" +
		"\n\x0f\n\x02v1\x12\tConfigMap" + // apiVersion and kind
		"\x12\x24" + "\n\x11\n\x01a\x12\x00\x1a\x00\"\x00*\x002\x008\x00B\x00" + "\x12\x06\n\x01k\x12\x01v" +
		"\x1a\x07\n\x01b\x12\x02\x01\x02" +
		"\x1a\x00\"\x00"))
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, text := range []string{"", "k8s", "{}", "k8s\x00\x0a\xff", "k8s\x00\x0f", "k8s\x00\x00\x00"} {
		if _, err := Open([]byte(text)); err == nil {
			t.Errorf("%q is an envelope", text)
		}
	}
}

// field returns a field of bytes.
func field(number uint64, value []byte) []byte {
	b := binary.AppendUvarint(nil, number<<3|wireBytes)
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

// TestDecodeDepth has messages refused that nest too deep, and JSON inside of messages, before anything calls itself
// for each level. It also runs in js/wasm, where the program ends if not.
func TestDecodeDepth(t *testing.T) {
	definition := schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
	version := definition.Field("spec").Type.Field("versions").Type.Elem
	props := version.Field("schema").Type.Field("openAPIV3Schema").Type
	nested := func(levels int, name string, around func([]byte) []byte) []byte {
		message, number := []byte{}, uint64(props.Field(name).Proto)
		for range levels {
			message = field(number, around(message))
		}
		return message
	}
	revision := schema.TypeOf("apps", "v1", "ControllerRevision")
	raw := func(levels int, open, closed string) []byte {
		text := strings.Repeat(open, levels) + "1" + strings.Repeat(closed, levels)
		return field(uint64(revision.Field("data").Proto), field(1, []byte(text)))
	}
	same := func(message []byte) []byte { return message }
	for name, test := range map[string]struct {
		t      *schema.Type
		deep   func(levels int) []byte
		levels int // those that are an object together
	}{
		"objects": {props, func(n int) []byte { return nested(n-1, "not", same) }, 1},
		"lists":   {props, func(n int) []byte { return nested((n-1)/2, "allOf", same) }, 2},
		"maps": {props, func(n int) []byte {
			return nested((n-1)/2, "properties", func(m []byte) []byte { return append(field(1, []byte("a")), field(2, m)...) })
		}, 2},
		"unions": {props, func(n int) []byte {
			return nested(n-1, "items", func(m []byte) []byte { return field(1, m) })
		}, 1},
		"JSON":        {revision, func(n int) []byte { return raw(n-1, "[", "]") }, 1},
		"JSON, maps":  {revision, func(n int) []byte { return raw(n-1, `{"a":`, "}") }, 1},
		"JSON, short": {revision, func(n int) []byte { return raw(n-1, "[", "") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Decode(test.deep(object.MaxDecoded), test.t); errors.Is(err, object.ErrTooDeep) {
				t.Errorf("at the limit: %v", err)
			}
			for _, levels := range []int{object.MaxDecoded + test.levels, 5000, 9000} {
				if _, err := Decode(test.deep(levels), test.t); !errors.Is(err, object.ErrTooDeep) {
					t.Errorf("%d levels: %v", levels, err)
				}
			}
		})
	}
}

// TestDecodeValues has messages refused that have more values than a request may have, wherever they are.
func TestDecodeValues(t *testing.T) {
	pod, revision := schema.TypeOf("", "v1", "Pod"), schema.TypeOf("apps", "v1", "ControllerRevision")
	containers := func(n int) []byte {
		number := uint64(pod.Field("spec").Type.Field("containers").Proto)
		return field(uint64(pod.Field("spec").Proto), bytes.Repeat(field(number, nil), n))
	}
	raw := func(n int) []byte {
		text := "[" + strings.Repeat("1,", n-1) + "1]"
		return field(uint64(revision.Field("data").Proto), field(1, []byte(text)))
	}
	for _, c := range []struct {
		t    *schema.Type
		body func(n int) []byte
		most int
	}{{pod, containers, (object.MaxValues - 1) / 2}, {revision, raw, object.MaxValues - 1}} {
		if _, err := Decode(c.body(c.most), c.t); err != nil {
			t.Errorf("%d: %v", c.most, err)
		}
		for _, n := range []int{c.most + 1, 1_300_000} {
			if _, err := Decode(c.body(n), c.t); !errors.Is(err, object.ErrTooMany) {
				t.Errorf("%d: %v", n, err)
			}
		}
	}
}

// A message that can be read can be written, and read again as the same.
func FuzzDecode(f *testing.F) {
	kinds := []*schema.Type{
		schema.TypeOf("", "v1", "Pod"), schema.TypeOf("", "v1", "ConfigMap"), schema.TypeOf("apps", "v1", "Deployment"),
		schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
		schema.TypeOf("certificates.k8s.io", "v1", "CertificateSigningRequest"),
	}
	for i, text := range []string{
		`{"metadata":{"name":"a","creationTimestamp":"2020-01-02T03:04:05Z"},"spec":{"containers":[{"name":"c",` +
			`"resources":{"limits":{"cpu":"1"}},"livenessProbe":{"httpGet":{"port":"http"}}}]}}`,
		`{"data":{"k":"v"},"binaryData":{"b":"AQI="},"immutable":true}`,
		`{"spec":{"replicas":3,"strategy":{"rollingUpdate":{"maxSurge":"25%"}}}}`,
		`{"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"type":"string"},` +
			`"default":1,"additionalProperties":true}}}}}]}}`,
		`{"spec":{"extra":{"k":["a","b"]}}}`,
	} {
		obj, _, err := object.Decode([]byte(text), kinds[i])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, Message(obj, kinds[i]))
	}
	f.Fuzz(func(t *testing.T, i int, message []byte) {
		if i < 0 || i >= len(kinds) {
			return
		}
		obj, err := Decode(message, kinds[i])
		if err != nil {
			return
		}
		once := Message(obj, kinds[i])
		again, err := Decode(once, kinds[i])
		if err != nil {
			t.Fatalf("%x, written of %s: %v", once, object.Encode(nil, obj, kinds[i]), err)
		}
		if !bytes.Equal(Message(again, kinds[i]), once) {
			t.Fatalf("%x is read and written as %x", once, Message(again, kinds[i]))
		}
	})
}
