package wire

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/cbor"
)

var update = flag.Bool("update", false, "write what is drawn to testdata")

// TestGolden compares what is drawn with testdata. Run it with -update to accept what
// is drawn now, and read the difference.
func TestGolden(t *testing.T) {
	object := encode(t, configMap)
	other, err := cbor.FromJSON([]byte(configMap))
	if err != nil {
		t.Fatal(err)
	}
	secret := encode(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"<b>"},"stringData":{"k":"`+strings.Repeat("long & ", 30)+`"}}`)
	files, _ := filepath.Glob("testdata/*.html")
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
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.Render(context.Background(), &b); err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(b.String(), "><", ">\n<") + "\n"
			if strings.Contains(got, " style=") || strings.Contains(got, "<script") {
				t.Error("the page's policy forbids inline styles and scripts")
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	for _, file := range files {
		if cases[strings.TrimSuffix(filepath.Base(file), ".html")] == nil {
			t.Errorf("%s has no case", file)
		}
	}
}
