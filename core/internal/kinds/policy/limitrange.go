package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// LimitRange is the strategy of LimitRanges.
var LimitRange = strategy.Strategy{
	Default: func(obj map[string]any) {
		for _, item := range tree.Objects(tree.Object(obj, "spec"), "limits") {
			fills := [][2]string{{"default", "max"}, {"defaultRequest", "default"}, {"defaultRequest", "min"}}
			if tree.Text(item, "type") != "Container" {
				fills = nil
			}
			for _, fill := range fills {
				for name, v := range tree.Object(item, fill[1]) {
					tree.Default(tree.Make(item, fill[0]), name, v)
				}
			}
			tree.RoundUp(item, "max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
		}
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		if object.Name(obj) == "" {
			object.Meta(obj)["name"] = c.NewUID()
		}
	},
	Validate: func(obj map[string]any) field.ErrorList { return validateLimits(tree.Object(obj, "spec")) },
}

func validateLimits(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, item := range tree.Objects(spec, "limits") {
		at, kind := field.Path("spec.limits").Index(i), tree.Text(item, "type")
		wrong := rule.Invalid(at.Child("type"), kind, syntax.LabelKey(kind))
		if wrong == nil && !strings.Contains(kind, "/") &&
			!slices.Contains([]string{"Pod", "Container", "PersistentVolumeClaim"}, kind) {
			wrong.Add(field.Invalid(at.Child("type"), kind, "must be a standard limit type or fully qualified"))
		}
		errs.Add(wrong...)
		if seen[kind] {
			errs.Add(field.Duplicate(at.Child("type"), kind))
		}
		seen[kind] = true
		named := valid.ResourceName
		if kind == "Pod" || kind == "Container" {
			named = valid.Resource
		}
		names := map[string]any{}
		for _, list := range []string{"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"} {
			if list == "maxLimitRequestRatio" && kind == "PersistentVolumeClaim" && tree.At(item, "min")["storage"] == nil &&
				tree.At(item, "max")["storage"] == nil {
				errs.Add(field.Required(at.Child("limits"),
					"either minimum or maximum storage value is required, but neither was provided"))
			}
			amounts := tree.Object(item, list)
			if kind == "Pod" && strings.HasPrefix(list, "default") {
				if len(amounts) > 0 {
					errs.Add(field.Forbidden(at.Child(list), "may not be specified when `type` is 'Pod'"))
				}
				continue
			}
			for _, name := range tree.SortedKeys(amounts) {
				errs.Add(named(name, at.Child(list).Key(name))...)
				names[name] = true
			}
		}
		for _, name := range tree.SortedKeys(names) {
			errs.Add(validateLimit(item, name, at)...)
		}
	}
	return errs
}

// validateLimit checks that the bounds and defaults of one resource are consistent.
func validateLimit(item map[string]any, name string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	amount := func(list string) any {
		if tree.Text(item, "type") == "Pod" && strings.HasPrefix(list, "default") {
			return nil
		}
		return tree.Object(item, list)[name]
	}
	low, high, request, limit := amount("min"), amount("max"), amount("defaultRequest"), amount("default")
	order := func(list, what string, a any, than string, b any, shown any) {
		if valid.MoreThan(a, b) {
			errs.Add(field.Invalid(at.Child(list).Key(name), shown,
				fmt.Sprintf("%s value %v is greater than %s value %v", what, a, than, b)))
		}
	}
	order("min", "min", low, "max", high, low)
	order("defaultRequest", "min", low, "default request", request, request)
	order("defaultRequest", "default request", request, "max", high, request)
	order("defaultRequest", "default request", request, "default limit", limit, request)
	order("default", "min", low, "default", limit, low)
	order("default", "default", limit, "max", high, high)
	if r, ok := valid.Quantity(amount("maxLimitRequestRatio")); ok {
		at, shown, ratio := at.Child("maxLimitRequestRatio").Key(name), amount("maxLimitRequestRatio"), r.Float()
		if ratio < 1 {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is less than 1", shown)))
		}
		a, hasLow := valid.Quantity(low)
		b, hasHigh := valid.Quantity(high)
		if most := b.Float() / a.Float(); hasLow && hasHigh && valid.SignOf(low) != 0 && ratio > most {
			errs.Add(field.Invalid(at, shown, fmt.Sprintf("ratio %v is greater than max/min = %f", shown, most)))
		}
	}
	if fixed := !valid.IsNative(name) || strings.HasPrefix(name, "hugepages-"); fixed &&
		(valid.MoreThan(limit, request) || valid.MoreThan(request, limit)) {
		errs.Add(field.Invalid(at.Child("defaultRequest").Key(name), request,
			fmt.Sprintf("default value %v must equal to defaultRequest value %v in %s", limit, request, name)))
	}
	return errs
}
