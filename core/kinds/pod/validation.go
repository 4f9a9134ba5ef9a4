package pod

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/storage"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// A podCheck goes through the spec of one pod, or of a template.
type SpecCheck struct {
	Spec    map[string]any
	pod     bool   // it is no template
	name    string // of the pod
	mirror  bool   // a node runs it of its own accord
	volumes map[string]map[string]any
	claims  rule.Seen[string] // their names
	names   rule.Seen[string] // of the containers so far
	late    field.ErrorList   // what is said at the end
}

func validatePod(obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	_, mirror := tree.Object(object.Meta(obj), "annotations")[mirrorPod]
	c := SpecCheck{Spec: spec, pod: true, name: object.Name(obj), mirror: mirror}
	errs := c.Annotations(tree.Object(object.Meta(obj), "annotations"), "metadata.annotations")
	errs.Add(c.of("spec")...)
	for i, v := range tree.Objects(spec, "volumes") {
		for j, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			if source["serviceAccountToken"] != nil && tree.Text(spec, "serviceAccountName") == "" {
				at := field.Path("spec.volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken")
				errs.Add(field.Forbidden(at, "must not be specified when serviceAccountName is not set"))
			}
		}
	}
	for _, list := range []string{"containers", "initContainers"} {
		for i, m := range tree.Objects(spec, list) {
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

// Annotations checks those that mean something for a pod.
func (c *SpecCheck) Annotations(annotations map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.mirror && tree.Text(c.Spec, "nodeName") == "" {
		errs.Add(field.Invalid(at.Key(mirrorPod), tree.Text(annotations, mirrorPod), "must set spec.nodeName if mirror pod annotation is set"))
	}
	for _, key := range tree.SortedKeys(annotations) {
		value := tree.Text(annotations, key)
		container, armor := strings.CutPrefix(key, armorAnnotations)
		switch {
		case key == deletionCost:
			if n, err := strconv.ParseInt(value, 10, 32); err != nil || strconv.FormatInt(n, 10) != value {
				errs.Add(field.Invalid(at.Key(key), value, "must be a 32bit integer"))
			}
		case key == seccompAnnotation || strings.HasPrefix(key, seccompAnnotations):
			if path, local := strings.CutPrefix(value, "localhost/"); local {
				errs.Add(rule.Invalid(at.Child(key), path, valid.RelativePath(path))...)
			} else if value != "runtime/default" && value != "docker/default" && value != "unconfined" {
				errs.Add(field.Invalid(at.Child(key), value, "must be a valid seccomp profile"))
			}
		case armor:
			if !tree.Has(containers(c.Spec), "name", container) {
				errs.Add(field.Invalid(at.Key(key), container, "container not found"))
			}
			if value != "" && value != "runtime/default" && value != "unconfined" && !strings.HasPrefix(value, "localhost/") {
				errs.Add(field.Invalid(at.Key(key), value, fmt.Sprintf("invalid AppArmor profile name: %q", value)))
			}
		}
	}
	return errs
}

// ValidateTemplate checks a pod template: its metadata that pods will get, and
// its spec.
func ValidateTemplate(template map[string]any, at field.Path) field.ErrorList {
	errs := ValidateTemplateMeta(template, at)
	spec := tree.Object(template, "spec")
	c := SpecCheck{Spec: spec}
	errs.Add(c.Annotations(tree.Object(tree.Object(template, "metadata"), "annotations"), at.Child("annotations"))...)
	errs.Add(c.of(at.Child("spec"))...)
	if len(tree.List(spec, "ephemeralContainers")) > 0 {
		errs.Add(field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

func ValidateTemplateMeta(template map[string]any, at field.Path) field.ErrorList {
	meta := tree.Object(template, "metadata")
	errs := metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))
	return append(errs, metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))...)
}

// of checks the spec, which is at a path, without making paths while all is well.
func (c SpecCheck) of(at field.Path) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		once := c
		return once.all(at)
	})
}

// all checks the spec, in the real server's order.
func (c *SpecCheck) all(at field.Path) field.ErrorList {
	spec := c.Spec
	errs := c.validateVolumes(at.Child("volumes"))
	errs.Add(c.resourceClaims(at.Child("resourceClaims"))...)
	errs.Add(c.containers(at.Child("containers"))...)
	errs.Add(c.initContainers(at.Child("initContainers"))...)
	errs.Add(c.ephemeralContainers(at.Child("ephemeralContainers"))...)
	errs.Add(c.whole(at.Child("resources"))...)
	if tree.Bool(spec, "hostNetwork") {
		for i, m := range tree.Objects(spec, "containers") {
			for j, port := range tree.Objects(m, "ports") {
				host, _ := tree.Int(port, "hostPort")
				if n, _ := tree.Int(port, "containerPort"); host != n && (c.pod || host != 0) {
					errs.Add(field.Invalid(at.Child("containers").Index(i).Child("ports").Index(j).Child("hostPort"), host, "must match `containerPort` when `hostNetwork` is true"))
				}
			}
		}
	}
	errs.Add(allRules.Check(spec, at)...)
	errs.Add(metadata.ValidateLabels(tree.Object(spec, "nodeSelector"), at.Child("nodeSelector"))...)
	errs.Add(c.podSecurity(at.Child("securityContext"))...)
	errs.Add(validateAffinity(tree.Object(spec, "affinity"), at.Child("affinity"))...)
	errs.Add(c.dns(at.Child("dnsConfig"))...)
	for i, gate := range tree.Objects(spec, "readinessGates") {
		errs.Add(allConditionTypeRules.Check(gate, at.Child("readinessGates").Index(i))...)
	}
	seen := map[string]bool{}
	for i, gate := range tree.Objects(spec, "schedulingGates") {
		name, at := tree.Text(gate, "name"), at.Child("schedulingGates").Index(i)
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
			if tree.Bool(spec, name) {
				errs.Add(field.Forbidden(at.Child(strings.Replace(name, "hostP", "HostP", 1)), "when `hostUsers` is false"))
			}
		}
		for _, p := range placed(spec, at) {
			if len(tree.List(p.c, "volumeDevices")) > 0 {
				errs.Add(field.Forbidden(p.at.Child("volumeDevices"), "when `hostUsers` is false"))
			}
		}
	}
	if name, ok := spec["hostnameOverride"].(string); ok {
		at := at.Child("hostnameOverride")
		for _, other := range []string{"setHostnameAsFQDN", "hostNetwork"} {
			if tree.Bool(spec, other) {
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
	for i, alias := range tree.Objects(spec, "hostAliases") {
		at := at.Child("hostAliases").Index(i)
		errs.Add(valid.IP(tree.Text(alias, "ip"), at.Child("ip"), false)...)
		for j, name := range tree.Texts(alias, "hostnames") {
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
	if overhead := tree.Object(spec, "overhead"); overhead != nil {
		errs.Add(c.Resources(map[string]any{"limits": overhead}, at.Child("overhead"), valid.Resource)...)
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
func (c *SpecCheck) resourceClaims(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, claim := range tree.Objects(c.Spec, "resourceClaims") {
		at, name := at.Index(i), tree.Text(claim, "name")
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
			errs.Add(valid.NameRules.Check(claim, at)...)
			c.claims.Again(name)
		}
		print := func() field.Raw {
			return tree.GoStruct(claim, `Name=""`, "ResourceClaimName", "ResourceClaimTemplateName")
		}
		direct, template := claim["resourceClaimName"] != nil, claim["resourceClaimTemplateName"] != nil
		if direct && template {
			errs.Add(field.Invalid(at, print(), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		}
		if !direct && !template {
			errs.Add(field.Invalid(at, print(), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		for _, name := range []string{"resourceClaimName", "resourceClaimTemplateName"} {
			if claim[name] != nil {
				errs.Add(rule.Check(tree.Text(claim, name), at.Child(name), rule.Form(syntax.Subdomain))...)
			}
		}
	}
	return errs
}

// dns checks how the pod finds names.
func (c *SpecCheck) dns(at field.Path) field.ErrorList {
	config := tree.Object(c.Spec, "dnsConfig")
	servers, searches := tree.Texts(config, "nameservers"), tree.Texts(config, "searches")
	if tree.Text(c.Spec, "dnsPolicy") == "None" {
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
		errs.Add(valid.IP(ip, at.Child("nameservers").Index(i), false)...)
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
	for i, option := range tree.Objects(config, "options") {
		if tree.Text(option, "name") == "" {
			errs.Add(field.Required(at.Child("options").Index(i), "must not be empty"))
		}
	}
	return errs
}

// DropUnknown leaves out what is behind gates that are closed in the server we
// follow.
func DropUnknown(spec map[string]any) {
	delete(spec, "schedulingGroup")
	for _, c := range containers(spec) {
		if lifecycle := tree.Object(c, "lifecycle"); lifecycle["stopSignal"] != nil {
			delete(lifecycle, "stopSignal")
			if len(lifecycle) == 0 {
				delete(c, "lifecycle")
			}
		}
	}
	for _, v := range tree.Objects(spec, "volumes") {
		for _, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			delete(source, "clusterTrustBundle")
			delete(source, "podCertificate")
		}
	}
}

// validateVolumes also finds the volumes that containers may mount.
func (c *SpecCheck) validateVolumes(at field.Path) field.ErrorList {
	var errs field.ErrorList
	volumes := tree.Objects(c.Spec, "volumes")
	c.volumes = make(map[string]map[string]any, len(volumes))
	ephemeral := map[string]bool{} // the claims that get created
	for _, v := range volumes {
		if v["ephemeral"] != nil {
			ephemeral[c.name+"-"+tree.Text(v, "name")] = true
		}
	}
	for i, v := range volumes {
		at, name := at.Index(i), tree.Text(v, "name")
		faults := c.volume(v, at)
		if name == "" {
			faults.Add(field.Required(at.Child("name"), ""))
		} else {
			faults.Add(rule.Invalid(at.Child("name"), name, syntax.Label(name))...)
		}
		if c.volumes[name] != nil {
			faults.Add(field.Duplicate(at.Child("name"), name))
		}
		if len(faults) == 0 {
			c.volumes[name] = v
		}
		errs.Add(faults...)
		claim := tree.Text(tree.Object(v, "persistentVolumeClaim"), "claimName")
		if claim != "" && c.name != "" && ephemeral[claim] {
			errs.Add(field.Invalid(at.Child("persistentVolumeClaim", "claimName"), claim, "must not reference a PVC that gets created for an ephemeral volume"))
		}
	}
	return errs
}

func (c *SpecCheck) volume(v map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	some := false
	for _, source := range storage.VolumeSources {
		s, ok := v[source].(map[string]any)
		if !ok {
			continue
		}
		if some {
			if other := storage.SecondSources[source]; other != "" {
				source = other
			}
			errs.Add(field.Forbidden(at.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		some = true
		errs.Add(storage.ValidateSource(source, s, at)...)
		name := tree.Text(v, "name")
		switch source {
		case "image":
			if c.pod {
				errs = append(rule.RequireTexts(s, at.Child(source), "reference"), errs...)
			}
		case "ephemeral":
			if c.name != "" && name != "" {
				claim := c.name + "-" + name
				for _, wrong := range syntax.Subdomain(claim) {
					errs.Add(field.Invalid(at.Child("name"), name, fmt.Sprintf("PVC name %q: %v", claim, wrong)))
				}
			}
		case "iscsi":
			if text := storage.PortalTooLong(s, name); text != "" {
				errs.Add(field.Invalid(at.Child("name"), name, text))
			}
		}
	}
	if !some {
		errs.Add(field.Required(at, "must specify a volume type"))
	}
	return errs
}
