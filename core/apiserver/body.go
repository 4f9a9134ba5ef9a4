package apiserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// readBody reads a request's body of at most limit bytes, and waits for the memory that is needed to work with it.
// JSON must be within the limits of values; other encodings are checked when they are converted.
func (a *answer) readBody(r *http.Request, limit int64) ([]byte, error) {
	return a.readBodyInto(new(bytes.Buffer), r, limit)
}

// readBodyInto is readBody into a buffer, to which the body belongs.
func (a *answer) readBodyInto(buffer *bytes.Buffer, r *http.Request, limit int64) ([]byte, error) {
	body, err := readWhole(r, limit, a.held.body, buffer)
	if err == nil && hasJSON(r) {
		err = checkValues(body)
	}
	if err == nil {
		err = a.held.more(workOfBody(body))
	}
	return body, err
}

// hasJSON reports whether a request's body is in no other encoding.
func hasJSON(r *http.Request) bool {
	media := mediaOf(r)
	_, apply := appliers[media]
	return !apply && codecs[mediaType(media)].read == nil
}

// checkValues refuses a JSON document that is nested deeper, or has more values, than any host can process.
func checkValues(document []byte) error { return refusedValues(object.Check(document)) }

// refusedValues returns the error to answer with if a decoder refused a body for how deep its values nest, or how many
// there are, else nil.
func refusedValues(err error) error {
	switch {
	case errors.Is(err, object.ErrTooDeep):
		return status.NewBadRequest(object.ErrTooDeep.Error())
	case errors.Is(err, object.ErrTooMany):
		return status.NewTooLarge(object.ErrTooMany.Error())
	}
	return nil
}

// unreadable returns the error for a body that could not be read completely.
func unreadable(err error) error {
	if isTimeout(err) {
		return errRequestTimeout // the host has stopped waiting for it
	}
	return status.NewBadRequest(err.Error())
}

// An UnreadBody is a request's body of at most limit bytes that a handler reads piece by piece.
type UnreadBody struct {
	request     *http.Request
	limit, left int64
	grow        func(int64) bool
	// Err is the error to answer with if it could not be read.
	Err error
}

// newUnreadBody returns a body. grow reports whether there is memory for so many bytes of it; nil: there is.
func newUnreadBody(r *http.Request, limit int64, grow func(int64) bool) *UnreadBody {
	return &UnreadBody{request: r, limit: limit, left: limit, grow: grow}
}

func (b *UnreadBody) Read(p []byte) (int, error) {
	switch {
	case b.Err != nil:
		return 0, b.Err
	case b.request.Body == nil:
		return 0, io.EOF
	case b.request.ContentLength > b.limit:
		b.Err = status.NewRequestTooLarge(b.limit)
		return 0, b.Err
	}
	n, err := b.request.Body.Read(p[:min(int64(len(p)), b.left+1)])
	// Whatever the body says may be a consequence of the context's end, but not that the host has stopped waiting for it:
	// net/http ends the context then.
	if ctx := b.request.Context(); ctx.Err() != nil && (err == nil || !isTimeout(err)) {
		b.Err = context.Cause(ctx)
		return 0, b.Err
	}
	switch b.left -= int64(n); {
	case b.left < 0:
		b.Err = status.NewRequestTooLarge(b.limit)
	case b.grow != nil && !b.grow(b.limit-b.left):
		b.Err = ErrTooMany
	case err == io.EOF:
		return n, err
	case err != nil:
		b.Err = unreadable(err)
	}
	return n, b.Err
}

// expected is the expected type of a body.
type expected struct {
	group, version, kind string
	schema               *schema.Type
	given                *object.Given // gets what the tree does not hold, if it is set
	also                 string        // another apiVersion that is accepted
	unnamed              bool          // what cannot be decoded has one error, see undecodable
}

// expect returns a type that has no view.
func expect(group, version, kind string) expected {
	return expected{group: group, version: version, kind: kind, schema: schema.TypeOf(group, version, kind)}
}

func (e expected) groupVersion() string { return e.is().apiVersion() }

func (e expected) is() typeOfDocument { return typeOfDocument{e.group, e.version, e.kind} }

// named reports whether an object has the expected apiVersion and kind, as far as it has any.
func (e expected) named(obj map[string]any) bool {
	apiVersion, kind := object.APIVersion(obj), object.Kind(obj)
	return (kind == "" || kind == e.kind) && (apiVersion == "" || apiVersion == e.groupVersion())
}

// read returns the error of an object that cannot be read for a reason that its kind has.
func (e expected) read(obj map[string]any) error {
	if read := kinds.For(e.group, e.kind).Read; read != nil {
		return read(obj)
	}
	return nil
}

// undecodable is the error of any body of the Scale of a custom resource that cannot be decoded: its scheme knows
// Scales of all versions and not the type of what is expected, which the error was to name.
var undecodable = status.NewBadRequest("no kind is registered for the type v1.Scale in scheme " +
	`"pkg/runtime/scheme.go:111"`)

// decodeAs decodes a document by its own type, and checks that this is the expected one, perhaps in
// another version. The error is the text of the real server, which checks the fields before the
// type.
func (s *Server) decodeAs(document []byte, is typeOfDocument, want expected) (obj map[string]any, problems []string,
	err error) {
	if row := s.customRow(want); row != nil {
		return decodeCustom(document, is, row)
	}
	t, known, fits, sameFields := want.schema, true, is.kind == want.kind, true
	if is != want.is() {
		if t = schema.TypeOf(is.group, is.version, is.kind); t == nil {
			known, sameFields = schema.Unserved(is.apiVersion(), is.kind)
			t = schema.TypeOf(is.group, "v1", is.kind)
			if known && is.kind == "Scale" && is.version != "v1" {
				t, sameFields = olderScales()[is.version], true
			}
		}
		if want.unnamed { // the scheme of scales
			known = known && schemeOfScales[is.apiVersion()] && !strings.HasSuffix(is.kind, "ScaleList")
		}
		known = known && (schemeOf(is.group) == schemeOf(want.group) || everywhere(is))
	}
	switch {
	case is.version == "":
		return nil, nil, object.NoVersion(document)
	case !known:
		return nil, nil, object.Unregistered(is.kind, is.apiVersion())
	case t == nil && fits:
		t = want.schema
	}
	obj, problems, err = object.DecodeGiven(document, t, want.given)
	if !sameFields {
		problems = nil
	}
	if err == nil && fits {
		err = want.read(obj)
	}
	if err == nil && (!fits || want.unnamed && is != want.is()) {
		into := schema.InternalPackage(want.group)
		if want.unnamed {
			into = want.version
		}
		err = fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", is.version, is.kind, into, want.kind)
	}
	return obj, problems, err
}

// decodeBody decodes a body into an object of the expected kind. A missing apiVersion or kind is
// taken from the URL, except for custom resources. problems are the unknown and duplicate fields.
// The error is a 400; there may be problems besides.
func (s *Server) decodeBody(body []byte, media mediaType, want expected) (obj map[string]any, problems []string,
	err error) {
	document, wrong, codec := body, error(nil), codecs[media]
	if codec.read != nil {
		document, wrong = codec.read(body, want)
		if err := cmp.Or(refusedValues(wrong), checkValues(document)); err != nil {
			return nil, nil, err
		}
		if document == nil && wrong != nil {
			return nil, nil, status.NewBadRequest(unrecognized(want.kind, wrong.Error(), body))
		}
	}
	if codec.strict != nil {
		if err := codec.strict(body); err != nil {
			problems = append(problems, err.Error())
		}
	}
	custom := s.customRow(want) != nil
	if wrong == nil && !custom && want.schema != nil {
		// Most documents have the expected type, and no problems.
		obj, more, err := object.DecodeGiven(document, want.schema, want.given)
		if err == nil && more == nil && want.named(obj) && want.read(obj) == nil {
			object.SetTypeMeta(obj, want.groupVersion(), want.kind)
			return obj, problems, nil
		}
	}
	is, err := typeMeta(document, want, custom)
	if err != nil {
		return nil, nil, status.NewBadRequest(unrecognized(want.kind, err.Error(), body))
	}
	obj, more, err := s.decodeAs(document, is, want)
	if wrong != nil {
		err = wrong
	}
	if err != nil {
		return nil, nil, status.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", is.kind,
			is.version, want.kind, err))
	}
	if v := is.apiVersion(); v != want.groupVersion() && (v == "" || v != want.also) {
		return nil, append(problems, more...),
			status.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)",
				is.apiVersion(), want.groupVersion()))
	}
	if custom {
		if err := want.checkType(is.apiVersion(), is.kind, obj); err != nil {
			return nil, append(problems, more...), err
		}
	}
	object.SetTypeMeta(obj, want.groupVersion(), want.kind)
	return obj, append(problems, more...), nil
}

// checkType returns the error for the type of a custom resource.
func (e expected) checkType(apiVersion, kind string, obj map[string]any) error {
	var errs field.ErrorList
	if apiVersion == "" {
		return status.NewInternal(errors.New("Object 'apiVersion' is missing in 'object has no apiVersion field'"))
	}
	if kind != e.kind {
		errs.Add(field.Invalid("kind", kind, "must be "+e.kind))
	}
	if apiVersion != e.groupVersion() {
		errs.Add(field.Invalid("apiVersion", apiVersion, "must be "+e.groupVersion()))
	}
	if len(errs) == 0 {
		return nil
	}
	group, _ := object.SplitGroupVersion(apiVersion)
	return status.NewInvalid(status.GroupKind{Group: group, Kind: kind}, object.Name(obj), errs)
}

// typeOfDocument is the apiVersion and kind in a document.
type typeOfDocument struct{ group, version, kind string }

func (d typeOfDocument) apiVersion() string {
	if d.group == "" {
		return d.version
	}
	return d.group + "/" + d.version
}

// typeMeta reads the apiVersion and kind of a document; missing ones are as expected, except for
// custom resources, which have to have both.
func typeMeta(document []byte, want expected, custom bool) (is typeOfDocument, err error) {
	or := want.is()
	if custom {
		or = typeOfDocument{}
	}
	is.group, is.version, is.kind, err = object.TypeOr(document, or.group, or.version, or.kind)
	if err == nil && is.kind == "" {
		err = object.NoKind(document)
	}
	return is, err
}

// strict applies fieldValidation to the problems of a body.
func strict(w *answer, validation string, problems []string) error {
	if len(problems) == 0 || validation == validationIgnore {
		return nil
	}
	if validation == validationStrict {
		return errors.New("strict decoding error: " + strings.Join(problems, ", "))
	}
	for _, p := range problems {
		// The problems of YAML are one text of many lines.
		for line := range strings.SplitSeq(strings.TrimPrefix(p, "yaml: unmarshal errors:\n"), "\n") {
			w.warn(strings.TrimSpace(line))
		}
	}
	return nil
}

func unrecognized(kind, why string, body []byte) string {
	return fmt.Sprintf("the object provided is unrecognized (must be of type %s): %s (%s)", kind, why, summary(body))
}

// summary returns the beginning of a body for an error message, in hex unless it looks like JSON.
func summary(body []byte) string {
	const most = 30
	text := func(b []byte) string { return hex.EncodeToString(b) }
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{':
		text = func(b []byte) string { return string(b) }
	}
	if len(body) > most {
		return text(body[:most]) + " ..."
	}
	return text(body)
}

// schemeOfScales are the group versions that are known where the Scale of a custom resource is read: all with
// Scales, and v1. There is no conversion between Scales.
var schemeOfScales = map[string]bool{"autoscaling/v1": true, "extensions/v1beta1": true, "apps/v1beta1": true,
	"apps/v1beta2": true, "v1": true}

// olderScales returns the types of the Scales in the versions of apps and extensions that are not served, by their
// versions. They are made once: other packages remember what they know of a type.
var olderScales = sync.OnceValue(func() map[string]*schema.Type {
	return map[string]*schema.Type{"v1beta1": olderScale("v1beta1"), "v1beta2": olderScale("v1beta2")}
})

// olderScale returns the type of the Scales in a version, whose selector is a map.
func olderScale(version string) *schema.Type {
	older := func(t *schema.Type) *schema.Type {
		is := *t
		is.GoName, is.Fields = version+strings.TrimPrefix(t.GoName, "v1"), slices.Clone(t.Fields)
		return &is
	}
	scale := older(schema.TypeOf("autoscaling", "v1", "Scale"))
	for _, name := range []string{"spec", "status"} {
		part := scale.Field(name)
		part.Type = older(part.Type)
	}
	status := scale.Field("status").Type
	selector := status.Field("selector")
	text := selector.Type
	selector.Type = &schema.Type{Kind: schema.Map, GoName: "map[string]string", Elem: text}
	status.Fields = append(status.Fields, schema.Field{Name: "targetSelector", Type: text})
	return scale
}

// everywhere reports whether a type is one without a version, which all schemes have.
func everywhere(is typeOfDocument) bool {
	return is.apiVersion() == "v1" && slices.Contains(schema.Unversioned, is.kind)
}

// schemeOf returns the group whose server's scheme has the types of a group: definitions and APIServices are
// served by their own servers, which know no other types.
func schemeOf(group string) string {
	switch group {
	case "apiextensions.k8s.io", "apiregistration.k8s.io", "meta.k8s.io": // which no scheme for bodies has
		return group
	}
	return ""
}
