package kinds

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

// aggregated is what the containers of a pod ask for together, or are limited to:
// those that run side by side, or the greatest that runs before them.
func aggregated(spec map[string]any, of string) map[string]any {
	total := map[string]any{}
	for _, c := range entries(spec, "containers") {
		addAmounts(total, deep(c, "resources."+of))
	}
	beside, first := map[string]any{}, map[string]any{}
	for _, c := range entries(spec, "initContainers") {
		amounts := deep(c, "resources."+of)
		if str(c, "restartPolicy") == "Always" { // it goes on running
			addAmounts(total, amounts)
			addAmounts(beside, amounts)
			amounts = beside
		} else {
			own := map[string]any{}
			addAmounts(own, amounts)
			addAmounts(own, beside)
			amounts = own
		}
		atLeast(first, amounts)
	}
	atLeast(total, first)
	return total
}

// atLeast raises what is less than other amounts to them.
func atLeast(total, amounts map[string]any) {
	for name, value := range amounts {
		if total[name] == nil || moreThan(value, total[name]) {
			total[name] = value
		}
	}
}

func addAmounts(total, amounts map[string]any) {
	for name, value := range amounts {
		if total[name] == nil {
			total[name] = value
		} else if sum, err := object.SumQuantities(str(total, name), str(amounts, name)); err == nil {
			total[name] = sum
		}
	}
}

// defaultWhole fills in what a pod asks for as a whole from what its containers
// do and from its limits.
func defaultWhole(spec map[string]any) {
	whole := dict(spec, "resources")
	if len(dict(whole, "limits"))+len(dict(whole, "requests")) == 0 {
		return
	}
	isHuge := func(name string) bool { return strings.HasPrefix(name, "hugepages-") }
	for name, value := range aggregated(spec, "limits") {
		if isHuge(name) && dict(whole, "requests")[name] == nil {
			def(sub(whole, "limits"), name, value)
		}
	}
	if len(dict(whole, "limits")) == 0 {
		return
	}
	for name, value := range aggregated(spec, "requests") {
		if name == "cpu" || name == "memory" {
			def(sub(whole, "requests"), name, value)
		}
	}
	for name, value := range dict(whole, "limits") {
		if name == "cpu" || name == "memory" || isHuge(name) {
			def(sub(whole, "requests"), name, value)
		}
	}
}

// enough checks that a pod asks for as much as its containers do together.
func (c *podCheck) enough(whole map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, of := range []string{"requests", "limits"} {
		total := aggregated(c.spec, of)
		for _, name := range sortedKeys(total) {
			if value := dict(whole, of)[name]; moreThan(total[name], value) && (of == "requests" || strings.HasPrefix(name, "hugepages-")) {
				errs.Add(field.Invalid(at.Child(of).Key(name), value, fmt.Sprintf("must be greater than or equal to aggregate container %s of %v", of, total[name])))
			}
		}
	}
	return errs
}

// admitRuntime is what the plugin RuntimeClass does: a pod gets what its class
// says of overhead and nodes.
func admitRuntime(c *Context, spec map[string]any) error {
	var class map[string]any
	if name, ok := spec["runtimeClassName"].(string); ok && c.RuntimeClass != nil {
		if class, ok = c.RuntimeClass(name); !ok {
			return fmt.Errorf("pod rejected: RuntimeClass %q not found", name)
		}
	}
	fixed := deep(class, "overhead.podFixed")
	switch {
	case class["overhead"] == nil:
		if spec["overhead"] != nil {
			return fmt.Errorf("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
	case len(dict(spec, "overhead")) > 0 && !object.Equal(spec["overhead"], any(fixed)):
		return fmt.Errorf("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	default:
		spec["overhead"] = object.DeepCopy(fixed)
	}
	scheduling := dict(class, "scheduling")
	for key, value := range dict(scheduling, "nodeSelector") {
		s := sub(spec, "nodeSelector")
		if has, ok := s[key]; ok && has != value {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %v; pod.spec.nodeSelector[%s] = %v", key, value, key, has)
		}
		s[key] = value
	}
next:
	for _, t := range entries(scheduling, "tolerations") {
		for _, has := range entries(spec, "tolerations") {
			if object.Equal(has, t) {
				continue next
			}
		}
		spec["tolerations"] = append(list(spec, "tolerations"), object.DeepCopy(t))
	}
	return nil
}

// armorOf is the AppArmor profile that an annotation stands for, nil if none.
func armorOf(annotation string) map[string]any {
	switch path, local := strings.CutPrefix(annotation, "localhost/"); {
	case local && path != "" && strings.TrimSpace(path) == path:
		return map[string]any{"type": "Localhost", "localhostProfile": path}
	case annotation == "runtime/default":
		return map[string]any{"type": "RuntimeDefault"}
	case annotation == "unconfined":
		return map[string]any{"type": "Unconfined"}
	}
	return nil
}

const oldArmor = `deprecated since v1.30; use the "appArmorProfile" field instead`

// syncArmor gives the containers of a new pod the profiles that annotations name.
func syncArmor(c *Context, obj map[string]any) {
	spec, annotations := dict(obj, "spec"), dict(object.Meta(obj), "annotations")
	if len(annotations) == 0 || str(dict(spec, "os"), "name") == "windows" {
		return
	}
	whole := dict(dict(spec, "securityContext"), "appArmorProfile")
	for _, m := range containers(spec) {
		key := armorAnnotations + str(m, "name")
		text, ok := annotations[key].(string)
		if !ok || dict(m, "securityContext")["appArmorProfile"] != nil {
			continue
		}
		profile := armorOf(text)
		if profile != nil && object.Equal(profile, whole) {
			continue
		}
		if profile != nil {
			sub(m, "securityContext")["appArmorProfile"] = profile
		}
		c.warn("metadata.annotations[" + key + "]: " + oldArmor)
	}
}
