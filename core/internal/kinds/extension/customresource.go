package extension

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// CustomStrategy returns the strategy of a custom resource.
func CustomStrategy(res *schema.Resource) *strategy.Strategy {
	c := custom{res}
	r := &strategy.Strategy{
		Default:        func(obj map[string]any) { structural.Default(obj, res.Custom.Schema) },
		PrepareCreate:  func(ctx *strategy.Context, obj map[string]any) { warnFinalizers(ctx, obj, nil) },
		PrepareUpdate:  warnFinalizers,
		Validate:       c.validate,
		ValidateUpdate: c.validateUpdate,
		Raises:         c.raises,
	}
	if res.HasStatus {
		r.Subresources = map[string]func(c *strategy.Context, obj, old map[string]any) field.ErrorList{
			"status": func(_ *strategy.Context, obj, old map[string]any) field.ErrorList { return c.updateStatus(obj, old) },
		}
	}
	evaluateRules(r, res)
	return r
}

// custom implements the strategy of one custom resource.
type custom struct{ *schema.Resource }

func (c custom) validate(obj map[string]any) field.ErrorList {
	if errs := withDefaults(obj); errs != nil {
		return errs
	}
	errs := structural.Validate(obj, c.Custom.Schema, "")
	errs.Add(c.validateScale(obj)...)
	errs.Add(checkEmbedded(obj, c.Custom.Schema, "")...)
	errs.Add(structural.ValidateLists(obj, c.Custom.Schema)...)
	return errs
}

// withDefaults returns the violation of an object that has too many values once it has its defaults, instead of all
// others.
func withDefaults(obj map[string]any) field.ErrorList {
	if err := object.CheckTree(obj); err != nil {
		return field.ErrorList{field.Invalid("<nil>", field.Omitted, err.Error())} // as for all errors of whole objects
	}
	return nil
}

func (c custom) validateScale(obj map[string]any) field.ErrorList {
	errs := c.validateScalePart(obj, true)
	return append(errs, c.validateScalePart(obj, false)...)
}

// validateScalePart checks the part of the spec or of the status that the scale subresource shows.
func (c custom) validateScalePart(obj map[string]any, spec bool) field.ErrorList {
	scale := c.Custom.Scale
	switch {
	case scale == nil:
		return nil
	case spec:
		return validateReplicas(obj, scale.Spec)
	}
	errs := validateReplicas(obj, scale.Status)
	if v, ok := object.Get(obj, scale.Selector...); ok && scale.Selector != nil {
		if _, isText := v.(string); !isText {
			errs.Add(field.Invalid(dotted(scale.Selector), "", wrongAccessor(scale.Selector, v, "string")))
		}
	}
	return errs
}

func validateReplicas(obj map[string]any, path []string) field.ErrorList {
	v, ok := object.Get(obj, path...)
	if !ok {
		return nil
	}
	n, isInt := v.(int64)
	switch {
	case !isInt:
		return field.ErrorList{field.Invalid(dotted(path), int64(0), wrongAccessor(path, v, "int64"))}
	case n < 0:
		return field.ErrorList{field.Invalid(dotted(path), n, "should be a non-negative integer")}
	case n > math.MaxInt32:
		return field.ErrorList{field.Invalid(dotted(path), n,
			fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}

// dotted returns a path in the notation of definitions.
func dotted(path []string) field.Path { return field.Path("." + strings.Join(path, ".")) }

func wrongAccessor(path []string, v any, want string) string {
	return fmt.Sprintf("%s accessor error: %v is of the type %T, expected %s", dotted(path), v, v, want)
}

// validateUpdate accepts violations that exist already.
func (c custom) validateUpdate(obj, old map[string]any) field.ErrorList {
	if errs := withDefaults(obj); errs != nil {
		return errs
	}
	errs := structural.ValidateUpdate(obj, old, c.Custom.Schema, "")
	errs.Add(c.validateScale(obj)...)
	errs.Add(checkEmbedded(obj, c.Custom.Schema, "")...)
	return append(errs, c.validateLists(obj, old)...)
}

// validateLists checks lists that are sets or maps, if they were all valid before.
func (c custom) validateLists(obj, old map[string]any) field.ErrorList {
	errs := structural.ValidateLists(obj, c.Custom.Schema)
	if len(errs) > 0 && len(structural.ValidateLists(old, c.Custom.Schema)) > 0 {
		return nil
	}
	return errs
}

// updateStatus restores everything but the status, for the status subresource.
func (c custom) updateStatus(obj, old map[string]any) field.ErrorList {
	status, ok := obj["status"]
	managers, managed := object.Meta(obj)["managedFields"]
	clear(obj)
	for name, v := range old {
		obj[name] = object.DeepCopy(v)
	}
	delete(obj, "status")
	if ok {
		obj["status"] = status
	}
	delete(object.Meta(obj), "managedFields")
	if managed {
		object.Meta(obj)["managedFields"] = managers
	}
	CustomStrategy(c.Resource).Fill(obj)
	errs := withDefaults(obj)
	if errs != nil {
		return errs
	}
	if is := c.Custom.Schema.Properties["status"]; ok && is != nil {
		errs.Add(structural.ValidateUpdate(status, old["status"], is, "status")...)
	}
	errs.Add(c.validateScalePart(obj, false)...)
	return append(errs, c.validateLists(obj, old)...)
}

// raises reports whether a change raises the generation: a change of anything but metadata and, if
// it is a subresource, the status.
func (c custom) raises(obj, old map[string]any) bool {
	if c.HasStatus {
		return strategy.ChangedBut(obj, old, "metadata", "status")
	}
	return strategy.ChangedBut(obj, old, "metadata")
}

// warnFinalizers warns about new finalizers without a domain.
func warnFinalizers(ctx *strategy.Context, obj, old map[string]any) {
	added, before := object.Finalizers(obj), tree.SetOf(object.Finalizers(old))
	slices.Sort(added)
	for _, f := range slices.Compact(added) {
		if before[f] {
			continue
		}
		say := func(what string) { ctx.Warn(fmt.Sprintf("metadata.finalizers: %q: %s", f, what)) }
		for _, wrong := range syntax.LabelKey(f) {
			say(wrong)
		}
		switch {
		case metadata.StandardFinalizer(f):
		case strings.Contains(f, "."):
			say("prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other " +
				"finalizer writers")
		default:
			say("prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers")
		}
	}
}
