package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/admission/match"
	"github.com/tabernetes/tabernetes/core/status"
)

// answerReview is the part of a returned AdmissionReview that is used.
type answerReview struct {
	Kind       string    `json:"kind"`
	APIVersion string    `json:"apiVersion"`
	Response   *response `json:"response"`
}

type response struct {
	UID       string         `json:"uid"`
	Allowed   bool           `json:"allowed"`
	Status    *status.Status `json:"status"`
	Patch     []byte         `json:"patch"`
	PatchType *string        `json:"patchType"`
	Warnings  []string       `json:"warnings"`
}

// A verdict is the answer of a webhook that allows a request.
type verdict struct {
	warnings []string
	patch    []byte
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
	switch {
	case !r.Allowed:
		return said, denial(h.name, r.Status)
	case r.PatchType != nil && q.version == "v1" && *r.PatchType != "JSONPatch":
		return said, &callError{h.name, fmt.Sprintf("unsupported patch type %q", *r.PatchType)}
	}
	return said, nil
}

// readAnswer decodes the AdmissionReview in a webhook's answer. Its kind may be missing here.
func readAnswer(body []byte, q *encodedReview) (*answerReview, error) {
	var a answerReview
	if err := json.Unmarshal(body, &a); err != nil {
		if syntax := new(json.SyntaxError); errors.As(err, &syntax) {
			return nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
		}
		return nil, err
	}
	asked := reviewGroup + q.version
	if a.Kind == "" && a.APIVersion == "" || a.Kind == "AdmissionReview" && a.APIVersion == asked {
		return &a, nil
	}
	version, known := strings.CutPrefix(a.APIVersion, reviewGroup)
	if a.Kind == "AdmissionReview" && known && slices.Contains(reviewVersions, version) {
		return nil, fmt.Errorf("converting (%s.AdmissionReview) to (%s.AdmissionReview): unknown conversion",
			version, q.version)
	}
	return nil, fmt.Errorf(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`,
		a.Kind, a.APIVersion)
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
	case a.Kind == "":
		return errors.New("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=")
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
