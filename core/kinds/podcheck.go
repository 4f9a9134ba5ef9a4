package kinds

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// A podCheck goes through the spec of one pod, or of a template.
type podCheck struct {
	spec    map[string]any
	pod     bool   // it is no template
	name    string // of the pod
	mirror  bool   // a node runs it of its own accord
	volumes map[string]map[string]any
	claims  rule.Seen[string] // their names
	names   rule.Seen[string] // of the containers so far
	late    field.ErrorList   // what is said at the end
}

func validatePod(obj map[string]any) field.ErrorList {
	spec := dict(obj, "spec")
	_, mirror := dict(object.Meta(obj), "annotations")[mirrorPod]
	c := podCheck{spec: spec, pod: true, name: object.Name(obj), mirror: mirror}
	errs := c.annotations(dict(object.Meta(obj), "annotations"), "metadata.annotations")
	errs.Add(c.of("spec")...)
	for i, v := range entries(spec, "volumes") {
		for j, source := range entries(dict(v, "projected"), "sources") {
			if source["serviceAccountToken"] != nil && str(spec, "serviceAccountName") == "" {
				at := field.Path("spec.volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken")
				errs.Add(field.Forbidden(at, "must not be specified when serviceAccountName is not set"))
			}
		}
	}
	for _, list := range []string{"containers", "initContainers"} {
		for i, m := range entries(spec, list) {
			errs.Add(validateImageText(m, field.Path("spec").Child(list).Index(i))...)
		}
	}
	return errs
}

const (
	seccompAnnotation  = "seccomp.security.alpha.kubernetes.io/pod"
	seccompAnnotations = "container.seccomp.security.alpha.kubernetes.io/"
	armorAnnotations   = "container.apparmor.security.beta.kubernetes.io/"
	deletionCost       = "controller.kubernetes.io/pod-deletion-cost"
)

// annotations checks those that mean something for a pod.
func (c *podCheck) annotations(annotations map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.mirror && str(c.spec, "nodeName") == "" {
		errs.Add(field.Invalid(at.Key(mirrorPod), str(annotations, mirrorPod), "must set spec.nodeName if mirror pod annotation is set"))
	}
	for _, key := range sortedKeys(annotations) {
		value := str(annotations, key)
		container, armor := strings.CutPrefix(key, armorAnnotations)
		switch {
		case key == deletionCost:
			if n, err := strconv.ParseInt(value, 10, 32); err != nil || strconv.FormatInt(n, 10) != value {
				errs.Add(field.Invalid(at.Key(key), value, "must be a 32bit integer"))
			}
		case key == seccompAnnotation || strings.HasPrefix(key, seccompAnnotations):
			if path, local := strings.CutPrefix(value, "localhost/"); local {
				errs.Add(rule.Invalid(at.Child(key), path, downwards(path))...)
			} else if value != "runtime/default" && value != "docker/default" && value != "unconfined" {
				errs.Add(field.Invalid(at.Child(key), value, "must be a valid seccomp profile"))
			}
		case armor:
			if !has(containers(c.spec), "name", container) {
				errs.Add(field.Invalid(at.Key(key), container, "container not found"))
			}
			if value != "" && value != "runtime/default" && value != "unconfined" && !strings.HasPrefix(value, "localhost/") {
				errs.Add(field.Invalid(at.Key(key), value, fmt.Sprintf("invalid AppArmor profile name: %q", value)))
			}
		}
	}
	return errs
}

// validateTemplate checks a pod template: its metadata that pods will get, and
// its spec.
func validateTemplate(template map[string]any, at field.Path) field.ErrorList {
	errs := validateTemplateMeta(template, at)
	spec := dict(template, "spec")
	c := podCheck{spec: spec}
	errs.Add(c.annotations(dict(dict(template, "metadata"), "annotations"), at.Child("annotations"))...)
	errs.Add(c.of(at.Child("spec"))...)
	if len(list(spec, "ephemeralContainers")) > 0 {
		errs.Add(field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

func validateTemplateMeta(template map[string]any, at field.Path) field.ErrorList {
	meta := dict(template, "metadata")
	errs := validateLabels(dict(meta, "labels"), at.Child("labels"))
	return append(errs, validateAnnotations(dict(meta, "annotations"), at.Child("annotations"))...)
}

// of checks the spec, which is at a path, without making paths while all is well.
func (c podCheck) of(at field.Path) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		once := c
		return once.all(at)
	})
}

// all checks the spec, in the real server's order.
func (c *podCheck) all(at field.Path) field.ErrorList {
	spec := c.spec
	errs := c.validateVolumes(at.Child("volumes"))
	errs.Add(c.resourceClaims(at.Child("resourceClaims"))...)
	errs.Add(c.containers(at.Child("containers"))...)
	errs.Add(c.initContainers(at.Child("initContainers"))...)
	errs.Add(c.ephemeralContainers(at.Child("ephemeralContainers"))...)
	errs.Add(c.whole(at.Child("resources"))...)
	if flag(spec, "hostNetwork") {
		for i, m := range entries(spec, "containers") {
			for j, port := range entries(m, "ports") {
				host, _ := num(port, "hostPort")
				if n, _ := num(port, "containerPort"); host != n && (c.pod || host != 0) {
					errs.Add(field.Invalid(at.Child("containers").Index(i).Child("ports").Index(j).Child("hostPort"), host, "must match `containerPort` when `hostNetwork` is true"))
				}
			}
		}
	}
	errs.Add(allRules.Check(spec, at)...)
	errs.Add(validateLabels(dict(spec, "nodeSelector"), at.Child("nodeSelector"))...)
	errs.Add(c.podSecurity(at.Child("securityContext"))...)
	errs.Add(validateAffinity(dict(spec, "affinity"), at.Child("affinity"))...)
	errs.Add(c.dns(at.Child("dnsConfig"))...)
	for i, gate := range entries(spec, "readinessGates") {
		errs.Add(allConditionTypeRules.Check(gate, at.Child("readinessGates").Index(i))...)
	}
	seen := map[string]bool{}
	for i, gate := range entries(spec, "schedulingGates") {
		name, at := str(gate, "name"), at.Child("schedulingGates").Index(i)
		errs.Add(rule.Invalid(at, name, syntax.LabelKey(name))...)
		if seen[name] {
			errs.Add(field.Duplicate(at, name))
		}
		seen[name] = true
	}
	errs.Add(validateSpread(spec, at)...)
	errs.Add(c.hostProcess(at)...)
	if spec["hostUsers"] == false {
		for _, name := range []string{"hostNetwork", "hostPID", "hostIPC"} {
			if flag(spec, name) {
				errs.Add(field.Forbidden(at.Child(strings.Replace(name, "hostP", "HostP", 1)), "when `hostUsers` is false"))
			}
		}
		for _, p := range placed(spec, at) {
			if len(list(p.c, "volumeDevices")) > 0 {
				errs.Add(field.Forbidden(p.at.Child("volumeDevices"), "when `hostUsers` is false"))
			}
		}
	}
	if name, ok := spec["hostnameOverride"].(string); ok {
		at := at.Child("hostnameOverride")
		for _, other := range []string{"setHostnameAsFQDN", "hostNetwork"} {
			if flag(spec, other) {
				errs.Add(field.Forbidden(at, "may not be specified when "+other+" is true"))
			}
		}
		if len(name) > 64 {
			errs.Add(field.TooLong(at, 64))
		}
		errs.Add(rule.Invalid(at, name, syntax.Subdomain(name))...)
	}
	errs.Add(allServiceAccountNameRules.Check(spec, at)...)
	errs.Add(validateTolerations(spec, at)...)
	for i, alias := range entries(spec, "hostAliases") {
		at := at.Child("hostAliases").Index(i)
		errs.Add(validateIP(str(alias, "ip"), at.Child("ip"))...)
		for j, name := range strs(alias, "hostnames") {
			errs.Add(rule.Invalid(at.Child("hostnames").Index(j), name, syntax.Subdomain(name))...)
		}
	}
	errs.Add(allPriorityClassNameRules.Check(spec, at)...)
	if spec["runtimeClassName"] != nil {
		errs.Add(allRuntimeClassNameRules.Check(spec, at)...)
	}
	if spec["preemptionPolicy"] != nil {
		errs.Add(allPreemptionPolicyRules.Check(spec, at)...)
	}
	if overhead := dict(spec, "overhead"); overhead != nil {
		errs.Add(c.resources(map[string]any{"limits": overhead}, at.Child("overhead"), validateResource)...)
	}
	errs.Add(c.system(at)...)
	return append(errs, c.late...)
}

var allRules = rule.Fields{
	{Key: "restartPolicy", Is: rule.All{rule.Required{}, rule.OneOf{"Always", "OnFailure", "Never"}}},
	{Key: "dnsPolicy", Is: rule.All{rule.Required{}, rule.OneOf{"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}}},
}

var allConditionTypeRules = rule.Fields{
	{Key: "conditionType", Is: rule.Form(syntax.LabelKey)},
}

var allServiceAccountNameRules = rule.Fields{
	{Key: "serviceAccountName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "nodeName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "activeDeadlineSeconds", Is: rule.All{rule.IfSet{}, rule.Range{Min: 1, Max: math.MaxInt32}}},
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
	{Key: "subdomain", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

var allPriorityClassNameRules = rule.Fields{
	{Key: "priorityClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
}

var allRuntimeClassNameRules = rule.Fields{
	{Key: "runtimeClassName", Is: rule.Form(syntax.Subdomain)},
}

var allPreemptionPolicyRules = rule.Fields{
	{Key: "preemptionPolicy", Is: rule.All{rule.Required{}, rule.OneOf{"PreemptLowerPriority", "Never"}}},
}

// resourceClaims checks what the pod claims and finds its names.
func (c *podCheck) resourceClaims(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, claim := range entries(c.spec, "resourceClaims") {
		at, name := at.Index(i), str(claim, "name")
		if c.mirror {
			errs.Add(field.Forbidden("[]", "static pods do not support resource claims"))
			continue
		}
		switch {
		case name == "":
			errs.Add(field.Required(at.Child("name"), ""))
		case c.claims[name]:
			errs.Add(field.Duplicate(at.Child("name"), name))
		default:
			errs.Add(endpointSliceNameRules.Check(claim, at)...)
			c.claims.Again(name)
		}
		print := func() field.Raw { return goStruct(claim, `Name=""`, "ResourceClaimName", "ResourceClaimTemplateName") }
		direct, template := claim["resourceClaimName"] != nil, claim["resourceClaimTemplateName"] != nil
		if direct && template {
			errs.Add(field.Invalid(at, print(), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		}
		if !direct && !template {
			errs.Add(field.Invalid(at, print(), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		for _, name := range []string{"resourceClaimName", "resourceClaimTemplateName"} {
			if claim[name] != nil {
				errs.Add(rule.Check(str(claim, name), at.Child(name), rule.Form(syntax.Subdomain))...)
			}
		}
	}
	return errs
}

// dns checks how the pod finds names.
func (c *podCheck) dns(at field.Path) field.ErrorList {
	config := dict(c.spec, "dnsConfig")
	servers, searches := strs(config, "nameservers"), strs(config, "searches")
	if str(c.spec, "dnsPolicy") == "None" {
		if config == nil {
			return field.ErrorList{field.Required(at, "must provide `dnsConfig` when `dnsPolicy` is None")}
		}
		if len(servers) == 0 {
			return field.ErrorList{field.Required(at.Child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None")}
		}
	}
	var errs field.ErrorList
	if len(servers) > 3 {
		errs.Add(field.Invalid(at.Child("nameservers"), servers, "must not have more than 3 nameservers"))
	}
	for i, ip := range servers {
		errs.Add(validateIP(ip, at.Child("nameservers").Index(i))...)
	}
	if len(searches) > 32 {
		errs.Add(field.Invalid(at.Child("searches"), searches, "must not have more than 32 search paths"))
	}
	if len(strings.Join(searches, " ")) > 2048 {
		errs.Add(field.Invalid(at.Child("searches"), searches, "must not have more than 2048 characters (including spaces) in the search list"))
	}
	for i, search := range searches {
		if search != "." {
			search = strings.TrimSuffix(search, ".")
			errs.Add(rule.Invalid(at.Child("searches").Index(i), search, syntax.LooseSubdomain(search))...)
		}
	}
	for i, option := range entries(config, "options") {
		if str(option, "name") == "" {
			errs.Add(field.Required(at.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}

// dropUnknown leaves out what is behind gates that are closed in the server we
// follow.
func dropUnknown(spec map[string]any) {
	delete(spec, "schedulingGroup")
	for _, c := range containers(spec) {
		if lifecycle := dict(c, "lifecycle"); lifecycle["stopSignal"] != nil {
			delete(lifecycle, "stopSignal")
			if len(lifecycle) == 0 {
				delete(c, "lifecycle")
			}
		}
	}
	for _, v := range entries(spec, "volumes") {
		for _, source := range entries(dict(v, "projected"), "sources") {
			delete(source, "clusterTrustBundle")
			delete(source, "podCertificate")
		}
	}
}
