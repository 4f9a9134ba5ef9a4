package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/andybalholm/brotli"
)

// The qualities of brotli: best for a site that is shipped, quick while
// developing. The binary takes the best one half a minute, the quick one half a
// second.
const (
	bestQuality  = brotli.BestCompression
	quickQuality = 5
)

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
// in the directory cache by content, quality and window; the best quality serves for quick too.
func Compress(cache string, data []byte, hash string, quick bool) ([]byte, error) {
	dir := filepath.Join(cache, "brotli")
	file := func(quality int) string { return filepath.Join(dir, fmt.Sprintf("%s-%d-%d", hash, quality, window)) }
	quality := bestQuality
	cached := []string{file(bestQuality)}
	if quick {
		quality = quickQuality
		cached = append(cached, file(quickQuality))
	}
	for _, name := range cached {
		if small, err := os.ReadFile(name); err == nil {
			now := time.Now()
			_ = os.Chtimes(name, now, now) // still wanted; an old time only costs a rebuild
			return nonEmpty(small), nil
		}
	}
	var buf bytes.Buffer
	w := brotli.NewWriterOptions(&buf, brotli.WriterOptions{Quality: quality, LGWin: window})
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
