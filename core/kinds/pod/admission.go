package pod

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// admitPod does what the plugins Priority, DefaultTolerationSeconds and RuntimeClass do to
// a new pod.
func admitPod(c *strategy.Context, obj map[string]any) field.ErrorList {
	spec := tree.Make(obj, "spec")
	value, policy, err := priorityOf(c, tree.Text(spec, "priorityClassName"))
	if err == nil && spec["priority"] != nil && spec["priority"] != value {
		err = fmt.Errorf("the integer value of priority (%v) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", spec["priority"], value)
	}
	if err == nil && spec["preemptionPolicy"] != nil && spec["preemptionPolicy"] != policy {
		err = fmt.Errorf("the string value of PreemptionPolicy (%v) must not be provided in pod spec; priority admission "+
			"controller computed %v from the given PriorityClass name", spec["preemptionPolicy"], policy)
	}
	if err != nil {
		return c.Refuse(err)
	}
	spec["priority"], spec["preemptionPolicy"] = value, policy
	tolerateNodes(spec)
	if err := admitRuntime(c, spec); err != nil {
		return c.Refuse(err)
	}
	return nil
}

// admitPodUpdate does what they do to a changed pod.
func admitPodUpdate(_ *strategy.Context, obj, old map[string]any) {
	spec, was := tree.Make(obj, "spec"), tree.Object(old, "spec")
	for _, name := range []string{"priority", "preemptionPolicy"} {
		if spec[name] == nil {
			tree.Keep(spec, was, name)
		}
	}
	tolerateNodes(spec)
}

// priorityOf returns the value of a priority class. No name means the default class of the cluster,
// or none.
func priorityOf(c *strategy.Context, name string) (value int64, policy string, err error) {
	if c.PriorityClass != nil {
		if class, ok := c.PriorityClass(name); ok {
			value, _ = tree.Int(class, "value")
			if policy = tree.Text(class, "preemptionPolicy"); policy == "" {
				policy = "PreemptLowerPriority"
			}
			return value, policy, nil
		}
	}
	if name == "" {
		return 0, "PreemptLowerPriority", nil
	}
	return 0, "", errors.New("no PriorityClass with name " + name + " was found")
}

// tolerateNodes adds tolerations for five minutes on a node that is not ready or unreachable,
// unless the pod has other tolerations of these.
func tolerateNodes(spec map[string]any) {
	tolerations := tree.List(spec, "tolerations")
	given := len(tolerations)
	for _, key := range [...]any{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		tolerates := slices.ContainsFunc(tolerations[:given], func(v any) bool {
			t := tree.Map(v)
			k, effect := tree.Text(t, "key"), tree.Text(t, "effect")
			return t != nil && (k == key || k == "") && (effect == "NoExecute" || effect == "")
		})
		if !tolerates {
			tolerations = append(slices.Grow(tolerations, 2), map[string]any{
				"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300),
			})
		}
	}
	if len(tolerations) > given {
		spec["tolerations"] = tolerations
	}
}

// admitRuntime does what the plugin RuntimeClass does: a pod gets the overhead and the
// scheduling of its class.
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
			return fmt.Errorf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %v; pod.spec.nodeSelector[%s] = %v",
				key, value, key, has)
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
