package pod

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// QOSClass returns the quality of service class of a pod.
func QOSClass(pod map[string]any) string { return qosClass(tree.Object(pod, "spec")) }

// Total returns the "requests" or "limits" of a pod for which quotas charge: those of its containers, or where it has
// such the pod's own, with its overhead. While containers are resized, the larger amounts count.
func Total(pod map[string]any, amounts string) map[string]any {
	return total(tree.Object(pod, "spec"), inUse(pod), amounts)
}

// Requests returns what a pod asks for by its spec.
func Requests(spec map[string]any) map[string]any { return total(spec, spec, "requests") }

// total is Total of a pod whose containers are those of another spec.
func total(spec, containers map[string]any, amounts string) map[string]any {
	total := aggregated(containers, amounts)
	for name, v := range tree.Object(tree.Object(spec, "resources"), amounts) {
		total[name] = v // cpu, memory and huge pages: the pod has no others
	}
	for name, v := range tree.Object(spec, "overhead") {
		if amounts == "requests" || valid.Positive(total[name]) {
			addAmounts(total, map[string]any{name: v})
		}
	}
	return total
}

// inUse returns the spec of a pod in which each running container has the largest of the amounts that it asks for, has
// been granted and uses. What cannot be had on its node does not count.
func inUse(pod map[string]any) map[string]any {
	spec, status := tree.Object(pod, "spec"), tree.Object(pod, "status")
	states := tree.ByName(slices.Concat(tree.Objects(status, "containerStatuses"),
		tree.Objects(status, "initContainerStatuses")))
	if len(states) == 0 {
		return spec
	}
	infeasible := slices.ContainsFunc(tree.Objects(status, "conditions"), func(c map[string]any) bool {
		return c["type"] == "PodResizePending" && c["reason"] == "Infeasible"
	})
	spec = object.DeepCopy(spec)
	for _, list := range Resizable {
		for _, c := range tree.Objects(spec, list) {
			state := states[tree.Text(c, "name")]
			if state["resources"] == nil || list == "initContainers" && tree.Text(c, "restartPolicy") != "Always" {
				continue
			}
			wanted := tree.Make(c, "resources")
			for _, amounts := range []string{"requests", "limits"} {
				most := map[string]any{}
				if !infeasible {
					raise(most, tree.Object(wanted, amounts))
				}
				raise(most, tree.At(state, "resources."+amounts))
				if amounts == "requests" {
					raise(most, tree.Object(state, "allocatedResources"))
				}
				wanted[amounts] = most
			}
		}
	}
	return spec
}

// CrossesNamespaces reports whether a pod's affinity selects pods by their namespaces.
func CrossesNamespaces(pod map[string]any) bool {
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		rules := tree.At(pod, "spec.affinity."+kind)
		for _, list := range []string{
			"requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution",
		} {
			for _, term := range tree.Objects(rules, list) {
				if weighted := tree.Object(term, "podAffinityTerm"); weighted != nil {
					term = weighted
				}
				if len(tree.List(term, "namespaces")) > 0 || term["namespaceSelector"] != nil {
					return true
				}
			}
		}
	}
	return false
}

// HasTotal reports whether a pod has resources as a whole.
func HasTotal(pod map[string]any) bool {
	whole := tree.At(pod, "spec.resources")
	return len(tree.Object(whole, "requests"))+len(tree.Object(whole, "limits")) > 0
}

// IsHuge reports whether a resource is huge pages.
func IsHuge(name string) bool { return strings.HasPrefix(name, "hugepages-") }
