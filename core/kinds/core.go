package kinds

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/object"
)

// maxData is how long all data of a ConfigMap or Secret may be together.
const maxData = 1 << 20

var configMap = Rules{
	Validate: validateConfigMap,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := sealed(obj, old, "data", "binaryData")
		return append(errs, validateConfigMap(obj)...)
	},
}

func validateConfigMap(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	data, binary := dict(obj, "data"), dict(obj, "binaryData")
	size := 0
	for _, key := range sortedKeys(data) {
		for _, wrong := range syntax.ConfigMapKey(key) {
			errs.Add(field.Invalid(field.Path("data").Key(key), key, wrong))
		}
		if _, both := binary[key]; both {
			errs.Add(field.Invalid(field.Path("data").Key(key), key, "duplicate of key present in binaryData"))
		}
		size += len(str(data, key))
	}
	for _, key := range sortedKeys(binary) {
		for _, wrong := range syntax.ConfigMapKey(key) {
			errs.Add(field.Invalid(field.Path("binaryData").Key(key), key, wrong))
		}
		size += decodedLen(str(binary, key))
	}
	if size > maxData {
		errs.Add(field.TooLong(field.NewPath(""), maxData))
	}
	return errs
}

// decodedLen is how many bytes a base64 text stands for.
func decodedLen(text string) int {
	return len(text)/4*3 - strings.Count(text[max(0, len(text)-2):], "=")
}

// sealed checks that an object marked as immutable stays so, and its data with it.
func sealed(obj, old map[string]any, data ...string) field.ErrorList {
	if !flag(old, "immutable") {
		return nil
	}
	const why = "field is immutable when `immutable` is set"
	var errs field.ErrorList
	if !flag(obj, "immutable") {
		errs.Add(field.Forbidden("immutable", why))
	}
	for _, name := range data {
		if !object.Equal(obj[name], old[name]) {
			errs.Add(field.Forbidden(field.Path(name), why))
		}
	}
	return errs
}

var secret = Rules{
	PrepareCreate: warnSecret,
	PrepareUpdate: func(c *Context, obj, _ map[string]any) { warnSecret(c, obj) },
	Default: func(obj map[string]any) {
		def(obj, "type", "Opaque")
		for key, text := range dict(obj, "stringData") {
			text, _ := text.(string)
			sub(obj, "data")[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
		delete(obj, "stringData")
	},
	Validate: validateSecret,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := unchanged(obj, old, "type")
		errs.Add(sealed(obj, old, "data")...)
		return append(errs, validateSecret(obj)...)
	},
}

// secretNeeds are the keys that secrets of some types must have.
var secretNeeds = map[string][]string{
	"kubernetes.io/dockercfg":        {".dockercfg"},
	"kubernetes.io/dockerconfigjson": {".dockerconfigjson"},
	"kubernetes.io/tls":              {"tls.crt", "tls.key"},
}

func validateSecret(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	data, at := dict(obj, "data"), field.Path("data")
	size := 0
	for _, key := range sortedKeys(data) {
		for _, wrong := range syntax.ConfigMapKey(key) {
			errs.Add(field.Invalid(at.Key(key), key, wrong))
		}
		size += decodedLen(str(data, key))
	}
	if size > maxData {
		errs.Add(field.TooLong(at, maxData))
	}
	kind := str(obj, "type")
	for _, key := range secretNeeds[kind] {
		if _, there := data[key]; !there {
			errs.Add(field.Required(at.Key(key), ""))
		} else if strings.HasPrefix(key, ".docker") {
			errs.Add(jsonObject(str(data, key), at.Key(key))...)
		}
	}
	switch kind {
	case "kubernetes.io/service-account-token":
		if str(dict(object.Meta(obj), "annotations"), "kubernetes.io/service-account.name") == "" {
			errs.Add(field.Required("metadata.annotations[kubernetes.io/service-account.name]", ""))
		}
	case "kubernetes.io/basic-auth":
		_, user := data["username"]
		_, password := data["password"]
		if !user && !password {
			errs.Add(field.Required(at.Key("username"), ""), field.Required(at.Key("password"), ""))
		}
	case "kubernetes.io/ssh-auth":
		if str(data, "ssh-privatekey") == "" {
			errs.Add(field.Required(at.Key("ssh-privatekey"), ""))
		}
	}
	return errs
}

// jsonObject checks that base64 text holds a JSON object, without showing it.
func jsonObject(text string, at field.Path) field.ErrorList {
	raw, _ := base64.StdEncoding.DecodeString(text)
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return field.ErrorList{field.Invalid(at, "<secret contents redacted>", err.Error())}
	}
	return nil
}

// namespaceLabel is a namespace's own name, for selectors.
const namespaceLabel = "kubernetes.io/metadata.name"

func labelNamespace(obj map[string]any) {
	// A generated name is not there yet when the manifest is read.
	if name := object.Name(obj); name != "" {
		sub(object.Meta(obj), "labels")[namespaceLabel] = name
	}
}

var namespace = Rules{
	Default: labelNamespace,
	PrepareCreate: func(_ *Context, obj map[string]any) {
		spec := sub(obj, "spec")
		if !slices.Contains(strs(spec, "finalizers"), "kubernetes") {
			spec["finalizers"] = append(list(spec, "finalizers"), "kubernetes")
		}
		obj["status"] = map[string]any{"phase": "Active"}
	},
	PrepareUpdate: func(_ *Context, obj, old map[string]any) {
		// Only the finalize subresource changes what keeps a namespace.
		keepField(sub(obj, "spec"), dict(old, "spec"), "finalizers")
	},
	Validate: func(obj map[string]any) field.ErrorList {
		var errs field.ErrorList
		at := field.Path("spec.finalizers")
		for _, f := range strs(dict(obj, "spec"), "finalizers") {
			errs.Add(namespaceFinalizer(f, at)...)
		}
		return errs
	},
	ValidateStatus: func(obj, _ map[string]any) field.ErrorList {
		phase, want, when := str(dict(obj, "status"), "phase"), "Active", "empty"
		if object.Meta(obj)["deletionTimestamp"] != nil {
			want, when = "Terminating", "not empty"
		}
		if phase == want {
			return nil
		}
		return field.ErrorList{field.Invalid("status.Phase", phase, "may only be '"+want+"' if `deletionTimestamp` is "+when)}
	},
	Subresources: map[string]func(*Context, map[string]any, map[string]any) field.ErrorList{"finalize": finalizeNamespace},
}

func namespaceFinalizer(f string, at field.Path) field.ErrorList {
	errs := validateFinalizers([]string{f}, at)
	if !standardFinalizer(f) {
		errs.Add(field.Invalid(at, f, unqualifiedFinalizer))
	}
	return errs
}

// finalizeNamespace is for the subresource that changes the finalizers of the
// spec and nothing else but metadata.
func finalizeNamespace(_ *Context, obj, old map[string]any) field.ErrorList {
	keepField(obj, old, "status")
	keepField(object.Meta(obj), object.Meta(old), "generation")
	carryMeta(obj, old)
	var errs field.ErrorList
	for i, f := range strs(dict(obj, "spec"), "finalizers") {
		errs.Add(namespaceFinalizer(f, field.Path("spec.finalizers").Index(i))...)
	}
	return append(ValidateMetaUpdate(obj, old), errs...)
}

const notReadyTaint = "node.kubernetes.io/not-ready"

var node = Rules{
	KeepsStatus: true,
	Admit: func(_ *Context, obj map[string]any) field.ErrorList {
		spec := sub(obj, "spec")
		for _, t := range entries(spec, "taints") {
			if str(t, "key") == notReadyTaint && str(t, "effect") == "NoSchedule" {
				return nil
			}
		}
		spec["taints"] = append(list(spec, "taints"), map[string]any{"key": notReadyTaint, "effect": "NoSchedule"})
		return nil
	},
	Default: func(obj map[string]any) {
		mirror(dict(obj, "spec"), "podCIDR", "podCIDRs")
		status := dict(obj, "status")
		if capacity := dict(status, "capacity"); capacity != nil && dict(status, "allocatable") == nil {
			status["allocatable"] = object.DeepCopy(capacity)
		}
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		delete(dict(obj, "spec"), "configSource")
		delete(dict(obj, "status"), "config")
		warnNode(c, obj)
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if dict(dict(old, "spec"), "configSource") == nil {
			delete(dict(obj, "spec"), "configSource")
		}
		warnNode(c, obj)
	},
	PrepareStatus: func(_ *Context, obj, old map[string]any) {
		if dict(old, "status")["config"] == nil {
			delete(dict(obj, "status"), "config")
		}
	},
	Validate: validateNode,
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return append(validateNode(obj), nodeUpdate(obj, old)...)
	},
	ValidateStatus: nodeUpdate,
}

// mirror keeps a field that became a list in step with its old form, the list's
// first entry.
func mirror(m map[string]any, one, many string) {
	l := list(m, many)
	switch {
	case m == nil:
	case str(m, one) == "" && len(l) > 0:
		m[one] = l[0]
	case str(m, one) != "" && (len(l) == 0 || l[0] != m[one]):
		m[many] = []any{m[one]}
	}
}

func validateNode(obj map[string]any) field.ErrorList {
	errs := append(validateTaints(obj), validateNodeStatus(dict(obj, "status"))...)
	if n, ok := num(deep(obj, "status.nodeInfo.swap"), "capacity"); ok && n <= 0 {
		errs.Add(field.Invalid("metadata.nodeSwapStatus.capacity", n, "must be greater than 0"))
	}
	ranges, at := strs(dict(obj, "spec"), "podCIDRs"), field.Path("spec.podCIDRs")
	families := map[int]bool{}
	for i, text := range ranges {
		errs.Add(validateCIDR(text, at.Index(i), false)...)
		p, _ := parseCIDR(text)
		families[p.Addr().Unmap().BitLen()] = true
	}
	if len(ranges) > 1 && (len(ranges) > 2 || len(families) < 2) {
		errs.Add(field.Invalid(at, ranges, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

// validateNodeStatus checks what a node has and can.
func validateNodeStatus(status map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, key := range []string{"capacity", "allocatable"} {
		for name, v := range dict(status, key) {
			errs.Add(validateAmount(name, v, field.Path("status").Child(key, name))...)
		}
	}
	features, at := strs(status, "declaredFeatures"), field.Path("status.declaredFeatures")
	for i, name := range features {
		wrong := ""
		camel := name != "" && name[0] >= 'A' && name[0] <= 'Z'
		for _, part := range strings.Split(name, "/") {
			camel = camel && part != "" && !digits(part[:1]) && strings.Trim(part, alphanumeric) == ""
		}
		switch {
		case len(name) > 253:
			wrong = "must be no more than 253 characters"
		case !camel:
			wrong = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
		}
		if wrong != "" {
			errs.Add(field.Invalid(at.Index(i), name, "invalid feature name "+strconv.Quote(name)+": "+wrong))
		}
		if i+1 == len(features) {
			break
		}
		if next := features[i+1]; name == next {
			errs.Add(field.Duplicate(at.Index(i+1), next))
		} else if name > next {
			errs.Add(field.Invalid(at.Index(i+1), next, "list must be sorted alphabetically"))
		}
	}
	return errs
}

func validateTaints(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[[2]string]bool{}
	for i, t := range entries(dict(obj, "spec"), "taints") {
		at := field.Path("metadata.taints").Index(i)
		key, value, effect := str(t, "key"), str(t, "value"), str(t, "effect")
		for _, wrong := range syntax.LabelKey(key) {
			errs.Add(field.Invalid(at.Child("key"), key, wrong))
		}
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs.Add(field.Invalid(at.Child("value"), value, strings.Join(wrong, ";")))
		}
		switch effect {
		case "":
			errs.Add(field.Required(at.Child("effect"), ""))
		case "NoSchedule", "PreferNoSchedule", "NoExecute":
		default:
			errs.Add(field.NotSupported(at.Child("effect"), effect, "NoSchedule", "PreferNoSchedule", "NoExecute"))
		}
		if seen[[2]string{key, effect}] {
			twice := field.Duplicate(at, goStruct(t, `Key`, `Value=""`, `Effect=""`, `TimeAdded`))
			twice.Detail = "taints must be unique by key and effect pair"
			errs.Add(twice)
		}
		seen[[2]string{key, effect}] = true
	}
	return errs
}

func nodeUpdate(obj, old map[string]any) field.ErrorList {
	errs := validateNodeStatus(dict(obj, "status"))
	spec, was := dict(obj, "spec"), dict(old, "spec")
	addresses := entries(dict(obj, "status"), "addresses")
	var before rule.Seen[string]
	for i, a := range addresses {
		if before.Again(object.Key(a)) {
			errs.Add(field.Duplicate(field.Path("status.addresses").Index(i), goStruct(a, `Type=""`, `Address=""`)))
		}
	}
	if cidrs := list(was, "podCIDRs"); len(cidrs) > 0 && !object.Equal(cidrs, list(spec, "podCIDRs")) {
		errs.Add(field.Forbidden("spec.podCIDRs", `node updates may not change podCIDR except from "" to valid`))
	}
	if id := str(was, "providerID"); id != "" && id != str(spec, "providerID") {
		errs.Add(field.Forbidden("spec.providerID", `node updates may not change providerID except from "" to valid`))
	}
	errs.Add(validateTaints(obj)...)
	if str(spec, "externalID") != str(was, "externalID") {
		errs.Add(field.Forbidden("spec.externalID", "may not be updated"))
	}
	return errs
}
