package wire

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/web/internal/golden"
)

func TestGolden(t *testing.T) {
	object := encode(t, configMap)
	other, err := cbor.FromJSON([]byte(configMap))
	if err != nil {
		t.Fatal(err)
	}
	secret := encode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"<b>"},"stringData":{"k":"`+
		strings.Repeat("long & ", 30)+`"}}`)
	cases := map[string]templ.Component{
		"legend":      Legend(Protobuf(object)),
		"cbor-legend": Legend(CBOR(other)),
		"protobuf":    Dump(View{Document: Protobuf(object), Label: "The object in protobuf"}),
		"cbor":        Dump(View{Document: CBOR(other), Label: "The object in CBOR"}),
		"long":        Dump(View{Document: Protobuf(secret)}),
		"rows":        Dump(View{Document: Protobuf(object), Rows: 4}),
		"error":       Dump(View{Document: Protobuf(object[:40])}),
		"nothing":     Dump(View{Document: CBOR(nil)}),
	}
	golden.Test(t, cases)
}
