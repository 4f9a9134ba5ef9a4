package apiserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

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

// openAPIv3 returns a document of OpenAPI v3.
func (s *Server) openAPIv3(ctx context.Context, d openAPIDocument) ([]byte, error) {
	return documents.get(ctx, d.path+" "+d.hash, func() ([]byte, error) { return json.Marshal(s.described(d.make())) })
}
