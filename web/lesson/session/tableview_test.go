package session

import (
	"encoding/json"
	"testing"

	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/tap"
)

// TestTablesAsObjects reads what a check does of the Tables of a list, of one object and without objects.
func TestTablesAsObjects(t *testing.T) {
	const row = `{"cells":["a"],"object":{"kind":"PartialObjectMetadata","metadata":{"name":"a","resourceVersion":"7"}}}`
	for _, tc := range []struct{ body, path, list, one string }{
		{`{"kind":"Table","metadata":{"resourceVersion":"9"},"rows":[` + row + `]}`, "items[*].metadata.name", `["a"]`, ""},
		{`{"kind":"Table","metadata":{"resourceVersion":"9"},"rows":[` + row + `]}`, "metadata.resourceVersion", `9`, `7`},
		{`{"kind":"Table","metadata":{"resourceVersion":"9"},"rows":[]}`, "items.length", `0`, ""},
		{`{"kind":"Table","metadata":{},"rows":[` + row + `,` + row + `]}`, "rows.length", `2`, `2`},
		{`{"kind":"Table","metadata":{},"rows":[{"cells":["a"]}]}`, "items", "", ""},
		{`{"kind":"SecretList","items":[{"metadata":{"name":"b"}}]}`, "items[0].metadata.name", `b`, `b`},
	} {
		v, ok := tap.ParseJSON(tc.body)
		if !ok {
			t.Fatal(tc.body)
		}
		for list, want := range map[bool]string{true: tc.list, false: tc.one} {
			p, err := format.ParsePath(tc.path)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			switch found, ok := p.Of(asObjects(v, list)); found := found.(type) {
			case json.Number:
				got = found.String()
			case string:
				got = found
			default:
				if text, err := json.Marshal(found); ok && err == nil {
					got = string(text)
				}
			}
			if got != want {
				t.Errorf("%s of %s: %s, want %s", tc.path, tc.body, got, want)
			}
		}
	}
}
