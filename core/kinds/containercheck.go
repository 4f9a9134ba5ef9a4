package kinds

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

func (c *podCheck) containers(at field.Path) field.ErrorList {
	all := entries(c.spec, "containers")
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

func (c *podCheck) initContainers(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, m := range entries(c.spec, "initContainers") {
		sidecar := str(m, "restartPolicy") == "Always"
		list, at := at, at.Index(i)
		errs.Add(c.common(m, at)...)
		errs.Add(validateRestarts(m, at)...)
		errs.Add(c.unique(m, at)...)
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
		for j, p := range entries(m, "resizePolicy") {
			if policy := str(p, "restartPolicy"); policy == "RestartContainer" {
				errs.Add(field.Invalid(at.Child("resizePolicy").Index(j).Child("restartPolicy"), policy, "must not be set to 'RestartContainer' for non-sidecar initContainers"))
			}
		}
	}
	return errs
}

// notEphemeral are the fields that containers for debugging have not.
var notEphemeral = []string{
	"ports", "resources", "resizePolicy", "restartPolicy", "restartPolicyRules",
	"livenessProbe", "readinessProbe", "startupProbe", "lifecycle",
}

func (c *podCheck) ephemeralContainers(at field.Path) field.ErrorList {
	const notSet = "cannot be set for an Ephemeral Container"
	var errs field.ErrorList
	targets := maps.Clone(c.names) // other ephemeral containers are none
	for i, m := range entries(c.spec, "ephemeralContainers") {
		at := at.Index(i)
		errs.Add(c.common(m, at)...)
		errs.Add(validateImageText(m, at)...)
		errs.Add(c.unique(m, at)...)
		if target := str(m, "targetContainerName"); target != "" && !targets[target] {
			errs.Add(field.NotFound(at.Child("targetContainerName"), target))
		}
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
	return v == ""
}

func validateImageText(m map[string]any, at field.Path) field.ErrorList {
	if image := str(m, "image"); strings.TrimSpace(image) != image {
		return field.ErrorList{field.Invalid(at.Child("image"), image, "must not have leading or trailing whitespace")}
	}
	return nil
}

func (c *podCheck) unique(m map[string]any, at field.Path) field.ErrorList {
	name := str(m, "name")
	if c.names.Again(name) {
		return field.ErrorList{field.Duplicate(at.Child("name"), name)}
	}
	return nil
}

func (c *podCheck) common(m map[string]any, at field.Path) field.ErrorList {
	errs := commonRules.Check(m, at)
	errs.Add(validateContainerPorts(entries(m, "ports"), at.Child("ports"))...)
	errs.Add(c.env(entries(m, "env"), at.Child("env"))...)
	errs.Add(validateEnvFrom(entries(m, "envFrom"), at.Child("envFrom"))...)
	errs.Add(c.mounts(m, at.Child("volumeMounts"))...)
	errs.Add(c.devices(m, at.Child("volumeDevices"))...)
	errs.Add(oneOf(m, at, "imagePullPolicy", "Always", "IfNotPresent", "Never")...)
	errs.Add(c.resources(dict(m, "resources"), at.Child("resources"), validateResource)...)
	errs.Add(c.resizePolicy(entries(m, "resizePolicy"), at.Child("resizePolicy"))...)
	return append(errs, c.containerSecurity(dict(m, "securityContext"), at.Child("securityContext"))...)
}

var commonRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "image", Is: rule.Required{}},
	{Key: "terminationMessagePolicy", Is: rule.All{rule.Required{}, rule.OneOf{"File", "FallbackToLogsOnError"}}},
}

func validateContainerPorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), str(port, "name")
		if name != "" {
			wrong := syntax.PortName(name)
			errs.Add(rule.Invalid(at.Child("name"), name, wrong)...)
			if wrong == nil && names[name] {
				errs.Add(field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		if n, _ := num(port, "containerPort"); n == 0 {
			errs.Add(field.Required(at.Child("containerPort"), ""))
		} else {
			errs.Add(rule.Invalid(at.Child("containerPort"), n, syntax.PortNumber(n))...)
		}
		if n, _ := num(port, "hostPort"); n != 0 {
			errs.Add(rule.Invalid(at.Child("hostPort"), n, syntax.PortNumber(n))...)
		}
		errs.Add(oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
	}
	return errs
}

// hostPorts finds ports of the host that a container shares with one before.
func hostPorts(m map[string]any, at field.Path, taken map[string]bool) field.ErrorList {
	var errs field.ErrorList
	for i, port := range entries(m, "ports") {
		if n, _ := num(port, "hostPort"); n != 0 {
			key := fmt.Sprintf("%s/%s/%d", str(port, "protocol"), str(port, "hostIP"), n)
			if taken[key] {
				errs.Add(field.Duplicate(at.Child("ports").Index(i).Child("hostPort"), key))
			}
			taken[key] = true
		}
	}
	return errs
}

func (c *podCheck) env(env []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range env {
		at := at.Index(i)
		errs.Add(envRules.Check(v, at)...)
		from := dict(v, "valueFrom")
		if from == nil {
			continue
		}
		at = at.Child("valueFrom")
		sources := 0
		for _, s := range []string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"} {
			ref := dict(from, s)
			if ref == nil {
				continue
			}
			sources++
			switch at := at.Child(s); s {
			case "fieldRef":
				errs.Add(validateFieldRef(ref, at, "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
					"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")...)
			case "resourceFieldRef":
				errs.Add(validateResourceRef(ref, at, false)...)
			case "fileKeyRef":
				errs.Add(fileKeyRefRules.Check(ref, at)...)
				volume := str(ref, "volumeName")
				switch i := slices.IndexFunc(entries(c.spec, "volumes"), func(v map[string]any) bool { return str(v, "name") == volume }); {
				case i < 0:
					c.late.Add(field.NotFound(at.Child("volumeName"), volume))
				case entries(c.spec, "volumes")[i]["emptyDir"] == nil:
					c.late.Add(field.Invalid(at.Child("volumeName"), volume, "referenced volume must be of type emptyDir"))
				}
			default:
				errs.Add(keyRefRules.Check(ref, at)...)
			}
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

var envRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.EnvVarName)}},
}

func validateEnvFrom(sources []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, source := range sources {
		errs.Add(envFromRules.Check(source, at.Index(i))...)
		switch first, second := source["configMapRef"] != nil, source["secretRef"] != nil; {
		case !first && !second:
			errs.Add(field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
		case first && second:
			errs.Add(field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

var envFromRules = rule.Fields{
	{Key: "prefix", Is: rule.All{rule.IfNotEmpty{}, rule.Form(syntax.EnvVarName)}},
	{Key: "configMapRef", Is: rule.All{rule.IfSet{}, envRefRules}},
	{Key: "secretRef", Is: rule.All{rule.IfSet{}, envRefRules}},
}

func (c *podCheck) mounts(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	whole := at
	devices := entries(container, "volumeDevices")
	devicesNamed, devicesPlaced := texts(devices, "name"), texts(devices, "devicePath")
	for i, m := range entries(container, "volumeMounts") {
		at, name, path := at.Index(i), str(m, "name"), str(m, "mountPath")
		errs.Add(required(m, at, "name")...)
		if c.volumes[name] == nil {
			errs.Add(field.NotFound(at.Child("name"), name))
		}
		errs.Add(required(m, at, "mountPath")...)
		if paths[path] {
			errs.Add(field.Invalid(at.Child("mountPath"), path, "must be unique"))
		}
		paths[path] = true
		if devicesNamed[name] {
			errs.Add(field.Invalid(at.Child("name"), name, "must not already exist in volumeDevices"))
		}
		if devicesPlaced[path] {
			errs.Add(field.Invalid(at.Child("mountPath"), path, "must not already exist as a path in volumeDevices"))
		}
		errs.Add(mountsRules.Check(m, whole)...)
		if str(m, "subPath") != "" && str(m, "subPathExpr") != "" {
			errs.Add(field.Invalid(at.Child("subPathExpr"), str(m, "subPathExpr"), "subPathExpr and subPath are mutually exclusive"))
		}
		errs.Add(mountsSubPathExprRules.Check(m, whole)...)
		propagation := str(m, "mountPropagation")
		if propagation == "Bidirectional" && !flag(dict(container, "securityContext"), "privileged") {
			errs.Add(field.Forbidden(whole.Child("mountPropagation"), "Bidirectional mount propagation is available only to privileged containers"))
		}
		errs.Add(mountsRecursiveReadOnlyRules.Check(m, whole)...)
		if r := str(m, "recursiveReadOnly"); r == "Enabled" || r == "IfPossible" {
			if !flag(m, "readOnly") {
				errs.Add(field.Forbidden(whole.Child("recursiveReadOnly"), "may only be specified when readOnly is true"))
			}
			if m["mountPropagation"] != nil && propagation != "None" {
				errs.Add(field.Forbidden(whole.Child("recursiveReadOnly"), "may only be specified when mountPropagation is None or not specified"))
			}
		}
	}
	return errs
}

var mountsRules = rule.Fields{
	{Key: "subPath", Is: rule.All{rule.IfNotEmpty{}, rule.Form(downwards)}},
}

var mountsSubPathExprRules = rule.Fields{
	{Key: "subPathExpr", Is: rule.All{rule.IfNotEmpty{}, rule.Form(downwards)}},
	{Key: "mountPropagation", Is: rule.All{rule.IfSet{}, rule.OneOf{"Bidirectional", "HostToContainer", "None"}}},
}

var mountsRecursiveReadOnlyRules = rule.Fields{
	{Key: "recursiveReadOnly", Is: rule.All{rule.IfSet{}, rule.OneOf{"Disabled", "Enabled", "IfPossible"}}},
}

// has reports whether an entry has this text.
func has(entries []map[string]any, key, text string) bool {
	return slices.ContainsFunc(entries, func(e map[string]any) bool { return str(e, key) == text })
}

func (c *podCheck) devices(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names, paths := map[string]bool{}, map[string]bool{}
	mounts := entries(container, "volumeMounts")
	mounted, taken := texts(mounts, "name"), texts(mounts, "mountPath")
	for i, m := range entries(container, "volumeDevices") {
		name, path := str(m, "name"), str(m, "devicePath")
		named, placed := at.Index(i).Child("name"), at.Index(i).Child("devicePath")
		add := func(wrong bool, at field.Path, value, text string) {
			if wrong {
				errs.Add(field.Invalid(at, value, text))
			}
		}
		volume := c.volumes[name]
		errs.Add(required(m, at.Index(i), "name")...)
		add(names[name], named, name, "must be unique")
		if volume == nil {
			errs.Add(field.NotFound(named, name))
		} else {
			add(volume["persistentVolumeClaim"] == nil && volume["ephemeral"] == nil, named, name,
				"can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		errs.Add(required(m, at.Index(i), "devicePath")...)
		add(paths[path], placed, path, "must be unique")
		outside := notUpwards(path) != nil
		add(outside, placed, path, "can not contain backsteps ('..')")
		paths[path] = paths[path] || !outside
		add(mounted[name], named, name, "must not already exist in volumeMounts")
		add(taken[path], placed, path, "must not already exist as a path in volumeMounts")
		names[name] = name != ""
	}
	return errs
}

func (c *podCheck) resizePolicy(policies []map[string]any, at field.Path) field.ErrorList {
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
		name, policy := str(p, "resourceName"), str(p, "restartPolicy")
		if seen[name] {
			errs.Add(field.Duplicate(at.Index(i), name))
		}
		seen[name] = true
		text(name, "cpu", "memory")
		text(policy, "NotRequired", "RestartContainer")
		if str(c.spec, "restartPolicy") == "Never" && policy != "NotRequired" {
			errs.Add(field.Invalid(at, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
		}
	}
	return errs
}

// validateRestarts checks when a container is started again.
func validateRestarts(m map[string]any, at field.Path) field.ErrorList {
	rules := entries(m, "restartPolicyRules")
	errs := restartsRules.Check(m, at)
	if m["restartPolicy"] == nil && len(rules) > 0 {
		errs.Add(field.Required(at.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
	}
	at = at.Child("restartPolicyRules")
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	for i, rule := range rules {
		at := at.Index(i)
		if action := str(rule, "action"); action != "Restart" && action != "RestartAllContainers" {
			errs.Add(field.NotSupported(at.Child("action"), action, "Restart", "RestartAllContainers"))
		}
		codes := dict(rule, "exitCodes")
		at = at.Child("exitCodes")
		if codes == nil {
			errs.Add(field.Required(at, "must be specified"))
			continue
		}
		if op := str(codes, "operator"); op != "In" && op != "NotIn" {
			errs.Add(field.NotSupported(at.Child("operator"), op, "In", "NotIn"))
		}
		if n := len(list(codes, "values")); n > 255 {
			errs.Add(field.TooMany(at.Child("values"), n, 255))
		}
	}
	return errs
}

var restartsRules = rule.Fields{
	{Key: "restartPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Always", "Never", "OnFailure"}}},
}

// running checks what only containers have that keep running.
func (c *podCheck) running(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"postStart", "preStop"} {
		if h := dict(dict(m, "lifecycle"), name); h != nil {
			errs.Add(c.handler(h, at.Child("lifecycle", name))...)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe, at := dict(m, name), at.Child(name)
		if probe == nil {
			continue
		}
		errs.Add(c.handler(probe, at)...)
		errs.Add(notBelowZero(probe, at, "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")...)
		grace, limited := num(probe, "terminationGracePeriodSeconds")
		if limited && grace <= 0 {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must be greater than 0"))
		}
		if n, _ := num(probe, "successThreshold"); n != 1 && name != "readinessProbe" {
			errs.Add(field.Invalid(at.Child("successThreshold"), n, "must be 1"))
		}
		if name == "readinessProbe" && limited {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"))
		}
	}
	return errs
}

func (c *podCheck) handler(h map[string]any, at field.Path) field.ErrorList {
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
			errs.Add(handlerRules.Check(handler, at)...)
		case "httpGet":
			errs.Add(required(handler, at, "path")...)
			errs.Add(validatePortNumOrName(handler["port"], at.Child("port"))...)
			if scheme := str(handler, "scheme"); scheme != "HTTP" && scheme != "HTTPS" {
				errs.Add(field.NotSupported(at.Child("scheme"), scheme, "HTTP", "HTTPS"))
			}
			for _, header := range entries(handler, "httpHeaders") {
				errs.Add(rule.Invalid(at.Child("httpHeaders"), str(header, "name"), syntax.HeaderName(str(header, "name")))...)
			}
		case "tcpSocket", "grpc":
			errs.Add(validatePortNumOrName(handler["port"], at.Child("port"))...)
		case "sleep":
			seconds, _ := num(handler, "seconds")
			if grace, ok := num(c.spec, "terminationGracePeriodSeconds"); ok && (seconds < 0 || seconds > grace) {
				errs.Add(field.Invalid(at, seconds, fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", grace)))
			}
		}
	}
	if handlers == 0 {
		errs.Add(field.Required(at, "must specify a handler type"))
	}
	return errs
}

var handlerRules = rule.Fields{
	{Key: "command", Is: rule.Required{}},
}
