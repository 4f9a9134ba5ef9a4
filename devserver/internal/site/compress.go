package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/kjk/lzma"
)

// A Quality of brotli decides how small files become, and how long that takes.
type Quality int

// Best is for a site that is shipped: a binary takes half a minute. Good takes a sixth of that, and code that repeats
// itself weighs more; Quick, while developing, half a second.
const (
	Best  Quality = brotli.BestCompression
	Good  Quality = 9
	Quick Quality = 5
)

// QualityOf returns the quality of what is to be ready quickly, or else of what is shipped.
func QualityOf(quick bool) Quality {
	if quick {
		return Quick
	}
	return Best
}

// window is the logarithm of how far back brotli looks, the most that it allows:
// the binary is larger than that.
const window = 24

// brotliMaxAge is how long a compressed file that nobody asked for stays in the
// cache.
const brotliMaxAge = 14 * 24 * time.Hour

// compressible reports whether brotli is worth its while for a file of this name
// and size.
func compressible(name string, size int) bool {
	switch path.Ext(name) {
	case ".html", ".js", ".css", ".wasm", ".svg", ".json", ".webmanifest", ".yaml", ".txt", ".md", ".map":
		return size > 256
	}
	return false
}

// Compress returns data, of which hash is the hex SHA-256, in brotli, or nil when that is no smaller. Results are kept
// in the directory cache by content, quality and window; those of the best quality serve for the quick one, too.
func Compress(cache string, data []byte, hash string, quality Quality) ([]byte, error) {
	file := func(quality Quality) string {
		return filepath.Join(cache, "brotli", fmt.Sprintf("%s-%d-%d", hash, quality, window))
	}
	cached := []string{file(quality)}
	if quality == Quick {
		cached = []string{file(Best), file(Quick)}
	}
	if small, ok := compressed(cached); ok {
		return nonEmpty(small), nil
	}
	var buf bytes.Buffer
	w := brotli.NewWriterOptions(&buf, brotli.WriterOptions{Quality: int(quality), LGWin: window})
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	small := buf.Bytes()
	if len(small) >= len(data) {
		small = nil // an empty file in the cache says so
	}
	if err := WriteFile(file(quality), small); err != nil {
		return nil, err
	}
	return nonEmpty(small), nil
}

// compressed returns the first of some files of the cache that is there.
func compressed(files []string) ([]byte, bool) {
	for _, name := range files {
		if small, err := os.ReadFile(name); err == nil {
			now := time.Now()
			_ = os.Chtimes(name, now, now) // still wanted; an old time only costs a rebuild
			return small, true
		}
	}
	return nil, false
}

// packs returns the endings of the packed files that there are to be beside one of this name and size, for hosts that
// do not compress, the smallest first: of what is large, and loaded by scripts.
func (b *Builder) packs(name string, size int) []string {
	if b.opt.Dev || fixed(name) || name == FrameFile || !compressible(name, size) {
		return nil
	}
	switch path.Ext(name) {
	case ".wasm":
		if name == celBinary { // not of a first visit, and loaded by a script that knows gzip
			return []string{".gz"}
		}
		return []string{".lzma", ".gz"}
	case ".json", ".html", ".txt":
		return []string{".gz"}
	}
	return nil
}

// Pack returns data, of which hash is the hex SHA-256, in gzip, as small as it becomes. Results are kept in the
// directory cache as those of Compress are.
func Pack(cache string, data []byte, hash string) ([]byte, error) {
	return packWith(cache, hash+"-gzip", data, func(w io.Writer) (io.WriteCloser, error) {
		return gzip.NewWriterLevel(w, gzip.BestCompression)
	})
}

// The levels of LZMA: with the one the binaries become smallest, a third smaller than in gzip, in a quarter of a
// minute; with the other they take a third of that time, and a tenth more room.
const lzmaWell, lzmaQuickly = 5, 1

// lzmaTurn is held while something is packed in LZMA: the encoder keeps its prices in variables of its package.
var lzmaTurn sync.Mutex

// packLZMA returns data in LZMA, as Pack does in gzip. Browsers do not know it: web/unpack does.
func packLZMA(cache string, data []byte, hash string, quick bool) ([]byte, error) {
	lzmaTurn.Lock()
	defer lzmaTurn.Unlock()
	level := lzmaWell
	if quick {
		level = lzmaQuickly
	}
	return packWith(cache, fmt.Sprintf("%s-lzma%d", hash, level), data, func(w io.Writer) (io.WriteCloser, error) {
		return lzma.NewWriterSizeLevel(w, int64(len(data)), level), nil
	})
}

// packWith returns data as a writer compresses it, or the file of this name in the cache.
func packWith(cache, name string, data []byte, writer func(io.Writer) (io.WriteCloser, error)) ([]byte, error) {
	file := filepath.Join(cache, "brotli", name)
	if small, ok := compressed([]string{file}); ok {
		return small, nil
	}
	var buf bytes.Buffer
	w, err := writer(&buf)
	if err == nil {
		_, err = w.Write(data)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, err
	}
	return buf.Bytes(), WriteFile(file, buf.Bytes())
}

func nonEmpty(data []byte) []byte {
	if len(data) == 0 {
		return nil
	}
	return data
}

// pruneCache drops compressed files that have not been used for long.
func (b *Builder) pruneCache(now time.Time) error {
	dir := filepath.Join(b.opt.Cache, "brotli")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > brotliMaxAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next build tries again
		}
	}
	return err
}

// ContentHash names content: the hex SHA-256 of it.
func ContentHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// write replaces files in the folder out.
func (f files) write(out string) error {
	for name, data := range f {
		if err := WriteFile(filepath.Join(out, name), data); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile replaces a file by renaming, so that it is never seen half written. It makes the directories above it.
func WriteFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
