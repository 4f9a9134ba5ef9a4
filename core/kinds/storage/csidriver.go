package storage

import (
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

var CSIDriver = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(spec, "attachRequired", true)
		tree.Default(spec, "podInfoOnMount", false)
		tree.Default(spec, "storageCapacity", false)
		tree.Default(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType")
		if len(tree.List(spec, "volumeLifecycleModes")) == 0 {
			spec["volumeLifecycleModes"] = tree.AnyTexts("Persistent")
		}
		tree.Default(spec, "requiresRepublish", false)
		tree.Default(spec, "seLinuxMount", false)
	},
	// The generation counts changes only.
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		delete(object.Meta(obj), "generation")
		dropScaling(obj)
		warnCSIDriver(c, obj, nil)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		dropScaling(obj)
		warnCSIDriver(c, obj, old)
	},
	Validate: validateDriverSpec,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
		errs := validateDriverSpec(obj)
		if spec["attachRequired"] != was["attachRequired"] {
			errs.Add(field.Invalid("spec.attachedRequired", spec["attachRequired"], rule.FieldImmutable))
		}
		if !object.Equal(spec["volumeLifecycleModes"], was["volumeLifecycleModes"]) {
			errs.Add(field.Invalid("spec.volumeLifecycleModes", spec["volumeLifecycleModes"], rule.FieldImmutable))
		}
		return errs
	},
}

// dropScaling drops what belongs to the scaling by volumes, which is switched off in
// the server we follow.
func dropScaling(obj map[string]any) {
	delete(tree.Object(obj, "spec"), "preventPodSchedulingIfMissing")
}

func validateDriverSpec(obj map[string]any) field.ErrorList {
	spec, p := tree.Object(obj, "spec"), field.Path("spec")
	errs := driverSpecRules.Check(spec, p)
	audiences := map[string]bool{}
	for i, request := range tree.Objects(spec, "tokenRequests") {
		at, audience := p.Child("tokenRequests").Index(i), tree.Text(request, "audience")
		if audiences[audience] {
			errs.Add(field.Duplicate(at.Child("audience"), audience))
			continue
		}
		audiences[audience] = true
		n, some := tree.Int(request, "expirationSeconds")
		at = at.Child("expirationSeconds")
		if some && n < 600 {
			errs.Add(field.Invalid(at, n, "may not specify a duration less than 10 minutes"))
		}
		if n > 1<<32 {
			errs.Add(field.Invalid(at, n, "may not specify a duration larger than 2^32 seconds"))
		}
	}
	for _, mode := range tree.Texts(spec, "volumeLifecycleModes") {
		if mode != "Persistent" && mode != "Ephemeral" {
			errs.Add(field.NotSupported(p.Child("volumeLifecycleModes"), mode, "Persistent", "Ephemeral"))
		}
	}
	if n, some := tree.Int(spec, "nodeAllocatableUpdatePeriodSeconds"); some && n < 10 {
		errs.Add(field.Invalid(p.Child("nodeAllocatableUpdatePeriodSeconds"), n, "must be greater than or equal to 10 seconds"))
	}
	if v := spec["serviceAccountTokenInSecrets"]; v != nil && len(audiences) == 0 {
		errs.Add(field.Invalid(p.Child("serviceAccountTokenInSecrets"), v, "serviceAccountTokenInSecrets is set but no tokenRequests are specified"))
	}
	return errs
}

var driverSpecRules = rule.Fields{
	{Key: "fsGroupPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"File", "None", "ReadWriteOnceWithFSType"}}},
}

// warnCSIDriver warns when the requests for tokens are new.
func warnCSIDriver(c *strategy.Context, obj, old map[string]any) {
	spec := tree.Object(obj, "spec")
	if len(tree.List(spec, "tokenRequests")) > 0 && spec["serviceAccountTokenInSecrets"] == nil &&
		!object.Equal(spec["tokenRequests"], tree.Object(old, "spec")["tokenRequests"]) {
		c.Warn("spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes")
	}
}
