package apiserver

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// mediaOpenAPIv2 is the Content-Type of OpenAPI v2 in Protobuf. Clients ask for it with v2@v1.0,
// which is not a media type in the sense of package mime.
const mediaOpenAPIv2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 answers at /openapi/v2 with all types in one document, or with an empty document if v2
// is not supported. kubectl before 1.27 validates by it, and later versions do so for Lists and for
// types that the server does not have; other clients know no other version.
func (s *Server) openAPIv2(w *answer, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	media := acceptedOpenAPIv2(r.Header.Get("Accept"))
	if media == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return nil
	}
	if s.OpenAPIv2 == nil {
		return w.whole(media, openapi.Text{s.frame(media)})
	}
	s.describe(r.Context())
	all := s.openAPIDocuments()
	sum, custom := sha256.New(), int64(0)
	for _, d := range all {
		sum.Write([]byte(d.hash))
		custom += d.custom
	}
	hash := hexadecimal(sum.Sum(nil))
	if s.unchanged(w, openAPIv2Path, hash) {
		return nil
	}
	return w.document(media, media+" "+hash, custom, func() (openapi.Text, error) {
		return s.OpenAPIv2(s.parts(all...), s.Version.GitVersion, media == mediaOpenAPIv2)
	})
}

// whole answers with a document.
func (w *answer) whole(media string, document openapi.Text) error {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(document.Len()))
	w.WriteHeader(http.StatusOK)
	if w.request.Method == http.MethodHead {
		return nil
	}
	for _, piece := range document {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// frame returns a document without types.
func (s *Server) frame(media string) []byte {
	if media != mediaOpenAPIv2 {
		return []byte(`{"swagger":"2.0","info":{"title":"Kubernetes","version":"` + s.Version.GitVersion + `"},"paths":{}}`)
	}
	info := message(nil, 1, "Kubernetes")
	info = message(info, 2, s.Version.GitVersion)
	return message(message(message(nil, 1, "2.0"), 2, string(info)), 8, "")
}

// message appends a field of fewer than 128 bytes to a Protobuf message.
func message(to []byte, number byte, value string) []byte {
	return append(append(to, number<<3|2, byte(len(value))), value...)
}

// acceptedOpenAPIv2 returns the format of OpenAPI v2 that an Accept header prefers; empty if it
// accepts no format. The parameters of a type do not matter here.
func acceptedOpenAPIv2(accept string) string {
	if accept == "" {
		return string(mediaJSON)
	}
	for _, c := range parseAccept(strings.ReplaceAll(accept, "@", ".")) {
		switch c.media {
		case mediaOpenAPIv2:
			return mediaOpenAPIv2
		case string(mediaJSON), "application/*", anyMedia:
			return string(mediaJSON)
		}
	}
	return ""
}
