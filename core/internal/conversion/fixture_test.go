package conversion

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/core/internal/customresource"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

type tree = map[string]any

// parse decodes an object.
func parse(t *testing.T, text string) tree {
	t.Helper()
	value, err := object.DecodeAny([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return value.(tree)
}

// A hook answers a ConversionReview, and counts the calls.
type hook struct {
	answer func(review tree) (string, error)
	calls  int
	last   tree
}

func (h *hook) post(_ context.Context, _ *webhooks.Endpoint, body []byte) ([]byte, error) {
	h.calls++
	h.last = nil
	if err := json.Unmarshal(body, &h.last); err != nil {
		return nil, err
	}
	text, err := h.answer(h.last)
	return []byte(text), err
}

// link returns the rows v1 and v2 of a definition whose objects a webhook converts, reviewed in some versions.
func (h *hook) link(t *testing.T, reviews string) (v1, v2 *schema.Resource) {
	t.Helper()
	crd := parse(t, fmt.Sprintf(`{"metadata":{"name":"hosts.example.com"},"spec":{"group":"example.com",
		"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true},{"name":"v2","served":true}],
		"conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://hooks.example/convert"},
		"conversionReviewVersions":[%s]}}},
		"status":{"acceptedNames":{"plural":"hosts","kind":"Host","listKind":"HostList"}}}`, reviews))
	for _, v := range object.GetList(crd, "spec", "versions") {
		v.(tree)["schema"] = parse(t, `{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}`)
	}
	rows := customresource.New(crd, 1).Served
	(&Webhooks{Post: h.post, NewUID: func() string { return "u" }}).Link(crd, rows)
	for _, row := range rows {
		if row.Version == "v1" {
			v1 = row
		} else {
			v2 = row
		}
	}
	return v1, v2
}

// stored is an object in v1.
const stored = `{"apiVersion":"example.com/v1","kind":"Host","metadata":{"name":"a","namespace":"n","uid":"o",
	"creationTimestamp":"2026-11-20T12:00:00Z","generation":3,"resourceVersion":"7","labels":{"l":"1"},
	"annotations":{"a":"1"},"finalizers":["x.io/y"],"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",
	"uid":"p"}],"managedFields":[{"manager":"m"}]},"hostPort":"h:1"}`

// converted is that object in v2, as a webhook returns it, with a part replaced.
func converted(t *testing.T, replace func(obj tree)) any {
	obj := parse(t, stored)
	obj["apiVersion"], obj["host"], obj["port"] = "example.com/v2", "h", "1"
	delete(obj, "hostPort")
	if replace != nil {
		replace(obj)
	}
	return obj
}

// reply encodes an answer to a review.
func reply(review tree, response tree) string {
	return string(object.EncodeAny(nil, tree{"kind": review["kind"], "apiVersion": review["apiVersion"],
		"response": response}))
}

// success is a response with converted objects.
func success(objects ...any) tree {
	return tree{"uid": "u", "result": tree{"status": "Success"}, "convertedObjects": objects}
}
