package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/status"
)

// documents keeps the OpenAPI documents that were made.
type documents struct {
	mu    sync.Mutex
	bytes map[string][]byte
}

type openAPIPaths struct {
	Paths map[string]openAPIPath `json:"paths"`
}

type openAPIPath struct {
	ServerRelativeURL string `json:"serverRelativeURL"`
}

// openAPI answers below /openapi: the list of documents, and the document of a
// group version.
func (s *Server) openAPI(w *answer, r *http.Request, segments []string) error {
	if len(segments) == 0 || segments[0] != "v3" {
		http.NotFound(w, r)
		return nil
	}
	if r.Method != http.MethodGet {
		return status.NewMethodNotAllowed()
	}
	want := strings.Join(segments[1:], "/")
	list := openAPIPaths{Paths: map[string]openAPIPath{}}
	for _, g := range s.Table.Groups() {
		for _, version := range g.Versions {
			path := openapi.Path(g.Name, version)
			switch want {
			case "":
				list.Paths[path] = openAPIPath{"/openapi/v3/" + path + "?hash=" + s.openAPIHash(g.Name, version)}
			case path:
				document, err := s.openAPIDocument(g.Name, version)
				if err != nil {
					return err
				}
				w.send(http.StatusOK, document)
				return nil
			}
		}
	}
	if want != "" {
		http.NotFound(w, r)
		return nil
	}
	document, err := json.Marshal(list)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8") // as the real server has it
	_, err = w.Write(document)
	return err
}

// openAPIDocument makes the document of a group version, once.
func (s *Server) openAPIDocument(group, version string) ([]byte, error) {
	d := &s.documents
	d.mu.Lock()
	defer d.mu.Unlock()
	key := group + "/" + version
	if b := d.bytes[key]; b != nil {
		return b, nil
	}
	b, err := json.Marshal(openapi.Document(group, version, s.Version.GitVersion, s.Table.GroupVersion(group, version)))
	if err != nil {
		return nil, err
	}
	if d.bytes == nil {
		d.bytes = map[string][]byte{}
	}
	d.bytes[key] = b
	return b, nil
}

// openAPIHash changes whenever the document of a group version may: with the
// release and with the served resources.
func (s *Server) openAPIHash(group, version string) string {
	h := sha256.New()
	h.Write([]byte(s.Version.GitVersion))
	for _, row := range s.Table.GroupVersion(group, version) {
		h.Write([]byte("\n" + row.GroupResource()))
	}
	return strings.ToUpper(hex.EncodeToString(h.Sum(nil)))
}
