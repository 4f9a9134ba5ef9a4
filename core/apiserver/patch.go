package apiserver

import (
	"errors"
	"mime"
	"net/http"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A patcher applies a patch to an object of a type, and returns the object's
// JSON. check asks for the patch's own unknown and duplicate fields, which are
// in problems.
type patcher func(doc map[string]any, t *schema.Type, body []byte, check bool) (patched []byte, problems []string, err error)

// patchers are the kinds of patches, by the media type of the body.
var patchers = map[string]patcher{
	"application/json-patch+json": func(doc map[string]any, t *schema.Type, body []byte, check bool) ([]byte, []string, error) {
		return patch.JSON(object.Encode(nil, doc, t), body, check)
	},
	"application/merge-patch+json": func(doc map[string]any, t *schema.Type, body []byte, check bool) ([]byte, []string, error) {
		return patch.Merge(object.Encode(nil, doc, t), body, check)
	},
	strategic: strategicMerge,
}

// strategic merge patches need a type that says how fields merge, so custom
// resources do not take them.
const strategic = "application/strategic-merge-patch+json"

func strategicMerge(doc map[string]any, t *schema.Type, body []byte, check bool) ([]byte, []string, error) {
	change, problems, err := object.Decode(body, nil)
	if err != nil {
		return nil, nil, status.NewBadRequest("error decoding patch: " + err.Error())
	}
	if !check {
		problems = nil
	}
	merged, err := patch.Strategic(doc, change, t)
	if err != nil {
		return nil, nil, err
	}
	return object.EncodeAny(nil, merged), problems, nil
}

func (s *Server) patch(w *answer, r *http.Request, i *info) error {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	apply := patchers[media]
	if err != nil || apply == nil || media == strategic && i.Type() == nil {
		return status.NewUnsupportedMediaType("415: Unsupported Media Type")
	}
	o, validation, err := writeOptions(r.URL.Query(), i.verb)
	if err != nil {
		return err
	}
	o.Warn = w.warn
	body, err := readBody(r, maxBody)
	if err != nil {
		return err
	}
	want := i.view.expected
	change := func(old map[string]any) (map[string]any, error) {
		patched, problems, err := apply(object.DeepCopy(i.view.show(old)), want.schema, body, validation != validationIgnore)
		if err != nil {
			return nil, patchError(err)
		}
		obj, err := s.decodePatched(w, patched, want, media != strategic, problems, validation)
		if err != nil {
			return nil, status.NewInvalid(status.GroupKind{}, "", field.ErrorList{field.Invalid("patch", string(patched), err.Error())})
		}
		object.SetTypeMeta(obj, want.groupVersion(), want.kind)
		return i.view.set(old, obj)
	}
	value, _, err := s.Registry.Update(r.Context(), i.Target, change, false, o)
	if err != nil {
		return err
	}
	return w.view(i, http.StatusOK, value)
}

// decodePatched parses the document that a patch has made. typed says that the
// document tells its own type, which a strategic merge takes from the object.
// problems are those of the patch itself.
func (s *Server) decodePatched(w *answer, patched []byte, want expected, typed bool, problems []string, validation string) (map[string]any, error) {
	if typed {
		apiVersion, kind, err := typeMeta(patched, want)
		if err != nil {
			return nil, errors.New(typeMetaError(err))
		}
		if err := s.convertible(apiVersion, kind, want); err != nil {
			return nil, err
		}
	}
	obj, more, err := object.Decode(patched, want.schema)
	if err != nil {
		return nil, err
	}
	return obj, strict(w, validation, append(problems, more...))
}

// patchError is the answer to a patch that cannot be applied.
func patchError(err error) error {
	var e *patch.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Reason {
	case patch.TooLarge:
		return status.New(http.StatusRequestEntityTooLarge, status.RequestEntityTooLarge, e.Message, nil)
	case patch.Rejected:
		return status.New(http.StatusUnprocessableEntity, status.Invalid, e.Message, &status.Details{})
	}
	return status.NewBadRequest(e.Message)
}
