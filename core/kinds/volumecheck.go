package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
)

// volumeSources are the kinds of volumes, in the order in which the real server
// looks for them. Of two that a volume has, the second is refused.
var volumeSources = strings.Fields(`emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker
	persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume photonPersistentDisk
	portworxVolume azureDisk storageos projected scaleIO csi ephemeral image`)

// Some kinds have another name in errors: where they are the second, and where
// something in them is wrong.
var (
	secondSources = map[string]string{"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
	sourcePaths   = map[string]string{"gcePersistentDisk": "persistentDisk"}
)

// moreSourceRules check what fieldRules cannot say.
var moreSourceRules = map[string]func(s map[string]any, at field.Path) field.ErrorList{
	"emptyDir": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		if negative(s["sizeLimit"]) {
			errs.Add(field.Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity"))
		}
		return errs
	},
	"iscsi": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		if (flag(s, "chapAuthDiscovery") || flag(s, "chapAuthSession")) && s["secretRef"] == nil {
			errs.Add(field.Required(at.Child("secretRef"), ""))
		}
		if name, ok := s["initiatorName"].(string); ok {
			errs.Add(rule.Invalid(at.Child("initiatorname"), name, qualifiedISCSI(name))...)
		}
		return errs
	},
	"flocker": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		name, id := str(s, "datasetName"), str(s, "datasetUUID")
		if name == "" && id == "" {
			errs.Add(field.Required(at, "one of datasetName and datasetUUID is required"))
		}
		if name != "" && id != "" {
			errs.Add(field.Invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"))
		}
		if strings.Contains(name, "/") {
			errs.Add(field.Invalid(at.Child("datasetName"), name, "must not contain '/'"))
		}
		return errs
	},
	"quobyte": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		const pairs = "must be a host:port pair or multiple pairs separated by commas"
		switch registry := str(s, "registry"); {
		case registry == "":
			errs.Add(field.Required(at.Child("registry"), pairs))
		case len(str(s, "tenant")) >= 65:
			errs.Add(field.Required(at.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters"))
		default:
			for _, pair := range strings.Split(registry, ",") {
				host, ok := pair, false
				if i := strings.LastIndexByte(pair, ':'); i >= 0 {
					host, ok = pair[:i], true
				}
				if bare, framed := strings.CutPrefix(host, "["); framed {
					host, framed = strings.CutSuffix(bare, "]")
					ok = ok && framed && !strings.ContainsAny(host, "[]")
				} else {
					ok = ok && !strings.ContainsAny(host, ":[]")
				}
				if !ok {
					errs.Add(field.Invalid(at.Child("registry"), registry, pairs))
				}
			}
		}
		return append(errs, required(s, at, "volume")...)
	},
	"downwardAPI": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		for _, f := range entries(s, "items") {
			errs.Add(validateDownwardFile(f, at)...)
		}
		return errs
	},
	"fc": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		wwns, ids := list(s, "targetWWNs"), list(s, "wwids")
		if len(wwns) == 0 {
			if len(ids) == 0 {
				errs.Add(field.Required(at.Child("targetWWNs"), "must specify either targetWWNs or wwids, but not both"))
			}
			return errs
		}
		if len(ids) > 0 {
			errs.Add(field.Invalid(at.Child("targetWWNs"), wwns, "targetWWNs and wwids can not be specified simultaneously"))
		}
		if s["lun"] == nil {
			return append(errs, field.Required(at.Child("lun"), "lun is required if targetWWNs is specified"))
		}
		return append(errs, moreSourceRulesRules.Check(s, at)...)
	},
	"flexVolume": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		for _, key := range sortedKeys(dict(s, "options")) {
			domain, _, _ := strings.Cut("."+strings.ToLower(key), "/")
			if strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
				errs.Add(field.Invalid(at.Child("options").Key(key), key, "kubernetes.io and k8s.io namespaces are reserved"))
			}
		}
		return errs
	},
	"azureDisk": func(s map[string]any, at field.Path) (errs field.ErrorList) {
		uri, managed := str(s, "diskURI"), str(s, "kind") == "Managed"
		if managed && !strings.HasPrefix(uri, "/subscriptions/") {
			errs.Add(field.NotSupported(at.Child("diskURI"), uri, "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"))
		}
		if !managed && !strings.HasPrefix(uri, "https://") {
			errs.Add(field.NotSupported(at.Child("diskURI"), uri, "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"))
		}
		return errs
	},
	"projected": validateProjected,
	"csi": func(s map[string]any, at field.Path) field.ErrorList {
		errs := validateDriver(str(s, "driver"), at.Child("driver"))
		if ref := dict(s, "nodePublishSecretRef"); ref != nil {
			name := str(ref, "name")
			errs.Add(required(ref, at.Child("nodePublishSecretRef"), "name")...)
			if name != "" {
				errs.Add(rule.Invalid(at.Child("name"), name, syntax.Subdomain(name))...)
			}
		}
		return errs
	},
	"ephemeral": func(s map[string]any, at field.Path) field.ErrorList {
		at = at.Child("volumeClaimTemplate")
		template := dict(s, "volumeClaimTemplate")
		if template == nil {
			return field.ErrorList{field.Required(at, "")}
		}
		meta := dict(template, "metadata")
		errs := validateAnnotations(dict(meta, "annotations"), at.Child("metadata", "annotations"))
		errs.Add(validateLabels(dict(meta, "labels"), at.Child("metadata", "labels"))...)
		for _, name := range strings.Fields("name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds ownerReferences finalizers managedFields") {
			if v := meta[name]; v != nil && !emptyValue(v) {
				errs.Add(field.Forbidden(at.Child("metadata", name), "cannot be set"))
			}
		}
		return append(errs, validateClaim(dict(template, "spec"), at.Child("spec"))...)
	},
}

var moreSourceRulesRules = rule.Fields{
	{Key: "lun", Is: rule.All{rule.IfSet{}, rule.Range{Min: 0, Max: 255}}},
}

// validateDriver checks the name of a CSI driver.
func validateDriver(name string, at field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	if len(name) > 63 {
		errs.Add(field.TooLong(at, 63))
	}
	return append(errs, rule.Invalid(at, name, syntax.Subdomain(strings.ToLower(name)))...)
}

// validateVolumes also finds the volumes that containers may mount.
func (c *podCheck) validateVolumes(at field.Path) field.ErrorList {
	var errs field.ErrorList
	volumes := entries(c.spec, "volumes")
	c.volumes = make(map[string]map[string]any, len(volumes))
	ephemeral := map[string]bool{} // the claims that get created
	for _, v := range volumes {
		if v["ephemeral"] != nil {
			ephemeral[c.name+"-"+str(v, "name")] = true
		}
	}
	for i, v := range volumes {
		at, name := at.Index(i), str(v, "name")
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
		claim := str(dict(v, "persistentVolumeClaim"), "claimName")
		if claim != "" && c.name != "" && ephemeral[claim] {
			errs.Add(field.Invalid(at.Child("persistentVolumeClaim", "claimName"), claim, "must not reference a PVC that gets created for an ephemeral volume"))
		}
	}
	return errs
}

func (c *podCheck) volume(v map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	some := false
	for _, source := range volumeSources {
		s, ok := v[source].(map[string]any)
		if !ok {
			continue
		}
		if some {
			if other := secondSources[source]; other != "" {
				source = other
			}
			errs.Add(field.Forbidden(at.Child(source), "may not specify more than 1 volume type"))
			continue
		}
		some = true
		errs.Add(validateSource(source, s, at)...)
		name := str(v, "name")
		switch source {
		case "image":
			if c.pod {
				errs = append(required(s, at.Child(source), "reference"), errs...)
			}
		case "ephemeral":
			if c.name != "" && name != "" {
				claim := c.name + "-" + name
				for _, wrong := range syntax.Subdomain(claim) {
					errs.Add(field.Invalid(at.Child("name"), name, fmt.Sprintf("PVC name %q: %v", claim, wrong)))
				}
			}
		case "iscsi":
			if s["initiatorName"] != nil && len(name+":"+str(s, "targetPortal")) > 64 {
				errs.Add(field.Invalid(at.Child("name"), name, "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."))
			}
		}
	}
	if !some {
		errs.Add(field.Required(at, "must specify a volume type"))
	}
	return errs
}

// validateSource checks a source of data of a volume.
func validateSource(source string, s map[string]any, at field.Path) field.ErrorList {
	if path := sourcePaths[source]; path != "" {
		at = at.Child(path)
	} else {
		at = at.Child(source)
	}
	errs := sourceRules[source].Check(s, at)
	if more := moreSourceRules[source]; more != nil {
		errs.Add(more(s, at)...)
	}
	return errs
}

// validateDownwardFile checks a file that tells something of its pod.
func validateDownwardFile(f map[string]any, at field.Path) field.ErrorList {
	errs := downwardFileRules.Check(f, at)
	ref, resource := dict(f, "fieldRef"), dict(f, "resourceFieldRef")
	switch {
	case ref != nil:
		errs.Add(validateFieldRef(ref, at.Child("fieldRef"), "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")...)
		if resource != nil {
			errs.Add(field.Invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"))
		}
	case resource != nil:
		errs.Add(validateResourceRef(resource, at.Child("resourceFieldRef"), true)...)
	default:
		errs.Add(field.Required(at, "one of fieldRef and resourceFieldRef is required"))
	}
	return append(errs, downwardFileModeRules.Check(f, at)...)
}

var downwardFileRules = rule.Fields{
	{Key: "path", Is: rule.All{rule.Required{}, rule.Form(keyPath)}},
}

var downwardFileModeRules = rule.Fields{
	{Key: "mode", Is: fileMode},
}

// podFields are what there is to tell of a pod.
var podFields = strings.Fields(`metadata.annotations metadata.labels metadata.name metadata.namespace metadata.uid spec.nodeName spec.restartPolicy
	spec.serviceAccountName spec.schedulerName status.phase status.hostIP status.hostIPs status.podIP status.podIPs`)

func validateFieldRef(ref map[string]any, at field.Path, known ...string) field.ErrorList {
	path, version := str(ref, "fieldPath"), str(ref, "apiVersion")
	if path == "" {
		return field.ErrorList{field.Required(at.Child("fieldPath"), "")}
	}
	whole, key, subscript := strings.Cut(path, "['")
	key, closed := strings.CutSuffix(key, "']")
	if subscript = subscript && closed && whole != ""; !subscript {
		whole = path
	}
	keyed := whole == "metadata.annotations" || whole == "metadata.labels"
	wrong := ""
	switch {
	case version != "v1":
		wrong = "unsupported pod version: " + version
	case subscript && !keyed:
		wrong = "field label does not support subscript: " + path
	case !subscript && path == "spec.host":
		whole = "spec.nodeName"
	case !subscript && !slices.Contains(podFields, path):
		wrong = "field label not supported: " + path
	}
	switch {
	case wrong != "":
		return field.ErrorList{field.Invalid(at.Child("fieldPath"), path, "error converting fieldPath: "+wrong)}
	case subscript:
		if whole == "metadata.annotations" {
			key = strings.ToLower(key)
		}
		return rule.Invalid(at, key, syntax.LabelKey(key))
	case !slices.Contains(known, whole):
		return field.ErrorList{field.NotSupported(at.Child("fieldPath"), whole, known...)}
	}
	return nil
}

// resourceFields are what there is to tell of a container, but for huge pages.
var resourceFields = []string{"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"}

func validateResourceRef(ref map[string]any, at field.Path, volume bool) field.ErrorList {
	var errs field.ErrorList
	name := str(ref, "resource")
	_, kind, _ := strings.Cut(name, ".")
	huge := strings.HasPrefix(kind, "hugepages-") && (strings.HasPrefix(name, "limits.") || strings.HasPrefix(name, "requests."))
	known := slices.Contains(resourceFields, name)
	switch {
	case volume && str(ref, "containerName") == "":
		errs.Add(field.Required(at.Child("containerName"), ""))
	case name == "":
		errs.Add(field.Required(at.Child("resource"), ""))
	case !known && !huge:
		errs.Add(field.NotSupported(at.Child("resource"), name, resourceFields...))
	}
	divisor := str(ref, "divisor")
	if signOf(divisor) == 0 || !known && !huge {
		return errs
	}
	units, text := "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei", "the memory"
	switch {
	case kind == "cpu":
		units, text = "1m and 1", "the cpu"
	case huge:
		text = "the hugepages"
	case kind == "ephemeral-storage":
		text = "the local ephemeral storage"
	}
	if !slices.Contains(strings.Fields(strings.ReplaceAll(units, ",", "")), divisor) || divisor == "and" {
		errs.Add(field.Invalid(at.Child("divisor"), name, "only divisor's values "+units+" are supported with "+text+" resource"))
	}
	return errs
}

func validateProjected(s map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	paths := map[string]bool{}
	take := func(path string, bad any) {
		if path != "" && paths[path] {
			errs.Add(field.Invalid(at, bad, "conflicting duplicate paths"))
		}
		paths[path] = true
	}
	for i, source := range entries(s, "sources") {
		in := at.Child("sources").Index(i)
		n := 0
		for _, kind := range []string{"secret", "configMap"} {
			if from := dict(source, kind); from != nil {
				n++
				errs.Add(required(from, in.Child(kind), "name")...)
				for j, item := range entries(from, "items") {
					errs.Add(itemRules.Check(item, in.Child(kind, "items").Index(j))...)
					take(str(item, "path"), str(from, "name"))
				}
			}
		}
		if from := dict(source, "downwardAPI"); from != nil {
			n++
			for _, f := range entries(from, "items") {
				errs.Add(validateDownwardFile(f, in.Child("downwardAPI"))...)
				take(str(f, "path"), str(f, "path"))
			}
		}
		if token := dict(source, "serviceAccountToken"); token != nil {
			n++
			seconds, _ := num(token, "expirationSeconds")
			if seconds < 600 {
				errs.Add(field.Invalid(in.Child("serviceAccountToken", "expirationSeconds"), seconds, "may not specify a duration less than 10 minutes"))
			}
			if seconds > 1<<32 {
				errs.Add(field.Invalid(in.Child("serviceAccountToken", "expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds"))
			}
			errs.Add(downwardFileRules.Check(token, at)...)
		}
		if n > 1 {
			errs.Add(field.Forbidden(in, "may not specify more than 1 volume type per source"))
		}
	}
	return errs
}
