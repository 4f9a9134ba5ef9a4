package apiserver

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// readBody reads a request's body of at most limit bytes.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, status.NewRequestTooLarge(limit)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, status.NewBadRequest(err.Error())
	}
	if int64(len(body)) > limit {
		return nil, status.NewRequestTooLarge(limit)
	}
	return body, nil
}

// expected is what a body has to be.
type expected struct {
	group, version, kind string
	schema               *schema.Type
}

func (e expected) groupVersion() string {
	if e.group == "" {
		return e.version
	}
	return e.group + "/" + e.version
}

// unknownKind is the real server's text for a type that it has not; its list of
// known types goes by the name of the line that makes it.
const unknownKind = `no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`

// convertible says whether a document of a kind and version can be read as the
// expected kind, if perhaps in another version of it. The error is the text of
// the real server.
func (s *Server) convertible(apiVersion, kind string, want expected) error {
	group, version := splitGroupVersion(apiVersion)
	known := s.Table.ByKind(group, version, kind) != nil
	switch {
	case kind == want.kind && (known || apiVersion == want.groupVersion() || group == want.group && retired[apiVersion]):
		return nil
	case known || schema.TypeOf(group, version, kind) != nil:
		return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", version, kind, goPackage(want.group), want.kind)
	}
	return fmt.Errorf(unknownKind, kind, apiVersion)
}

// decodeBody parses a body into an object of the expected kind. What it lacks of
// apiVersion and kind it takes from the URL. problems are the unknown and
// duplicate fields. The error is a 400.
func (s *Server) decodeBody(body []byte, media mediaType, want expected) (obj map[string]any, problems []string, err error) {
	if media == mediaYAML {
		if body, err = object.YAMLToJSON(body); err != nil {
			return nil, nil, status.NewBadRequest(unrecognized(want.kind, err.Error(), body))
		}
	}
	apiVersion, kind, err := typeMeta(body, want)
	if err != nil {
		return nil, nil, status.NewBadRequest(unrecognized(want.kind, typeMetaError(err), body))
	}
	err = s.convertible(apiVersion, kind, want)
	if err == nil && apiVersion != want.groupVersion() {
		return nil, nil, status.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", apiVersion, want.groupVersion()))
	}
	if err == nil {
		obj, problems, err = object.Decode(body, want.schema)
	}
	if err != nil {
		_, version := splitGroupVersion(apiVersion)
		return nil, nil, status.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, want.kind, err))
	}
	object.SetTypeMeta(obj, want.groupVersion(), want.kind)
	return obj, problems, nil
}

// typeMeta reads what a document says it is; what it does not say is as expected.
func typeMeta(document []byte, want expected) (apiVersion, kind string, err error) {
	apiVersion, kind, err = object.TypeMeta(document)
	if kind == "" {
		kind = want.kind
	}
	if apiVersion == "" {
		apiVersion = want.groupVersion()
	}
	return apiVersion, kind, err
}

func typeMetaError(err error) string {
	return "couldn't get version/kind; json parse error: " + err.Error()
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
		w.warn(p)
	}
	return nil
}

func unrecognized(kind, why string, body []byte) string {
	return fmt.Sprintf("the object provided is unrecognized (must be of type %s): %s (%s)", kind, why, summary(body))
}

// summary is the beginning of a body for an error message, in hex unless it
// looks like JSON.
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

func splitGroupVersion(apiVersion string) (group, version string) {
	if i := strings.IndexByte(apiVersion, '/'); i >= 0 {
		return apiVersion[:i], apiVersion[i+1:]
	}
	return "", apiVersion
}

// goPackage is the name that errors give to a group's internal types.
func goPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}

// retired are the group versions that the real server still knows the types of
// but no longer serves: a body in one of them is understood and then refused.
var retired = map[string]bool{
	"admissionregistration.k8s.io/v1alpha1": true, "admissionregistration.k8s.io/v1beta1": true,
	"apps/v1beta1": true, "apps/v1beta2": true,
	"authentication.k8s.io/v1alpha1": true, "authentication.k8s.io/v1beta1": true,
	"authorization.k8s.io/v1beta1": true, "batch/v1beta1": true,
	"certificates.k8s.io/v1alpha1": true, "certificates.k8s.io/v1beta1": true,
	"coordination.k8s.io/v1alpha2": true, "coordination.k8s.io/v1beta1": true,
	"discovery.k8s.io/v1beta1": true, "events.k8s.io/v1beta1": true, "extensions/v1beta1": true,
	"flowcontrol.apiserver.k8s.io/v1beta1": true, "flowcontrol.apiserver.k8s.io/v1beta2": true,
	"flowcontrol.apiserver.k8s.io/v1beta3": true, "networking.k8s.io/v1beta1": true,
	"node.k8s.io/v1alpha1": true, "node.k8s.io/v1beta1": true, "policy/v1beta1": true,
	"rbac.authorization.k8s.io/v1alpha1": true, "rbac.authorization.k8s.io/v1beta1": true,
	"resource.k8s.io/v1alpha3": true, "resource.k8s.io/v1beta1": true, "resource.k8s.io/v1beta2": true,
	"scheduling.k8s.io/v1alpha2": true, "scheduling.k8s.io/v1beta1": true,
	"storage.k8s.io/v1alpha1": true, "storage.k8s.io/v1beta1": true, "storagemigration.k8s.io/v1beta1": true,
}
