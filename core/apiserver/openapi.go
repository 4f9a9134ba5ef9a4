package apiserver

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// The paths of the documents of the two versions of OpenAPI.
const (
	openAPIv2Path = wellknown.OpenAPI + "/v2"
	openAPIv3Path = wellknown.OpenAPI + "/v3"
)

type openAPIPaths struct {
	Paths map[string]openAPIPath `json:"paths"`
}

type openAPIPath struct {
	ServerRelativeURL string `json:"serverRelativeURL"`
}

// openAPI answers below /openapi: the list of documents, and each document.
// Methods do not matter to it.
func (s *Server) openAPI(w *answer, r *http.Request) error {
	want, below := strings.CutPrefix(r.URL.Path, openAPIv3Path+"/")
	switch {
	case r.URL.Path == openAPIv2Path:
		return s.openAPIv2(w, r)
	case below:
		s.describe(r.Context())
	case r.URL.Path != openAPIv3Path:
		http.NotFound(w, r)
		return nil
	}
	list := openAPIPaths{Paths: map[string]openAPIPath{}}
	for _, d := range s.openAPIDocuments() {
		if below && want == d.path {
			return s.openAPIAnswer(w, r, d)
		}
		list.Paths[d.path] = openAPIPath{openAPIURL(d.path, d.hash)}
	}
	if below {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	document, err := json.Marshal(list)
	if err != nil {
		return err
	}
	// The real server sets no Content-Type, so Go detects text; the Accept header is ignored.
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Last-Modified", s.Registry.Clock.Now().UTC().Format(headerTime))
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, err = w.Write(document)
	}
	return err
}

// openAPIURL returns the URL of a document with its hash.
func openAPIURL(path, hash string) string { return openAPIv3Path + "/" + path + "?hash=" + hash }

// openAPIAnswer answers with a document. Under the URL with its hash it may be cached forever; an
// outdated hash redirects to the current one.
func (s *Server) openAPIAnswer(w *answer, r *http.Request, d openAPIDocument) error {
	header, hash := w.Header(), d.hash
	header.Set("Vary", "Accept")
	if !acceptsOpenAPI(r.Header.Get("Accept")) {
		w.WriteHeader(http.StatusNotAcceptable)
		return nil
	}
	switch asked := r.URL.Query().Get("hash"); asked {
	case "":
	case hash:
		header.Set("Cache-Control", "public, immutable")
		header.Set("Expires", s.Registry.Clock.Now().AddDate(1, 0, 0).UTC().Format(time.RFC1123))
	default:
		header.Set("Etag", etagOf(hash))
		header.Set("Location", openAPIURL(d.path, hash))
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	}
	if s.unchanged(w, d.path, hash) {
		return nil
	}
	return w.document(string(mediaJSON), d.path+" "+d.hash, d.custom, func() (openapi.Text, error) {
		return openapi.V3(s.parts(d), d.release)
	})
}

// acceptsOpenAPI reports whether JSON is accepted. The parameters of a type do not matter here.
func acceptsOpenAPI(accept string) bool {
	if accept == "" {
		return true
	}
	return slices.ContainsFunc(parseAccept(accept), func(c clause) bool {
		return c.media == string(mediaJSON) || c.media == "application/*" || c.media == anyMedia
	})
}

// openAPIHash returns a hash that changes whenever the document of a group version may: with the
// release and with the served resources.
func (s *Server) openAPIHash(rows []*schema.Resource) string {
	h := sha256.New()
	h.Write([]byte(s.release()))
	for _, row := range rows {
		h.Write([]byte("\n" + row.GroupResource() + openapi.Fingerprint(row)))
	}
	return hexadecimal(h.Sum(nil))
}
