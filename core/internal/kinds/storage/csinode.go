package storage

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// CSINode is the strategy of CSINodes. Drivers may be added and removed; of an existing one, only
// its allocatable resources may change.
var CSINode = strategy.Strategy{
	Validate: validateNodeDrivers,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := validateNodeDrivers(obj)
		before := tree.ByName(tree.Objects(tree.Object(old, "spec"), "drivers"))
		for _, driver := range tree.Objects(tree.Object(obj, "spec"), "drivers") {
			was := before[tree.Text(driver, "name")]
			now := tree.Without(driver, "allocatable")
			if was != nil && !object.Equal(now, tree.Without(was, "allocatable")) {
				errs.Add(field.Invalid("spec.drivers", shape.CSINodeDriver.Print(now), rule.FieldImmutable))
			}
		}
		return errs
	},
}

func validateNodeDrivers(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	var names rule.Seen[string]
	for i, driver := range tree.Objects(tree.Object(obj, "spec"), "drivers") {
		at, name, id := field.Path("spec.drivers").Index(i), tree.Text(driver, "name"), tree.Text(driver, "nodeID")
		errs.Add(validateDriver(name, at.Child("name"))...)
		errs.Add(rule.RequireTexts(driver, at, "nodeID")...)
		if len(id) > 256 {
			errs.Add(field.Invalid(at.Child("nodeID"), id, "must be 256 characters or less"))
		}
		errs.Add(rule.NotNegative(tree.Object(driver, "allocatable"), at.Child("allocatable"), "count")...)
		if names.Again(name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		var keys rule.Seen[string]
		for _, key := range tree.Texts(driver, "topologyKeys") {
			if key == "" {
				errs.Add(field.Required(at, key))
			}
			if keys.Again(key) {
				errs.Add(field.Duplicate(at, key))
			}
			errs.Add(rule.Invalid(at, key, syntax.LabelKey(key))...)
		}
	}
	return errs
}
