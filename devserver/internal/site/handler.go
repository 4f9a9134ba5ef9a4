package site

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// types are the media types of the site's files. They are not left to the
// system's tables, which differ and may lack WebAssembly's.
var types = map[string]string{
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".wasm":        "application/wasm",
	".svg":         "image/svg+xml",
	".json":        "application/json",
	".map":         "application/json",
	".webmanifest": "application/manifest+json",
	".yaml":        "application/yaml",
	".ts":          "text/plain; charset=utf-8",
	".md":          "text/markdown; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
}

// Handler serves a site that is built: only the files in its index, with their hashes for ETags, in brotli or
// gzip to clients that accept it. Browsers may keep files without a version in their paths but must revalidate them
// each time.
func Handler(files fs.FS, index *Index) http.Handler {
	assets := make(map[string]Asset, len(index.Assets))
	for _, a := range index.Assets {
		assets[index.Path(a.Name)] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "The site is read only; the API is below /api and /apis.", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		asset, ok := assets[name]
		if !ok {
			w.Header().Set("Cache-Control", revalidate)
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", index.cacheControl(asset.Name))
		index.setHeaders(w.Header(), asset.Name)
		serveAsset(w, r, files, index.Path(asset.Name), asset)
	})
}

// Follow serves the site that is built in dir, and what later builds make of it. reloads is whether the server has the
// ReloadScript: without it no page loads that, even if it was built for developing.
func Follow(dir string, index *Index, reloads bool) http.Handler {
	handler := func(index *Index) http.Handler {
		if index.Dev && !reloads {
			return withoutReload(Handler(os.DirFS(dir), index))
		}
		return Handler(os.DirFS(dir), index)
	}
	file := filepath.Join(dir, IndexFile)
	stamp := func() time.Time {
		info, err := os.Stat(file)
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	var mu sync.Mutex
	shown, files := stamp(), handler(index)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if now := stamp(); !now.Equal(shown) {
			if next, err := Open(dir); err == nil { // else the site is what it was
				shown, files = now, handler(next)
			}
		}
		present := files
		mu.Unlock()
		present.ServeHTTP(w, r)
	})
}

func serveAsset(w http.ResponseWriter, r *http.Request, files fs.FS, file string, asset Asset) {
	h := w.Header()
	plain := file
	tag := asset.Hash[:min(len(asset.Hash), 32)]
	if asset.Brotli > 0 {
		h.Set("Vary", "Accept-Encoding")
		accepted := r.Header.Values("Accept-Encoding")
		switch {
		case r.Header.Get("Range") != "": // it is one of the file as it is
		case accepts("br", accepted):
			h.Set("Content-Encoding", "br")
			file += ".br"
			tag += "-br"
		case asset.Gzip > 0 && accepts("gzip", accepted): // over http from other machines browsers do not accept br
			h.Set("Content-Encoding", "gzip")
			file += ".gz"
			tag += "-gz"
		}
	}
	kind := types[path.Ext(asset.Name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	content, err := open(files, file)
	if err != nil {
		content, err = open(files, plain)
		h.Del("Content-Encoding")
		tag = asset.Hash[:min(len(asset.Hash), 32)]
	}
	if err != nil && asset.Brotli > 0 {
		content, err = unpack(files, plain+".br")
	}
	if err != nil {
		h.Del("Content-Encoding")
		h.Set("Cache-Control", revalidate)
		http.Error(w, asset.Name+" has gone from the built site; build it again.", http.StatusInternalServerError)
		return
	}
	defer content.Close()
	h.Set("Content-Type", kind)
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, asset.Name, time.Time{}, content)
}

// open opens a file for ServeContent.
func open(files fs.FS, name string) (io.ReadSeekCloser, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	content, ok := f.(io.ReadSeekCloser)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, errors.ErrUnsupported), f.Close())
	}
	return content, nil
}

// unpack opens a file of which the site has only what it is in brotli.
func unpack(files fs.FS, name string) (io.ReadSeekCloser, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(brotli.NewReader(bytes.NewReader(data)))
	return unpacked{bytes.NewReader(data)}, err
}

type unpacked struct{ *bytes.Reader }

func (unpacked) Close() error { return nil }

// ReadAsset reads a file of a site that is built, by its name.
func ReadAsset(files fs.FS, name string) ([]byte, error) {
	index, err := ReadIndex(files)
	if err != nil {
		return nil, err
	}
	return index.read(files, name)
}

// read reads a file of the site that x lists, by its name.
func (x *Index) read(files fs.FS, name string) ([]byte, error) {
	content, err := open(files, x.Path(name))
	if err != nil {
		content, err = unpack(files, x.Path(name)+".br")
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(content)
	return data, errors.Join(err, content.Close())
}

// accepts reads in Accept-Encoding headers whether a client accepts an encoding.
func accepts(encoding string, headers []string) bool {
	for _, header := range headers {
		for item := range strings.SplitSeq(header, ",") {
			coding, params, _ := strings.Cut(item, ";")
			if !strings.EqualFold(strings.TrimSpace(coding), encoding) {
				continue
			}
			weight, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(params), " ", ""), "q=")
			return !ok || strings.Trim(weight, "0.") != ""
		}
	}
	return false
}
