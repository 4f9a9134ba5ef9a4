package wire

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/protobuf"
	"github.com/tabernetes/tabernetes/core/schema"
)

const protobufType = "application/vnd.kubernetes.protobuf"

func encode(t testing.TB, object string) []byte {
	t.Helper()
	data, err := protobuf.FromJSON([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",` +
	`"creationTimestamp":"2026-01-02T03:04:05Z"},` +
	`"data":{"k":"v"},"binaryData":{"b":"AP8="},"immutable":true}`

func TestProtobuf(t *testing.T) {
	d := Read(protobufType, string(encode(t, configMap)))
	check(t, d)
	want := `(magic) "k8s\x00" 4
1 typeMeta (LEN, 15 bytes) 17
  1 apiVersion (LEN, 2 bytes) "v1" 4
  2 kind (LEN, 9 bytes) "ConfigMap" 11
2 raw (LEN, 46 bytes) 48
  1 metadata (LEN, 25 bytes) 27
    1 name (LEN, 1 byte) "a" 3
    2 generateName (LEN, 0 bytes) "" 2
    3 namespace (LEN, 0 bytes) "" 2
    4 selfLink (LEN, 0 bytes) "" 2
    5 uid (LEN, 0 bytes) "" 2
    6 resourceVersion (LEN, 0 bytes) "" 2
    7 generation (VARINT) 0 2
    8 creationTimestamp (LEN, 8 bytes) 2026-01-02T03:04:05Z 10
      1 seconds (VARINT) 1767323045 6
      2 nanos (VARINT) 0 2
  2 data (LEN, 6 bytes) 8
    1 key (LEN, 1 byte) "k" 3
    2 value (LEN, 1 byte) "v" 3
  3 binaryData (LEN, 7 bytes) 9
    1 key (LEN, 1 byte) "b" 3
    2 value (LEN, 2 bytes) 4
  4 immutable (VARINT) true 2
3 contentEncoding (LEN, 0 bytes) "" 2
4 contentType (LEN, 0 bytes) "" 2
`
	if got := outline(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What the types have is read as it is meant.
func TestProtobufValues(t *testing.T) {
	d := Protobuf(encode(t, `{"apiVersion":"v1","kind":"Pod",
		"metadata":{"name":"p","managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]},
		"spec":{"activeDeadlineSeconds":-3,"priority":-7,"volumes":[{"name":"v","configMap":{"name":"c"}}],
		"containers":[{"name":"c","resources":{"limits":{"cpu":"100m"}},"livenessProbe":{"httpGet":{"port":"http"}}}]}}`))
	check(t, d)
	got := outline(d)
	for _, want := range []string{
		`5 activeDeadlineSeconds (VARINT) -3 11`,
		`25 priority (VARINT) -7 12`,
		`2 volumeSource (LEN, `,
		`19 configMap (LEN, `,
		`1 localObjectReference (LEN, `,
		`1 string (LEN, 4 bytes) "100m" 6`,
		`1 type (VARINT) 1 2`,
		`3 strVal (LEN, 4 bytes) "http" 6`,
		`1 raw (LEN, 13 bytes) {"f:spec":{}} 15`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	d = Protobuf(encode(t, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview",`+
		`"status":{"user":{"extra":{"k":["a","b"]}}}}`))
	check(t, d)
	if got := outline(d); strings.Count(got, " items (LEN, 1 byte)") != 2 {
		t.Errorf("a list in a map:\n%s", got)
	}
}

// Every field that the encoder writes of any kind has its name.
func TestNamesOfAllKinds(t *testing.T) {
	kinds := 0
	for _, r := range schema.Builtin().Resources() {
		if r.Type() == nil {
			continue
		}
		kinds++
		d := Protobuf(encode(t, `{"apiVersion":"`+r.APIVersion()+`","kind":"`+r.Kind+
			`","metadata":{"labels":{"a":"b"}},"spec":{},"status":{}}`))
		check(t, d)
		for _, s := range d.Spans {
			if s.Name == "" && s.Type != "magic" {
				t.Errorf("%s: field %d has no name:\n%s", r.Kind, s.Number, outline(d))
				break
			}
		}
	}
	if kinds < 50 {
		t.Errorf("only %d kinds were looked at", kinds)
	}
}

func TestProtobufWithoutASchema(t *testing.T) {
	// Field 1 text, 2 a message with a number in it, 3 bytes, 4 a float, 5 four bytes.
	message := "\x0a\x02hi" + "\x12\x02\x08\x2a" + "\x1a\x02\xff\xfe" + "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f" +
		"\x2d\x01\x00\x00\x00"
	d := Protobuf([]byte(magic + "\x0a\x0a\x0a\x03x/y\x12\x03Own" + "\x12" + string(rune(len(message))) + message))
	check(t, d)
	want := `(magic) "k8s\x00" 4
1 typeMeta (LEN, 10 bytes) 12
  1 apiVersion (LEN, 3 bytes) "x/y" 5
  2 kind (LEN, 3 bytes) "Own" 5
2 raw (LEN, 26 bytes) 28
  1 (LEN, 2 bytes) "hi" 4
  2 (LEN, 2 bytes) 4
    1 (VARINT) 42 2
  3 (LEN, 2 bytes) 4
  4 (I64) 1.5 9
  5 (I32) 1 5
`
	if got := outline(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	json := Protobuf([]byte(magic + "\x12\x09{\"a\":\"b\"}" + "\x22\x10application/json"))
	check(t, json)
	if got := outline(json); !strings.Contains(got, `2 raw (LEN, 9 bytes) {"a":"b"} 11`) {
		t.Errorf("JSON in an envelope:\n%s", got)
	}
}

func TestProtobufMalformed(t *testing.T) {
	for data, want := range map[string]string{
		"":                               "byte 0: an object in protobuf begins with 6b 38 73 00",
		"k8s":                            "byte 0: an object in protobuf begins with 6b 38 73 00",
		"{\"kind\":\"Pod\"}":             "byte 0: an object in protobuf begins with 6b 38 73 00",
		magic + "\x0a":                   "byte 5: the bytes end within a field's length",
		magic + "\x0a\x05\x0a\x02v1\xff": "byte 10: the bytes end within a field's tag",
		magic + "\x0a\x03\x0a\x02v":      "byte 7: field 1 has 2 bytes, with only 1 left",
		magic + "\x12\x7fabc":            "byte 5: field 2 has 127 bytes, with only 3 left",
		magic + "\x00\x00":               "byte 4: a field cannot have the number 0",
		magic + "\x0b":                   "byte 4: field 1 has the wire type 3, which is not in use",
		magic + "\x2d\x01\x02":           "byte 5: field 5 has 4 bytes, with only 2 left",
		magic + "\x28" + strings.Repeat("\xff", 11): "byte 5: a field's value has more than 64 bits",
	} {
		d := Protobuf([]byte(data))
		check(t, d)
		if d.Err == nil || d.Err.Error() != want {
			t.Errorf("%q: %v, want %s", data, d.Err, want)
		}
	}
}

func TestProtobufStream(t *testing.T) {
	object := encode(t, configMap)
	event := append(protobuf.AppendEventHead(nil, "ADDED", len(object)), object...)
	stream := append(event[:len(event):len(event)], event...)
	d := Read(protobufType+";stream=watch", string(stream))
	check(t, d)
	got := outline(d)
	if d.Err != nil || strings.Count(got, "event (frame, ") != 2 ||
		strings.Count(got, `1 type (LEN, 5 bytes) "ADDED" 7`) != 2 ||
		strings.Count(got, `        1 name (LEN, 1 byte) "a" 3`) != 2 {
		t.Errorf("%v\n%s", d.Err, got)
	}
	d = ProtobufStream(stream[:len(event)+10])
	check(t, d)
	if d.Err == nil || d.Rest != len(event) || d.Err.Offset != d.Rest {
		t.Errorf("an event that is cut: %v, %d", d.Err, d.Rest)
	}
}

// Endless nesting ends, and so do endless fields.
func TestProtobufBounds(t *testing.T) {
	inner := []byte("\x08\x01")
	for range 3 * maxDepth {
		inner = append(append([]byte{0x0a}, varintOf(len(inner))...), inner...)
	}
	d := Protobuf(append([]byte(magic), inner...))
	check(t, d)
	if d.Err != nil {
		t.Error(d.Err)
	}
	many := Protobuf([]byte(magic + strings.Repeat("\x28\x01", maxSpans)))
	check(t, many)
	if many.Err != nil || len(many.Spans) != maxSpans || len(many.Bytes)-many.Rest != 2 {
		t.Errorf("%v, %d spans, %d bytes left", many.Err, len(many.Spans), len(many.Bytes)-many.Rest)
	}
}

func varintOf(n int) []byte {
	var b []byte
	for ; n >= 0x80; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}
