package storage

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// CSIDriver is the strategy of CSIDrivers.
var CSIDriver = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(spec, "attachRequired", true)
		tree.Default(spec, "podInfoOnMount", false)
		tree.Default(spec, "storageCapacity", false)
		tree.DefaultNil(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType")
		if len(tree.List(spec, "volumeLifecycleModes")) == 0 {
			spec["volumeLifecycleModes"] = []any{"Persistent"}
		}
		tree.Default(spec, "requiresRepublish", false)
		tree.Default(spec, "seLinuxMount", false)
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		dropScaling(obj)
		warnCSIDriver(c, obj, nil)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		dropScaling(obj)
		strategy.Raise(obj, old) // from what its client set at first
		warnCSIDriver(c, obj, old)
	},
	Validate: validateCSIDriver,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
		errs := validateCSIDriver(obj)
		if spec["attachRequired"] != was["attachRequired"] {
			errs.Add(field.Invalid("spec.attachedRequired", spec["attachRequired"], rule.FieldImmutable))
		}
		if !object.Equal(spec["volumeLifecycleModes"], was["volumeLifecycleModes"]) {
			errs.Add(field.Invalid("spec.volumeLifecycleModes", spec["volumeLifecycleModes"], rule.FieldImmutable))
		}
		return errs
	},
}

// dropScaling drops the field of a disabled feature: scaling by the capacity of volumes.
func dropScaling(obj map[string]any) {
	delete(tree.Object(obj, "spec"), "preventPodSchedulingIfMissing")
}

func validateCSIDriver(obj map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	errs := csiDriverRules.Check(spec, p)
	audiences := map[string]bool{}
	for i, request := range tree.Objects(spec, "tokenRequests") {
		at, audience := p.Child("tokenRequests").Index(i), tree.Text(request, "audience")
		if audiences[audience] {
			errs.Add(field.Duplicate(at.Child("audience"), audience))
			continue
		}
		audiences[audience] = true
		if seconds := request["expirationSeconds"]; seconds != nil {
			errs.Add(rule.Check(seconds, at.Child("expirationSeconds"), tokenSeconds)...)
		}
	}
	for _, mode := range tree.Texts(spec, "volumeLifecycleModes") {
		if mode != "Persistent" && mode != "Ephemeral" {
			errs.Add(field.NotSupported(p.Child("volumeLifecycleModes"), mode, "Persistent", "Ephemeral"))
		}
	}
	if n, ok := tree.Int(spec, "nodeAllocatableUpdatePeriodSeconds"); ok && n < 10 {
		errs.Add(field.Invalid(p.Child("nodeAllocatableUpdatePeriodSeconds"), n,
			"must be greater than or equal to 10 seconds"))
	}
	if v := spec["serviceAccountTokenInSecrets"]; v != nil && len(audiences) == 0 {
		errs.Add(field.Invalid(p.Child("serviceAccountTokenInSecrets"), v,
			"serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	}
	return errs
}

var csiDriverRules = rule.Fields{
	{Key: "fsGroupPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"File", "None", "ReadWriteOnceWithFSType"}}},
}

// warnCSIDriver warns about new token requests.
func warnCSIDriver(c *strategy.Context, obj, old map[string]any) {
	spec := tree.Object(obj, "spec")
	if len(tree.List(spec, "tokenRequests")) > 0 && spec["serviceAccountTokenInSecrets"] == nil &&
		!object.Equal(spec["tokenRequests"], tree.Object(old, "spec")["tokenRequests"]) {
		c.Warn("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, " +
			"set to true to prevent possible logging of tokens in volume attributes")
	}
}
