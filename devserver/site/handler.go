package site

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
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
	".md":          "text/markdown; charset=utf-8",
	".txt":         "text/plain; charset=utf-8",
}

// Handler serves the site that is built in dir: only the files in its index, with their hashes for ETags, in brotli or
// gzip to clients that accept it. Browsers may keep files without a version in their paths but must revalidate them
// each time.
func Handler(dir string, index *Index) http.Handler {
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
		if asset.Name == "index.html" {
			w.Header().Set(policyHeader, index.csp())
		}
		serveAsset(w, r, filepath.Join(dir, filepath.FromSlash(index.Path(asset.Name))), asset)
	})
}

// Follow serves the site that is built in dir, and what later builds make of it. reloads is whether the server has the
// ReloadScript: without it no page loads that, even if it was built for developing.
func Follow(dir string, index *Index, reloads bool) http.Handler {
	handler := func(index *Index) http.Handler {
		if index.Dev && !reloads {
			return withoutReload(Handler(dir, index))
		}
		return Handler(dir, index)
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

func serveAsset(w http.ResponseWriter, r *http.Request, file string, asset Asset) {
	h := w.Header()
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
	f, err := os.Open(file)
	if err != nil {
		h.Del("Content-Encoding")
		h.Set("Cache-Control", revalidate)
		http.Error(w, asset.Name+" has gone from the built site; build it again.", http.StatusInternalServerError)
		return
	}
	defer f.Close()
	h.Set("Content-Type", kind)
	if asset.Name == FrameFile {
		h.Set("Content-Security-Policy", FrameCSP+"; frame-ancestors 'self'")
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, asset.Name, time.Time{}, f)
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
