package workload

import (
	"maps"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/storage"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// StatefulSet is the strategy of StatefulSets.
var StatefulSet = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		pod.DefaultTemplate(tree.Make(spec, "template"))
		tree.Default(spec, "podManagementPolicy", "OrderedReady")
		tree.Default(spec, "replicas", int64(1))
		tree.Default(spec, "revisionHistoryLimit", int64(10))
		strategy := tree.Make(spec, "updateStrategy")
		if tree.Text(strategy, "type") == "" {
			strategy["type"] = "RollingUpdate"
			tree.Make(strategy, "rollingUpdate")
		}
		rolling := tree.Object(strategy, "rollingUpdate")
		if rolling != nil && tree.Text(strategy, "type") == "RollingUpdate" {
			tree.Default(rolling, "partition", int64(0))
		}
		keep := tree.Make(spec, "persistentVolumeClaimRetentionPolicy")
		tree.Default(keep, "whenDeleted", "Retain")
		tree.Default(keep, "whenScaled", "Retain")
		for _, claim := range tree.Objects(spec, "volumeClaimTemplates") {
			storage.DefaultClaim(claim)
			claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
		}
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		dropMaxUnavailable(obj, nil)
		warnTemplate(c, obj)
		warnClaims(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		dropMaxUnavailable(obj, old)
		warnChangedWorkload(c, obj, old)
		warnClaims(c, obj, "Spec")
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return validateStatefulSet(tree.Object(obj, "spec"), nil)
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
		errs := validateStatefulSet(spec, was)
		if !object.Equal(tree.Without(spec, mutableFields...), tree.Without(was, mutableFields...)) {
			errs.Add(field.Forbidden("spec", "updates to statefulset spec for fields other than 'replicas', "+
				"'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "+
				"'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
		}
		return errs
	},
	ValidateStatus: func(obj, old map[string]any) field.ErrorList {
		status := tree.Object(obj, "status")
		errs := rule.NotNegative(status, "status", "replicas", "readyReplicas", "currentReplicas", "updatedReplicas",
			"availableReplicas", "observedGeneration", "collisionCount")
		errs.Add(countsWithin(status, "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")...)
		errs.Add(readyWithin(status, "status.readyReplicas")...)
		return append(errs, collisionsNotDecreased(status, tree.Object(old, "status"))...)
	},
}

// dropMaxUnavailable drops the field of a disabled feature, unless the object had it before.
func dropMaxUnavailable(obj, old map[string]any) {
	if tree.At(old, "spec.updateStrategy.rollingUpdate")["maxUnavailable"] == nil {
		delete(tree.At(obj, "spec.updateStrategy.rollingUpdate"), "maxUnavailable")
	}
}

// validateStatefulSet returns the violations of the spec of a StatefulSet, which is changed or new.
func validateStatefulSet(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	if policy := tree.Text(spec, "podManagementPolicy"); policy != "OrderedReady" && policy != "Parallel" {
		errs.Add(field.Invalid(p.Child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'"))
	}
	errs.Add(validateUpdateStrategy(tree.Object(spec, "updateStrategy"), p.Child("updateStrategy"))...)
	keep := tree.Object(spec, "persistentVolumeClaimRetentionPolicy")
	for _, name := range []string{"whenDeleted", "whenScaled"} {
		if v := tree.Text(keep, name); keep != nil && v != "Retain" && v != "Delete" {
			errs.Add(field.NotSupported(p.Child("persistentVolumeClaimRetentionPolicy", name), v, "Retain", "Delete"))
		}
	}
	claims := tree.Objects(spec, "volumeClaimTemplates")
	if was == nil {
		for i, claim := range claims {
			at := p.Child("volumeClaimTemplates").Index(i).Child("spec")
			errs.Add(storage.ValidateClaim(tree.Object(claim, "spec"), at)...)
		}
	}
	errs.Add(rule.NotNegative(spec, p, "replicas", "minReadySeconds")...)
	if start, _ := tree.Int(tree.Object(spec, "ordinals"), "start"); start < 0 {
		errs.Add(field.Invalid(p.Child("ordinals.start"), start, rule.MustNotBeNegative))
	}
	if was == nil {
		errs.Add(statefulSetRules.Check(spec, p)...)
	}
	errs.Add(validateSelectorOf(spec, "statefulset")...)
	template := tree.Object(spec, "template")
	if selects, ok := validateSelects(spec); !ok {
		errs.Add(field.Invalid(p.Child("selector"), valid.PrintSelector(tree.Object(spec, "selector")), ""))
	} else {
		errs.Add(selects...)
		errs.Add(validateTemplateWithClaims(template, claims, was)...)
	}
	return append(errs, validateRunsForever(template, "StatefulSet")...)
}

var statefulSetRules = rule.Fields{
	{Key: "serviceName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

func validateUpdateStrategy(strategy map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	switch tree.Text(strategy, "type") {
	case "":
		errs.Add(field.Required(at, ""))
	case "RollingUpdate":
		rolling := tree.Object(strategy, "rollingUpdate")
		errs.Add(rule.NotNegative(rolling, at.Child("rollingUpdate"), "partition")...)
		if v := rolling["maxUnavailable"]; v != nil {
			at := at.Child("rollingUpdate", "maxUnavailable")
			errs.Add(valid.CountOrPercent(v, at)...)
			if n, _ := valid.ParseCount(v); n == 0 {
				errs.Add(field.Invalid(at, v, "cannot be 0"))
			}
			errs.Add(valid.AtMost100Percent(v, at)...)
		}
	case "OnDelete":
		if rolling := tree.Object(strategy, "rollingUpdate"); rolling != nil {
			shown := shape.RollingUpdateStatefulSetStrategy.Print(rolling)
			errs.Add(field.Invalid(at.Child("rollingUpdate"), shown, "only allowed for updateStrategy 'RollingUpdate'"))
		}
	default:
		shown := shape.StatefulSetUpdateStrategy.Print(strategy)
		errs.Add(field.Invalid(at, shown, "must be 'RollingUpdate' or 'OnDelete'"))
	}
	return errs
}

// validateTemplateWithClaims returns the violations of the template of a StatefulSet, whose pods
// have volumes from its claims. An unchanged template is accepted even if it is invalid.
func validateTemplateWithClaims(template map[string]any, claims []map[string]any, was map[string]any) field.ErrorList {
	as := maps.Clone(template)
	claiming := maps.Clone(tree.Object(template, "spec"))
	as["spec"] = claiming
	delete(claiming, "subdomain")
	delete(claiming, "hostname")
	var volumes []any
	named := map[string]map[string]any{}
	for _, claim := range claims {
		name := object.Name(claim)
		if named[name] != nil {
			continue
		}
		named[name] = claim
		volumes = append(volumes, map[string]any{"name": name, "persistentVolumeClaim": map[string]any{"claimName": name}})
	}
	for _, v := range tree.Objects(claiming, "volumes") {
		if named[tree.Text(v, "name")] == nil {
			volumes = append(volumes, v)
		}
	}
	claiming["volumes"] = volumes
	var errs field.ErrorList
	const at = "spec.template"
	before := func() field.ErrorList {
		return validateTemplateWithClaims(tree.Object(was, "template"), tree.Objects(was, "volumeClaimTemplates"), nil)
	}
	if was == nil || len(before()) == 0 {
		errs = pod.ValidateTemplate(as, at)
	}
	errs.Add(pod.ValidateTemplateMeta(template, at)...)
	return append(errs, pod.ValidateAnnotations(claiming, tree.At(template, "metadata.annotations"),
		field.Path(at).Child("annotations"))...)
}

// mutableFields are the fields of the spec of a StatefulSet that an update may change.
var mutableFields = []string{"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
	"persistentVolumeClaimRetentionPolicy", "minReadySeconds"}
