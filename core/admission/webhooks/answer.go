package webhooks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// answerReview is the part of a returned AdmissionReview that is used.
type answerReview struct {
	is       match.Kind
	Response *response
}

type response struct {
	UID       string
	Allowed   bool
	Status    *status.Status
	Patch     []byte
	PatchType *string
	Warnings  []string
}

// A verdict is the answer of a webhook that allows a request.
type verdict struct {
	warnings  []string
	patch     []byte
	patchType string // empty in v1beta1, where it does not count
}

// callHook calls a webhook for a request. If the webhook refuses, the error is the Status to answer
// with; an error that failurePolicy decides on is a callError.
func (w *Plugin) callHook(
	ctx context.Context, h *hook, a *admission.Attributes, f *match.Form, mutating bool,
) (verdict, error) {
	failed := func(reason string) (verdict, error) { return verdict{}, &callError{h.name, reason} }
	if a.DryRun {
		switch h.effects {
		case "None", "NoneOnDryRun":
		case "":
			return failed("Webhook SideEffects is nil")
		default:
			return verdict{}, status.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", h.name))
		}
	}
	q, err := w.encodeReview(ctx, h, a, f)
	if err != nil {
		return failed(err.Error())
	}
	body, err := w.post(ctx, h, q)
	if err != nil {
		return failed(err.Error())
	}
	answer, err := readAnswer(body, q)
	if err != nil {
		return failed("failed to call webhook: " + err.Error())
	}
	if err := answer.check(q, mutating); err != nil {
		return failed("received invalid webhook response: " + err.Error())
	}
	r := answer.Response
	said := verdict{warnings: r.Warnings, patch: r.Patch}
	if !r.Allowed {
		return said, denial(h.name, r.Status)
	}
	if r.PatchType != nil && q.version == "v1" {
		said.patchType = *r.PatchType
	}
	return said, nil
}

// readAnswer decodes the AdmissionReview in a webhook's answer, which may be YAML. Its kind may be missing here.
func readAnswer(body []byte, q *encodedReview) (*answerReview, error) {
	document, err := object.AnyToJSON(body)
	if err != nil {
		return nil, err
	}
	a := new(answerReview)
	a.is.Group, a.is.Version, a.is.Kind, err = object.TypeOr(document, "", "", "")
	if err != nil {
		return nil, err
	}
	if err := Expected(a.is.APIVersion(), a.is.Kind, reviewGroup, q.version, "AdmissionReview"); err != nil {
		return nil, err
	}
	tree, _, err := object.Decode(document, reviewType())
	if err != nil {
		return nil, err
	}
	said := object.GetMap(tree, "response")
	if said == nil {
		return a, nil
	}
	r := &response{UID: object.GetString(said, "uid"), Allowed: object.GetBool(said, "allowed")}
	if text, ok := said["patchType"].(string); ok {
		r.PatchType = &text
	}
	r.Patch, _ = base64.StdEncoding.DecodeString(object.GetString(said, "patch"))
	for _, w := range object.GetList(said, "warnings") {
		text, _ := w.(string)
		r.Warnings = append(r.Warnings, text)
	}
	if s := object.GetMap(said, "status"); s != nil {
		r.Status = new(status.Status)
		if err := json.Unmarshal(object.EncodeAny(nil, s), r.Status); err != nil {
			return nil, err
		}
	}
	a.Response = r
	return a, nil
}

// reviewType returns the type of answers, with the names that errors show.
var reviewType = sync.OnceValue(func() *schema.Type {
	text := func(name string) *schema.Type { return &schema.Type{Kind: schema.String, GoName: name} }
	object := func(name string, fields ...schema.Field) *schema.Type {
		return &schema.Type{Kind: schema.Struct, GoName: name, Fields: fields}
	}
	return object("v1.AdmissionReview",
		schema.Field{Name: "kind", Type: text("string")}, schema.Field{Name: "apiVersion", Type: text("string")},
		schema.Field{Name: "response", Pointer: true, Type: object("v1.AdmissionResponse",
			schema.Field{Name: "uid", Type: text("types.UID")},
			schema.Field{Name: "allowed", Type: &schema.Type{Kind: schema.Bool, GoName: "bool"}},
			schema.Field{Name: "status", Pointer: true, Type: schema.TypeOf("", "v1", "Status")},
			schema.Field{Name: "patch", Type: &schema.Type{Kind: schema.Bytes, GoName: "[]uint8"}},
			schema.Field{Name: "patchType", Pointer: true, Type: text("v1.PatchType")},
			schema.Field{Name: "auditAnnotations",
				Type: &schema.Type{Kind: schema.Map, GoName: "map[string]string", Elem: text("string")}},
			schema.Field{Name: "warnings",
				Type: &schema.Type{Kind: schema.List, GoName: "[]string", Elem: text("string")}},
		)})
})

// Expected returns the error of a webhook's answer that is not of the kind in that version of a group, which ends in a
// slash. Without apiVersion and kind it is taken for that.
func Expected(apiVersion, kind, group, version, want string) error {
	if (kind == "" || kind == want) && (apiVersion == "" || apiVersion == group+version) {
		return nil
	}
	other, known := strings.CutPrefix(apiVersion, group)
	switch known = known && kind == want && slices.Contains(reviewVersions, other); {
	case known:
	case apiVersion == "v1" && slices.Contains(schema.Unversioned, kind):
		other = apiVersion
	default:
		return object.Unregistered(kind, apiVersion)
	}
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", other, kind, version, want)
}

// check returns what is wrong with an answer. In v1beta1 almost anything is accepted.
func (a *answerReview) check(q *encodedReview, mutating bool) error {
	r := a.Response
	switch {
	case r == nil:
		return errors.New("webhook response was absent")
	case q.version != "v1":
		return nil
	case r.UID != q.uid:
		return fmt.Errorf("expected response.uid=%q, got %q", q.uid, r.UID)
	case a.is.Kind == "" || a.is.Version == "":
		return fmt.Errorf("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got %s/%s, Kind=%s",
			a.is.Group, a.is.Version, a.is.Kind)
	case !mutating && len(r.Patch) > 0:
		return errors.New("validating webhook may not return response.patch")
	case !mutating && r.PatchType != nil:
		return errors.New("validating webhook may not return response.patchType")
	case len(r.Patch) > 0 && r.PatchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case len(r.Patch) == 0 && r.PatchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case r.PatchType != nil && *r.PatchType == "":
		return errors.New(`webhook returned invalid response.patchType of ""`)
	}
	return nil
}

// denial returns the error of a request that a webhook refuses, made from the status in its answer,
// if there is one.
func denial(hook string, said *status.Status) error {
	s := status.Status{}
	if said != nil {
		s = *said
	}
	s.Kind, s.APIVersion = "Status", "v1"
	if s.Code < http.StatusBadRequest {
		s.Code = http.StatusBadRequest
	}
	if s.Status == "" || s.Status == "Success" {
		s.Status = "Failure"
	}
	denied := fmt.Sprintf("admission webhook %q denied the request", hook)
	switch {
	case s.Message != "":
		s.Message = denied + ": " + s.Message
	case s.Reason != "":
		s.Message = denied + ": " + string(s.Reason)
	default:
		s.Message = denied + " without explanation"
	}
	return &status.Error{Status: s}
}

// failing returns the result of a failed call: nil if failurePolicy lets the request pass.
func (h *hook) failing(ctx context.Context, err error) error {
	if !errors.As(err, new(*callError)) {
		return err
	}
	switch {
	case !h.ignore:
		return status.NewInternal(err)
	case ctx.Err() != nil:
		return status.New(http.StatusGatewayTimeout, status.Timeout,
			"Timeout: request did not complete within requested timeout", &status.Details{})
	}
	return nil
}
