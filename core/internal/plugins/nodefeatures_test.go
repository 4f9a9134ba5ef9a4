package plugins_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/plugins"
	"github.com/tabernetes/tabernetes/core/object/objecttest"
	"github.com/tabernetes/tabernetes/core/schema"
)

func TestDeclaredFeatures(t *testing.T) {
	const (
		small, large = `"resources":{"requests":{"cpu":"1"}}`, `"resources":{"requests":{"cpu":"2"}}`
		inits        = `"initContainers":[{"name":"i",`
		both         = "InPlacePodLevelResourcesVerticalScaling, InPlacePodVerticalScalingInitContainers"
		refused      = `pods "p" is forbidden: pod update requires features %s which are not available on node "n"`
	)
	for _, c := range []struct{ node, subresource, was, now, want string }{
		{"n", "resize", small, large, fmt.Sprintf(refused, "InPlacePodLevelResourcesVerticalScaling")},
		{"n", "resize", small + "," + inits + small + "}]", large + "," + inits + large + "}]", fmt.Sprintf(refused, both)},
		{"n", "resize", inits + `"restartPolicy":"Always",` + small + "}]",
			inits + `"restartPolicy":"Always",` + large + "}]", ""},
		{"n", "resize", small, small, ""},
		{"n", "status", small, large, ""},
		{"able", "resize", small, large, ""},
		{"gone", "resize", small, large, `pods "p" is forbidden: node "gone" not found`},
		{"", "resize", small, large, ""},
	} {
		p := plugins.NodeFeatures{Lookup: func(_, _, name string) map[string]any {
			return map[string]map[string]any{
				"n":    {},
				"able": objecttest.Parse(t, `{"status":{"declaredFeatures":["InPlacePodLevelResourcesVerticalScaling"]}}`),
			}[name]
		}}
		read := func(generation int, spec string) map[string]any {
			return objecttest.Parse(t, fmt.Sprintf(`{"metadata":{"name":"p","generation":%d},"spec":{"nodeName":%q,%s}}`,
				generation, c.node, spec))
		}
		a := &admission.Attributes{Resource: schema.Builtin().Resource("", "v1", "pods"), Name: "p",
			Operation: admission.Update, Subresource: c.subresource, Object: read(2, c.now), Old: read(1, c.was)}
		got := ""
		if err := p.Validate(context.Background(), a); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s of %s to %s: %s, want %s", c.subresource, c.was, c.now, got, c.want)
		}
	}
}
