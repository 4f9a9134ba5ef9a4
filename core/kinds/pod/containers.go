package pod

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
)

func (c *SpecCheck) containers(at field.Path) field.ErrorList {
	all := tree.Objects(c.Spec, "containers")
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

func (c *SpecCheck) initContainers(at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, m := range tree.Objects(c.Spec, "initContainers") {
		sidecar := tree.Text(m, "restartPolicy") == "Always"
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
		for j, p := range tree.Objects(m, "resizePolicy") {
			if policy := tree.Text(p, "restartPolicy"); policy == "RestartContainer" {
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

func (c *SpecCheck) ephemeralContainers(at field.Path) field.ErrorList {
	const notSet = "cannot be set for an Ephemeral Container"
	var errs field.ErrorList
	targets := maps.Clone(c.names) // other ephemeral containers are none
	for i, m := range tree.Objects(c.Spec, "ephemeralContainers") {
		at := at.Index(i)
		errs.Add(c.common(m, at)...)
		errs.Add(validateImageText(m, at)...)
		errs.Add(c.unique(m, at)...)
		if target := tree.Text(m, "targetContainerName"); target != "" && !targets[target] {
			errs.Add(field.NotFound(at.Child("targetContainerName"), target))
		}
		for _, name := range notEphemeral {
			if v := m[name]; v != nil && !tree.Empty(v) {
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

func validateImageText(m map[string]any, at field.Path) field.ErrorList {
	if image := tree.Text(m, "image"); strings.TrimSpace(image) != image {
		return field.ErrorList{field.Invalid(at.Child("image"), image, "must not have leading or trailing whitespace")}
	}
	return nil
}

func (c *SpecCheck) unique(m map[string]any, at field.Path) field.ErrorList {
	name := tree.Text(m, "name")
	if c.names.Again(name) {
		return field.ErrorList{field.Duplicate(at.Child("name"), name)}
	}
	return nil
}

func (c *SpecCheck) common(m map[string]any, at field.Path) field.ErrorList {
	errs := commonRules.Check(m, at)
	errs.Add(validateContainerPorts(tree.Objects(m, "ports"), at.Child("ports"))...)
	errs.Add(c.env(tree.Objects(m, "env"), at.Child("env"))...)
	errs.Add(validateEnvFrom(tree.Objects(m, "envFrom"), at.Child("envFrom"))...)
	errs.Add(c.mounts(m, at.Child("volumeMounts"))...)
	errs.Add(c.devices(m, at.Child("volumeDevices"))...)
	errs.Add(rule.RequireOneOf(m, at, "imagePullPolicy", "Always", "IfNotPresent", "Never")...)
	errs.Add(c.Resources(tree.Object(m, "resources"), at.Child("resources"), valid.Resource)...)
	errs.Add(c.resizePolicy(tree.Objects(m, "resizePolicy"), at.Child("resizePolicy"))...)
	return append(errs, c.containerSecurity(tree.Object(m, "securityContext"), at.Child("securityContext"))...)
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

// hostPorts finds ports of the host that a container shares with one before.
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

func (c *SpecCheck) env(env []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range env {
		at := at.Index(i)
		errs.Add(envRules.Check(v, at)...)
		from := tree.Object(v, "valueFrom")
		if from == nil {
			continue
		}
		at = at.Child("valueFrom")
		sources := 0
		for _, s := range []string{"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"} {
			ref := tree.Object(from, s)
			if ref == nil {
				continue
			}
			sources++
			switch at := at.Child(s); s {
			case "fieldRef":
				errs.Add(valid.FieldRef(ref, at, "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
					"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")...)
			case "resourceFieldRef":
				errs.Add(valid.ResourceRef(ref, at, false)...)
			case "fileKeyRef":
				errs.Add(fileKeyRefRules.Check(ref, at)...)
				volume := tree.Text(ref, "volumeName")
				switch i := slices.IndexFunc(tree.Objects(c.Spec, "volumes"), func(v map[string]any) bool { return tree.Text(v, "name") == volume }); {
				case i < 0:
					c.late.Add(field.NotFound(at.Child("volumeName"), volume))
				case tree.Objects(c.Spec, "volumes")[i]["emptyDir"] == nil:
					c.late.Add(field.Invalid(at.Child("volumeName"), volume, "referenced volume must be of type emptyDir"))
				}
			default:
				errs.Add(keyRefRules.Check(ref, at)...)
			}
		}
		switch {
		case sources == 0:
			errs.Add(field.Invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
		case tree.Text(v, "value") != "":
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

func (c *SpecCheck) mounts(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	whole := at
	devices := tree.Objects(container, "volumeDevices")
	devicesNamed, devicesPlaced := tree.TextSet(devices, "name"), tree.TextSet(devices, "devicePath")
	for i, m := range tree.Objects(container, "volumeMounts") {
		at, name, path := at.Index(i), tree.Text(m, "name"), tree.Text(m, "mountPath")
		errs.Add(rule.RequireTexts(m, at, "name")...)
		if c.volumes[name] == nil {
			errs.Add(field.NotFound(at.Child("name"), name))
		}
		errs.Add(rule.RequireTexts(m, at, "mountPath")...)
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
		if tree.Text(m, "subPath") != "" && tree.Text(m, "subPathExpr") != "" {
			errs.Add(field.Invalid(at.Child("subPathExpr"), tree.Text(m, "subPathExpr"), "subPathExpr and subPath are mutually exclusive"))
		}
		errs.Add(mountsSubPathExprRules.Check(m, whole)...)
		propagation := tree.Text(m, "mountPropagation")
		if propagation == "Bidirectional" && !tree.Bool(tree.Object(container, "securityContext"), "privileged") {
			errs.Add(field.Forbidden(whole.Child("mountPropagation"), "Bidirectional mount propagation is available only to privileged containers"))
		}
		errs.Add(mountsRecursiveReadOnlyRules.Check(m, whole)...)
		if r := tree.Text(m, "recursiveReadOnly"); r == "Enabled" || r == "IfPossible" {
			if !tree.Bool(m, "readOnly") {
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
	{Key: "subPath", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
}

var mountsSubPathExprRules = rule.Fields{
	{Key: "subPathExpr", Is: rule.All{rule.IfNotEmpty{}, rule.Form(valid.RelativePath)}},
	{Key: "mountPropagation", Is: rule.All{rule.IfSet{}, rule.OneOf{"Bidirectional", "HostToContainer", "None"}}},
}

var mountsRecursiveReadOnlyRules = rule.Fields{
	{Key: "recursiveReadOnly", Is: rule.All{rule.IfSet{}, rule.OneOf{"Disabled", "Enabled", "IfPossible"}}},
}

func (c *SpecCheck) devices(container map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names, paths := map[string]bool{}, map[string]bool{}
	mounts := tree.Objects(container, "volumeMounts")
	mounted, taken := tree.TextSet(mounts, "name"), tree.TextSet(mounts, "mountPath")
	for i, m := range tree.Objects(container, "volumeDevices") {
		name, path := tree.Text(m, "name"), tree.Text(m, "devicePath")
		named, placed := at.Index(i).Child("name"), at.Index(i).Child("devicePath")
		add := func(wrong bool, at field.Path, value, text string) {
			if wrong {
				errs.Add(field.Invalid(at, value, text))
			}
		}
		volume := c.volumes[name]
		errs.Add(rule.RequireTexts(m, at.Index(i), "name")...)
		add(names[name], named, name, "must be unique")
		if volume == nil {
			errs.Add(field.NotFound(named, name))
		} else {
			add(volume["persistentVolumeClaim"] == nil && volume["ephemeral"] == nil, named, name,
				"can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		errs.Add(rule.RequireTexts(m, at.Index(i), "devicePath")...)
		add(paths[path], placed, path, "must be unique")
		outside := valid.NoBacksteps(path) != nil
		add(outside, placed, path, "can not contain backsteps ('..')")
		paths[path] = paths[path] || !outside
		add(mounted[name], named, name, "must not already exist in volumeMounts")
		add(taken[path], placed, path, "must not already exist as a path in volumeMounts")
		names[name] = name != ""
	}
	return errs
}

func (c *SpecCheck) resizePolicy(policies []map[string]any, at field.Path) field.ErrorList {
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
		if tree.Text(c.Spec, "restartPolicy") == "Never" && policy != "NotRequired" {
			errs.Add(field.Invalid(at, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
		}
	}
	return errs
}

// validateRestarts checks when a container is started again.
func validateRestarts(m map[string]any, at field.Path) field.ErrorList {
	rules := tree.Objects(m, "restartPolicyRules")
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
		if action := tree.Text(rule, "action"); action != "Restart" && action != "RestartAllContainers" {
			errs.Add(field.NotSupported(at.Child("action"), action, "Restart", "RestartAllContainers"))
		}
		codes := tree.Object(rule, "exitCodes")
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

var restartsRules = rule.Fields{
	{Key: "restartPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Always", "Never", "OnFailure"}}},
}

// running checks what only containers have that keep running.
func (c *SpecCheck) running(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"postStart", "preStop"} {
		if h := tree.Object(tree.Object(m, "lifecycle"), name); h != nil {
			errs.Add(c.handler(h, at.Child("lifecycle", name))...)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe, at := tree.Object(m, name), at.Child(name)
		if probe == nil {
			continue
		}
		errs.Add(c.handler(probe, at)...)
		errs.Add(rule.NotNegative(probe, at, "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")...)
		grace, limited := tree.Int(probe, "terminationGracePeriodSeconds")
		if limited && grace <= 0 {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must be greater than 0"))
		}
		if n, _ := tree.Int(probe, "successThreshold"); n != 1 && name != "readinessProbe" {
			errs.Add(field.Invalid(at.Child("successThreshold"), n, "must be 1"))
		}
		if name == "readinessProbe" && limited {
			errs.Add(field.Invalid(at.Child("terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes"))
		}
	}
	return errs
}

func (c *SpecCheck) handler(h map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	handlers := 0
	for _, kind := range []string{"exec", "httpGet", "tcpSocket", "grpc", "sleep"} {
		handler, at := tree.Object(h, kind), at.Child(kind)
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
			errs.Add(rule.RequireTexts(handler, at, "path")...)
			errs.Add(valid.PortNumOrName(handler["port"], at.Child("port"))...)
			if scheme := tree.Text(handler, "scheme"); scheme != "HTTP" && scheme != "HTTPS" {
				errs.Add(field.NotSupported(at.Child("scheme"), scheme, "HTTP", "HTTPS"))
			}
			for _, header := range tree.Objects(handler, "httpHeaders") {
				errs.Add(rule.Invalid(at.Child("httpHeaders"), tree.Text(header, "name"), syntax.HeaderName(tree.Text(header, "name")))...)
			}
		case "tcpSocket", "grpc":
			errs.Add(valid.PortNumOrName(handler["port"], at.Child("port"))...)
		case "sleep":
			seconds, _ := tree.Int(handler, "seconds")
			if grace, ok := tree.Int(c.Spec, "terminationGracePeriodSeconds"); ok && (seconds < 0 || seconds > grace) {
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

var fileKeyRefRules = rule.Fields{
	{Key: "key", Is: rule.All{rule.Required{}, rule.Form(syntax.EnvVarName)}},
	{Key: "volumeName", Is: rule.All{rule.Required{}, rule.Form(syntax.Label)}},
	{Key: "path", Is: rule.All{rule.Required{}, rule.Form(valid.NoBacksteps)}},
}

var keyRefRules = rule.Fields{
	{Key: "name", Is: rule.Form(syntax.Subdomain)},
	{Key: "key", Is: rule.All{rule.Required{}, rule.Form(syntax.ConfigMapKey)}},
}

var envRefRules = rule.Fields{
	{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.Subdomain)}},
}
