package pod

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// ValidateResources returns the violations of the requests and limits of a container.
func ValidateResources(resources map[string]any, at field.Path) field.ErrorList {
	return new(specCheck).resources(resources, at, valid.Resource)
}

// resources returns the violations of the requests and limits of a container or a pod,
// and of their names by named.
func (c *specCheck) resources(
	resources map[string]any, at field.Path, named func(string, field.Path) field.ErrorList,
) field.ErrorList {
	var errs field.ErrorList
	limits, requests := tree.Object(resources, "limits"), tree.Object(resources, "requests")
	huge, plain := false, false
	amount := func(name string, value any, at field.Path) {
		errs.Add(named(name, at)...)
		extended := valid.IsExtended(name)
		q, ok := valid.Quantity(value)
		if valid.Negative(value) {
			errs.Add(field.Invalid(at, value, rule.MustNotBeNegative))
		}
		if extended && ok && !q.Whole() {
			errs.Add(field.Invalid(at, value, "must be an integer"))
		}
		plain = plain || name == "cpu" || name == "memory"
	}
	pages := func(name string, value any, at field.Path) {
		size, ok := strings.CutPrefix(name, "hugepages-")
		if !ok {
			return
		}
		huge = true
		q, ok := valid.Quantity(value)
		page, err := object.ParseQuantity(size)
		if err != nil || page.Float() <= 0 || !ok || !q.Whole() || math.Mod(q.Float(), page.Float()) != 0 {
			errs.Add(field.Invalid(at, value, fmt.Sprintf("%v is not positive integer multiple of %s", value, name)))
		}
	}
	for name := range tree.Sorted(limits) {
		at := at.Child("limits").Key(name)
		amount(name, limits[name], at)
		pages(name, limits[name], at)
	}
	for name := range tree.Sorted(requests) {
		request, limit := requests[name], limits[name]
		in := at.Child("requests").Key(name)
		amount(name, request, in)
		switch fixed := !valid.IsNative(name) || strings.HasPrefix(name, "hugepages-"); {
		case limit == nil && fixed:
			errs.Add(field.Required(at.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limit != nil && fixed && (valid.MoreThan(request, limit) || valid.MoreThan(limit, request)):
			errs.Add(field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be equal to %s limit of %v", name, limit)))
		case valid.MoreThan(request, limit):
			errs.Add(field.Invalid(at.Child("requests"), request,
				fmt.Sprintf("must be less than or equal to %s limit of %v", name, limit)))
		}
		pages(name, request, in)
	}
	if huge && !plain {
		errs.Add(field.Forbidden(at, "HugePages require cpu or memory"))
	}
	return append(errs, c.claimNames(tree.Objects(resources, "claims"), at.Child("claims"))...)
}

// claimNames returns the violations of the claims of a container, which must be among
// those of its pod.
func (c *specCheck) claimNames(claims []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	seen, parts := map[string]bool{}, map[string]int{} // parts are the requests of a claim
	for i, claim := range claims {
		at, name, key := at.Index(i), tree.Text(claim, "name"), tree.Text(claim, "name")
		if name == "" {
			errs.Add(field.Required(at, ""))
			continue
		}
		if seen[name] {
			errs.Add(field.Duplicate(at, name))
		} else {
			if request := tree.Text(claim, "request"); request != "" {
				errs.Add(claimRequestRules.Check(claim, at)...)
				key += "/" + request
			}
			if seen[key] {
				errs.Add(field.Duplicate(at, key))
			} else if key == name {
				for range parts[name] {
					errs.Add(field.Duplicate(at, name))
				}
			} else {
				parts[name]++
			}
			seen[key] = true
		}
		if !c.claims[name] {
			if c.noClaim == "" { // one text for all
				c.noClaim = "must be one of the names in pod.spec.resourceClaims"
				if len(c.claims) == 0 {
					c.noClaim += " which is empty"
				} else {
					c.noClaim += ": " + strings.Join(slices.Sorted(maps.Keys(c.claims)), ", ")
				}
			}
			e := field.NotFound(at, name)
			e.Detail = c.noClaim
			errs.Add(e)
		}
	}
	return errs
}

var claimRequestRules = rule.Fields{
	{Key: "request", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// podResources returns the violations of the requests and limits of a pod as a whole.
func (c *specCheck) podResources(at field.Path) field.ErrorList {
	resources := tree.Object(c.spec, "resources")
	if resources == nil {
		return nil
	}
	if tree.Text(tree.Object(c.spec, "os"), "name") == "windows" {
		return field.ErrorList{field.Forbidden(at, "may not be set for a windows pod")}
	}
	var errs field.ErrorList
	if resources["claims"] != nil {
		errs.Add(field.Forbidden(at.Child("claims"), "claims may not be set for Resources at pod-level"))
	}
	errs.Add(c.resources(resources, at, podResourceName)...)
	errs.Add(c.aggregates(resources, at)...)
	for i, m := range tree.Objects(c.spec, "containers") {
		limits := tree.At(m, "resources.limits")
		for name := range tree.Sorted(limits) {
			if limit := tree.Object(resources, "limits")[name]; valid.MoreThan(limits[name], limit) {
				errs.Add(field.Invalid(at.Child("containers").Index(i).Key(name).Child("limits"), limits[name],
					fmt.Sprintf("must be less than or equal to pod limits of %v", limit)))
			}
		}
	}
	return errs
}

// podResourceName returns the violations of the name of a resource that a pod may have as
// a whole.
func podResourceName(name string, at field.Path) field.ErrorList {
	errs := valid.ResourceName(name, at)
	if errs == nil && name != "cpu" && name != "memory" && !strings.HasPrefix(name, "hugepages-") {
		errs.Add(field.NotSupported(at, name, "cpu", "hugepages-", "memory"))
	}
	return errs
}
