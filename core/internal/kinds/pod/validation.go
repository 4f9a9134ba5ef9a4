package pod

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/metadata"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// A specCheck checks the spec of one pod, or of a template.
type specCheck struct {
	spec    map[string]any
	pod     bool                      // not a template
	name    string                    // of the pod
	mirror  bool                      // a mirror pod
	volumes map[string]map[string]any // the valid ones, by name
	named   map[string]map[string]any // all of them: see namedVolume
	claims  map[string]bool           // their names
	noClaim string                    // what is said of others
	names   rule.Seen[string]         // of the containers so far
	late    field.ErrorList           // violations that come at the end
}

// validatePod returns the violations of a pod, without those that only new or only changed pods can
// have.
func validatePod(obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	_, mirror := tree.Object(object.Meta(obj), "annotations")[mirrorPod]
	c := specCheck{spec: spec, pod: true, name: object.Name(obj), mirror: mirror}
	errs := c.annotations(tree.Object(object.Meta(obj), "annotations"), "metadata.annotations")
	errs.Add(c.violations("spec")...)
	for i, v := range tree.Objects(spec, "volumes") {
		for j, source := range tree.Objects(tree.Object(v, "projected"), "sources") {
			if source["serviceAccountToken"] != nil && tree.Text(spec, "serviceAccountName") == "" {
				at := field.Path("spec.volumes").Index(i).Child("projected", "sources").Index(j)
				errs.Add(field.Forbidden(at.Child("serviceAccountToken"),
					"must not be specified when serviceAccountName is not set"))
			}
		}
	}
	errs.Add(field.Lazily("spec", func(at field.Path) (errs field.ErrorList) {
		for _, list := range []string{"containers", "initContainers"} {
			for i, m := range tree.Objects(spec, list) {
				errs.Add(validateImageText(m, at.Child(list).Index(i))...)
			}
		}
		return errs
	})...)
	return errs
}

const (
	seccompAnnotation   = "seccomp.security.alpha.kubernetes.io/pod"
	seccompAnnotations  = "container.seccomp.security.alpha.kubernetes.io/"
	appArmorAnnotations = "container.apparmor.security.beta.kubernetes.io/"
	deletionCost        = "controller.kubernetes.io/pod-deletion-cost"
)

// annotations returns the violations of annotations with a meaning for pods.
func (c *specCheck) annotations(annotations map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.mirror && tree.Text(c.spec, "nodeName") == "" {
		errs.Add(field.Invalid(at.Key(mirrorPod), tree.Text(annotations, mirrorPod),
			"must set spec.nodeName if mirror pod annotation is set"))
	}
	var names map[string]bool
	for key := range tree.Sorted(annotations) {
		value := tree.Text(annotations, key)
		container, armor := strings.CutPrefix(key, appArmorAnnotations)
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
			if names == nil {
				names = tree.TextSet(containers(c.spec), "name")
			}
			if !names[container] {
				errs.Add(field.Invalid(at.Key(key), container, "container not found"))
			}
			if value != "" && value != "runtime/default" && value != "unconfined" && !strings.HasPrefix(value, "localhost/") {
				errs.Add(field.Invalid(at.Key(key), value, fmt.Sprintf("invalid AppArmor profile name: %q", value)))
			}
		}
	}
	return errs
}

// ValidateAnnotations returns the violations of annotations with a meaning for pods in a template
// with a spec.
func ValidateAnnotations(spec, annotations map[string]any, at field.Path) field.ErrorList {
	c := specCheck{spec: spec}
	return c.annotations(annotations, at)
}

// ValidateTemplate returns the violations of a template of pods: of the metadata that pods
// will get, and of the spec.
func ValidateTemplate(template map[string]any, at field.Path) field.ErrorList {
	errs := ValidateTemplateMeta(template, at)
	spec := tree.Object(template, "spec")
	c := specCheck{spec: spec}
	annotations := tree.Object(tree.Object(template, "metadata"), "annotations")
	errs.Add(c.annotations(annotations, at.Child("annotations"))...)
	errs.Add(c.violations(at.Child("spec"))...)
	errs.Add(validateProfileAnnotations(spec, annotations, at.Child("spec"))...)
	if len(tree.List(spec, "ephemeralContainers")) > 0 {
		errs.Add(field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

// ValidateTemplateMeta returns the violations of the labels and annotations of a template.
func ValidateTemplateMeta(template map[string]any, at field.Path) field.ErrorList {
	meta := tree.Object(template, "metadata")
	errs := metadata.ValidateLabels(tree.Object(meta, "labels"), at.Child("labels"))
	return append(errs, metadata.ValidateAnnotations(tree.Object(meta, "annotations"), at.Child("annotations"))...)
}

// violations returns the violations of the spec, which is at a path. It makes no paths
// without any.
func (c specCheck) violations(at field.Path) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList {
		once := c
		return once.all(at)
	})
}

// all returns the violations of the spec, in the order of the real server.
func (c *specCheck) all(at field.Path) field.ErrorList {
	spec := c.spec
	errs := c.validateVolumes(at.Child("volumes"))
	errs.Add(c.resourceClaims(at.Child("resourceClaims"))...)
	errs.Add(c.containers(at.Child("containers"))...)
	errs.Add(c.initContainers(at.Child("initContainers"))...)
	errs.Add(c.ephemeralContainers(at.Child("ephemeralContainers"))...)
	errs.Add(c.podResources(at.Child("resources"))...)
	errs.Add(c.hostNetworkPorts(at.Child("containers"))...)
	errs.Add(policyRules.Check(spec, at)...)
	errs.Add(metadata.ValidateLabels(tree.Object(spec, "nodeSelector"), at.Child("nodeSelector"))...)
	errs.Add(c.podSecurity(at.Child("securityContext"))...)
	errs.Add(validateAffinity(tree.Object(spec, "affinity"), at.Child("affinity"))...)
	errs.Add(c.dns(at.Child("dnsConfig"))...)
	for i, gate := range tree.Objects(spec, "readinessGates") {
		errs.Add(readinessGateRules.Check(gate, at.Child("readinessGates").Index(i))...)
	}
	var gates rule.Seen[string]
	for i, gate := range tree.Objects(spec, "schedulingGates") {
		name, at := tree.Text(gate, "name"), at.Child("schedulingGates").Index(i)
		errs.Add(rule.Invalid(at, name, syntax.LabelKey(name))...)
		if gates.Again(name) {
			errs.Add(field.Duplicate(at, name))
		}
	}
	errs.Add(validateSpread(spec, at)...)
	errs.Add(c.hostProcess(at)...)
	errs.Add(validateHostUsers(spec, at)...)
	errs.Add(validateHostname(spec, at.Child("hostnameOverride"))...)
	errs.Add(nameRules.Check(spec, at)...)
	errs.Add(validateTolerations(spec, at)...)
	for i, alias := range tree.Objects(spec, "hostAliases") {
		at := at.Child("hostAliases").Index(i)
		errs.Add(valid.IP(tree.Text(alias, "ip"), at.Child("ip"), false)...)
		for j, name := range tree.Texts(alias, "hostnames") {
			errs.Add(rule.Invalid(at.Child("hostnames").Index(j), name, syntax.Subdomain(name))...)
		}
	}
	errs.Add(classRules.Check(spec, at)...)
	if overhead := tree.Object(spec, "overhead"); overhead != nil {
		errs.Add(c.resources(map[string]any{"limits": overhead}, at.Child("overhead"), valid.Resource)...)
	}
	errs.Add(c.system(at)...)
	return append(errs, c.late...)
}

// policyRules are the rules for the policies of a pod.
var policyRules = rule.Fields{
	{Key: "restartPolicy", Is: rule.All{rule.Required{}, rule.OneOf(enum.RestartPolicy)}},
	{Key: "dnsPolicy", Is: rule.All{
		rule.Required{}, rule.OneOf(enum.DNSPolicy),
	}},
}

var readinessGateRules = rule.Fields{
	{Key: "conditionType", Is: rule.Form(syntax.LabelKey)},
}

// nameRules are the rules for the names in a spec, among which the real server checks the deadline.
var nameRules = rule.Fields{
	{Key: "serviceAccountName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "nodeName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "activeDeadlineSeconds", Is: rule.All{rule.IfSet{}, rule.Range{Min: 1, Max: math.MaxInt32}}},
	{Key: "hostname", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
	{Key: "subdomain", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Label)}},
}

// classRules are the rules for the classes of a pod.
var classRules = rule.Fields{
	{Key: "priorityClassName", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.Subdomain)}},
	{Key: "runtimeClassName", Is: rule.All{rule.IfSet{}, rule.Form(syntax.Subdomain)}},
	{Key: "preemptionPolicy", Is: rule.All{
		rule.IfSet{}, rule.Required{}, rule.OneOf(enum.PreemptionPolicy),
	}},
}

// hostNetworkPorts returns the violations of the ports of containers in the host network.
func (c *specCheck) hostNetworkPorts(at field.Path) field.ErrorList {
	if !tree.Bool(c.spec, "hostNetwork") {
		return nil
	}
	var errs field.ErrorList
	for i, m := range tree.Objects(c.spec, "containers") {
		for j, port := range tree.Objects(m, "ports") {
			host, _ := tree.Int(port, "hostPort")
			if n, _ := tree.Int(port, "containerPort"); host != n && (c.pod || host != 0) {
				errs.Add(field.Invalid(at.Index(i).Child("ports").Index(j).Child("hostPort"), host,
					"must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
}

// validateHostUsers returns the violations of a pod in a user namespace.
func validateHostUsers(spec map[string]any, at field.Path) field.ErrorList {
	if spec["hostUsers"] != false {
		return nil
	}
	var errs field.ErrorList
	for _, shown := range []string{"hostNetwork", "HostPID", "HostIPC"} {
		if tree.Bool(spec, "h"+shown[1:]) {
			errs.Add(field.Forbidden(at.Child(shown), "when `hostUsers` is false"))
		}
	}
	for _, p := range placed(spec, at) {
		if len(tree.List(p.c, "volumeDevices")) > 0 {
			errs.Add(field.Forbidden(p.at.Child("volumeDevices"), "when `hostUsers` is false"))
		}
	}
	return errs
}

func validateHostname(spec map[string]any, at field.Path) field.ErrorList {
	name, ok := spec["hostnameOverride"].(string)
	if !ok {
		return nil
	}
	var errs field.ErrorList
	for _, other := range []string{"setHostnameAsFQDN", "hostNetwork"} {
		if tree.Bool(spec, other) {
			errs.Add(field.Forbidden(at, "may not be specified when "+other+" is true"))
		}
	}
	if len(name) > 64 {
		errs.Add(field.TooLong(at, 64))
	}
	return append(errs, rule.Invalid(at, name, syntax.Subdomain(name))...)
}

// resourceClaims returns the violations of the claims of a pod and stores their names.
func (c *specCheck) resourceClaims(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, claim := range tree.Objects(c.spec, "resourceClaims") {
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
			if c.claims == nil {
				c.claims = map[string]bool{}
			}
			c.claims[name] = true
		}
		direct, template := claim["resourceClaimName"] != nil, claim["resourceClaimTemplateName"] != nil
		if direct && template {
			errs.Add(field.Invalid(at, shape.PodResourceClaim.Print(claim),
				"at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
		}
		if !direct && !template {
			errs.Add(field.Invalid(at, shape.PodResourceClaim.Print(claim),
				"must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		for _, name := range []string{"resourceClaimName", "resourceClaimTemplateName"} {
			if claim[name] != nil {
				errs.Add(rule.Check(tree.Text(claim, name), at.Child(name), rule.Form(syntax.Subdomain))...)
			}
		}
	}
	return errs
}

// dns returns the violations of the DNS configuration.
func (c *specCheck) dns(at field.Path) field.ErrorList {
	config := tree.Object(c.spec, "dnsConfig")
	servers, searches := tree.Texts(config, "nameservers"), tree.Texts(config, "searches")
	if tree.Text(c.spec, "dnsPolicy") == "None" {
		if config == nil {
			return field.ErrorList{field.Required(at, "must provide `dnsConfig` when `dnsPolicy` is None")}
		}
		if len(servers) == 0 {
			return field.ErrorList{field.Required(at.Child("nameservers"),
				"must provide at least one DNS nameserver when `dnsPolicy` is None")}
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
		errs.Add(field.Invalid(at.Child("searches"), searches,
			"must not have more than 2048 characters (including spaces) in the search list"))
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
