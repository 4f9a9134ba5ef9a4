package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// An openAPIDocument is one document of OpenAPI v3.
type openAPIDocument struct {
	path string
	// hash changes whenever the document may.
	hash string
	make func() map[string]any
}

// openAPIDocuments lists all documents.
func (s *Server) openAPIDocuments() []openAPIDocument {
	release := s.Version.GitVersion
	var list []openAPIDocument
	for _, root := range openapi.Roots(s.Table) {
		sum := sha256.Sum256([]byte(s.release() + "\n" + root.Path))
		list = append(list, openAPIDocument{root.Path, hexadecimal(sum[:]),
			func() map[string]any { return root.Document(release) }})
	}
	for _, g := range s.Table.Groups() {
		for _, version := range g.Versions {
			list = append(list, openAPIDocument{openapi.Path(g.Name, version), s.openAPIHash(g.Name, version),
				func() map[string]any {
					return openapi.Document(g.Name, version, release, s.Table.GroupVersion(g.Name, version))
				}})
		}
	}
	return list
}

// release returns the version that all documents depend on.
func (s *Server) release() string {
	release := s.Version.GitVersion + " " + openapi.Form
	if s.describes() {
		release += " described"
	}
	return release
}

func hexadecimal(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }

// documents caches OpenAPI documents, by path.
type documents struct {
	mu   sync.Mutex
	made map[string]madeDocument
}

type madeDocument struct {
	hash  string
	bytes []byte
}

// get returns a document, which is made again only when its hash has changed.
func (d *documents) get(path, hash string, make func() ([]byte, error)) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.made[path]; m.hash == hash {
		return m.bytes, nil
	}
	b, err := make()
	if err != nil {
		return nil, err
	}
	if d.made == nil {
		d.made = map[string]madeDocument{}
	}
	d.made[path] = madeDocument{hash, b}
	return b, nil
}

// openAPIv3 makes a document of OpenAPI v3.
func (s *Server) openAPIv3(d openAPIDocument) ([]byte, error) {
	return s.documents.get(d.path, d.hash, func() ([]byte, error) { return json.Marshal(s.described(d.make())) })
}
