package site

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kjk/lzma"
)

func TestPruneCache(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"go.mod": "module x\n", ".cache/brotli/old-5": "x", ".cache/brotli/new-5": "x"})
	b := newBuilder(t, Options{Root: root, Out: filepath.Join(root, "dist")})
	now := time.Now()
	long := now.Add(-brotliMaxAge - time.Hour)
	if err := os.Chtimes(filepath.Join(root, ".cache/brotli/old-5"), long, long); err != nil {
		t.Fatal(err)
	}
	if err := b.pruneCache(now); err != nil {
		t.Fatal(err)
	}
	left, err := sources(filepath.Join(root, ".cache", "brotli"), "")
	if err != nil {
		t.Fatal(err)
	}
	if names := slices.Collect(maps.Keys(left)); !slices.Equal(names, []string{"new-5"}) {
		t.Errorf("left in the cache: %v", names)
	}
}

// TestCompressCache checks that what was compressed well is not compressed
// again, neither well nor quickly.
func TestCompressCache(t *testing.T) {
	cache := t.TempDir()
	data := []byte(strings.Repeat("the same again and ", 100))
	best, err := Compress(cache, data, ContentHash(data), Best)
	if err != nil || len(best) == 0 || len(best) >= len(data) {
		t.Fatalf("compressed to %d bytes: %v", len(best), err)
	}
	if got, err := Compress(cache, data, ContentHash(data), Quick); err != nil || !bytes.Equal(got, best) {
		t.Errorf("the cached result was not taken: %v", err)
	}
	noise := make([]byte, 300)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	for range 2 { // made, then from the cache
		if got, err := Compress(cache, noise, ContentHash(noise), Quick); got != nil || err != nil {
			t.Errorf("noise was compressed to %d bytes, %v", len(got), err)
		}
	}
}

// TestPacked looks for what pages take from hosts that do not compress.
func TestPacked(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write(t, root, map[string]string{"go.mod": "module x\n"})
	b := newBuilder(t, Options{Root: root, Out: out, Quick: true})
	long := []byte(strings.Repeat("text\n", 100))
	b.files[Files] = files{"index.html": long, "app.js": long, "lab.wasm": long, "course/one.json": long,
		"course/short.json": []byte("{}"), FrameFile: long, "licenses.txt": long}
	report, err := b.publish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range report.Index.Assets {
		binary := a.Name == "lab.wasm"
		if want := binary || a.Name == "course/one.json"; want != (a.Gzip > 0) || binary != (a.Lzma > 0) {
			t.Errorf("%s has %d bytes in gzip, %d in LZMA", a.Name, a.Gzip, a.Lzma)
		}
		if a.Gzip == 0 {
			continue
		}
		path := report.Index.Path(a.Name)
		unpack, err := gzip.NewReader(strings.NewReader(read(t, out, path+".gz")))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(unpack); err != nil || string(got) != read(t, out, path) {
			t.Errorf("what is packed beside %s is not that: %v", a.Name, err)
		}
		if a.Lzma == 0 {
			continue
		}
		inLZMA := lzma.NewReader(strings.NewReader(read(t, out, path+".lzma")))
		if got, err := io.ReadAll(inLZMA); err != nil || string(got) != read(t, out, path) {
			t.Errorf("what is packed in LZMA beside %s is not that: %v", a.Name, err)
		}
	}
	b.files[Files] = files{"index.html": []byte("other")}
	if _, err := b.publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ending := range []string{".gz", ".lzma"} {
		if _, err := os.Stat(filepath.Join(out, report.Index.Path("lab.wasm")+ending)); err == nil {
			t.Errorf("a packed file of the build before is still there: %s", ending)
		}
	}
}
