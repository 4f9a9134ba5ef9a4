package object

import "github.com/tabernetes/tabernetes/core/schema"

// Decode reads one JSON object of type t.
//
// The result is what a round trip through the Go struct gives: unknown fields are dropped, empty
// optional fields vanish, mandatory ones appear with their zero value, quantities and times are
// canonical. problems lists unknown and duplicate fields (`unknown field "spec.foo"`,
// `duplicate field "data.a"`) in document order. With t nil the object is an untyped tree: nothing
// is dropped, only duplicates are problems.
func Decode(data []byte, t *schema.Type) (obj map[string]any, problems []string, err error) {
	return nil, nil, nil
}

// DecodeAny reads any JSON value: integers that fit become int64, other numbers float64.
func DecodeAny(data []byte) (any, error) { return nil, nil }

// TypeMeta reads only kind and apiVersion, which decide the type of the rest.
func TypeMeta(data []byte) (apiVersion, kind string, err error) { return "", "", nil }

// Encode appends obj as canonical JSON: fields in Go order, map keys sorted, zero values
// as Go's encoder treats them. With t nil all keys are sorted.
func Encode(dst []byte, obj map[string]any, t *schema.Type) []byte { return dst }

// EncodeAny appends any untyped value, map keys sorted.
func EncodeAny(dst []byte, v any) []byte { return dst }

// Normalize returns obj as a round trip through type t leaves it.
func Normalize(obj map[string]any, t *schema.Type) (map[string]any, []string, error) {
	return nil, nil, nil
}

// YAMLToJSON turns the first document of a YAML text into JSON.
// Duplicate keys are not errors here: YAMLProblems names them.
func YAMLToJSON(data []byte) ([]byte, error) { return nil, nil }
