package front

import (
	"io/fs"
	"net/http"
	"os"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// serveSite answers with a file of the site, waiting for the first build.
func (f *Front) serveSite(w http.ResponseWriter, r *http.Request) {
	select {
	case <-f.built:
	case <-r.Context().Done(): // the client has left, or the server stops
		http.Error(w, "The site is not built yet.", http.StatusServiceUnavailable)
		return
	}
	f.mu.RLock()
	files := f.files
	f.mu.RUnlock()
	for _, program := range f.opt.OnDemand {
		files = program.Serve(files)
	}
	site.SetSecurity(w.Header())
	files.ServeHTTP(w, r)
}

// Show serves the site built in dir from now on.
func (f *Front) Show(dir string, index *site.Index) { f.ShowFiles(os.DirFS(dir), index) }

// ShowFiles serves these files of a site from now on.
func (f *Front) ShowFiles(files fs.FS, index *site.Index) {
	f.serveWith(site.Handler(files, index))
}

// Follow serves the site that others build in dir.
func (f *Front) Follow(dir string, index *site.Index) {
	f.serveWith(site.Follow(dir, index, f.opt.Reloads != nil))
}

// Fail shows an error to clients that ask for the site, as long as none has been built, and tells it to open pages.
func (f *Front) Fail(err error) {
	if f.opt.Reloads != nil {
		f.opt.Reloads.Send("failed", err.Error())
	}
	f.mu.RLock()
	have := f.files != nil
	f.mu.RUnlock()
	if !have {
		f.serveWith(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "The site could not be built:\n\n"+err.Error(), http.StatusServiceUnavailable)
		}))
	}
}

func (f *Front) serveWith(h http.Handler) {
	f.mu.Lock()
	f.files = h
	f.mu.Unlock()
	f.once.Do(func() { close(f.built) })
}
