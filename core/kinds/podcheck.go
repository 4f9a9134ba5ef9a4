package kinds

import (
	"maps"
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
				errs.Add(field.Forbidden(at, "must not be specified when serviceAccountName is not set"))
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
	errs.Add(validatePodSpec(spec, at.Child("spec"))...)
	if len(list(spec, "ephemeralContainers")) > 0 {
		errs.Add(field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
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
		errs.Add(field.Required(at.Child("containers"), ""))
	}
	for i, container := range entries(spec, "containers") {
		errs.Add(c.container(container, at.Child("containers").Index(i))...)
	}
	for i, container := range entries(spec, "initContainers") {
		errs.Add(c.initContainer(container, at.Child("initContainers").Index(i))...)
	}
	c.targets = maps.Clone(c.names)
	for i, container := range entries(spec, "ephemeralContainers") {
		errs.Add(c.ephemeralContainer(container, at.Child("ephemeralContainers").Index(i))...)
	}
	errs.Add(oneOf(spec, at, "restartPolicy", "Always", "OnFailure", "Never")...)
	errs.Add(oneOf(spec, at, "dnsPolicy", "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")...)
	errs.Add(validateLabels(dict(spec, "nodeSelector"), at.Child("nodeSelector"))...)
	for i, gate := range entries(spec, "readinessGates") {
		t := str(gate, "conditionType")
		errs.Add(invalid(at.Child("readinessGates").Index(i).Child("conditionType"), t, syntax.LabelKey(t))...)
	}
	errs.Add(validateSpread(spec, at)...)
	for _, f := range []struct {
		name string
		form func(string) []string
	}{
		{"serviceAccountName", syntax.Subdomain}, {"nodeName", syntax.Subdomain},
		{"hostname", syntax.Label}, {"subdomain", syntax.Label},
		{"priorityClassName", syntax.Subdomain}, {"runtimeClassName", syntax.Subdomain},
	} {
		if v := str(spec, f.name); v != "" {
			errs.Add(invalid(at.Child(f.name), v, f.form(v))...)
		}
		if f.name == "nodeName" {
			if n, ok := num(spec, "activeDeadlineSeconds"); ok && (n < 1 || n > 1<<31-1) {
				errs.Add(field.Invalid(at.Child("activeDeadlineSeconds"), n, syntax.Between(1, 1<<31-1)))
			}
		}
	}
	for i, t := range entries(spec, "tolerations") {
		errs.Add(validateToleration(t, at.Child("tolerations").Index(i))...)
	}
	for i, alias := range entries(spec, "hostAliases") {
		at := at.Child("hostAliases").Index(i)
		errs.Add(validateIP(str(alias, "ip"), at.Child("ip"))...)
		for j, name := range strs(alias, "hostnames") {
			errs.Add(invalid(at.Child("hostnames").Index(j), name, syntax.Subdomain(name))...)
		}
	}
	if spec["preemptionPolicy"] != nil {
		errs.Add(oneOf(spec, at, "preemptionPolicy", "Never", "PreemptLowerPriority")...)
	}
	return errs
}

func validateToleration(t map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	key, value, effect := str(t, "key"), str(t, "value"), str(t, "effect")
	if key != "" {
		errs.Add(invalid(at.Child("key"), key, syntax.LabelKey(key))...)
	}
	if key == "" && str(t, "operator") != "Exists" {
		errs.Add(field.Invalid(at.Child("operator"), str(t, "operator"), "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t["tolerationSeconds"] != nil && effect != "NoExecute" {
		errs.Add(field.Invalid(at.Child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch str(t, "operator") {
	case "", "Equal":
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs.Add(field.Invalid(at.Child("operator"), value, strings.Join(wrong, ";")))
		}
	case "Exists":
		if value != "" {
			errs.Add(field.Invalid(at.Child("operator"), value, "value must be empty when `operator` is 'Exists'"))
		}
	default:
		errs.Add(field.NotSupported(at.Child("operator"), str(t, "operator"), "Equal", "Exists"))
	}
	if effect != "" {
		errs.Add(oneOf(t, at, "effect", "NoSchedule", "PreferNoSchedule", "NoExecute")...)
	}
	return errs
}

func validateSpread(spec map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range entries(spec, "topologySpreadConstraints") {
		at := at.Child("topologySpreadConstraints").Index(i)
		if n, _ := num(c, "maxSkew"); n <= 0 {
			errs.Add(field.Invalid(at.Child("maxSkew"), n, "must be greater than zero"))
		}
		if str(c, "topologyKey") == "" {
			errs.Add(field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		if action := str(c, "whenUnsatisfiable"); action != "DoNotSchedule" && action != "ScheduleAnyway" {
			errs.Add(field.NotSupported(at.Child("whenUnsatisfiable"), action, "DoNotSchedule", "ScheduleAnyway"))
		}
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
		errs.Add(faults...)
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
			errs.Add(field.Forbidden(at.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		errs.Add(required(dict(v, source), at.Child(source), volumeNeeds[source]...)...)
		items := entries(dict(v, source), "items")
		for j, item := range items {
			names := []string{"key", "path"}
			if source == "downwardAPI" {
				names = names[1:]
			}
			errs.Add(required(item, at.Child(source, "items").Index(j), names...)...)
		}
	}
	return errs
}
