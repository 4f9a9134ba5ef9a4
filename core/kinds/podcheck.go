package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
)

func validatePod(obj map[string]any) field.ErrorList {
	spec := dict(obj, "spec")
	errs := validatePodSpec(spec, "spec")
	for i, v := range entries(spec, "volumes") {
		for j, source := range entries(dict(v, "projected"), "sources") {
			if source["serviceAccountToken"] != nil && str(spec, "serviceAccountName") == "" {
				at := field.Path("spec.volumes").Index(i).Child("projected", "sources").Index(j).Child("serviceAccountToken")
				errs = append(errs, field.Forbidden(at, "must not be specified when serviceAccountName is not set"))
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
	errs = append(errs, validatePodSpec(spec, at.Child("spec"))...)
	if len(list(spec, "ephemeralContainers")) > 0 {
		errs = append(errs, field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

func validateTemplateMeta(template map[string]any, at field.Path) field.ErrorList {
	meta := dict(template, "metadata")
	errs := validateLabels(dict(meta, "labels"), at.Child("metadata", "labels"))
	return append(errs, validateAnnotations(dict(meta, "annotations"), at.Child("metadata", "annotations"))...)
}

func validatePodSpec(spec map[string]any, at field.Path) field.ErrorList {
	volumes, errs := validateVolumes(entries(spec, "volumes"), at.Child("volumes"))
	c := containerCheck{volumes: volumes, names: map[string]bool{}}
	if len(entries(spec, "containers")) == 0 {
		errs = append(errs, field.Required(at.Child("containers"), ""))
	}
	for i, container := range entries(spec, "containers") {
		errs = append(errs, c.container(container, at.Child("containers").Index(i))...)
	}
	for i, container := range entries(spec, "initContainers") {
		errs = append(errs, c.initContainer(container, at.Child("initContainers").Index(i))...)
	}
	for i, container := range entries(spec, "ephemeralContainers") {
		errs = append(errs, c.ephemeralContainer(container, at.Child("ephemeralContainers").Index(i))...)
	}
	errs = append(errs, oneOf(spec, at, "restartPolicy", "Always", "OnFailure", "Never")...)
	errs = append(errs, oneOf(spec, at, "dnsPolicy", "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")...)
	errs = append(errs, validateLabels(dict(spec, "nodeSelector"), at.Child("nodeSelector"))...)
	for i, gate := range entries(spec, "readinessGates") {
		t := str(gate, "conditionType")
		errs = append(errs, invalid(at.Child("readinessGates").Index(i).Child("conditionType"), t, syntax.LabelKey(t))...)
	}
	errs = append(errs, validateSpread(spec, at)...)
	for _, f := range []struct {
		name string
		form func(string) []string
	}{
		{"serviceAccountName", syntax.Subdomain}, {"nodeName", syntax.Subdomain},
		{"hostname", syntax.Label}, {"subdomain", syntax.Label},
		{"priorityClassName", syntax.Subdomain}, {"runtimeClassName", syntax.Subdomain},
	} {
		if v := str(spec, f.name); v != "" {
			errs = append(errs, invalid(at.Child(f.name), v, f.form(v))...)
		}
		if f.name == "nodeName" {
			if n, ok := num(spec, "activeDeadlineSeconds"); ok && (n < 1 || n > 1<<31-1) {
				errs = append(errs, field.Invalid(at.Child("activeDeadlineSeconds"), n, syntax.Between(1, 1<<31-1)))
			}
		}
	}
	for i, t := range entries(spec, "tolerations") {
		errs = append(errs, validateToleration(t, at.Child("tolerations").Index(i))...)
	}
	for i, alias := range entries(spec, "hostAliases") {
		at := at.Child("hostAliases").Index(i)
		errs = append(errs, validateIP(str(alias, "ip"), at.Child("ip"))...)
		for j, name := range strs(alias, "hostnames") {
			errs = append(errs, invalid(at.Child("hostnames").Index(j), name, syntax.Subdomain(name))...)
		}
	}
	if spec["preemptionPolicy"] != nil {
		errs = append(errs, oneOf(spec, at, "preemptionPolicy", "Never", "PreemptLowerPriority")...)
	}
	return errs
}

func validateToleration(t map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	key, value, effect := str(t, "key"), str(t, "value"), str(t, "effect")
	if key != "" {
		errs = append(errs, invalid(at.Child("key"), key, syntax.LabelKey(key))...)
	}
	if key == "" && str(t, "operator") != "Exists" {
		errs = append(errs, field.Invalid(at.Child("operator"), str(t, "operator"), "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t["tolerationSeconds"] != nil && effect != "NoExecute" {
		errs = append(errs, field.Invalid(at.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch str(t, "operator") {
	case "", "Equal":
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs = append(errs, field.Invalid(at.Child("operator"), value, strings.Join(wrong, ";")))
		}
	case "Exists":
		if value != "" {
			errs = append(errs, field.Invalid(at.Child("operator"), value, "value must be empty when `operator` is 'Exists'"))
		}
	default:
		errs = append(errs, field.NotSupported(at.Child("operator"), str(t, "operator"), "Equal", "Exists"))
	}
	if effect != "" {
		errs = append(errs, oneOf(t, at, "effect", "NoSchedule", "PreferNoSchedule", "NoExecute")...)
	}
	return errs
}

func validateSpread(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range entries(spec, "topologySpreadConstraints") {
		at := at.Child("topologySpreadConstraints").Index(i)
		if n, _ := num(c, "maxSkew"); n <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), n, "must be greater than zero"))
		}
		if str(c, "topologyKey") == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		if action := str(c, "whenUnsatisfiable"); action != "DoNotSchedule" && action != "ScheduleAnyway" {
			errs = append(errs, field.NotSupported(at.Child("whenUnsatisfiable"), action, "DoNotSchedule", "ScheduleAnyway"))
		}
	}
	return errs
}

// A containerCheck goes through the containers of one pod.
type containerCheck struct {
	volumes map[string]bool
	names   map[string]bool // so far; those of regular containers first
}

func (c *containerCheck) container(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs = append(errs, c.unique(m, at)...)
	return append(errs, validateRunning(m, at)...)
}

func (c *containerCheck) initContainer(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs = append(errs, c.unique(m, at)...)
	if str(m, "restartPolicy") == "Always" {
		return append(errs, validateRunning(m, at)...)
	}
	for _, name := range []string{"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"} {
		if m[name] != nil {
			errs = append(errs, field.Forbidden(at.Child(name), "may not be set for init containers without restartPolicy=Always"))
		}
	}
	return errs
}

func (c *containerCheck) ephemeralContainer(m map[string]any, at field.Path) field.ErrorList {
	errs := c.common(m, at)
	errs = append(errs, c.unique(m, at)...)
	for _, name := range []string{"ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resources", "resizePolicy"} {
		if v := m[name]; v != nil && !emptyValue(v) {
			errs = append(errs, field.Forbidden(at.Child(name), "cannot be set for an Ephemeral Container"))
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
		errs = append(errs, invalid(at.Child("name"), name, syntax.Label(name))...)
	}
	errs = append(errs, required(m, at, "image")...)
	errs = append(errs, oneOf(m, at, "terminationMessagePolicy", "File", "FallbackToLogsOnError")...)
	errs = append(errs, validateContainerPorts(entries(m, "ports"), at.Child("ports"))...)
	errs = append(errs, validateEnv(entries(m, "env"), at.Child("env"))...)
	errs = append(errs, c.mounts(entries(m, "volumeMounts"), at.Child("volumeMounts"))...)
	errs = append(errs, oneOf(m, at, "imagePullPolicy", "Always", "IfNotPresent", "Never")...)
	return append(errs, validateResources(dict(m, "resources"), at.Child("resources"))...)
}

func validateContainerPorts(ports []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, port := range ports {
		at, name := at.Index(i), str(port, "name")
		if name != "" {
			wrong := syntax.PortName(name)
			errs = append(errs, invalid(at.Child("name"), name, wrong)...)
			if wrong == nil && names[name] {
				errs = append(errs, field.Duplicate(at.Child("name"), name))
			}
			names[name] = true
		}
		if n, _ := num(port, "containerPort"); n == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, invalid(at.Child("containerPort"), n, syntax.PortNumber(n))...)
		}
		if n, _ := num(port, "hostPort"); n != 0 {
			errs = append(errs, invalid(at.Child("hostPort"), n, syntax.PortNumber(n))...)
		}
		errs = append(errs, oneOf(port, at, "protocol", "SCTP", "TCP", "UDP")...)
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
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, invalid(at.Child("name"), name, syntax.EnvVarName(name))...)
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
				errs = append(errs, required(ref, at.Child(s), "name", "key")...)
			}
		}
		if ref := dict(from, "fieldRef"); ref != nil {
			errs = append(errs, required(ref, at.Child("fieldRef"), "fieldPath")...)
		}
		switch {
		case sources == 0:
			errs = append(errs, field.Invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
		case str(v, "value") != "":
			errs = append(errs, field.Invalid(at, "", "may not be specified when `value` is not empty"))
		case sources > 1:
			errs = append(errs, field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

func (c *containerCheck) mounts(mounts []map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	for i, m := range mounts {
		at, name, path := at.Index(i), str(m, "name"), str(m, "mountPath")
		errs = append(errs, required(m, at, "name")...)
		if !c.volumes[name] {
			errs = append(errs, field.NotFound(at.Child("name"), name))
		}
		errs = append(errs, required(m, at, "mountPath")...)
		if paths[path] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), path, "must be unique"))
		}
		paths[path] = true
		if str(m, "subPath") != "" && str(m, "subPathExpr") != "" {
			errs = append(errs, field.Invalid(at.Child("subPathExpr"), str(m, "subPathExpr"), "subPathExpr and subPath are mutually exclusive"))
		}
	}
	return errs
}

// validateResources checks what a container asks for against what it may have.
func validateResources(resources map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	limits, requests := dict(resources, "limits"), dict(resources, "requests")
	for _, name := range sortedKeys(limits) {
		errs = append(errs, validateResource(name, limits[name], at.Child("limits").Key(name))...)
	}
	for _, name := range sortedKeys(requests) {
		request, limit := requests[name], limits[name]
		errs = append(errs, validateResource(name, request, at.Child("requests").Key(name))...)
		switch fixed := !overcommit(name); {
		case limit == nil && fixed:
			errs = append(errs, field.Required(at.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limit != nil && fixed && (moreThan(request, limit) || moreThan(limit, request)):
			errs = append(errs, field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be equal to %s limit of %v", name, limit)))
		case moreThan(request, limit):
			errs = append(errs, field.Invalid(at.Child("requests"), request, fmt.Sprintf("must be less than or equal to %s limit of %v", name, limit)))
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
		errs = append(errs,
			field.Invalid(at, name, "must be a standard resource type or fully qualified"),
			field.Invalid(at, name, "must be a standard resource for containers"))
	}
	if negative(value) {
		errs = append(errs, field.Invalid(at, value, notNegative))
	}
	return errs
}

// validateRunning checks what only containers have that keep running.
func validateRunning(m map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range []string{"postStart", "preStop"} {
		if h := dict(dict(m, "lifecycle"), name); h != nil {
			errs = append(errs, validateHandler(h, at.Child("lifecycle", name))...)
		}
	}
	for _, name := range []string{"livenessProbe", "readinessProbe", "startupProbe"} {
		probe, at := dict(m, name), at.Child(name)
		if probe == nil {
			continue
		}
		errs = append(errs, validateHandler(probe, at)...)
		errs = append(errs, notBelowZero(probe, at, "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")...)
		if n, ok := num(probe, "terminationGracePeriodSeconds"); ok && n <= 0 {
			errs = append(errs, field.Invalid(at.Child("terminationGracePeriodSeconds"), n, "must be greater than 0"))
		}
		if n, _ := num(probe, "successThreshold"); n != 1 && name != "readinessProbe" {
			errs = append(errs, field.Invalid(at.Child("successThreshold"), n, "must be 1"))
		}
		if name == "readinessProbe" && probe["terminationGracePeriodSeconds"] != nil {
			errs = append(errs, field.Invalid(at.Child("terminationGracePeriodSeconds"), probe["terminationGracePeriodSeconds"], "must not be set for readinessProbes"))
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
			errs = append(errs, field.Forbidden(at, "may not specify more than 1 handler type"))
			continue
		}
		switch kind {
		case "exec":
			if len(list(handler, "command")) == 0 {
				errs = append(errs, field.Required(at.Child("command"), ""))
			}
		case "httpGet":
			errs = append(errs, required(handler, at, "path")...)
			errs = append(errs, validatePortNumOrName(handler["port"], at.Child("port"))...)
			errs = append(errs, oneOf(handler, at, "scheme", "HTTP", "HTTPS")...)
		case "tcpSocket", "grpc":
			errs = append(errs, validatePortNumOrName(handler["port"], at.Child("port"))...)
		}
	}
	if handlers == 0 {
		errs = append(errs, field.Required(at, "must specify a handler type"))
	}
	return errs
}

// volumeNeeds are the texts that sources of volumes must have.
var volumeNeeds = map[string][]string{
	"hostPath": {"path"}, "gitRepo": {"repository"}, "gcePersistentDisk": {"pdName"}, "awsElasticBlockStore": {"volumeID"},
	"secret": {"secretName"}, "nfs": {"server", "path"}, "iscsi": {"targetPortal", "iqn"}, "glusterfs": {"endpoints", "path"},
	"flexVolume": {"driver"}, "configMap": {"name"}, "persistentVolumeClaim": {"claimName"}, "cinder": {"volumeID"},
	"azureFile": {"secretName", "shareName"}, "csi": {"driver"},
}

// validateVolumes also tells the names that containers may mount.
func validateVolumes(volumes []map[string]any, at field.Path) (names map[string]bool, errs field.ErrorList) {
	names = map[string]bool{}
	for i, v := range volumes {
		at, name := at.Index(i), str(v, "name")
		faults := validateVolumeSource(v, at)
		if name == "" {
			faults = append(faults, field.Required(at.Child("name"), ""))
		} else if wrong := syntax.Label(name); wrong != nil {
			faults = append(faults, invalid(at.Child("name"), name, wrong)...)
		} else if names[name] {
			faults = append(faults, field.Duplicate(at.Child("name"), name))
		}
		names[name] = true
		errs = append(errs, faults...)
	}
	delete(names, "")
	return names, errs
}

func validateVolumeSource(v map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	sources := slices.DeleteFunc(sortedKeys(v), func(key string) bool { return key == "name" || v[key] == nil })
	if len(sources) == 0 {
		return field.ErrorList{field.Required(at, "must specify a volume type")}
	}
	for i, source := range sources {
		if i > 0 {
			errs = append(errs, field.Forbidden(at.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		errs = append(errs, required(dict(v, source), at.Child(source), volumeNeeds[source]...)...)
		items := entries(dict(v, source), "items")
		for j, item := range items {
			names := []string{"key", "path"}
			if source == "downwardAPI" {
				names = names[1:]
			}
			errs = append(errs, required(item, at.Child(source, "items").Index(j), names...)...)
		}
	}
	return errs
}
