package conversion

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// TestWrongAnswers has a webhook answer wrongly, in each way: the object stays as it is.
func TestWrongAnswers(t *testing.T) {
	const (
		is      = "conversion webhook for example.com/v1, Kind=Host"
		failed  = is + " failed: "
		invalid = is + " returned invalid object at index 0: "
		other   = is + " returned invalid object: must have the same "
	)
	with := func(change func(review, response tree)) func(tree) (string, error) {
		return func(review tree) (string, error) {
			response := success(converted(t, nil))
			change(review, response)
			return reply(review, response), nil
		}
	}
	text := func(s string) func(tree) (string, error) { return func(tree) (string, error) { return s, nil } }
	changed := func(change func(obj tree)) func(tree) (string, error) {
		return with(func(_, r tree) { r["convertedObjects"] = []any{converted(t, change)} })
	}
	for _, test := range []struct {
		name   string
		answer func(tree) (string, error)
		want   string
	}{
		{"no answer", func(tree) (string, error) { return "", errors.New("no route") }, failed + "no route"},
		{"text", text("hello"), failed + "couldn't get version/kind; json parse error: json: cannot unmarshal string"},
		{"array", text("[]"), failed + "couldn't get version/kind; json parse error: json: cannot unmarshal array"},
		{"no JSON", text("{"), failed + "couldn't get version/kind; json parse error: unexpected end of JSON input"},
		{"nothing", text("{}"), failed + "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, " +
			"got /, Kind="},
		{"other kind", with(func(r, _ tree) { r["kind"] = "AdmissionReview" }), failed +
			`no kind "AdmissionReview" is registered for version "apiextensions.k8s.io/v1" in scheme`},
		{"unknown version", with(func(r, _ tree) { r["apiVersion"] = "apiextensions.k8s.io/v7" }), failed +
			`no kind "ConversionReview" is registered for version "apiextensions.k8s.io/v7" in scheme`},
		{"other version", with(func(r, _ tree) { r["apiVersion"] = "apiextensions.k8s.io/v1beta1" }), failed +
			"converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion"},
		{"no response", text(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`), failed +
			"no response provided"},
		{"wrong type", text(`{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":1}`), failed +
			"json: cannot unmarshal number"},
		{"other UID", with(func(_, r tree) { r["uid"] = "x" }), failed + `expected response.uid="u", got "x"`},
		{"refused", with(func(_, r tree) { r["result"] = tree{"status": "Failure", "message": "no"} }), failed + "no"},
		{"refused silently", with(func(_, r tree) { r["result"] = tree{"status": "Failure"} }), failed +
			"response.result.status was 'Failure', not 'Success'"},
		{"no result", with(func(_, r tree) { delete(r, "result") }), failed +
			"response.result.status was '', not 'Success'"},
		{"none", with(func(_, r tree) { delete(r, "convertedObjects") }), is + " returned 0 objects, expected 1"},
		{"two", with(func(_, r tree) { r["convertedObjects"] = []any{tree{}, tree{}} }),
			is + " returned 2 objects, expected 1"},
		{"null", with(func(_, r tree) { r["convertedObjects"] = []any{nil} }), "unexpected end of JSON input"},
		{"a number", with(func(_, r tree) { r["convertedObjects"] = []any{int64(1)} }), "json: cannot unmarshal number"},
		{"no object kind", changed(func(o tree) { delete(o, "kind") }), "Object 'Kind' is missing in '{"},
		{"other object kind", changed(func(o tree) { o["kind"] = "Other" }), invalid +
			"invalid kind (expected Host, received Other)"},
		{"same version", changed(func(o tree) { o["apiVersion"] = "example.com/v1" }), invalid +
			"invalid groupVersion (expected example.com/v2, received example.com/v1)"},
		{"other name", changed(func(o tree) { object.Meta(o)["name"] = "b" }), other + "name: a != b"},
		{"other namespace", changed(func(o tree) { object.Meta(o)["namespace"] = "m" }), other + "namespace: n != m"},
		{"other object UID", changed(func(o tree) { object.Meta(o)["uid"] = "q" }), other + "UID: o != q"},
		{"no metadata", changed(func(o tree) { delete(o, "metadata") }), other + "name: a != "},
	} {
		h := &hook{answer: test.answer}
		_, v2 := h.link(t, `"v1"`)
		obj := parse(t, stored)
		err := v2.Custom.Converter.Convert(t.Context(), obj)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
		}
		if !object.Equal(obj, parse(t, stored)) {
			t.Errorf("%s: the object has changed: %v", test.name, obj)
		}
	}
}

// TestMetadata has a webhook change metadata: labels and annotations alone are taken.
func TestMetadata(t *testing.T) {
	const invalid = "conversion webhook for example.com/v1, Kind=Host returned invalid metadata: "
	for _, test := range []struct {
		name   string
		change func(meta tree)
		want   string // the error, or what labels and annotations become
	}{
		{"nothing", func(tree) {}, `{"l":"1"} {"a":"1"}`},
		{"the rest", func(m tree) {
			for _, name := range []string{"creationTimestamp", "generation", "resourceVersion", "finalizers",
				"ownerReferences", "managedFields"} {
				delete(m, name)
			}
			m["generateName"], m["deletionTimestamp"], m["unknown"] = "x-", "2026-11-20T13:00:00Z", "x"
		}, `{"l":"1"} {"a":"1"}`},
		{"labels", func(m tree) { m["labels"] = tree{"l": "2", "m": ""} }, `{"l":"2","m":""} {"a":"1"}`},
		{"annotations", func(m tree) { m["annotations"] = tree{"b": "2"} }, `{"l":"1"} {"b":"2"}`},
		{"none", func(m tree) { delete(m, "labels"); delete(m, "annotations") }, `null null`},
		{"null", func(m tree) { m["labels"] = nil }, `null {"a":"1"}`},
		{"a text", func(m tree) { m["labels"] = "x" }, invalid +
			"invalid metadata.labels of type string in converted object"},
		{"a number", func(m tree) { m["annotations"] = tree{"a": int64(1)} }, invalid +
			"metadata.annotations[a] must be a string, but is int64 in converted object"},
		{"no label", func(m tree) { m["labels"] = tree{"-": "x"} }, invalid + `metadata.labels: Invalid value: "-": `},
		{"no annotation", func(m tree) { m["annotations"] = tree{"-": "x"} }, invalid +
			`metadata.annotation: Invalid value: "-": `},
	} {
		h := &hook{answer: func(review tree) (string, error) {
			return reply(review, success(converted(t, func(o tree) { test.change(object.Meta(o)) }))), nil
		}}
		_, v2 := h.link(t, `"v1"`)
		obj := parse(t, stored)
		if err := v2.Custom.Converter.Convert(t.Context(), obj); err != nil {
			if !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s: %v\nwant %s", test.name, err, test.want)
			}
			continue
		}
		meta, before := object.Meta(obj), object.Meta(parse(t, stored))
		if got := fmt.Sprintf("%s %s", object.EncodeAny(nil, meta["labels"]),
			object.EncodeAny(nil, meta["annotations"])); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
		for _, m := range []tree{meta, before} {
			delete(m, "labels")
			delete(m, "annotations")
		}
		if !object.Equal(meta, before) || obj["host"] != "h" || obj["apiVersion"] != "example.com/v2" {
			t.Errorf("%s: %v", test.name, obj)
		}
	}
}

// TestReviews has objects converted with each list of versions of ConversionReview.
func TestReviews(t *testing.T) {
	for _, test := range []struct{ versions, want string }{
		{`"v1"`, "apiextensions.k8s.io/v1"}, {`"v1","v1beta1"`, "apiextensions.k8s.io/v1"},
		{`"v1beta1","v1"`, "apiextensions.k8s.io/v1beta1"}, {`"v9","v1beta1"`, "apiextensions.k8s.io/v1beta1"},
		{`"v9"`, "no supported conversion review versions"},
	} {
		h := &hook{answer: func(review tree) (string, error) {
			response := success(converted(t, nil))
			if strings.HasSuffix(object.APIVersion(review), "beta1") {
				response["uid"] = "other" // which only v1 compares
			}
			return reply(review, response), nil
		}}
		_, v2 := h.link(t, test.versions)
		obj := parse(t, stored)
		got := ""
		if err := v2.Custom.Converter.Convert(t.Context(), obj); err != nil {
			got = err.Error()
		} else {
			got = object.APIVersion(h.last)
			asked := object.GetMap(h.last, "request")
			sent := asked["objects"].([]any)
			if asked["uid"] != "u" || asked["desiredAPIVersion"] != "example.com/v2" || len(sent) != 1 ||
				object.Name(sent[0].(tree)) != "a" || object.Meta(sent[0].(tree))["resourceVersion"] != nil {
				t.Errorf("%s: %v", test.versions, asked)
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.versions, got, test.want)
		}
	}
}

// TestNoCall converts what needs no webhook.
func TestNoCall(t *testing.T) {
	h := &hook{answer: func(tree) (string, error) { return "", errors.New("called") }}
	v1, v2 := h.link(t, `"v1"`)
	if err := v1.Custom.Converter.Convert(t.Context(), parse(t, stored)); err != nil {
		t.Error(err)
	}
	obj := parse(t, stored)
	obj["apiVersion"] = "example.com/v9"
	want := "request to convert CR from an invalid group/version: example.com/v9"
	if err := v2.Custom.Converter.Convert(t.Context(), obj); err == nil || err.Error() != want {
		t.Error(err)
	}
	if h.calls != 0 {
		t.Error("the webhook was called")
	}
}
