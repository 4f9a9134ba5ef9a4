package apiserver

import (
	"encoding/json"
	"net/http"
	"strconv"

	"sigs.k8s.io/yaml"
)

// object answers 200 with a document of the server's own.
func (a *answer) object(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := a.negotiate(served); err != nil {
		return err
	}
	a.send(http.StatusOK, append(b, '\n'))
	return nil
}

// send writes a JSON document in the negotiated representation.
func (a *answer) send(code int, document []byte) {
	media := mediaJSON
	switch {
	case a.media == mediaYAML:
		if converted, err := yaml.JSONToYAML(document); err == nil {
			document, media = converted, mediaYAML
		}
	case a.pretty:
		document = indent(make([]byte, 0, 2*len(document)), document)
	}
	a.Header().Set("Content-Type", string(media))
	a.Header().Set("Content-Length", strconv.Itoa(len(document)))
	a.WriteHeader(code)
	if a.request.Method != http.MethodHead {
		a.Write(document)
	}
}

// stored answers with an object's bytes.
func (a *answer) stored(code int, value []byte) error {
	document := make([]byte, 0, len(value)+1)
	a.send(code, append(append(document, value...), '\n'))
	return nil
}
