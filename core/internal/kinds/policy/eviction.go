package policy

import (
	"fmt"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// maxDisrupted is the maximum number of evicted pods that a budget may wait for.
const maxDisrupted = 2000

// EvictableAtOnce reports whether a pod may be evicted whatever its budgets say: it does not run
// yet, or no more. ending is true if it is being deleted.
func EvictableAtOnce(pod map[string]any) (evictable, ending bool) {
	phase := tree.Text(tree.Object(pod, "status"), "phase")
	ending = phase == "Succeeded" || phase == "Failed" || object.DeletionTimestamp(pod) != ""
	return ending || phase == "Pending", ending
}

// Disrupted marks a pod as one that is being evicted.
func Disrupted(c *strategy.Context, pod map[string]any) {
	setCondition(c, tree.Make(pod, "status"), map[string]any{
		"type": "DisruptionTarget", "status": "True", "lastProbeTime": nil,
		"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
	})
}

// AllowsUnhealthy reports whether a budget allows the eviction of a pod without counting it,
// because the pod is not ready.
func AllowsUnhealthy(pdb, pod map[string]any) bool {
	ready := slices.ContainsFunc(tree.Objects(tree.Object(pod, "status"), "conditions"), func(c map[string]any) bool {
		return tree.Text(c, "type") == "Ready" && tree.Text(c, "status") == "True"
	})
	if ready {
		return false
	}
	current, _ := tree.Int(tree.Object(pdb, "status"), "currentHealthy")
	desired, _ := tree.Int(tree.Object(pdb, "status"), "desiredHealthy")
	return tree.Text(tree.Object(pdb, "spec"), "unhealthyPodEvictionPolicy") == "AlwaysAllow" ||
		current >= desired && desired > 0
}

// A Refusal is the reason why a PodDisruptionBudget does not allow an eviction.
type Refusal struct {
	Message string
	// RetryAfter is the number of seconds until it may; 0 if that is not known.
	RetryAfter int
	// Broken is set if the budget's status is inconsistent.
	Broken bool
}

// NotObserved returns the refusal of a budget whose status is not up to date.
func NotObserved(pdb string) *Refusal {
	return &Refusal{
		Message:    fmt.Sprintf("The disruption budget %s is still being processed by the server.", pdb),
		RetryAfter: 10,
	}
}

// Disrupt counts the eviction of a pod in a PodDisruptionBudget's status.
func Disrupt(c *strategy.Context, pdb map[string]any, pod string) *Refusal {
	name, status := object.Name(pdb), tree.Make(pdb, "status")
	observed, _ := tree.Int(status, "observedGeneration")
	allowed, _ := tree.Int(status, "disruptionsAllowed")
	switch {
	case observed < object.Generation(pdb):
		return NotObserved(name)
	case allowed < 0:
		return &Refusal{Message: "pdb disruptions allowed is negative", Broken: true}
	case len(tree.Object(status, "disruptedPods")) > maxDisrupted:
		return &Refusal{
			Message: "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
			Broken:  true,
		}
	case allowed == 0:
		return &Refusal{Message: exhausted(name, status)}
	}
	status["disruptionsAllowed"] = allowed - 1
	if allowed == 1 {
		condition := map[string]any{
			"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
		}
		if observed != 0 {
			condition["observedGeneration"] = observed
		}
		setCondition(c, status, condition)
	}
	tree.Make(status, "disruptedPods")[pod] = c.Timestamp()
	return nil
}

// exhausted describes why a budget allows no disruption.
func exhausted(pdb string, status map[string]any) string {
	current, _ := tree.Int(status, "currentHealthy")
	desired, _ := tree.Int(status, "desiredHealthy")
	reason, message := "", ""
	for _, c := range tree.Objects(status, "conditions") {
		if tree.Text(c, "type") == "DisruptionAllowed" && tree.Text(c, "status") == "False" {
			reason, message = tree.Text(c, "reason"), tree.Text(c, "message")
		}
	}
	switch {
	case message != "" && reason == "SyncFailed":
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently because it failed sync: %s", pdb,
			message)
	case current <= desired:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", pdb, desired, current)
	case message != "":
		return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently (%s): %s", pdb, reason, message)
	}
	return fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", pdb)
}

// setCondition replaces the condition of its type. The time changes only with the status.
func setCondition(c *strategy.Context, status, condition map[string]any) {
	condition["lastTransitionTime"] = c.Timestamp()
	conditions := tree.List(status, "conditions")
	for i, v := range conditions {
		if was := tree.Map(v); was["type"] == condition["type"] {
			if was["status"] == condition["status"] {
				tree.Keep(condition, was, "lastTransitionTime")
			}
			conditions[i] = condition
			return
		}
	}
	status["conditions"] = append(conditions, condition)
}
