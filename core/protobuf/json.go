package protobuf

import (
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// ErrNoMessage is the error for objects of kinds without a message: custom resources.
var ErrNoMessage = errors.New("objects of this kind have no protobuf message")

// FromJSON converts a JSON object with apiVersion and kind to an encoded object.
func FromJSON(document []byte) ([]byte, error) {
	apiVersion, kind, err := object.TypeMeta(document)
	if err != nil {
		return nil, err
	}
	t := typeOf(apiVersion, kind)
	if t == nil {
		return nil, fmt.Errorf("%s, Kind=%s: %w", apiVersion, kind, ErrNoMessage)
	}
	obj, _, err := object.Decode(document, t)
	if err != nil {
		return nil, err
	}
	return Envelope(apiVersion, kind, Message(obj, t)), nil
}

// ToJSON converts an encoded object to JSON. apiVersion and kind are those of the envelope, or else
// the given ones.
func ToJSON(data []byte, apiVersion, kind string) ([]byte, error) {
	u, err := Open(data)
	if err != nil {
		return nil, err
	}
	if u.APIVersion == "" {
		u.APIVersion = apiVersion
	}
	if u.Kind == "" {
		u.Kind = kind
	}
	t := typeOf(u.APIVersion, u.Kind)
	if t == nil {
		return nil, fmt.Errorf("no kind %q is registered for version %q: %w", u.Kind, u.APIVersion, ErrNoMessage)
	}
	obj, err := Decode(u.Message, t)
	if err != nil {
		return nil, err
	}
	object.SetTypeMeta(obj, u.APIVersion, u.Kind)
	return object.Encode(nil, obj, t), nil
}

// typeOf finds a type. The oldest discovery documents do not have a version.
func typeOf(apiVersion, kind string) *schema.Type {
	if apiVersion == "" {
		apiVersion = "v1"
	}
	group, version := object.SplitGroupVersion(apiVersion)
	return schema.TypeOf(group, version, kind)
}
