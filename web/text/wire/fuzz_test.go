package wire

import (
	"encoding/hex"
	"testing"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/protobuf"
)

func FuzzProtobuf(f *testing.F) {
	object := encode(f, configMap)
	f.Add(object)
	f.Add(object[:len(object)/2])
	f.Add(append(protobuf.AppendEventHead(nil, "ADDED", len(object)), object...))
	f.Add(encode(f, `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":"1"}}}]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		check(t, Protobuf(data))
		check(t, ProtobufStream(data))
		check(t, Protobuf(append([]byte(magic), data...)))
	})
}

func FuzzCBOR(f *testing.F) {
	object, err := cbor.FromJSON([]byte(configMap))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(object)
	f.Add(cbor.AppendEvent(nil, "ADDED", object))
	for _, digits := range []string{"9f018202039fff03ff", "5f42010243030405ff", "c11a514b67b0", "a201020304",
		"fbc010666666666666", "f97e00"} {
		data, _ := hex.DecodeString(digits)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		check(t, CBOR(data))
		check(t, CBORSequence(data))
	})
}
