package cluster

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// RuntimeClass is the strategy of RuntimeClasses.
var RuntimeClass = strategy.Strategy{
	PrepareCreate: warnRuntimeClass,
	PrepareUpdate: func(c *strategy.Context, obj, _ map[string]any) { warnRuntimeClass(c, obj) },
	Updates:       []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate:      validateRuntimeClass,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return rule.Immutable(obj, old, "handler")
	},
}

func validateRuntimeClass(obj map[string]any) field.ErrorList {
	errs := runtimeHandler.Check(obj, "")
	if overhead := tree.Object(obj, "overhead"); overhead != nil {
		errs.Add(pod.ValidateResources(map[string]any{"limits": overhead["podFixed"]}, "overhead")...)
	}
	scheduling, p := tree.Object(obj, "scheduling"), field.Path("scheduling")
	errs.Add(metadata.ValidateLabels(tree.Object(scheduling, "nodeSelector"), p.Child("nodeSelector"))...)
	tolerations := tree.Objects(scheduling, "tolerations")
	for i, t := range tolerations {
		errs.Add(valid.Toleration(t, p.Child("tolerations").Index(i))...)
	}
	var before rule.Seen[string]
	for i, t := range tolerations {
		if before.Again(object.Key(tree.Without(t, "tolerationSeconds"))) {
			errs.Add(field.Duplicate(p.Child("tolerations").Index(i),
				shape.Toleration.Print(t)))
		}
	}
	return errs
}

var runtimeHandler = rule.Fields{
	{Key: "handler", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
}

func warnRuntimeClass(c *strategy.Context, obj map[string]any) {
	for _, key := range tree.SortedKeys(tree.At(obj, "scheduling.nodeSelector")) {
		if text, old := valid.OldNodeLabels[key]; old {
			c.Warn("scheduling.nodeSelector: " + text)
		}
	}
}
