package conversion

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/object"
)

const (
	group = "apiextensions.k8s.io/"
	kind  = "ConversionReview"
)

// reviewVersions are the versions of ConversionReview.
var reviewVersions = []string{"v1", "v1beta1"}

// encodeReview encodes the request to convert an object.
func encodeReview(version, uid, want string, obj map[string]any) []byte {
	return object.EncodeAny(nil, map[string]any{
		"kind": kind, "apiVersion": group + version,
		"request": map[string]any{"uid": uid, "desiredAPIVersion": want, "objects": []any{obj}},
	})
}

// A review is the part of a returned ConversionReview that is used.
type review struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Response   *struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
	} `json:"response"`
}

// readReview returns the objects in a webhook's answer to the review uid.
func readReview(body []byte, version, uid string) ([]json.RawMessage, error) {
	var meta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	body, err := object.AnyToJSON(body)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &meta); err != nil {
		return nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	var a review
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, err
	}
	if err := webhooks.Expected(a.APIVersion, a.Kind, group, version, kind); err != nil {
		return nil, err
	}
	r := a.Response
	switch {
	case version == "v1" && (a.Kind == "" || a.APIVersion == ""):
		is, said := object.SplitGroupVersion(a.APIVersion)
		return nil, fmt.Errorf("expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, "+
			"got %s/%s, Kind=%s", is, said, a.Kind)
	case r == nil:
		return nil, errors.New("no response provided")
	case version == "v1" && r.UID != uid: // in v1beta1 it is not compared
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, r.UID)
	case r.Result.Status == "Success":
		return r.ConvertedObjects, nil
	case r.Result.Message != "":
		return nil, errors.New(r.Result.Message)
	}
	return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", r.Result.Status)
}

// readObject decodes a converted object.
func readObject(text []byte) (map[string]any, error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, errors.New("unexpected end of JSON input")
	}
	value, err := object.DecodeAny(text)
	if err != nil {
		return nil, err
	}
	obj, ok := value.(map[string]any)
	if !ok {
		return nil, json.Unmarshal(text, &obj)
	}
	if object.Kind(obj) == "" {
		return nil, object.NoKind([]byte(text))
	}
	return obj, nil
}
