package pod

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// onlyMutable is the detail of the violation of a change of immutable fields.
const onlyMutable = "pod updates may not change fields other than " +
	"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`," +
	"`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"

// validateSpecUpdate returns the violations of immutable fields of the spec.
func validateSpecUpdate(spec, was map[string]any) field.ErrorList {
	return field.Lazily("spec", func(at field.Path) field.ErrorList { return specUpdateErrors(spec, was, at) })
}

func specUpdateErrors(spec, was map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"containers", "initContainers"} {
		now, before := tree.Objects(spec, name), tree.Objects(was, name)
		if len(now) != len(before) {
			return append(errs, field.Forbidden(p.Child(name), "pod updates may not add or remove containers"))
		}
		for i, c := range now {
			image, at := tree.Text(c, "image"), p.Child(name).Index(i).Child("image")
			if image == "" {
				errs.Add(field.Required(at, ""))
			}
			if strings.TrimSpace(image) != image {
				errs.Add(field.Invalid(at, image, "must not have leading or trailing whitespace"))
			}
		}
	}
	deadline, hasDeadline := tree.Int(spec, "activeDeadlineSeconds")
	before, hadDeadline := tree.Int(was, "activeDeadlineSeconds")
	switch at := p.Child("activeDeadlineSeconds"); {
	case hasDeadline && (deadline < 0 || deadline > math.MaxInt32):
		return append(errs, field.Invalid(at, deadline, "must be between 0 and 2147483647, inclusive"))
	case hasDeadline && hadDeadline && before < deadline:
		return append(errs, field.Invalid(at, deadline, "must be less than or equal to previous value"))
	case hadDeadline && !hasDeadline:
		errs.Add(field.Invalid(at, nil, "must not update from a positive integer to nil value"))
	}
	errs.Add(validateTolerationsUpdate(spec, was, p)...)
	errs.Add(validateGatesUpdate(spec, was, p.Child("schedulingGates"))...)
	if len(tree.List(was, "schedulingGates")) > 0 {
		errs.Add(validateNarrowed(spec, was)...)
	}
	if diff := podDifference(spec, was); diff != "" {
		errs.Add(field.Forbidden(p, onlyMutable+diff))
	}
	return errs
}

// validateGatesUpdate returns the violations of scheduling gates that are new.
func validateGatesUpdate(spec, was map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	gates := map[any]bool{}
	for _, gate := range tree.Objects(was, "schedulingGates") {
		gates[gate["name"]] = true
	}
	for i, gate := range tree.Objects(spec, "schedulingGates") {
		if !gates[gate["name"]] {
			errs.Add(field.Forbidden(at.Index(i).Child("name"),
				"only deletion is allowed, but found new scheduling gate '"+tree.Text(gate, "name")+"'"))
		}
	}
	return errs
}

// validateTolerationsUpdate returns the violation of a toleration that has changed in more than its
// seconds, and those of the tolerations again, as the real server does.
func validateTolerationsUpdate(spec, was map[string]any, at field.Path) field.ErrorList {
	if !object.Equal(spec["tolerations"], was["tolerations"]) && !tolerates(spec, was) {
		return field.ErrorList{field.Forbidden(at.Child("tolerations"),
			"existing toleration can not be modified except its tolerationSeconds")}
	}
	return validateTolerations(spec, at)
}

// tolerates reports whether a spec has all tolerations of another one, for any time.
func tolerates(spec, was map[string]any) bool {
	kept := map[string]bool{}
	for _, t := range tree.Objects(spec, "tolerations") {
		kept[object.Key(tree.Without(t, "tolerationSeconds"))] = true
	}
	return !slices.ContainsFunc(tree.Objects(was, "tolerations"), func(old map[string]any) bool {
		return !kept[object.Key(tree.Without(old, "tolerationSeconds"))]
	})
}

// podDifference returns how the immutable fields of the spec differ, as the real server prints it.
func podDifference(spec, was map[string]any) string {
	if object.Identical(spec, was) {
		return ""
	}
	spec = object.DeepCopy(spec)
	for _, name := range []string{"activeDeadlineSeconds", "tolerations", "schedulingGates"} {
		tree.Keep(spec, was, name)
	}
	for _, name := range []string{"containers", "initContainers"} {
		if len(tree.List(spec, name)) == 0 {
			delete(spec, name) // the list is made again, so that one that was empty is missing
		}
		before := tree.Objects(was, name)
		for i, c := range tree.Objects(spec, name) {
			tree.Keep(c, before[i], "image")
		}
	}
	if n, _ := tree.Int(was, "terminationGracePeriodSeconds"); n < 0 && spec["terminationGracePeriodSeconds"] == int64(1) {
		tree.Keep(spec, was, "terminationGracePeriodSeconds")
	}
	if len(tree.List(was, "schedulingGates")) > 0 {
		// The node selection of a pod with scheduling gates may become narrower.
		tree.Keep(spec, was, "nodeSelector")
		affinity := tree.Make(spec, "affinity")
		if tree.Keep(affinity, tree.Object(was, "affinity"), "nodeAffinity"); len(affinity) == 0 && was["affinity"] == nil {
			delete(spec, "affinity")
		}
	}
	if object.Equal(spec, was) {
		return ""
	}
	return shape.PodSpec.Diff(internalSpec(was), internalSpec(spec))
}

// validateNarrowed returns the violations of a pod with scheduling gates whose node selection has
// become wider.
func validateNarrowed(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	s := tree.Object(spec, "nodeSelector")
	for key, value := range tree.Object(was, "nodeSelector") {
		if v, ok := s[key]; !ok || v != value {
			errs.Add(field.Invalid("spec.nodeSelector", spec["nodeSelector"],
				"only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
			break
		}
	}
	required := tree.At(spec, "affinity.nodeAffinity."+valid.RequiredTerms)
	now := tree.Objects(required, "nodeSelectorTerms")
	before := tree.Objects(tree.At(was, "affinity.nodeAffinity."+valid.RequiredTerms), "nodeSelectorTerms")
	at := field.NewPath("spec.affinity.nodeAffinity", valid.RequiredTerms, "nodeSelectorTerms")
	if len(before) > 0 && len(now) != len(before) {
		return append(errs, field.Invalid(at, shape.NodeSelectorTerm.PrintList(tree.List(required, "nodeSelectorTerms")),
			"no additions/deletions to non-empty NodeSelectorTerms list are allowed"))
	}
	for i, old := range before {
		kept, empty := true, true
		for _, name := range []string{"matchExpressions", "matchFields"} {
			had, has := tree.List(old, name), tree.List(now[i], name)
			empty = empty && len(had) == 0
			kept = kept && len(has) >= len(had) && object.Equal(any(has[:min(len(has), len(had))]), any(had))
		}
		if !kept || empty && !object.Equal(now[i], old) {
			errs.Add(field.Invalid(at.Index(i), shape.NodeSelectorTerm.Print(now[i]),
				"only additions are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

// internalSpec returns a spec with the fields of the real server's Go struct: those of the host's
// namespaces are in the security context.
func internalSpec(spec map[string]any) map[string]any {
	spec = maps.Clone(spec)
	if spec == nil {
		spec = map[string]any{}
	}
	context := maps.Clone(tree.Object(spec, "securityContext"))
	if context == nil {
		context = map[string]any{}
	}
	for _, name := range []string{"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"} {
		if v, ok := spec[name]; ok {
			context[name] = v
		}
	}
	spec["securityContext"] = context
	if tree.Text(spec, "serviceAccountName") == "" && spec["serviceAccount"] != nil {
		spec["serviceAccountName"] = spec["serviceAccount"]
	}
	return spec
}

// PrintSpec prints a spec as the real server does.
func PrintSpec(spec map[string]any) field.Raw { return shape.PodSpec.Print(internalSpec(spec)) }

// PrintTemplate prints a template as the real server does.
func PrintTemplate(template map[string]any) field.Raw {
	template = maps.Clone(template)
	if template == nil {
		template = map[string]any{}
	}
	template["spec"] = internalSpec(tree.Object(template, "spec"))
	return shape.PodTemplateSpec.Print(template)
}
