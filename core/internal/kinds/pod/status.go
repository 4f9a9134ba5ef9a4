package pod

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// statusLists are the lists of the statuses of containers, with the lists of the
// containers.
var statusLists = [][2]string{
	{"containerStatuses", "containers"},
	{"initContainerStatuses", "initContainers"},
	{"ephemeralContainerStatuses", "ephemeralContainers"},
}

// validatePodStatus returns the violations of the status of a pod.
func validatePodStatus(obj, old map[string]any) field.ErrorList {
	at, spec := field.Path("status"), tree.Object(obj, "spec")
	status, was := tree.Object(obj, "status"), tree.Object(old, "status")
	errs := immutableAnnotations(obj, old)
	notNegativeInteger := func(m map[string]any, at field.Path) {
		if n, _ := tree.Int(m, "observedGeneration"); n < 0 {
			errs.Add(field.Invalid(at.Child("observedGeneration"), n, "must be a non-negative integer"))
		}
	}
	for i, c := range tree.Objects(status, "conditions") {
		at, kind := at.Child("conditions").Index(i), tree.Text(c, "type")
		notNegativeInteger(c, at)
		if kind != "PodScheduled" && kind != "Ready" && kind != "Initialized" {
			errs.Add(rule.Invalid(at.Child("Type"), kind, syntax.LabelKey(kind))...)
		}
	}
	if node := tree.Text(status, "nominatedNodeName"); node != "" && node != tree.Text(was, "nominatedNodeName") {
		errs.Add(nominatedNodeRules.Check(status, at)...)
		if tree.Text(spec, "nodeName") != "" {
			errs.Add(field.Forbidden(at.Child("nominatedNodeName"), "may not be set on pods that are already bound to a node"))
		}
	}
	notNegativeInteger(status, at)
	if was, now := tree.Text(was, "qosClass"), tree.Text(status, "qosClass"); was != "" && now != was {
		errs.Add(field.Invalid("status.qosClass", now, rule.FieldImmutable))
	}
	for _, lists := range statusLists {
		now, before := tree.Objects(status, lists[0]), tree.Objects(was, lists[0])
		errs.Add(validateTransitions(spec, lists[1], now, before, at.Child(lists[0]))...)
	}
	errs.Add(validateClaimStatuses(status, spec, at)...)
	const extended = "extendedResourceClaimStatus"
	errs.Add(validateExtended(tree.Object(status, extended), spec, at.Child(extended))...)
	errs.Add(validateStatusIPs(tree.Objects(status, "podIPs"), at.Child("podIPs"))...)
	if ips := tree.Objects(status, "hostIPs"); len(ips) > 0 {
		if first := tree.Text(ips[0], "ip"); first != tree.Text(status, "hostIP") {
			errs.Add(field.Invalid(at.Child("hostIPs").Index(0).Child("ip"), first, "must be equal to `hostIP`"))
		}
		errs.Add(validateStatusIPs(ips, at.Child("hostIPs"))...)
	}
	for _, lists := range statusLists {
		for i, s := range tree.Objects(status, lists[0]) {
			linux, at := tree.At(s, "user.linux"), at.Child(lists[0]).Index(i).Child("user", "linux")
			switch os := tree.Text(tree.Object(spec, "os"), "name"); {
			case linux == nil:
			case os == "windows":
				errs.Add(field.Forbidden(at, "cannot be set for a windows pod"))
			default:
				errs.Add(linuxUserRules.Check(linux, at)...)
			}
		}
	}
	for _, lists := range statusLists {
		specs := tree.ByName(tree.Objects(spec, lists[1]))
		for i, s := range tree.Objects(status, lists[0]) {
			at := at.Child(lists[0]).Index(i).Child("allocatedResourcesStatus")
			errs.Add(validateAllocated(specs[tree.Text(s, "name")], lists[1], s, at)...)
		}
	}
	return errs
}

var nominatedNodeRules = rule.Fields{
	{Key: "nominatedNodeName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

var linuxUserRules = rule.Fields{
	{Key: "uid", Is: valid.POSIXID},
	{Key: "gid", Is: valid.POSIXID},
	{Key: "supplementalGroups", Is: rule.Each{Is: valid.POSIXID}},
}

// fixedAnnotation returns what may not change about an annotation, or an empty text.
func fixedAnnotation(key string) string {
	switch {
	case strings.HasPrefix(key, appArmorAnnotations):
		return "AppArmor annotations"
	case key == mirrorPod:
		return "mirror pod annotation"
	}
	return ""
}

// immutableAnnotations returns the violations of changed annotations that are immutable.
func immutableAnnotations(obj, old map[string]any) field.ErrorList {
	var errs field.ErrorList
	now, was := tree.Object(object.Meta(obj), "annotations"), tree.Object(object.Meta(old), "annotations")
	const at = field.Path("metadata.annotations")
	changed := func(key string) bool {
		_, kept := now[key]
		return fixedAnnotation(key) != "" && (!kept || tree.Text(now, key) != tree.Text(was, key))
	}
	for _, key := range tree.Wrong(was, changed) {
		errs.Add(field.Forbidden(at.Key(key), "may not remove or update "+fixedAnnotation(key)))
	}
	added := func(key string) bool { return fixedAnnotation(key) != "" && was[key] == nil }
	for _, key := range tree.Wrong(now, added) {
		errs.Add(field.Forbidden(at.Key(key), "may not add "+fixedAnnotation(key)))
	}
	return errs
}

// validateTransitions returns the violations of containers that have terminated and run again
// although their restart policy does not allow it.
func validateTransitions(
	spec map[string]any, kind string, statuses, was []map[string]any, at field.Path,
) field.ErrorList {
	var errs field.ErrorList
	ephemeral := kind == "ephemeralContainers"
	for _, c := range containers(spec) {
		if tree.Has(tree.Objects(c, "restartPolicyRules"), "action", "RestartAllContainers") && !ephemeral {
			return nil
		}
	}
	present, specs := tree.ByName(statuses), tree.ByName(tree.Objects(spec, kind))
	for i, before := range was {
		ended := tree.At(before, "state.terminated")
		now := present[tree.Text(before, "name")]
		if ended == nil || now == nil || tree.At(now, "state.terminated") != nil {
			continue
		}
		code, _ := tree.Int(ended, "exitCode")
		c := specs[tree.Text(before, "name")]
		if ephemeral || c == nil || !restarts(c, spec, code) {
			errs.Add(field.Forbidden(at.Index(i).Child("state"), "may not be transitioned to non-terminated state"))
		}
	}
	return errs
}

// restarts reports whether a container that has terminated with a code is restarted.
func restarts(c, spec map[string]any, code int64) bool {
	policy := tree.Text(spec, "restartPolicy")
	if own := tree.Text(c, "restartPolicy"); own != "" {
		policy = own
		for _, r := range tree.Objects(c, "restartPolicyRules") {
			codes := tree.Object(r, "exitCodes")
			in := tree.Text(codes, "operator") == "In"
			if codes != nil && slices.Contains(tree.List(codes, "values"), any(code)) == in {
				return true
			}
		}
	}
	return policy == "Always" || policy == "OnFailure" && code != 0
}

// validateClaimStatuses returns the violations of the statuses of the claims of a pod.
func validateClaimStatuses(status, spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	all := tree.Objects(status, "resourceClaimStatuses")
	claims := tree.TextSet(tree.Objects(spec, "resourceClaims"), "name")
	var names rule.Seen[string]
	for i, s := range all {
		at, name := at.Child("resourceClaimStatuses").Index(i), tree.Text(s, "name")
		if !claims[name] {
			errs.Add(field.Invalid(at.Child("name"), name, "must match the name of an entry in `spec.resourceClaims`"))
		}
		if names.Again(name) {
			errs.Add(field.Duplicate(at.Child("name"), name))
		}
		errs.Add(claimStatusRules.Check(s, at)...)
	}
	return errs
}

var claimStatusRules = rule.Fields{
	{Key: "resourceClaimName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
}

// validateExtended returns the violations of the status of a claim that the scheduler has created
// for extended resources.
func validateExtended(status, spec map[string]any, at field.Path) field.ErrorList {
	if status == nil {
		return nil
	}
	var errs field.ErrorList
	mappings := tree.Objects(status, "requestMappings")
	if len(mappings) == 0 {
		errs.Add(field.Required(at.Child("requestMappings"), "at least one request mapping is required"))
	}
	containers := tree.ByName(slices.Concat(tree.Objects(spec, "initContainers"), tree.Objects(spec, "containers")))
	var mapped rule.Seen[string]
	for i, m := range mappings {
		in, name, resource := at.Child("requestMappings").Index(i), tree.Text(m, "containerName"), tree.Text(m,
			"resourceName")
		c := containers[name]
		if c == nil {
			errs.Add(field.Invalid(in.Child("containerName"), name,
				"must match the name of an entry in spec.initContainers.name or spec.containers.name"))
		} else if tree.At(c, "resources.requests")[resource] == nil {
			errs.Add(field.Invalid(in.Child("resourceName"), resource,
				"must match the extended resource name of an entry in spec.initContainers.resources.requests or "+
					"spec.containers.resources.requests"))
		}
		errs.Add(requestMappingRules.Check(m, at)...)
		if mapped.Again(object.Key(m)) {
			for _, key := range []string{"containerName", "resourceName", "requestName"} {
				errs.Add(field.Duplicate(in.Child(key), tree.Text(m, key)))
			}
		}
	}
	return append(errs, extendedClaimRules.Check(status, at)...)
}

var requestMappingRules = rule.Fields{
	{Key: "requestName", Is: rule.Form(syntax.Label)},
}

var extendedClaimRules = rule.Fields{
	{Key: "resourceClaimName", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
}

// validateStatusIPs returns the violations of the addresses of a pod or its node, of which there
// may be one of each family.
func validateStatusIPs(ips []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	families, broken := map[bool]bool{}, ""
	printed := make([]string, len(ips))
	for i, m := range ips {
		ip := tree.Text(m, "ip")
		errs.Add(valid.IP(ip, at.Index(i), false)...)
		addr, err := netip.ParseAddr(ip)
		if err != nil && broken == "" {
			broken = "invalid IP" + string(field.Path("").Index(i)) + ": " + ip
		}
		families[addr.Unmap().Is6()] = true
		printed[i] = string(shape.PodIP.Print(m))
	}
	if len(ips) < 2 {
		return errs
	}
	if broken != "" {
		errs.Add(&field.Error{
			Type: field.TypeInternal, Field: at.String(), Detail: "failed to check for dual stack with error:" + broken,
		})
	}
	if broken != "" || len(families) < 2 || len(ips) > 2 {
		errs.Add(field.Invalid(at, field.Raw("["+strings.Join(printed, ",")+"]"),
			"may specify no more than one IP for each IP family"))
	}
	return errs
}

// validateAllocated returns the violations of the health of a container's resources.
func validateAllocated(c map[string]any, kind string, status map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	all := tree.Objects(status, "allocatedResourcesStatus")
	if kind == "ephemeralContainers" && len(all) > 0 {
		return field.ErrorList{field.Forbidden(at, "must not be specified in container status")}
	}
	var claims map[string]bool
	for i, given := range all {
		at, name := at.Index(i), tree.Text(given, "name")
		found, text := tree.At(c, "resources.requests")[name] != nil, "must match one of the container's resource requests"
		if claim, ok := strings.CutPrefix(name, "claim:"); ok {
			text = "must match one of the container's resource claims in a format " +
				"'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
			if claims == nil {
				claims = map[string]bool{}
				for _, m := range tree.Objects(tree.Object(c, "resources"), "claims") {
					claims[strings.TrimSuffix(tree.Text(m, "name")+"/"+tree.Text(m, "request"), "/")] = true
				}
			}
			found = claims[claim]
		}
		if c != nil && !found {
			errs.Add(field.Invalid(at.Child("name"), name, text))
		}
		resources := tree.Objects(given, "resources")
		var ids rule.Seen[string]
		for j, r := range resources {
			at, id, health := at.Child("resources").Index(j), tree.Text(r, "resourceID"), tree.Text(r, "health")
			if health != "Healthy" && health != "Unhealthy" && health != "Unknown" {
				errs.Add(field.NotSupported(at.Child("health"), health, "Healthy", "Unhealthy", "Unknown"))
			}
			if r["message"] == "" {
				errs.Add(field.Required(at.Child("message"), "must be non-empty if specified"))
			}
			if ids.Again(id) {
				errs.Add(field.Duplicate(at.Child("resourceID"), id))
			}
		}
	}
	return errs
}
