package field_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

func TestPath(t *testing.T) {
	port := field.NewPath("spec", "containers").Index(0).Child("ports").Index(12)
	for got, want := range map[field.Path]string{
		port.Child("name"):                              "spec.containers[0].ports[12].name",
		field.Path("data").Key("a key"):                 "data[a key]",
		field.Path("").Child("kind"):                    "kind",
		field.NewPath(""):                               "[]",
		field.Path("metadata").Child("labels", "x", ""): "metadata.labels.x.",
		field.Unnamed.Child("spec").Index(3).Key("k"):   field.Unnamed.String(),
	} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The texts are those of real answers.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  *field.Error
		want string
	}{
		{field.Required("metadata.name", "name or generateName is required"),
			"metadata.name: Required value: name or generateName is required"},
		{field.Required("spec.selector", ""), "spec.selector: Required value"},
		{field.Invalid("metadata.resourceVersion", int64(0), "must be specified for an update"),
			"metadata.resourceVersion: Invalid value: 0: must be specified for an update"},
		{field.Invalid("data[a b]", "a b", "no"), `data[a b]: Invalid value: "a b": no`},
		{field.Invalid("spec.clusterIPs[0]", []string{"None"}, "may not change once set"),
			`spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set`},
		{field.Invalid("a", map[string]any{"b": "<", "a": int64(1)}, ""), `a: Invalid value: {"a":1,"b":"\u003c"}`},
		{field.Invalid("a", nil, "x"), "a: Invalid value: null: x"},
		{field.Invalid("a", true, ""), "a: Invalid value: true"},
		{field.Invalid("a", 1.5, ""), "a: Invalid value: 1.5"},
		{field.Invalid("a", field.Raw(`{"Name":""}`), ""), `a: Invalid value: {"Name":""}`},
		{field.Invalid("a", field.Omitted, "b"), "a: Invalid value: b"},
		{field.Duplicate("spec.ports[1].name", "a"), `spec.ports[1].name: Duplicate value: "a"`},
		{field.NotFound("spec.containers[0].volumeMounts[0].name", "nope"),
			`spec.containers[0].volumeMounts[0].name: Not found: "nope"`},
		{field.NotSupported("spec.scope", "Galaxy", "Cluster", "Namespaced"),
			`spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"`},
		{field.NotSupported[string]("a", "b"), `a: Unsupported value: "b"`},
		{field.Forbidden("value", "may not be changed in an update."), "value: Forbidden: may not be changed in an update."},
		{field.TooLong(field.NewPath(""), 1048576), "[]: Too long: may not be more than 1048576 bytes"},
		{field.TooLong("a", 1), "a: Too long: may not be more than 1 byte"},
		{field.TooLongCharacters("a", 2), "a: Too long: may not be more than 2 characters"},
		{field.TooMany("spec.x", 3, 2), "spec.x: Too many: 3: must have at most 2 items"},
		{field.Internal("a", errors.New("oops")), "a: Internal error: oops"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestErrorList(t *testing.T) {
	uid := field.Invalid("metadata.uid", "x", "field is immutable")
	list := field.ErrorList{uid, uid}
	if got, want := list.Message(), `metadata.uid: Invalid value: "x": field is immutable`; got != want {
		t.Errorf("what is said twice: %s", got)
	}
	cause := field.Cause{Reason: "FieldValueInvalid", Message: `Invalid value: "x": field is immutable`,
		Field: "metadata.uid"}
	if got := list.Causes(); !reflect.DeepEqual(got, []field.Cause{cause, cause}) {
		t.Errorf("causes %v", got)
	}
	list = append(list, field.Required("spec", ""))
	if got, want := list.Message(),
		`[metadata.uid: Invalid value: "x": field is immutable, spec: Required value]`; got != want {
		t.Errorf("several: %s", got)
	}
	if err := (field.ErrorList{}).Err(); err != nil {
		t.Errorf("no errors: %v", err)
	}
	var one *field.Error
	if err := list.Err(); err.Error() != list.Message() || !errors.As(err, &one) || one != uid {
		t.Errorf("as an error: %v", err)
	}
}
