package pod

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
)

func (c *specCheck) containers(at field.Path) field.ErrorList {
	all := tree.Objects(c.spec, "containers")
	if len(all) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	ports := map[string]bool{}
	for i, m := range all {
		at := at.Index(i)
		errs.Add(c.common(m, at)...)
		errs.Add(c.unique(m, at)...)
		errs.Add(c.running(m, at)...)
		errs.Add(validateRestarts(m, at)...)
	}
	for i, m := range all {
		errs.Add(hostPorts(m, at.Index(i), ports)...)
	}
	return errs
}

func (c *specCheck) initContainers(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, m := range tree.Objects(c.spec, "initContainers") {
		sidecar := tree.Text(m, "restartPolicy") == "Always"
		list, at := at, at.Index(i)
		errs.Add(c.common(m, at)...)
		wrong := validateRestarts(m, at)
		if m["restartPolicy"] == nil { // without it, the rules are not looked at
			wrong = wrong[:min(1, len(wrong))]
		}
		errs.Add(wrong...)
		if tree.Text(m, "name") != "" || c.names.Has("") { // a missing name is no duplicate of another init container's
			errs.Add(c.unique(m, at)...)
		}
		errs.Add(hostPorts(m, list.Index(0), map[string]bool{})...) // as the real server names it
		if sidecar {
			errs.Add(c.running(m, at)...)
			continue
		}
		for _, name := range []string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
			if m[name] != nil {
				errs.Add(field.Forbidden(at.Child(name), "may not be set for init containers without restartPolicy=Always"))
			}
		}
		for j, p := range tree.Objects(m, "resizePolicy") {
			if policy := tree.Text(p, "restartPolicy"); policy == "RestartContainer" {
				errs.Add(field.Invalid(at.Child("resizePolicy").Index(j).Child("restartPolicy"), policy,
					"must not be set to 'RestartContainer' for non-sidecar initContainers"))
			}
		}
	}
	return errs
}

// notEphemeral are the fields that ephemeral containers do not have.
var notEphemeral = []string{
	"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
	"livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
}

func (c *specCheck) ephemeralContainers(at field.Path) field.ErrorList {
	const notSet = "cannot be set for an Ephemeral Container"
	var errs field.ErrorList
	targets := c.names.Clone() // other ephemeral containers are not targets
	for i, m := range tree.Objects(c.spec, "ephemeralContainers") {
		at := at.Index(i)
		errs.Add(c.common(m, at)...)
		errs.Add(validateImageText(m, at)...)
		errs.Add(c.unique(m, at)...)
		if target := tree.Text(m, "targetContainerName"); target != "" && !targets.Has(target) {
			errs.Add(field.NotFound(at.Child("targetContainerName"), target))
		}
		for _, name := range notEphemeral {
			// All but resources are pointers and lists, of which an empty one is set as well, as it is in resources.
			if v := m[name]; v != nil && (name != "resources" || len(tree.Map(v)) > 0) {
				errs.Add(field.Forbidden(at.Child(name), notSet))
			}
		}
		for i, mount := range tree.Objects(m, "volumeMounts") {
			for _, name := range []string{"subPath", "subPathExpr"} {
				if tree.Text(mount, name) != "" {
					errs.Add(field.Forbidden(at.Child("volumeMounts").Index(i).Child(name), notSet))
				}
			}
		}
	}
	return errs
}

// validateImageText returns the violation of an image with blanks around it.
func validateImageText(m map[string]any, at field.Path) field.ErrorList {
	if image := tree.Text(m, "image"); strings.TrimSpace(image) != image {
		return field.ErrorList{field.Invalid(at.Child("image"), image, "must not have leading or trailing whitespace")}
	}
	return nil
}

// unique returns the violation of a duplicate name.
func (c *specCheck) unique(m map[string]any, at field.Path) field.ErrorList {
	name := tree.Text(m, "name")
	if c.names.Again(name) {
		return field.ErrorList{field.Duplicate(at.Child("name"), name)}
	}
	return nil
}

// common returns the violations of the fields that all containers have.
func (c *specCheck) common(m map[string]any, at field.Path) field.ErrorList {
	errs := containerRules.Check(m, at)
	errs.Add(validateContainerPorts(tree.Objects(m, "ports"), at.Child("ports"))...)
	errs.Add(c.env(tree.Objects(m, "env"), at.Child("env"))...)
	errs.Add(validateEnvFrom(tree.Objects(m, "envFrom"), at.Child("envFrom"))...)
	errs.Add(c.mounts(m, at.Child("volumeMounts"))...)
	errs.Add(c.devices(m, at.Child("volumeDevices"))...)
	errs.Add(rule.RequireOneOf(m, at, "imagePullPolicy", "Always", "IfNotPresent", "Never")...)
	errs.Add(c.resources(tree.Object(m, "resources"), at.Child("resources"), valid.Resource)...)
	errs.Add(c.resizePolicy(tree.Objects(m, "resizePolicy"), at.Child("resizePolicy"))...)
	return append(errs, c.containerSecurity(tree.Object(m, "securityContext"), at.Child("securityContext"))...)
}

var containerRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "image", Is: rule.Required{}},
	{Key: "terminationMessagePolicy", Is: rule.All{rule.Required{}, rule.OneOf(enum.TerminationMessagePolicy)}},
}

func validateContainerPorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), tree.Text(port, "name")
		if name != "" {
			wrong := syntax.PortName(name)
			errs.Add(rule.Invalid(at.Child("name"), name, wrong)...)
			if wrong == nil && names[name] {
				errs.Add(field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		if n, _ := tree.Int(port, "containerPort"); n == 0 {
			errs.Add(field.Required(at.Child("containerPort"), ""))
		} else {
			errs.Add(rule.Invalid(at.Child("containerPort"), n, syntax.PortNumber(n))...)
		}
		if n, _ := tree.Int(port, "hostPort"); n != 0 {
			errs.Add(rule.Invalid(at.Child("hostPort"), n, syntax.PortNumber(n))...)
		}
		errs.Add(rule.RequireOneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
	}
	return errs
}

// hostPorts returns the violations of host ports that another container uses.
func hostPorts(m map[string]any, at field.Path, taken map[string]bool) field.ErrorList {
	var errs field.ErrorList
	for i, port := range tree.Objects(m, "ports") {
		if n, _ := tree.Int(port, "hostPort"); n != 0 {
			key := fmt.Sprintf("%s/%s/%d", tree.Text(port, "protocol"), tree.Text(port, "hostIP"), n)
			if taken[key] {
				errs.Add(field.Duplicate(at.Child("ports").Index(i).Child("hostPort"), key))
			}
			taken[key] = true
		}
	}
	return errs
}

func (c *specCheck) resizePolicy(policies []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	text := func(value string, supported ...string) {
		if value == "" {
			errs.Add(field.Required(at, ""))
		} else if !slices.Contains(supported, value) {
			errs.Add(field.NotSupported(at, value, supported...))
		}
	}
	for i, p := range policies {
		name, policy := tree.Text(p, "resourceName"), tree.Text(p, "restartPolicy")
		if seen[name] {
			errs.Add(field.Duplicate(at.Index(i), name))
		}
		seen[name] = true
		text(name, "cpu", "memory")
		text(policy, "NotRequired", "RestartContainer")
		if tree.Text(c.spec, "restartPolicy") == "Never" && policy != "NotRequired" {
			errs.Add(field.Invalid(at, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
		}
	}
	return errs
}

// validateRestarts returns the violations of a container's restart policy and rules.
func validateRestarts(m map[string]any, at field.Path) field.ErrorList {
	rules := tree.Objects(m, "restartPolicyRules")
	errs := restartRules.Check(m, at)
	if m["restartPolicy"] == nil && len(rules) > 0 {
		errs.Add(field.Required(at.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
	}
	at = at.Child("restartPolicyRules")
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	for i, r := range rules {
		at := at.Index(i)
		if action := tree.Text(r, "action"); action != "Restart" && action != "RestartAllContainers" {
			errs.Add(field.NotSupported(at.Child("action"), action, "Restart", "RestartAllContainers"))
		}
		codes := tree.Object(r, "exitCodes")
		at = at.Child("exitCodes")
		if codes == nil {
			errs.Add(field.Required(at, "must be specified"))
			continue
		}
		if op := tree.Text(codes, "operator"); op != "In" && op != "NotIn" {
			errs.Add(field.NotSupported(at.Child("operator"), op, "In", "NotIn"))
		}
		if n := len(tree.List(codes, "values")); n > 255 {
			errs.Add(field.TooMany(at.Child("values"), n, 255))
		}
	}
	return errs
}

var restartRules = rule.Fields{
	{Key: "restartPolicy", Is: rule.All{rule.IfSet{}, rule.Enum(enum.RestartPolicy)}},
}
