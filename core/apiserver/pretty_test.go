package apiserver

import (
	"bytes"
	"encoding/json"
	"testing"
)

func FuzzIndent(f *testing.F) {
	for _, text := range []string{
		`{"kind":"Pod","metadata":{"labels":{},"name":"a"},"list":[1,-2.5e3,true,null,"x"],"empty":[]}` + "\n",
		`"\"\\{["`, `[[],[[]],{"":{}}]`, `7`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var compact, want bytes.Buffer
		if json.Compact(&compact, []byte(text)) != nil {
			return
		}
		if err := json.Indent(&want, compact.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := indent(nil, compact.Bytes()); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s\n%s\nwant\n%s", text, got, want.Bytes())
		}
		// In parts, which end after every bracket, comma and colon.
		var got []byte
		in := new(indenter)
		for rest := compact.Bytes(); len(rest) > 0; {
			end := 1
			if rest[0] == '"' {
				end = skipText(rest, 0)
			} else if !bytes.ContainsAny(rest[:1], "{}[],:") {
				for end < len(rest) && !bytes.ContainsAny(rest[end:end+1], "{}[],:") {
					end++
				}
			}
			got, rest = in.append(got, rest[:end]), rest[end:]
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("in parts:\n%s\nwant\n%s", got, want.Bytes())
		}
	})
}

func BenchmarkIndent(b *testing.B) {
	document := []byte(`{"metadata":{"name":"a"},"data":{"k":"` + string(bytes.Repeat([]byte("x"), 1000)) +
		`","l":["a","b","c"]}}`)
	var scratch []byte
	for b.Loop() {
		scratch = indent(scratch[:0], document)
	}
}
