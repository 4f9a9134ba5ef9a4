package kinds

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// nodeSelectorRows are about a selector of nodes.
var nodeSelectorRows = rows{{key: "nodeSelectorTerms[]", is: "need:must have at least one node selector term", of: rows{
	{key: "matchExpressions[]", of: rows{
		{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
			n := len(list(asMap(v), "values"))
			switch op := str(asMap(v), "operator"); op {
			case "Gt", "Lt":
				if n != 1 {
					return field.ErrorList{field.Required(at.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'")}
				}
				return nil
			default:
				return validateOperator(op, n, at)
			}
		}},
		{key: "key", is: "key"},
		{key: "values[]", of: rows{{is: "value"}}},
	}},
	{key: "matchFields[]", of: rows{{and: func(_ map[string]any, v any, at field.Path) field.ErrorList {
		var errs field.ErrorList
		m, values := asMap(v), strs(asMap(v), "values")
		if op := str(m, "operator"); op != "In" && op != "NotIn" {
			errs.Add(field.Invalid(at.Child("operator"), op, "not a valid selector operator"))
		} else if len(values) != 1 {
			errs.Add(field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
		}
		if key := str(m, "key"); key != "metadata.name" {
			return append(errs, field.Invalid(at.Child("key"), key, "not a valid field selector key"))
		}
		for i, name := range values {
			errs.Add(invalid(at.Child("values").Index(i), name, syntax.Subdomain(name))...)
		}
		return errs
	}}}},
}}}

// conditionRows are about a condition as most kinds have them.
var conditionRows = rows{
	{key: "type", is: "key"},
	{key: "status", is: "in:False,True,Unknown"},
	{key: "observedGeneration", is: "over:-1:must be greater than or equal to zero"},
	{key: "lastTransitionTime", is: "need"},
	{key: "reason", is: "need|reason|bytes:1024"},
	{key: "message", is: "bytes:32768"},
}

// validateConditions checks conditions by rows. There may be one of each type.
func validateConditions(conditions []any, at field.Path, by rows) field.ErrorList {
	var errs field.ErrorList
	var types []string
	for i, c := range conditions {
		t := str(asMap(c), "type")
		if slices.Contains(types, t) {
			errs.Add(field.Duplicate(at.Index(i).Child("type"), t))
		}
		types = append(types, t)
		errs.Add(by.check(asMap(c), at.Index(i))...)
	}
	return errs
}
