package nested

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestPublish wants the parts to be what was published, as they are and compressed, and older ones to be removed.
func TestPublish(t *testing.T) {
	p := publisher{Program: Kubectl, cache: t.TempDir(), out: t.TempDir(), partBytes: 1000, quick: true}
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(p.out, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, word := range []string{"first ", "another ", "a", "zero "} {
		text := strings.Repeat(word, 1000)
		if _, err := p.publish(t.Context(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		var m Manifest
		if err := json.Unmarshal(read(p.ManifestFile()), &m); err != nil {
			t.Fatal(err)
		}
		var whole, unpacked bytes.Buffer
		for _, part := range m.Parts {
			data, small, packed := read(part.Name), read(part.Name+".br"), read(part.Name+".gz")
			if len(data) != part.Bytes || len(small) != part.Brotli || len(packed) != part.Gzip ||
				site.ContentHash(data) != part.SHA256 || len(data) > 1000 {
				t.Errorf("%+v has %d bytes, %d in brotli, %d in gzip", part, len(data), len(small), len(packed))
			}
			whole.Write(data)
			if unpack, err := gzip.NewReader(bytes.NewReader(packed)); err != nil {
				t.Error(err)
			} else if got, err := io.ReadAll(unpack); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s.gz is another file: %v", part.Name, err)
			}
			if _, err := io.Copy(&unpacked, brotli.NewReader(bytes.NewReader(small))); err != nil {
				t.Error(err)
			}
		}
		if whole.String() != text || unpacked.String() != text {
			t.Errorf("%d bytes became %d, and %d unpacked", len(text), whole.Len(), unpacked.Len())
		}
		if files, err := os.ReadDir(p.out); err != nil || len(files) != 1+3*len(m.Parts) {
			t.Errorf("%v, %v, and not a manifest with three files for each of %d parts", files, err, len(m.Parts))
		}
	}
}

func TestCheck(t *testing.T) {
	for small, fits := range map[int]bool{Kubectl.bound: true, Kubectl.bound + 1: false} {
		m := Manifest{Parts: []Part{{Brotli: small - 1}, {Brotli: 1}}}
		if err := Kubectl.Check(m, io.Discard); (err == nil) != fits {
			t.Errorf("%d bytes: %v", small, err)
		}
	}
}
