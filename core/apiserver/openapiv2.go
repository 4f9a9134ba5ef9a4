package apiserver

import (
	"net/http"
	"strings"
)

// mediaOpenAPIv2 is OpenAPI v2 in Protobuf, as it is answered. Clients ask for
// it with v2@v1.0, which is no media type in the sense of package mime.
const mediaOpenAPIv2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 answers at /openapi/v2 with the frame of a document, which tells of no
// type: those are in OpenAPI v3. kubectl wants one before it sends a List or a
// kind that is not served, to check itself what it finds in there.
func (s *Server) openAPIv2(w *answer, r *http.Request) error {
	media, document := string(mediaJSON), []byte(`{"swagger":"2.0","info":{"title":"Kubernetes","version":"`+s.Version.GitVersion+`"},"paths":{}}`)
	if strings.Contains(strings.ReplaceAll(r.Header.Get("Accept"), "@", "."), mediaOpenAPIv2) {
		info := message(nil, 1, "Kubernetes")
		info = message(info, 2, s.Version.GitVersion)
		media, document = mediaOpenAPIv2, message(message(message(nil, 1, "2.0"), 2, string(info)), 8, "")
	}
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Content-Type", media)
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(document)
	return err
}

// message adds to a Protobuf message a field of fewer than 128 bytes.
func message(to []byte, number byte, value string) []byte {
	return append(append(to, number<<3|2, byte(len(value))), value...)
}
