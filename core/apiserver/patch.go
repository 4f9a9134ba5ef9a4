package apiserver

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A patcher applies a patch to an object of a type. check requests the patch's own unknown and
// duplicate fields. The object is changed.
type patcher func(doc map[string]any, t *schema.Type, body []byte, check bool) (patched, error)

// patched is the result of a patch.
type patched struct {
	// document has its own apiVersion and kind; nil if the result is a tree.
	document []byte
	tree     map[string]any
	// text is quoted by errors: the document, or the patch that made the tree.
	text     string
	problems []string
}

const (
	mediaJSONPatch  = "application/json-patch+json"
	mediaMergePatch = "application/merge-patch+json"
	// Strategic merge patches need a type that says how fields merge, so custom resources do not
	// support them.
	strategic = "application/strategic-merge-patch+json"
)

// patchers are the kinds of patches, by the media type of the body.
var patchers = map[string]patcher{
	mediaJSONPatch:  inJSON(patch.JSON),
	mediaMergePatch: inJSON(patch.Merge),
	strategic:       strategicMerge,
}

func inJSON(apply func(doc, patch []byte, check bool) ([]byte, []string, error)) patcher {
	return func(doc map[string]any, t *schema.Type, body []byte, check bool) (patched, error) {
		document, problems, err := apply(object.Encode(nil, doc, t), body, check)
		return patched{document: document, text: string(document), problems: problems}, err
	}
}

func strategicMerge(doc map[string]any, t *schema.Type, body []byte, check bool) (patched, error) {
	change, problems, err := object.Decode(body, nil)
	if err != nil {
		return patched{}, status.NewBadRequest(err.Error())
	}
	if !check {
		problems = nil
	}
	merged, err := patch.Strategic(object.Unordered(doc), change, t)
	if err == nil {
		err = refusedValues(object.CheckTree(merged)) // the object had some before
	}
	return patched{tree: merged, text: fmt.Sprintf("%+v", change), problems: problems}, err
}

func (s *Server) patch(w *answer, r *http.Request, i *info) error {
	if patch, ok := s.applierOf(r); ok {
		return s.apply(w, r, i, patch)
	}
	apply, err := s.patcherOf(r, i.Type() != nil)
	if err != nil {
		return err
	}
	o, validation, err := writeOptions(r, i.verb)
	if err != nil {
		return err
	}
	o.Warn, o.Given = w.warn, new(object.Given)
	body, err := w.readBody(r, wellknown.MaxBody)
	if err != nil {
		return err
	}
	audit.Of(r.Context()).Asked(body)
	if err := w.withStored(i); err != nil {
		return err
	}
	want := i.view.expected
	want.given = o.Given
	change := func(old map[string]any) (map[string]any, error) {
		shown := object.DeepCopy(i.view.show(old))
		if !i.whole() {
			managedfields.Write{Resource: i.Resource}.ToScale(shown, old)
		}
		p, err := apply(shown, want.schema, body, validation != validationIgnore)
		if err != nil {
			return nil, patchError(err)
		}
		if err := s.Registry.Pause(r.Context()); err != nil {
			return nil, err
		}
		obj, err := s.decodePatched(w, p, want, validation)
		if err != nil {
			return nil, status.NewInvalid(status.GroupKind{}, "", field.ErrorList{field.Invalid("patch", p.text, err.Error())})
		}
		apiVersion, kind := object.GetString(obj, "apiVersion"), object.GetString(obj, "kind")
		object.SetTypeMeta(obj, want.groupVersion(), want.kind)
		if err := checkIdentity(i, obj); err != nil {
			return nil, err
		}
		if s.customRow(want) != nil {
			if err := want.checkType(apiVersion, kind, obj); err != nil {
				return nil, err
			}
		}
		return i.view.set(old, obj)
	}
	value, _, err := s.Registry.Update(r.Context(), i.Target, change, false, o)
	if err != nil {
		return err
	}
	return w.view(i, http.StatusOK, value)
}

// patcherOf returns the patcher for a request's body. builtin says that the resource is not a
// custom one; the two are refused in different places, and so with different texts.
func (s *Server) patcherOf(r *http.Request, builtin bool) (patcher, error) {
	media := patchMedia(r)
	apply := patchers[media]
	if builtin && !s.routesPatch(r) {
		e := status.NewUnsupportedMediaType("415: Unsupported Media Type")
		e.Status.Details = &status.Details{}
		return nil, e
	}
	if apply == nil || !builtin && media == strategic {
		types := []mediaType{mediaJSONPatch, mediaMergePatch, mediaApply}
		if builtin {
			types = []mediaType{mediaJSONPatch, mediaMergePatch, strategic, mediaApply}
		}
		if s.cbor() {
			types = append(types, mediaApplyCBOR)
		}
		return nil, status.NewUnsupportedMediaType(unsupportedMedia + listOf(types))
	}
	return apply, nil
}

// patchMedia returns the media type of a patch. It is compared as it is sent, case and spaces included.
func patchMedia(r *http.Request) string {
	media := r.Header.Get("Content-Type")
	if i := strings.IndexByte(media, ';'); i > 0 {
		media = media[:i]
	}
	return media
}

// routesPatch reports whether the router of built-in types lets a patch pass: one of the media types that it names,
// of which there may be several, is that of a patch.
func (s *Server) routesPatch(r *http.Request) bool {
	for media := range strings.SplitSeq(r.Header.Get("Content-Type"), ",") {
		media, _, _ = strings.Cut(media, ";")
		media = strings.TrimSpace(media)
		if _, apply := s.applier(media); apply || patchers[media] != nil {
			return true
		}
	}
	return false
}

// decodePatched decodes the result of a patch.
func (s *Server) decodePatched(w *answer, p patched, want expected, validation string) (map[string]any, error) {
	if p.document == nil {
		obj, unknown, err := object.Convert(p.tree, want.schema, want.given)
		if err != nil {
			return nil, err
		}
		return obj, strict(w, validation, append(p.problems, unknown...))
	}
	is, err := typeMeta(p.document, want, s.customRow(want) != nil)
	if err != nil {
		return nil, err
	}
	problems, ok, err := untypedFields(p.document, want)
	if err != nil {
		return nil, err
	}
	if ok {
		return map[string]any{}, strict(w, validation, append(p.problems, problems...))
	}
	obj, problems, err := s.decodeAs(p.document, is, want)
	if err != nil {
		return nil, err
	}
	return obj, strict(w, validation, append(p.problems, problems...))
}

// untypedFields returns the problems of a document of a built-in type that has lost its apiVersion,
// if it has. The real server decodes such a document as its internal type, in which no field is
// called metadata, spec or anything else in JSON. The error is that the group has no such kind.
func untypedFields(document []byte, want expected) (problems []string, ok bool, _ error) {
	apiVersion, kind, err := object.TypeMeta(document)
	if err != nil || apiVersion != "" || want.schema == nil {
		return nil, false, nil
	}
	if kind != "" && kind != want.kind && schema.TypeOf(want.group, want.version, kind) == nil {
		return nil, false, fmt.Errorf("no kind %q is registered for the internal version of group %q in scheme %q", kind,
			want.group, "pkg/runtime/scheme.go:111")
	}
	fields, _, err := object.Decode(document, nil)
	if err != nil {
		return nil, false, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "kind" && name != "apiVersion" {
			problems = append(problems, "unknown field "+strconv.Quote(name))
		}
	}
	return problems, true, nil
}

// checkIdentity checks that an object from a client has the name and namespace in the URL.
func checkIdentity(i *info, obj map[string]any) error {
	if err := registry.MatchNamespace(i.Target, obj); err != nil {
		return err
	}
	return registry.MatchName(i.Target, obj)
}

// refusedPatch is the error for any patch that cannot be applied: the real server loses the reason
// on the way.
const refusedPatch = "the server rejected our request due to an error in our request"

// patchError returns the error for a patch that cannot be applied.
func patchError(err error) error {
	var e *patch.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Reason {
	case patch.TooLarge:
		return status.NewTooLarge(e.Message)
	case patch.Rejected:
		return status.New(http.StatusUnprocessableEntity, status.Invalid, refusedPatch, &status.Details{})
	}
	return status.NewBadRequest(e.Message)
}
