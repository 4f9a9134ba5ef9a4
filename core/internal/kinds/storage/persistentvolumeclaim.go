package storage

import (
	"math"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// PersistentVolumeClaim is the strategy of PersistentVolumeClaims.
var PersistentVolumeClaim = strategy.Strategy{
	Default: DefaultClaim,
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = map[string]any{"phase": "Pending"}
		normalizeSources(tree.Object(obj, "spec"), nil)
		warnClaim(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		normalizeSources(tree.Object(obj, "spec"), tree.Object(old, "spec"))
		warnClaim(c, obj)
	},
	Validate:       func(obj map[string]any) field.ErrorList { return ValidateClaim(tree.Object(obj, "spec"), "spec") },
	ValidateUpdate: validateClaimUpdate,
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		return validateClaimStatus(tree.Object(obj, "status"))
	},
}

// DefaultClaim sets the defaults of a claim.
func DefaultClaim(obj map[string]any) {
	spec, status := tree.Make(obj, "spec"), tree.Make(obj, "status")
	tree.DefaultNil(spec, "volumeMode", "Filesystem")
	tree.Default(status, "phase", "Pending")
	tree.RoundUp(tree.Object(spec, "resources"), "limits", "requests")
	tree.RoundUp(status, "capacity", "allocatedResources")
}

// normalizeSources drops data sources that a claim cannot use: one in another namespace (a disabled
// feature in the real server), and in the older field one that is neither a claim nor a snapshot.
// Then it copies the source into the other field if that is empty: the two mean the same.
func normalizeSources(spec, was map[string]any) {
	ref := tree.Object(spec, "dataSourceRef")
	if tree.Text(ref, "namespace") != "" && was["dataSourceRef"] == nil {
		delete(spec, "dataSourceRef")
	}
	ref, source := tree.Object(spec, "dataSourceRef"), tree.Object(spec, "dataSource")
	kind := tree.Text(source, "apiGroup") + "/" + tree.Text(source, "kind")
	if source != nil && ref == nil && was["dataSource"] == nil && was["dataSourceRef"] == nil &&
		kind != "/PersistentVolumeClaim" && kind != "snapshot.storage.k8s.io/VolumeSnapshot" {
		delete(spec, "dataSource")
		source = nil
	}
	copied := func(to string, from map[string]any) {
		spec[to] = map[string]any{"apiGroup": from["apiGroup"], "kind": from["kind"], "name": from["name"]}
		from["apiGroup"] = from["apiGroup"] // null if it was missing
	}
	switch {
	case source != nil && ref == nil:
		copied("dataSourceRef", source)
	case source == nil && ref != nil && tree.Text(ref, "namespace") == "":
		copied("dataSource", ref)
	}
}

// ValidateClaim returns the violations of the spec of a claim.
func ValidateClaim(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	modes := tree.Texts(spec, "accessModes")
	if len(modes) == 0 {
		errs.Add(field.Required(p.Child("accessModes"), "at least 1 access mode is required"))
	}
	errs.Add(valid.LabelSelector(tree.Object(spec, "selector"), p.Child("selector"))...)
	errs.Add(validateAccessModes(modes, p.Child("accessModes"))...)
	storage := tree.At(spec, "resources.requests")["storage"]
	switch at := p.Child("resources").Key("storage"); {
	case storage == nil:
		errs.Add(field.Required(at, ""))
	case !valid.Positive(storage):
		errs.Add(field.Invalid(at, storage, "must be greater than zero"))
	}
	errs.Add(claimRules.Check(spec, p)...)
	switch source, ref := tree.Object(spec, "dataSource"), tree.Object(spec, "dataSourceRef"); {
	case source == nil || ref == nil:
	case tree.Text(ref, "namespace") != "":
		errs.Add(field.Invalid(p, field.Raw("{}"), "may not be specified when dataSourceRef.namespace is specified"))
	case source["apiGroup"] != ref["apiGroup"] || tree.Text(source, "kind") != tree.Text(ref, "kind") ||
		tree.Text(source, "name") != tree.Text(ref, "name"):
		errs.Add(field.Invalid(p, field.Raw("{}"), "must match dataSourceRef"))
	}
	return append(errs, claimAttributesRules.Check(spec, p)...)
}

var claimRules = rule.Fields{
	{Key: "storageClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "volumeMode", Is: rule.All{rule.IfSet{}, rule.Enum(enum.PersistentVolumeMode)}},
	{Key: "dataSource", Is: rule.All{rule.IfSet{}, dataSourceRules}},
	{Key: "dataSourceRef", Is: rule.All{rule.IfSet{}, dataSourceRules}},
}

var claimAttributesRules = rule.Fields{
	{Key: "volumeAttributesClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

// dataSourceRules are the rules for a reference to a data source.
var dataSourceRules = rule.Fields{
	{Key: "name", Is: rule.Required{}},
	{Key: "kind", Is: rule.Required{}},
	{Is: rule.Object(func(ref map[string]any, at field.Path) field.ErrorList {
		kind := tree.Text(ref, "kind")
		if tree.Text(ref, "apiGroup") != "" || kind == "PersistentVolumeClaim" {
			return nil
		}
		return field.ErrorList{field.Invalid(at, kind,
			"must be 'PersistentVolumeClaim' when referencing the default apiGroup")}
	})},
	{Key: "apiGroup", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "namespace", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// validateQuantity returns the violation of a quantity of -1 or less.
func validateQuantity(v any, at field.Path) field.ErrorList {
	if q, ok := valid.Quantity(v); ok && q.Float() <= -1 {
		return field.ErrorList{field.Invalid(at, int64(math.Floor(q.Float())), "must be a valid resource quantity")}
	}
	return nil
}

// validateAccessModes returns the violations of the access modes of a volume or a claim.
func validateAccessModes(modes []string, at field.Path) field.ErrorList {
	var errs field.ErrorList
	known := []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
	once, other := false, false
	for _, mode := range modes {
		switch i := slices.Index(known, mode); {
		case i < 0:
			errs.Add(field.NotSupported(at, mode, known...))
		case i == 3:
			once = true
		default:
			other = true
		}
	}
	if once && other {
		errs.Add(field.Forbidden(at, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

func validateClaimStatus(status map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("status")
	for _, name := range tree.SortedKeys(tree.Object(status, "capacity")) {
		errs.Add(validateQuantity(tree.Object(status, "capacity")[name], p.Child("capacity").Key(name))...)
	}
	resource := func(name string, at field.Path) field.ErrorList {
		errs := rule.Invalid(at, name, syntax.LabelKey(name))
		if errs == nil && valid.IsNative(name) && name != "storage" {
			errs.Add(field.NotSupported(at, name, "storage"))
		}
		return errs
	}
	at, states := p.Child("allocatedResourceStatuses"), tree.Object(status, "allocatedResourceStatuses")
	for _, name := range tree.SortedKeys(states) {
		errs.Add(resource(name, at)...)
		if !slices.Contains(resizeStates, tree.Text(states, name)) {
			errs.Add(field.NotSupported(at, name, resizeStates...))
		}
	}
	at = p.Child("allocatedResources")
	allocated := tree.Object(status, "allocatedResources")
	for _, name := range tree.SortedKeys(allocated) {
		v := allocated[name]
		wrong := resource(name, at)
		if wrong == nil {
			wrong = validateQuantity(v, at.Key(name))
		}
		if wrong == nil && valid.Negative(v) {
			wrong.Add(field.Invalid(at.Key(name), v, rule.MustNotBeNegative))
		}
		errs.Add(wrong...)
	}
	return errs
}

// resizeStates are the states of resizing a claim.
var resizeStates = []string{
	"ControllerResizeInProgress", "ControllerResizeInfeasible",
	"NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending",
}

func validateClaimUpdate(obj, old map[string]any) field.ErrorList {
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	errs := ValidateClaim(spec, "spec")
	was, now := object.DeepCopy(was), object.DeepCopy(spec)
	if tree.Text(was, "volumeName") == "" {
		tree.Keep(was, now, "volumeName")
	}
	class, before := now["storageClassName"], was["storageClassName"]
	annotation, had := tree.Object(object.Meta(old), "annotations")[oldStorageClass].(string)
	kept, has := tree.Object(object.Meta(obj), "annotations")[oldStorageClass].(string)
	switch {
	case had && before == nil && class == annotation && (!has || kept == annotation):
		delete(now, "storageClassName")
	default:
		if kept != annotation {
			errs.Add(field.Invalid(field.Path("metadata.annotations").Key(oldStorageClass), kept, rule.FieldImmutable))
		}
		if class != nil && before == nil && (!had || class == annotation) {
			delete(now, "storageClassName")
		}
	}
	if tree.Text(tree.Object(old, "status"), "phase") == "Bound" {
		if requests := tree.At(now, "resources.requests"); requests != nil {
			tree.Keep(requests, tree.At(was, "resources.requests"), "storage")
		}
		tree.Keep(now, was, "volumeAttributesClassName")
	}
	if !object.Equal(now, was) {
		errs.Add(field.Forbidden("spec", "spec is immutable after creation except resources.requests and "+
			"volumeAttributesClassName for bound claims\n"+shape.PersistentVolumeClaimSpec.Diff(was, now)))
	}
	was = tree.Object(old, "spec")
	size, oldSize := tree.At(spec, "resources.requests")["storage"], tree.At(was, "resources.requests")["storage"]
	if size == nil {
		size = "0"
	}
	capacity := tree.At(old, "status.capacity")["storage"]
	within := !valid.Positive(size) || capacity != nil && !valid.MoreThan(size, capacity)
	if valid.MoreThan(oldSize, size) && within {
		errs.Add(field.Forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"))
	}
	if !object.Equal(spec["volumeMode"], was["volumeMode"]) {
		errs.Add(field.Invalid("volumeMode", spec["volumeMode"], rule.FieldImmutable))
	}
	current := tree.Object(old, "status")["currentVolumeAttributesClassName"]
	if class := spec["volumeAttributesClassName"]; current != nil && class != was["volumeAttributesClassName"] {
		const isSet = " is forbidden when status.currentVolumeAttributesClassName is not nil"
		switch class {
		case nil:
			errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update to nil"+isSet))
		case "":
			errs.Add(field.Forbidden("spec.volumeAttributesClassName", "update to empty string"+isSet))
		}
	}
	return errs
}

func warnClaim(c *strategy.Context, obj map[string]any) {
	w := valid.Warner{Context: c}
	w.Annotation("", tree.Object(object.Meta(obj), "annotations"), oldStorageClass, storageClassReplaced)
	w.Claim(tree.Object(obj, "spec"), "spec")
}
