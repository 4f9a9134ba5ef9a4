package kinds

import (
	"github.com/tabernetes/tabernetes/core/field"
)

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
	var types seen[string]
	for i, c := range conditions {
		t := str(asMap(c), "type")
		if types.again(t) {
			errs.Add(field.Duplicate(at.Index(i).Child("type"), t))
		}
		errs.Add(by.check(asMap(c), at.Index(i))...)
	}
	return errs
}
