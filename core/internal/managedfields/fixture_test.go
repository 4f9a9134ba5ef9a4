package managedfields

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

var (
	table       = schema.Builtin()
	pods        = table.Resource("", "v1", "pods")
	services    = table.Resource("", "v1", "services")
	configMaps  = table.Resource("", "v1", "configmaps")
	namespaces  = table.Resource("", "v1", "namespaces")
	deployments = table.Resource("apps", "v1", "deployments")
	scalersV1   = table.Resource("autoscaling", "v1", "horizontalpodautoscalers")
	scalersV2   = table.Resource("autoscaling", "v2", "horizontalpodautoscalers")
	widgets     = &schema.Resource{Group: "example.com", Version: "v1", Plural: "widgets", Kind: "Widget",
		Subresources: []schema.Subresource{{Name: "status"}}, Behaviour: schema.Behaviour{HasStatus: true}}
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// write returns one by that manager, at noon.
func write(r *schema.Resource, manager string) Write {
	return Write{Resource: r, Manager: manager, Now: noon}
}

// decode returns an object as the server decodes it; as a client sends it if r is nil.
func decode(t testing.TB, r *schema.Resource, text string) map[string]any {
	t.Helper()
	var kind *schema.Type
	if r != nil {
		kind = r.Type()
	}
	obj, _, err := object.Decode([]byte(text), kind)
	if err == nil && kind != nil {
		obj, _, err = object.Normalize(obj, kind)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return obj
}

// encode returns a tree as JSON, with keys in order.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
