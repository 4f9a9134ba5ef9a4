package custom

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
)

// TestOpenAPI compares the OpenAPI documents of custom resources.
func TestOpenAPI(t *testing.T) {
	g := gen{Rand: rand.New(rand.NewPCG(5, 1))}
	compared := 0
	for range rounds / 20 {
		s := g.root()
		if _, ok := parse(t, s); !ok {
			continue
		}
		written := text(tree{"spec": tree{"group": "stable.example.com", "scope": "Namespaced",
			"names": tree{"plural": "crontabs", "kind": "CronTab", "listKind": "CronTabList"},
			"versions": []any{tree{"name": "v1", "schema": tree{"openAPIV3Schema": s},
				"selectableFields": []any{tree{"jsonPath": ".a"}}}}}})
		var crd v1.CustomResourceDefinition
		if err := json.Unmarshal([]byte(written), &crd); err != nil {
			t.Fatal(err)
		}
		their, err := builder.BuildOpenAPIV3(&crd, "v1", builder.Options{IncludeSelectableFields: true})
		if err != nil {
			t.Fatal(err)
		}
		obj, _, err := object.Decode([]byte(written), schema.TypeOf("apiextensions.k8s.io", "v1", "CustomResourceDefinition"))
		if err != nil {
			t.Fatal(err)
		}
		v := object.GetMap(object.GetList(obj, "spec", "versions")[0].(tree), "schema", "openAPIV3Schema")
		row := &schema.Resource{Group: "stable.example.com", Version: "v1", Plural: "crontabs", Kind: "CronTab",
			ListKind: "CronTabList", Namespaced: true,
			Verbs: []string{"get", "list"}, Custom: &schema.Custom{Schema: structural.Parse(v), Selectable: []string{"a"}}}
		our := openapi.Document("stable.example.com", "v1", "", []*schema.Resource{row})
		for _, name := range []string{"com.example.stable.v1.CronTab", "com.example.stable.v1.CronTabList"} {
			a, b := plain(t, our["components"].(map[string]any)["schemas"].(map[string]any)[name]),
				plain(t, their.Components.Schemas[name])
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%s of %s\nours   %s\ntheirs %s", name, text(s), text(a), text(b))
			}
			compared++
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// plain returns a schema without the fields that all objects have, which are added later.
func plain(t *testing.T, v any) any {
	var out any
	if err := json.Unmarshal([]byte(text(v)), &out); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case tree:
			if properties, ok := v["properties"].(tree); ok {
				for _, name := range []string{"apiVersion", "kind", "metadata"} {
					if p, ok := properties[name].(tree); ok {
						delete(p, "description")
						delete(p, "default")
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name])
			}
		}
	}
	walk(out)
	return out
}
