package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// reviewGroup is that of AdmissionReview.
const reviewGroup = "admission.k8s.io/"

// reviewVersions are the versions of AdmissionReview that this server speaks.
var reviewVersions = []string{"v1", "v1beta1"}

// admissionReview is the AdmissionReview that is sent, in the field order of the wire.
type admissionReview struct {
	Kind       string         `json:"kind"`
	APIVersion string         `json:"apiVersion"`
	Request    *reviewRequest `json:"request"`
}

type reviewRequest struct {
	UID                string          `json:"uid"`
	Kind               match.Kind      `json:"kind"`
	Resource           match.Resource  `json:"resource"`
	SubResource        string          `json:"subResource,omitempty"`
	RequestKind        match.Kind      `json:"requestKind"`
	RequestResource    match.Resource  `json:"requestResource"`
	RequestSubResource string          `json:"requestSubResource,omitempty"`
	Name               string          `json:"name,omitempty"`
	Namespace          string          `json:"namespace,omitempty"`
	Operation          string          `json:"operation"`
	UserInfo           userInfo        `json:"userInfo"`
	Object             json.RawMessage `json:"object"`
	OldObject          json.RawMessage `json:"oldObject"`
	DryRun             bool            `json:"dryRun"`
	Options            json.RawMessage `json:"options"`
}

type userInfo struct {
	Username string              `json:"username,omitempty"`
	UID      string              `json:"uid,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
}

// An encodedReview is the AdmissionReview for one webhook, as JSON.
type encodedReview struct {
	uid string
	// version is that of the AdmissionReview: v1 or v1beta1.
	version string
	body    []byte
}

// encodeReview encodes the AdmissionReview for a webhook.
func (w *Plugin) encodeReview(
	ctx context.Context, h *hook, a *admission.Attributes, f *match.Form,
) (*encodedReview, error) {
	i := slices.IndexFunc(h.versions, func(version string) bool { return slices.Contains(reviewVersions, version) })
	if i < 0 {
		return nil, errors.New("could not create admission objects: " +
			"webhook does not accept known AdmissionReview versions (v1, v1beta1)")
	}
	group, version, kind, _ := a.ObjectType()
	user := auth.UserOf(ctx)
	q := &encodedReview{uid: w.NewUID(), version: h.versions[i]}
	body, err := json.Marshal(admissionReview{
		Kind: "AdmissionReview", APIVersion: reviewGroup + q.version,
		Request: &reviewRequest{
			UID:  q.uid,
			Kind: f.Kind, Resource: f.Resource, SubResource: a.Subresource,
			RequestKind:        match.Kind{Group: group, Version: version, Kind: kind},
			RequestResource:    match.Resource{Group: a.Group, Version: a.Version, Resource: a.Plural},
			RequestSubResource: a.Subresource,
			Name:               a.Name, Namespace: match.NamespaceOf(a), Operation: a.Operation,
			UserInfo: userInfo{Username: user.Name, UID: user.UID, Groups: user.Groups, Extra: user.Extra},
			Object:   encode(f.Object, f.Schema), OldObject: encode(f.Old, f.Schema),
			DryRun: a.DryRun, Options: encodeOptions(a.SentOptions()),
		},
	})
	q.body = append(body, '\n')
	return q, err
}

// encode returns an object's JSON; null for none.
func encode(obj map[string]any, t *schema.Type) json.RawMessage {
	if obj == nil {
		return json.RawMessage("null")
	}
	return object.Encode(nil, obj, t)
}

// optionFields are the fields of all options in the order of the wire.
var optionFields = []string{
	"kind", "apiVersion", "gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy",
	"dryRun", "fieldManager", "fieldValidation",
}

func encodeOptions(options map[string]any) json.RawMessage {
	if options == nil {
		return json.RawMessage("null")
	}
	out := []byte{'{'}
	for _, name := range optionFields {
		switch value := options[name].(type) {
		case nil:
		case []any:
			if len(value) > 0 {
				out = appendField(out, name, value)
			}
		default:
			out = appendField(out, name, value)
		}
	}
	return append(out, '}')
}

func appendField(out []byte, name string, value any) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	return object.EncodeAny(append(append(append(out, '"'), name...), '"', ':'), value)
}
