package device

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// validateRequestPolicy checks which amounts of a capacity may be requested.
func validateRequestPolicy(capacity any, policy map[string]any, at field.Path) field.ErrorList {
	values, limits, usual := tree.List(policy, "validValues"), tree.Object(policy, "validRange"), policy["default"]
	key := "validValues"
	switch {
	case len(values) > 0 && limits != nil:
		return field.ErrorList{field.Forbidden(at,
			`exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)}
	case len(values) == 0 && limits == nil:
		return nil
	case limits != nil:
		key = "validRange"
	}
	if usual == nil {
		return field.ErrorList{field.Required(at.Child("default"), "required when "+key+" is defined")}
	}
	at = at.Child(key)
	if limits != nil {
		return validateRequestRange(capacity, usual, limits, at)
	}
	var errs field.ErrorList
	for i := range values[1:] {
		if valid.MoreThan(values[i], values[i+1]) {
			errs.Add(field.Invalid(at.Index(i+1), values[i+1], "values must be sorted in ascending order"))
		}
	}
	if len(values) > 10 {
		errs.Add(field.TooMany(at, len(values), 10))
		values = nil
	}
	found := false
	for i, v := range values {
		if valid.MoreThan(v, capacity) {
			errs.Add(field.Invalid(at.Index(i), v, fmt.Sprintf("option is larger than capacity value: %v", capacity)))
		}
		found = found || !valid.MoreThan(v, usual) && !valid.MoreThan(usual, v)
	}
	var before rule.Seen[any]
	for i, v := range values {
		if before.Again(wholeOf(v)) {
			errs.Add(field.Duplicate(at.Index(i), fmt.Sprint(wholeOf(v))))
		}
	}
	if !found {
		errs.Add(field.Invalid(at, usual, "default value is not valid according to the requestPolicy"))
	}
	return errs
}

func validateRequestRange(capacity, usual any, limits map[string]any, at field.Path) field.ErrorList {
	low, high, step := limits["min"], limits["max"], limits["step"]
	if low == nil {
		return field.ErrorList{field.Required(at.Child("min"), "required when validRange is defined")}
	}
	var errs field.ErrorList
	order := func(key string, a, b, shown any, than string, v any) {
		if valid.MoreThan(a, b) {
			errs.Add(field.Invalid(at.Child(key), shown, fmt.Sprintf("%s: %v", than, v)))
		}
	}
	order("min", low, capacity, low, "min is larger than capacity value", capacity)
	order("min", low, usual, usual, "default is less than min", low)
	order("max", low, high, low, "min is larger than max", high)
	order("max", high, capacity, high, "max is larger than capacity value", capacity)
	order("max", usual, high, usual, "default is more than max", high)
	if step == nil || wholeOf(step) == 0 {
		return errs
	}
	if sum := wholeOf(low) + wholeOf(step); sum > wholeOf(capacity) {
		errs.Add(field.Invalid(at.Child("step"), step,
			fmt.Sprintf("one step %d is larger than capacity value: %v", sum, capacity)))
	}
	for _, v := range []any{usual, high} {
		if v != nil && (wholeOf(v)-wholeOf(low))%wholeOf(step) != 0 {
			errs.Add(field.Invalid(at.Child("step"), v,
				fmt.Sprintf("value is not a multiple of a given step (%v) from (%v)", step, low)))
		}
	}
	return errs
}

// wholeOf returns a quantity as an integer.
func wholeOf(v any) int64 {
	q, _ := valid.Quantity(v)
	return int64(q.Float())
}
