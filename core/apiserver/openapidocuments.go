package apiserver

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// An openAPIDocument is one document of OpenAPI v3.
type openAPIDocument struct {
	path string
	// hash changes whenever the document may.
	hash string
	// custom is about how long what it says of custom resources is, in bytes.
	custom int64
	parts  iter.Seq[map[string]any]
	// release is what it says that it is of.
	release string
}

// openAPIDocuments lists all documents.
func (s *Server) openAPIDocuments() []openAPIDocument {
	release := s.Version.GitVersion
	var list []openAPIDocument
	for _, root := range openapi.Roots(s.Table) {
		sum := sha256.Sum256([]byte(s.release() + "\n" + root.Path))
		list = append(list, openAPIDocument{path: root.Path, hash: hexadecimal(sum[:]), release: release,
			parts: func(yield func(map[string]any) bool) { yield(root.Document(release)) }})
	}
	for _, g := range s.Table.Groups() {
		for _, version := range g.Versions {
			rows := s.Table.GroupVersion(g.Name, version)
			d := openAPIDocument{path: openapi.Path(g.Name, version), hash: s.openAPIHash(rows), release: release}
			if openapi.Custom(rows) {
				d.release = openapi.CustomRelease
			}
			d.parts = openapi.Parts(g.Name, version, d.release, rows)
			for _, row := range rows {
				d.custom += openapi.Length(row)
			}
			list = append(list, d)
		}
	}
	return list
}

// headerTime is the format of times in headers, which are in UTC.
const headerTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// published remembers since when documents are what they are, by their paths. The zero value is ready to
// use, by several at once.
type published struct {
	mu    sync.Mutex
	known map[string]edition
}

type edition struct {
	hash string
	at   time.Time
}

// since returns the time at which a document was asked for first with this hash: now, if it is new.
func (p *published) since(path, hash string, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.known[path]
	if e.hash != hash {
		if p.known == nil {
			p.known = map[string]edition{}
		}
		e = edition{hash, now.Truncate(time.Second)}
		p.known[path] = e
	}
	return e.at
}

// etagOf returns the Etag of a document with a hash.
func etagOf(hash string) string { return `"` + hash + `"` }

// unchanged sets the headers by which a client can ask for a document only if it has changed, and reports whether the
// request asks so and it has not: that is the answer.
func (s *Server) unchanged(w *answer, path, hash string) bool {
	header, etag := w.Header(), etagOf(hash)
	at := s.published.since(path, hash, s.Registry.Clock.Now())
	header.Set("Etag", etag)
	known := w.request.Header.Get("If-None-Match")
	same := known == "*" || strings.Contains(known, etag)
	if known == "" {
		since, err := time.Parse(headerTime, w.request.Header.Get("If-Modified-Since"))
		same = err == nil && !at.After(since)
	}
	if same {
		w.WriteHeader(http.StatusNotModified)
	} else {
		header.Set("Last-Modified", at.UTC().Format(headerTime))
	}
	return same
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

// parts returns the parts of documents, with their descriptions.
func (s *Server) parts(all ...openAPIDocument) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, d := range all {
			for part := range d.parts {
				s.Registry.MaybeYield()
				if !yield(s.described(part)) {
					return
				}
			}
		}
	}
}

// document answers with a document, which make makes if it is not there. Equal keys are for equal documents. custom
// is about how long what it says of custom resources is, in bytes: the request waits for memory for the document,
// twice as much while encoded parts are put together. Documents of built-in types alone are the same in all clusters,
// and so few that they need none.
func (w *answer) document(media, key string, custom int64, make func() (openapi.Text, error)) error {
	text, err := documents.get(w.request.Context(), wanted{key, custom, func() error { return w.held.more(2 * custom) },
		make})
	if err != nil {
		return err
	}
	if custom > 0 {
		if err := w.held.only(int64(text.Len())); err != nil {
			return err
		}
	}
	return w.whole(media, text)
}
