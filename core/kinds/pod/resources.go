package pod

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// aggregated is what the containers of a pod ask for together, or are limited to:
// those that run side by side, or the greatest that runs before them.
func aggregated(spec map[string]any, of string) map[string]any {
	total := map[string]any{}
	for _, c := range tree.Objects(spec, "containers") {
		addAmounts(total, tree.At(c, "resources."+of))
	}
	beside, first := map[string]any{}, map[string]any{}
	for _, c := range tree.Objects(spec, "initContainers") {
		amounts := tree.At(c, "resources."+of)
		if tree.Text(c, "restartPolicy") == "Always" { // it goes on running
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
		if total[name] == nil || valid.MoreThan(value, total[name]) {
			total[name] = value
		}
	}
}

func addAmounts(total, amounts map[string]any) {
	for name, value := range amounts {
		if total[name] == nil {
			total[name] = value
		} else if sum, err := object.SumQuantities(tree.Text(total, name), tree.Text(amounts, name)); err == nil {
			total[name] = sum
		}
	}
}

// defaultWhole fills in what a pod asks for as a whole from what its containers
// do and from its limits.
func defaultWhole(spec map[string]any) {
	whole := tree.Object(spec, "resources")
	if len(tree.Object(whole, "limits"))+len(tree.Object(whole, "requests")) == 0 {
		return
	}
	isHuge := func(name string) bool { return strings.HasPrefix(name, "hugepages-") }
	for name, value := range aggregated(spec, "limits") {
		if isHuge(name) && tree.Object(whole, "requests")[name] == nil {
			tree.Default(tree.Make(whole, "limits"), name, value)
		}
	}
	if len(tree.Object(whole, "limits")) == 0 {
		return
	}
	for name, value := range aggregated(spec, "requests") {
		if name == "cpu" || name == "memory" {
			tree.Default(tree.Make(whole, "requests"), name, value)
		}
	}
	for name, value := range tree.Object(whole, "limits") {
		if name == "cpu" || name == "memory" || isHuge(name) {
			tree.Default(tree.Make(whole, "requests"), name, value)
		}
	}
}

// enough checks that a pod asks for as much as its containers do together.
func (c *SpecCheck) enough(whole map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, of := range []string{"requests", "limits"} {
		total := aggregated(c.Spec, of)
		for _, name := range tree.SortedKeys(total) {
			if value := tree.Object(whole, of)[name]; valid.MoreThan(total[name], value) && (of == "requests" || strings.HasPrefix(name, "hugepages-")) {
				errs.Add(field.Invalid(at.Child(of).Key(name), value, fmt.Sprintf("must be greater than or equal to aggregate container %s of %v", of, total[name])))
			}
		}
	}
	return errs
}

// admitRuntime is what the plugin RuntimeClass does: a pod gets what its class
// says of overhead and nodes.
func admitRuntime(c *strategy.Context, spec map[string]any) error {
	var class map[string]any
	if name, ok := spec["runtimeClassName"].(string); ok && c.RuntimeClass != nil {
		if class, ok = c.RuntimeClass(name); !ok {
			return fmt.Errorf("pod rejected: RuntimeClass %q not found", name)
		}
	}
	fixed := tree.At(class, "overhead.podFixed")
	switch {
	case class["overhead"] == nil:
		if spec["overhead"] != nil {
			return fmt.Errorf("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
		}
	case len(tree.Object(spec, "overhead")) > 0 && !object.Equal(spec["overhead"], any(fixed)):
		return fmt.Errorf("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
	default:
		spec["overhead"] = object.DeepCopy(fixed)
	}
	scheduling := tree.Object(class, "scheduling")
	for key, value := range tree.Object(scheduling, "nodeSelector") {
		s := tree.Make(spec, "nodeSelector")
		if has, ok := s[key]; ok && has != value {
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %v; pod.spec.nodeSelector[%s] = %v", key, value, key, has)
		}
		s[key] = value
	}
next:
	for _, t := range tree.Objects(scheduling, "tolerations") {
		for _, has := range tree.Objects(spec, "tolerations") {
			if object.Equal(has, t) {
				continue next
			}
		}
		spec["tolerations"] = append(tree.List(spec, "tolerations"), object.DeepCopy(t))
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
func syncArmor(c *strategy.Context, obj map[string]any) {
	spec, annotations := tree.Object(obj, "spec"), tree.Object(object.Meta(obj), "annotations")
	if len(annotations) == 0 || tree.Text(tree.Object(spec, "os"), "name") == "windows" {
		return
	}
	whole := tree.Object(tree.Object(spec, "securityContext"), "appArmorProfile")
	for _, m := range containers(spec) {
		key := armorAnnotations + tree.Text(m, "name")
		text, ok := annotations[key].(string)
		if !ok || tree.Object(m, "securityContext")["appArmorProfile"] != nil {
			continue
		}
		profile := armorOf(text)
		if profile != nil && object.Equal(profile, whole) {
			continue
		}
		if profile != nil {
			tree.Make(m, "securityContext")["appArmorProfile"] = profile
		}
		c.Warn("metadata.annotations[" + key + "]: " + oldArmor)
	}
}
