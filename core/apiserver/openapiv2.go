package apiserver

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/openapi"
)

// mediaOpenAPIv2 is OpenAPI v2 in Protobuf, as it is answered. Clients ask for
// it with v2@v1.0, which is no media type in the sense of package mime.
const mediaOpenAPIv2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 answers at /openapi/v2 with all types in one document. kubectl before
// 1.27 checks by it what it sends, and later ones a List and what the server does
// not have; other clients know no other.
func (s *Server) openAPIv2(w *answer, r *http.Request) error {
	w.Header().Add("Vary", "Accept")
	media := acceptedOpenAPIv2(r.Header.Get("Accept"))
	if media == "" {
		w.WriteHeader(http.StatusNotAcceptable)
		return nil
	}
	s.describe(r.Context())
	all := s.openAPIDocuments()
	sum := sha256.New()
	for _, d := range all {
		sum.Write([]byte(d.hash))
	}
	hash := hexadecimal(sum.Sum(nil))
	w.Header().Set("Content-Type", media)
	w.Header().Set("Etag", `"`+hash+`"`)
	if known := r.Header.Get("If-None-Match"); known == "*" || strings.Contains(known, `"`+hash+`"`) {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	document, err := s.documents.get("v2 "+media, hash, func() ([]byte, error) {
		v2 := openapi.NewV2()
		for _, d := range all {
			v2.Add(s.described(d.make()))
		}
		whole := v2.Document(s.Version.GitVersion)
		if media == mediaOpenAPIv2 {
			return openapi.EncodeV2(whole)
		}
		return json.Marshal(whole)
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, err = w.Write(document)
	}
	return err
}

// acceptedOpenAPIv2 is the form of OpenAPI v2 that an Accept header prefers; empty
// if there is none. The parameters of a type do not matter here.
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
