package cbor

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor/item"
	"github.com/tabernetes/tabernetes/core/object"
)

// The bytes are those of apimachinery; core/conformance/upstream checks that for all types.
func TestFromJSON(t *testing.T) {
	tests := map[string]struct{ document, want string }{
		"in the order of the keys' encoding": {`{"kind":"K","apiVersion":"v1","bb":1,"c":2,"a":3}`,
			"a5 4161 03 4163 02 426262 01 446b696e64 414b 4a61706956657273696f6e 427631"},
		"base64 of a type that says so": {`{"kind":"Secret","apiVersion":"v1","data":{"k":"AQI="}}`,
			"a3 4464617461 a1 416b d6 420102 446b696e64 46536563726574 4a61706956657273696f6e 427631"},
		"text like base64": {`{"kind":"ConfigMap","apiVersion":"v1","data":{"k":"AQI="}}`,
			"a3 4464617461 a1 416b 444151493d 446b696e64 49436f6e6669674d6170 4a61706956657273696f6e 427631"},
		"words": {`{"a":[true,false,null,{},[]]}`, "a1 4161 85 f5 f4 f6 a0 80"},
		"numbers": {`{"a":[0,23,24,255,256,65536,4294967296,-1,-24,-25,9223372036854775807,-9223372036854775808]}`,
			"a1 4161 8c 00 17 1818 18ff 190100 1a00010000 1b0000000100000000 20 37 3818 1b7fffffffffffffff 3b7fffffffffffffff"},
		"floats": {`{"a":[0.5,1.0,100000.5,1.1,5.960464477539063e-8,-0.0,65504.0,1e21]}`,
			"a1 4161 88 f93800 f93c00 fa47c35040 fb3ff199999999999a f90001 f98000 f97bff fb444b1ae4d6e2ef50"},
		"escapes":         {`{"a\n":"\u003c\ud83d\ude42\/"}`, "a1 42610a 463cf09f99822f"},
		"long text":       {`{"a":"` + strings.Repeat("x", 24) + `"}`, "a1 4161 5818" + strings.Repeat("78", 24)},
		"the last counts": {`{"a":1,"b":2,"a":3}`, "a2 4161 03 4162 02"},
		"white space":     {" { \"a\" : [ 1 , 2 ] } \n", "a1 4161 82 01 02"},
	}
	for name, test := range tests {
		got, err := FromJSON([]byte(test.document))
		if want := "d9d9f7" + strings.ReplaceAll(test.want, " ", ""); err != nil || hex.EncodeToString(got) != want {
			t.Errorf("%s: %s is written as\n     %x, %v\nwant %s", name, test.document, got, err, want)
		}
	}
	for _, document := range []string{"", "{", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1} 2`, `{"a":"`, `{"a":1e999}`,
		`{"a":nul}`, strings.Repeat("[", object.MaxDecoded+1)} {
		if got, err := FromJSON([]byte(document)); err == nil {
			t.Errorf("%.20q is written as %x", document, got)
		}
	}
}

func TestToJSON(t *testing.T) {
	tests := map[string]struct{ item, want, err string }{
		"self-described":       {"d9d9f7a1416101", `{"a":1}`, ""},
		"text":                 {"a1616161620a", `{"a":"b"}`, "cbor: 1 bytes of extraneous data starting at index 5"},
		"of indefinite length": {"bf7f6161ff9f5f4162ffffff", `{"a":["b"]}`, ""},
		"later base64":         {"a14161d6420102", `{"a":"AQI="}`, ""},
		"floats stay floats":   {"a1416182f93c00fb4341c37937e08000", `{"a":[1.0,10000000000000000.0]}`, ""},
		"a time":               {"a14161c11a514b67b0", `{"a":"2013-03-21T20:04:00Z"}`, ""},
		"null":                 {"f6", `null`, ""},
		"nothing":              {"", "", "EOF"},
		"cut off":              {"a14161", "", "unexpected EOF"},
		"a number":             {"01", "", "cbor: cannot unmarshal positive integer into Go value of type T"},
		"a key twice":          {"a2416101416102", "", `cbor: found duplicate map key "a" at map element index 1`},
		"a key twice below": {"a14161a2416201416202", `{"a":{"b":1,"b":2}}`,
			`cbor: found duplicate map key "b" at map element index 1`},
		"a key of no text": {"a10102", `{}`, "cbor: cannot unmarshal positive integer into Go value of type string"},
		"NaN": {"a14161f97e00", "",
			"cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"},
		"infinity": {"a14161f97c00", "",
			"cbor: data item of cbor type primitives is not accepted by protocol: floating-point infinity"},
		"undefined": {"a14161f7", `{"a":null}`,
			"cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized"},
		"a big number": {"a14161c24101", "", "cbor: data item of cbor type tag is not accepted by protocol: bignum"},
		"too large": {"a141611b8000000000000000", `{"a":-9223372036854775808}`,
			"cbor: cannot unmarshal positive integer into Go value of type int64 (9223372036854775808 overflows Go's int64)"},
		"no UTF-8":       {"a1416161ff", `{"a":"\ufffd"}`, "cbor: invalid UTF-8 string"},
		"too deep":       {strings.Repeat("81", object.MaxDecoded+1), "", object.ErrTooDeep.Error()},
		"too many tags":  {strings.Repeat("d9d9f7", object.MaxDecoded+2) + "a0", "", object.ErrTooDeep.Error()},
		"times on times": {strings.Repeat("c1", object.MaxDecoded+2) + "01", "", object.ErrTooDeep.Error()},
		"texts on times": {strings.Repeat("c0d9d9f7", object.MaxDecoded) + "01", "", object.ErrTooDeep.Error()},
	}
	for name, test := range tests {
		item, err := hex.DecodeString(test.item)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ToJSON(item, "T")
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != test.err || got != nil && string(got) != test.want || got == nil && err == nil {
			t.Errorf("%s: %.40s is read as %s, %v\nwant %s, %s", name, test.item, got, err, test.want, test.err)
		}
	}
}

// The deepest documents that JSON allows can be converted both ways.
func TestDeepest(t *testing.T) {
	document := `{"a":` + strings.Repeat("[", object.MaxDecoded-1) + strings.Repeat("]", object.MaxDecoded-1) + "}"
	item, err := FromJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ToJSON(item, "T"); err != nil || string(again) != document {
		t.Errorf("read as %.20s, %v", again, err)
	}
}

func TestHalves(t *testing.T) {
	for b := range 1 << 16 {
		f := item.Half(uint16(b))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		if got, ok := toHalf(float32(f)); !ok || got != uint16(b) {
			t.Fatalf("%#x is %g, which is %#x, %v", b, f, got, ok)
		}
	}
	for _, f := range []float32{65536, 1e-9, 1.0001, 2049, -math.MaxFloat32, math.SmallestNonzeroFloat32} {
		if b, ok := toHalf(f); ok {
			t.Errorf("%g is %#x", f, b)
		}
	}
}

func TestAppendEvent(t *testing.T) {
	got := AppendEvent([]byte("x"), "ADDED", []byte(selfDescribed+"\xa0"))
	if want := "x" + selfDescribed + "\xa2\x44type\x45ADDED\x46object" + selfDescribed + "\xa0"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An item that can be read can be written, and read again as the same.
func FuzzToJSON(f *testing.F) {
	for _, document := range []string{
		`{"kind":"Secret","apiVersion":"v1","data":{"k":"AQI="}}`, `{"a":[1,-1,1.5,true,null,{"b":"c"}],"d":"\u2028"}`,
	} {
		item, err := FromJSON([]byte(document))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(item)
	}
	for _, item := range []string{"bf7f6161ff9f5f4162ffffff", "a14161c074323031332d30332d32315432303a30343a30305a",
		"d5a1f682d741ff20", "a14161fb7fefffffffffffff"} {
		b, _ := hex.DecodeString(item)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, item []byte) {
		document, err := ToJSON(item, "T")
		if document != nil && !json.Valid(document) {
			t.Fatalf("%x is no JSON: %s", item, document)
		}
		if err != nil || string(document) == "null" {
			return
		}
		once, err := FromJSON(document)
		if err != nil {
			if strings.Contains(err.Error(), "json:") {
				return // its kind or apiVersion is not a string
			}
			t.Fatalf("%s: %v", document, err)
		}
		again, err := ToJSON(once, "T")
		if err != nil {
			t.Fatalf("%s, written as %x: %v", document, once, err)
		}
		if got, want := tree(t, again), tree(t, document); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is written as %x, and read as %s", document, once, again)
		}
		twice, err := FromJSON(again)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s is written as %x, and then as %x, %v", document, once, twice, err)
		}
	})
}

func tree(t *testing.T, document []byte) any {
	v, err := object.DecodeAny(document)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func BenchmarkFromJSON(b *testing.B) {
	pod := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"0c2bd4f1",` +
		`"resourceVersion":"12","labels":{"app":"a","tier":"b"}},"spec":{"containers":[{"name":"c","image":"i",` +
		`"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}],` +
		`"restartPolicy":"Always","terminationGracePeriodSeconds":30},"status":{"phase":"Running",` +
		`"conditions":[{"type":"Ready","status":"True"}]}}`)
	b.SetBytes(int64(len(pod)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FromJSON(pod); err != nil {
			b.Fatal(err)
		}
	}
}
