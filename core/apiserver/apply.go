package apiserver

import (
	"cmp"
	"fmt"
	"mime"
	"net/http"

	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

const (
	mediaApply     = "application/apply-patch+yaml"
	mediaApplyCBOR = "application/apply-patch+cbor"
)

// An applier reads the bodies of applies in one representation.
type applier struct {
	// read converts a body to JSON.
	read func(body []byte) ([]byte, error)
	// strict is a codec's.
	strict func(body []byte) error
}

// appliers are the appliers by the media type of the body. YAML may be JSON. Errors call all of it
// YAML, as the real server does.
var appliers = map[string]applier{
	mediaApply: {strict: object.YAMLProblem, read: func(body []byte) ([]byte, error) {
		document, err := object.YAMLToJSON(body)
		if err != nil {
			err = fmt.Errorf("error converting YAML to JSON: %w", err)
		}
		return document, err
	}},
	mediaApplyCBOR: {read: func(body []byte) ([]byte, error) {
		return cbor.ToJSON(body, "map[string]interface {}")
	}},
}

// applierOf returns the applier for a request's body; false if it is not an apply.
func (s *Server) applierOf(r *http.Request) (applier, bool) {
	return s.applier(patchMedia(r))
}

func (s *Server) applier(media string) (applier, bool) {
	apply, ok := appliers[media]
	return apply, ok && (media != mediaApplyCBOR || s.cbor())
}

// mediaOf returns the media type of a request's body, without its parameters.
func mediaOf(r *http.Request) string {
	media, _, err := mime.ParseMediaType(first(r.Header["Content-Type"]))
	if err != nil {
		return ""
	}
	return media
}

// apply answers a patch that is a server-side apply.
func (s *Server) apply(w *answer, r *http.Request, i *info, patch applier) error {
	o, validation, err := writeOptions(r, verbApply)
	if err != nil {
		return err
	}
	o.Warn, o.MayCreate, o.Given = w.warn, s.mayCreate(r), new(object.Given)
	body, err := w.readBody(r, wellknown.MaxBody)
	if err != nil {
		return err
	}
	if err := w.withStored(i); err != nil {
		return err
	}
	document, err := patch.read(body)
	if err := cmp.Or(refusedValues(err), checkValues(document)); err != nil {
		return err
	}
	if err != nil {
		return status.NewBadRequest("error decoding YAML: " + err.Error())
	}
	config, _, err := object.Decode(document, nil)
	if err != nil {
		return status.NewBadRequest("error decoding YAML: error unmarshaling JSON: while decoding JSON: " + err.Error())
	}
	audit.Of(r.Context()).Asked(document)
	value, created, err := s.Registry.Apply(r.Context(), i.Target, registry.Configuration{
		Object: config,
		Force:  boolParam(r.URL.Query(), "force"),
		Check:  func() error { return patch.duplicates(w, body, validation) },
	}, o)
	if err != nil {
		return err
	}
	if created {
		return w.view(i, http.StatusCreated, value)
	}
	return w.view(i, http.StatusOK, value)
}

// duplicates applies fieldValidation to duplicate keys of a body. Unknown fields are errors of the
// apply itself.
func (a applier) duplicates(w *answer, body []byte, validation string) error {
	if a.strict == nil || validation == validationIgnore {
		return nil
	}
	err := a.strict(body)
	switch {
	case err == nil:
		return nil
	case validation == validationStrict:
		return status.NewBadRequest("error strict decoding YAML: error converting YAML to JSON: " + err.Error())
	}
	return strict(w, validation, []string{err.Error()})
}
