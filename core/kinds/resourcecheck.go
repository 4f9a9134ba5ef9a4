package kinds

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// resources checks what a container or a pod asks for against what it may have.
func (c *podCheck) resources(resources map[string]any, at field.Path, named func(string, field.Path) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	limits, requests := dict(resources, "limits"), dict(resources, "requests")
	huge, plain := false, false
	amount := func(name string, value any, at field.Path) {
		errs.Add(named(name, at)...)
		extended := isExtended(name)
		q, ok := quantity(value)
		if negative(value) {
			errs.Add(field.Invalid(at, value, notNegative))
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
		q, ok := quantity(value)
		page, err := object.ParseQuantity(size)
		if err != nil || page.Float() <= 0 || !ok || !q.Whole() || math.Mod(q.Float(), page.Float()) != 0 {
			errs.Add(field.Invalid(at, value, fmt.Sprintf("%v is not positive integer multiple of %s", value, name)))
		}
	}
	for _, name := range sortedKeys(limits) {
		at := at.Child("limits").Key(name)
		amount(name, limits[name], at)
		pages(name, limits[name], at)
	}
	for _, name := range sortedKeys(requests) {
		request, limit := requests[name], limits[name]
		in := at.Child("requests").Key(name)
		amount(name, request, in)
		switch fixed := !isNative(name) || strings.HasPrefix(name, "hugepages-"); {
		case limit == nil && fixed:
			errs.Add(field.Required(at.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limit != nil && fixed && (moreThan(request, limit) || moreThan(limit, request)):
			errs.Add(field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be equal to %s limit of %v", name, limit)))
		case moreThan(request, limit):
			errs.Add(field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be less than or equal to %s limit of %v", name, limit)))
		}
		pages(name, request, in)
	}
	if huge && !plain {
		errs.Add(field.Forbidden(at, "HugePages require cpu or memory"))
	}
	return append(errs, c.claimNames(entries(resources, "claims"), at.Child("claims"))...)
}

// claimNames checks that what a container claims is what its pod claims.
func (c *podCheck) claimNames(claims []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, claim := range claims {
		at, name, key := at.Index(i), str(claim, "name"), str(claim, "name")
		if name == "" {
			errs.Add(field.Required(at, ""))
			continue
		}
		if seen[name] {
			errs.Add(field.Duplicate(at, name))
		} else {
			if request := str(claim, "request"); request != "" {
				errs.Add(claimNamesRules.Check(claim, at)...)
				key += "/" + request
			}
			if seen[key] {
				errs.Add(field.Duplicate(at, key))
			} else if key == name {
				for other := range seen {
					if strings.HasPrefix(other, name+"/") {
						errs.Add(field.Duplicate(at, name))
					}
				}
			}
			seen[key] = true
		}
		if !c.claims[name] {
			e := field.NotFound(at, name)
			e.Detail = "must be one of the names in pod.spec.resourceClaims"
			if len(c.claims) == 0 {
				e.Detail += " which is empty"
			} else {
				e.Detail += ": " + strings.Join(slices.Sorted(maps.Keys(c.claims)), ", ")
			}
			errs.Add(e)
		}
	}
	return errs
}

var claimNamesRules = rule.Fields{
	{Key: "request", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// isNative reports whether a resource is one of Kubernetes' own, which the name
// of no other domain says.
func isNative(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

func isExtended(name string) bool {
	return !isNative(name) && !strings.HasPrefix(name, "requests.") && syntax.LabelKey("requests."+name) == nil
}

// quotaResources are names that a quota may have and a container may not.
var quotaResources = strings.Fields(`requests.cpu requests.memory requests.ephemeral-storage limits.cpu limits.memory limits.ephemeral-storage pods
	resourcequotas services replicationcontrollers secrets configmaps persistentvolumeclaims storage requests.storage services.nodeports
	services.loadbalancers`)

var ofContainers = []string{"cpu", "memory", "ephemeral-storage"}

// validateResource checks the name of a resource of a container.
func validateResource(name string, at field.Path) field.ErrorList {
	errs := validateResourceName(name, at)
	switch {
	case !strings.Contains(name, "/"):
		if !slices.Contains(ofContainers, name) && !strings.HasPrefix(name, "hugepages-") {
			errs.Add(field.Invalid(at, name, "must be a standard resource for containers"))
		}
	case !isNative(name) && !isExtended(name):
		errs.Add(field.Invalid(at, name, "doesn't follow extended resource name standard"))
	}
	return errs
}

func validateResourceName(name string, at field.Path) field.ErrorList {
	if wrong := syntax.LabelKey(name); len(wrong) > 0 {
		return rule.Invalid(at, name, wrong)
	}
	var errs field.ErrorList
	if !strings.Contains(name, "/") && !slices.Contains(ofContainers, name) && !slices.Contains(quotaResources, name) &&
		!strings.HasPrefix(strings.TrimPrefix(name, "requests."), "hugepages-") {
		errs.Add(field.Invalid(at, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}

// wholeResource checks the name of a resource of a whole pod.
func wholeResource(name string, at field.Path) field.ErrorList {
	errs := validateResourceName(name, at)
	if errs == nil && name != "cpu" && name != "memory" && !strings.HasPrefix(name, "hugepages-") {
		errs.Add(field.NotSupported(at, name, "cpu", "hugepages-", "memory"))
	}
	return errs
}

// whole checks what a pod asks for as a whole.
func (c *podCheck) whole(at field.Path) field.ErrorList {
	resources := dict(c.spec, "resources")
	if resources == nil {
		return nil
	}
	if str(dict(c.spec, "os"), "name") == "windows" {
		return field.ErrorList{field.Forbidden(at, "may not be set for a windows pod")}
	}
	var errs field.ErrorList
	if resources["claims"] != nil {
		errs.Add(field.Forbidden(at.Child("claims"), "claims may not be set for Resources at pod-level"))
	}
	errs.Add(c.resources(resources, at, wholeResource)...)
	errs.Add(c.enough(resources, at)...)
	for i, m := range entries(c.spec, "containers") {
		limits := deep(m, "resources.limits")
		for _, name := range sortedKeys(limits) {
			if limit := dict(resources, "limits")[name]; moreThan(limits[name], limit) {
				errs.Add(field.Invalid(at.Child("containers").Index(i).Key(name).Child("limits"), limits[name], fmt.Sprintf("must be less than or equal to pod limits of %v", limit)))
			}
		}
	}
	return errs
}
