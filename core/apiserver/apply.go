package apiserver

import (
	"mime"
	"net/http"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
)

const mediaApply = "application/apply-patch+yaml"

// mediaOf is the media type of a request's body, without its parameters.
func mediaOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// apply answers a patch that is a server-side apply. Its body is YAML, and so
// perhaps JSON.
func (s *Server) apply(w *answer, r *http.Request, i *info) error {
	o, validation, err := writeOptions(r, verbApply)
	if err != nil {
		return err
	}
	o.Warn, o.MayCreate = w.warn, s.mayCreate(r)
	body, err := readBody(r, maxBody)
	if err != nil {
		return err
	}
	document, err := object.YAMLToJSON(body)
	if err != nil {
		return status.NewBadRequest("error decoding YAML: error converting YAML to JSON: " + err.Error())
	}
	config, _, err := object.Decode(document, nil)
	if err != nil {
		return status.NewBadRequest("error decoding YAML: error unmarshaling JSON: " + err.Error())
	}
	value, created, err := s.Registry.Apply(r.Context(), i.Target, registry.Configuration{
		Object: config,
		Force:  boolParam(r.URL.Query(), "force"),
		Check:  func() error { return duplicates(w, body, validation) },
	}, o)
	if err != nil {
		return err
	}
	if created {
		return w.view(i, http.StatusCreated, value)
	}
	return w.view(i, http.StatusOK, value)
}

// duplicates applies fieldValidation to the keys that a body has twice. Fields
// that the type does not have are errors of the apply itself.
func duplicates(w *answer, body []byte, validation string) error {
	err := object.YAMLProblem(body)
	switch {
	case err == nil || validation == validationIgnore:
		return nil
	case validation == validationStrict:
		return status.NewBadRequest("error strict decoding YAML: error converting YAML to JSON: " + err.Error())
	}
	return strict(w, validation, []string{"error converting YAML to JSON: " + err.Error()})
}
