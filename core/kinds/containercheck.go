package kinds

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

// A containerCheck goes through the containers of one pod.
type containerCheck struct {
	volumes map[string]bool
	names   map[string]bool // so far; those of regular containers first
	targets map[string]bool // those that containers for debugging may look into
}

func (c *containerCheck) container(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs.Add(c.unique(m, at)...)
	return append(errs, validateRunning(m, at)...)
}

func (c *containerCheck) initContainer(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs.Add(c.unique(m, at)...)
	if str(m, "restartPolicy") == "Always" {
		return append(errs, validateRunning(m, at)...)
	}
	for _, name := range []string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
		if m[name] != nil {
			errs.Add(field.Forbidden(at.Child(name), "may not be set for init containers without restartPolicy=Always"))
		}
	}
	return errs
}

// notEphemeral are the fields that containers for debugging have not.
var notEphemeral = []string{
	"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
	"livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
}

func (c *containerCheck) ephemeralContainer(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs.Add(c.unique(m, at)...)
	if target := str(m, "targetContainerName"); target != "" && !c.targets[target] {
		errs.Add(field.NotFound(at.Child("targetContainerName"), target))
	}
	const notSet = "cannot be set for an Ephemeral Container"
	for _, name := range notEphemeral {
		if v := m[name]; v != nil && !emptyValue(v) {
			errs.Add(field.Forbidden(at.Child(name), notSet))
		}
	}
	for i, mount := range entries(m, "volumeMounts") {
		for _, name := range []string{"subPath", "subPathExpr"} {
			if str(mount, name) != "" {
				errs.Add(field.Forbidden(at.Child("volumeMounts").Index(i).Child(name), notSet))
			}
		}
	}
	return errs
}

func emptyValue(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

func (c *containerCheck) unique(m map[string]any, at field.Path) field.ErrorList {
	name := str(m, "name")
	if c.names[name] {
		return field.ErrorList{field.Duplicate(at.Child("name"), name)}
	}
	c.names[name] = true
	return nil
}

func (c *containerCheck) common(m map[string]any, at field.Path) field.ErrorList {
	errs := required(m, at, "name")
	if name := str(m, "name"); name != "" {
		errs.Add(invalid(at.Child("name"), name, syntax.Label(name))...)
	}
	errs.Add(required(m, at, "image")...)
	errs.Add(oneOf(m, at, "terminationMessagePolicy", "File", "FallbackToLogsOnError")...)
	errs.Add(validateContainerPorts(entries(m, "ports"), at.Child("ports"))...)
	errs.Add(validateEnv(entries(m, "env"), at.Child("env"))...)
	errs.Add(c.mounts(entries(m, "volumeMounts"), at.Child("volumeMounts"))...)
	errs.Add(oneOf(m, at, "imagePullPolicy", "Always", "IfNotPresent", "Never")...)
	return append(errs, validateResources(dict(m, "resources"), at.Child("resources"))...)
}

func validateContainerPorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), str(port, "name")
		if name != "" {
			wrong := syntax.PortName(name)
			errs.Add(invalid(at.Child("name"), name, wrong)...)
			if wrong == nil && names[name] {
				errs.Add(field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		if n, _ := num(port, "containerPort"); n == 0 {
			errs.Add(field.Required(at.Child("containerPort"), ""))
		} else {
			errs.Add(invalid(at.Child("containerPort"), n, syntax.PortNumber(n))...)
		}
		if n, _ := num(port, "hostPort"); n != 0 {
			errs.Add(invalid(at.Child("hostPort"), n, syntax.PortNumber(n))...)
		}
		errs.Add(oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
	}
	return errs
}

// envSources are where the value of an environment variable may come from.
var envSources = []string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"}

func validateEnv(env []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range env {
		at, name := at.Index(i), str(v, "name")
		if name == "" {
			errs.Add(field.Required(at.Child("name"), ""))
		} else {
			errs.Add(invalid(at.Child("name"), name, syntax.EnvVarName(name))...)
		}
		from := dict(v, "valueFrom")
		if from == nil {
			continue
		}
		at = at.Child("valueFrom")
		sources := 0
		for _, s := range envSources {
			if from[s] != nil {
				sources++
			}
		}
		for _, s := range []string{"configMapKeyRef", "secretKeyRef"} {
			if ref := dict(from, s); ref != nil {
				errs.Add(required(ref, at.Child(s), "name", "key")...)
			}
		}
		if ref := dict(from, "fieldRef"); ref != nil {
			errs.Add(required(ref, at.Child("fieldRef"), "fieldPath")...)
		}
		switch {
		case sources == 0:
			errs.Add(field.Invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
		case str(v, "value") != "":
			errs.Add(field.Invalid(at, "", "may not be specified when `value` is not empty"))
		case sources > 1:
			errs.Add(field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

func (c *containerCheck) mounts(mounts []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range mounts {
		at, name, path := at.Index(i), str(m, "name"), str(m, "mountPath")
		errs.Add(required(m, at, "name")...)
		if !c.volumes[name] {
			errs.Add(field.NotFound(at.Child("name"), name))
		}
		errs.Add(required(m, at, "mountPath")...)
		if paths[path] {
			errs.Add(field.Invalid(at.Child("mountPath"), path, "must be unique"))
		}
		paths[path] = true
		if str(m, "subPath") != "" && str(m, "subPathExpr") != "" {
			errs.Add(field.Invalid(at.Child("subPathExpr"), str(m, "subPathExpr"), "subPathExpr and subPath are mutually exclusive"))
		}
	}
	return errs
}

// validateResources checks what a container asks for against what it may have.
func validateResources(resources map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	limits, requests := dict(resources, "limits"), dict(resources, "requests")
	for _, name := range sortedKeys(limits) {
		errs.Add(validateResource(name, limits[name], at.Child("limits").Key(name))...)
	}
	for _, name := range sortedKeys(requests) {
		request, limit := requests[name], limits[name]
		errs.Add(validateResource(name, request, at.Child("requests").Key(name))...)
		switch fixed := !overcommit(name); {
		case limit == nil && fixed:
			errs.Add(field.Required(at.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limit != nil && fixed && (moreThan(request, limit) || moreThan(limit, request)):
			errs.Add(field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be equal to %s limit of %v", name, limit)))
		case moreThan(request, limit):
			errs.Add(field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be less than or equal to %s limit of %v", name, limit)))
		}
	}
	return errs
}

// overcommit reports whether more of a resource may be promised than there is:
// so it is with Kubernetes' own, but for huge pages.
func overcommit(name string) bool {
	domain, _, qualified := strings.Cut(name, "/")
	native := !qualified || domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io")
	return native && !strings.HasPrefix(name, "hugepages-")
}

func validateResource(name string, value any, at field.Path) field.ErrorList {
	errs := invalid(at, name, syntax.LabelKey(name))
	known := name == "cpu" || name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-")
	if len(errs) == 0 && !strings.Contains(name, "/") && !known {
		errs.Add(
			field.Invalid(at, name, "must be a standard resource type or fully qualified"),
			field.Invalid(at, name, "must be a standard resource for containers"))
	}
	if negative(value) {
		errs.Add(field.Invalid(at, value, notNegative))
	}
	return errs
}

// validateRunning checks what only containers have that keep running.
func validateRunning(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"postStart", "preStop"} {
		if h := dict(dict(m, "lifecycle"), name); h != nil {
			errs.Add(validateHandler(h, at.Child("lifecycle", name))...)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe, at := dict(m, name), at.Child(name)
		if probe == nil {
			continue
		}
		errs.Add(validateHandler(probe, at)...)
		errs.Add(notBelowZero(probe, at, "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")...)
		if n, ok := num(probe, "terminationGracePeriodSeconds"); ok && n <= 0 {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), n, "must be greater than 0"))
		}
		if n, _ := num(probe, "successThreshold"); n != 1 && name != "readinessProbe" {
			errs.Add(field.Invalid(at.Child("successThreshold"), n, "must be 1"))
		}
		if name == "readinessProbe" && probe["terminationGracePeriodSeconds"] != nil {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), probe["terminationGracePeriodSeconds"], "must not be set for readinessProbes"))
		}
	}
	return errs
}

func validateHandler(h map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	handlers := 0
	for _, kind := range []string{"exec", "httpGet", "tcpSocket", "grpc", "sleep"} {
		handler, at := dict(h, kind), at.Child(kind)
		if handler == nil {
			continue
		}
		if handlers++; handlers > 1 {
			errs.Add(field.Forbidden(at, "may not specify more than 1 handler type"))
			continue
		}
		switch kind {
		case "exec":
			if len(list(handler, "command")) == 0 {
				errs.Add(field.Required(at.Child("command"), ""))
			}
		case "httpGet":
			errs.Add(required(handler, at, "path")...)
			errs.Add(validatePortNumOrName(handler["port"], at.Child("port"))...)
			errs.Add(oneOf(handler, at, "scheme", "HTTP", "HTTPS")...)
		case "tcpSocket", "grpc":
			errs.Add(validatePortNumOrName(handler["port"], at.Child("port"))...)
		}
	}
	if handlers == 0 {
		errs.Add(field.Required(at, "must specify a handler type"))
	}
	return errs
}
