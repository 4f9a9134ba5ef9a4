package storage

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// CSIStorageCapacity is the strategy of CSIStorageCapacities.
var CSIStorageCapacity = strategy.Strategy{
	PrepareCreate: warnCSICapacity,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnCSICapacity(c, obj) },
	Updates:       []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate:      validateCSICapacity,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		var errs field.ErrorList
		switch s, was := obj["nodeTopology"], old["nodeTopology"]; {
		case (s == nil) != (was == nil), !object.Equal(s, was):
			var shown any
			if s != nil {
				shown = valid.PrintSelector(tree.Map(s))
			}
			errs.Add(field.Invalid("nodeTopology", shown, rule.FieldImmutable))
		}
		return append(errs, rule.Immutable(obj, old, "storageClassName")...)
	},
}

func validateCSICapacity(obj map[string]any) field.ErrorList {
	errs := valid.LabelSelector(tree.Object(obj, "nodeTopology"), "nodeTopology")
	errs.Add(capacityRules.Check(obj, "")...)
	if v := obj["capacity"]; valid.Negative(v) {
		errs.Add(field.Invalid("capacity", v, rule.MustNotBeNegative))
	}
	return errs
}

var capacityRules = rule.Fields{
	{Key: "storageClassName", Is: rule.Form(syntax.Subdomain)},
}

func warnCSICapacity(c *strategy.Context, obj map[string]any) {
	w, topology := valid.Warner{Context: c}, tree.Object(obj, "nodeTopology")
	w.Expressions(topology, "nodeTopology")
	for _, key := range tree.SortedKeys(tree.Object(topology, "matchLabels")) {
		if text, old := valid.OldNodeLabels[key]; old {
			w.Warnf(field.Path("nodeTopology.matchLabels").Child(key), "%s", text)
		}
	}
}
