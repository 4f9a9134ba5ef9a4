package storage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

// StorageClass is the strategy of StorageClasses.
var StorageClass = strategy.Strategy{
	Default: func(obj map[string]any) {
		tree.DefaultNil(obj, "reclaimPolicy", "Delete")
		tree.DefaultNil(obj, "volumeBindingMode", "Immediate")
	},
	PrepareCreate: warnStorageClass,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnStorageClass(c, obj) },
	Updates:       []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate:      validateStorageClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return rule.Immutable(obj, old, "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
	},
}

func validateStorageClass(obj map[string]any) field.ErrorList {
	errs := validateClass(obj, "provisioner", 0)
	errs.Add(storageClassRules.Check(obj, "")...)
	return append(errs, validateTopologies(tree.Objects(obj, "allowedTopologies"))...)
}

var storageClassRules = rule.Fields{
	{Key: "reclaimPolicy", Is: rule.All{rule.IfNotEmpty{}, rule.OneOf{"Delete", "Retain"}}},
	{Key: "volumeBindingMode", Is: rule.All{rule.IfSet{}, rule.Enum(enum.VolumeBindingMode)}},
}

// validateTopologies returns the violations of the topologies that a class allows.
func validateTopologies(terms []map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]int{}
	for i, term := range terms {
		at := field.Path("allowedTopologies").Index(i).Child("matchLabelExpressions")
		var keys rule.Seen[string]
		expressions := tree.Objects(term, "matchLabelExpressions")
		for j, e := range expressions {
			at, key := at.Index(j), tree.Text(e, "key")
			errs.Add(topologyRules.Check(e, at)...)
			if keys.Again(key) {
				errs.Add(field.Duplicate(at.Child("key"), key))
			}
		}
		text := topologyText(term)
		same := seen[text]
		if seen[text]++; len(expressions) == 0 {
			// The real server starts with as many empty terms as there will be.
			same += len(terms)
		}
		for range min(same, field.MaxErrors-len(errs)) {
			errs.Add(field.Duplicate(at, ""))
		}
	}
	return errs
}

// topologyRules are those of an expression of an allowed topology.
var topologyRules = rule.Fields{
	{Key: "values", Is: rule.All{rule.Required{}, rule.UniqueKey("")}},
	{Key: "key", Is: rule.Form(syntax.LabelKey)},
}

// topologyText returns a text that is the same for terms with the same values for the same keys.
func topologyText(term map[string]any) string {
	values := map[string][]string{} // of a key that is there twice, the last ones
	for _, e := range tree.Objects(term, "matchLabelExpressions") {
		values[tree.Text(e, "key")] = slices.Compact(slices.Sorted(slices.Values(tree.Texts(e, "values"))))
	}
	var text []byte
	for _, key := range slices.Sorted(maps.Keys(values)) {
		text = fmt.Appendf(text, "%q:%q", key, values[key])
	}
	return string(text)
}

// validateClass returns the violations of a class that has a driver under a key and, if required,
// parameters for it.
func validateClass(obj map[string]any, driver string, least int) field.ErrorList {
	errs := rule.RequireTexts(obj, "", driver)
	if name := strings.ToLower(tree.Text(obj, driver)); name != "" {
		errs.Add(rule.Invalid(field.Path(driver), name, syntax.LabelKey(name))...)
	}
	parameters, at := tree.Object(obj, "parameters"), field.Path("parameters")
	if len(parameters) > 512 {
		return append(errs, field.TooLong(at, 512))
	}
	size := 0
	for key := range parameters {
		if key == "" {
			errs.Add(field.Invalid(at, key, "field can not be empty."))
		}
		size += len(key) + len(tree.Text(parameters, key))
	}
	if size > 256<<10 {
		errs.Add(field.TooLong(at, 256<<10))
	}
	if len(parameters) < least {
		errs.Add(field.Required(at, "must contain at least one key/value pair"))
	}
	return errs
}

func warnStorageClass(c *strategy.Context, obj map[string]any) {
	for i, term := range tree.Objects(obj, "allowedTopologies") {
		for j, e := range tree.Objects(term, "matchLabelExpressions") {
			if text, old := valid.OldNodeLabels[tree.Text(e, "key")]; old {
				at := field.Path("allowedTopologies").Index(i).Child("matchLabelExpressions").Index(j).Child("key")
				valid.Warner{Context: c}.Warnf(at, "%s", text)
			}
		}
	}
}
