package kubetest

import (
	"context"
	"io/fs"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// manager is the field manager of what is applied.
const manager = "kubetest"

// Apply applies the manifests in files, YAML or JSON, and in those of directories: definitions of resources first, then
// namespaces, then the rest in its order, as soon as its types are served. When it returns, the types of all
// definitions are.
func (s *Server) Apply(t TB, paths ...string) {
	t.Helper()
	manifests, err := seed.Read(paths)
	s.apply(t, manifests, err)
}

// ApplyFS is Apply for files of a file system, an embed.FS say. Patterns are those of fs.Glob.
func (s *Server) ApplyFS(t TB, fsys fs.FS, patterns ...string) {
	t.Helper()
	manifests, err := seed.ReadFS(fsys, patterns)
	s.apply(t, manifests, err)
}

// ApplyText is Apply for manifests in a text.
func (s *Server) ApplyText(t TB, text string) {
	t.Helper()
	manifests, err := seed.Parse("the text", []byte(text))
	s.apply(t, manifests, err)
}

func (s *Server) apply(t TB, manifests []*seed.Manifest, err error) {
	t.Helper()
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if query := r.URL.Query(); query.Has("fieldManager") {
			query.Set("fieldManager", manager)
			r.URL.RawQuery = query.Encode()
		}
		s.cluster.ServeHTTP(w, r)
	})
	if err == nil {
		err = seed.Apply(context.Background(), api, adminToken, manifests)
	}
	if err == nil {
		err = seed.Await(context.Background(), api, adminToken, manifests)
	}
	if err != nil {
		t.Fatalf("kubetest: %s", strings.TrimPrefix(err.Error(), "--seed: "))
	}
}
