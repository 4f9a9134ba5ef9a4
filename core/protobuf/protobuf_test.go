package protobuf

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The bytes are those of k8s.io/api's generated code; core/conformance/upstream checks that for all
// types.
func TestEncode(t *testing.T) {
	obj, _, err := object.Decode([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},`+
		`"data":{"k":"v"},"binaryData":{"b":"AQI="}}`), schema.TypeOf("", "v1", "ConfigMap"))
	if err != nil {
		t.Fatal(err)
	}
	got := hex.EncodeToString(Encode(obj, schema.TypeOf("", "v1", "ConfigMap")))
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
