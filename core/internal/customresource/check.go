package customresource

import (
	"context"
	"reflect"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/object"
)

// Check returns the violations of the rules of a definition, and of the limits of all definitions. Schemas that
// are invalid otherwise are skipped, and so are all if they are beyond the limits of one definition. It stops when ctx
// ends.
func (t *Tracker) Check(ctx context.Context, crd map[string]any) field.ErrorList {
	errs := t.checkSize(crd)
	schemas, common := schemasOf(crd)
	for _, s := range schemas {
		if structural.Oversized(s) != "" {
			return errs
		}
	}
	if structural.TooManyRules(schemas...) != "" {
		return errs
	}
	for i := range schemas {
		at := field.Path("spec.versions").Index(i).Child("schema").Child("openAPIV3Schema")
		if common {
			at = "spec.validation.openAPIV3Schema"
		}
		s := structural.Parse(schemas[i])
		if s.HasRules() && len(structural.Check(s, at)) == 0 && len(structural.CheckOpenAPI(s, at)) == 0 {
			errs.Add(t.rules.Check(ctx, s, at, beginCheck(ctx, crd, i))...)
		}
	}
	return errs
}

// beginCheck begins a step of a definition's version, if someone asks.
func beginCheck(ctx context.Context, crd map[string]any, version int) *traces.Step {
	step := traces.Of(ctx).Begin("CustomResourceDefinition", object.Name(crd))
	if step != nil {
		step.Outcome = traces.Checked
		v, _ := object.GetList(crd, "spec", "versions")[version].(map[string]any)
		step.Version = object.GetString(v, "name")
	}
	return step
}

// schemasOf returns the schemas of a definition's versions; one if they have it in common, as the real server's
// internal form of a definition has then.
func schemasOf(crd map[string]any) (schemas []map[string]any, common bool) {
	for _, v := range object.GetList(crd, "spec", "versions") {
		version, _ := v.(map[string]any)
		schemas = append(schemas, object.GetMap(version, "schema", "openAPIV3Schema"))
	}
	for _, s := range schemas {
		if !reflect.DeepEqual(s, schemas[0]) {
			return schemas, false
		}
	}
	return schemas[:min(1, len(schemas))], true
}

// Break returns a copy of a definition whose schemas are wrong in a way that its kind finds, and what of a field names
// a schema: its rules are reported with the rest of it.
func Break(crd map[string]any) (broken map[string]any, part func(string) string) {
	_, common := schemasOf(crd)
	broken = object.DeepCopy(crd)
	for i, v := range object.GetList(broken, "spec", "versions") {
		if version, ok := v.(map[string]any); ok {
			s := map[string]any{"type": "?"}
			if !common {
				s["description"] = strconv.Itoa(i)
			}
			version["schema"] = map[string]any{"openAPIV3Schema": s}
		}
	}
	return broken, func(name string) string {
		if schema, _, in := strings.Cut(name, "openAPIV3Schema"); in {
			return schema
		}
		return name
	}
}
