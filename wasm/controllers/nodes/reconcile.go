package nodes

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

// reconcilePeriod is how often a kubelet compares what it has reported of its Pods with what the API has, and reports
// it again where others have written something else.
const reconcilePeriod = 10 * time.Second

// has takes the Pod as the API has it. What others have written into fields of the status that are the kubelet's does
// not change what the kubelet knows; but it ends no Pod whose phase is said to be terminal by reporting another phase.
func (w *podWorker) has(o *corev1.Pod) {
	w.o, w.stored = o, &o.Status
	if own := w.p.reported; own != nil && !terminal(o.Status.Phase) && !sameReport(own, &o.Status) {
		mine := *o
		mine.Status = beside(own, &o.Status)
		w.o = &mine
	}
}

// reported notes what the kubelet has said of the Pod: its conditions as it has written them, since the answer to a
// patch may have those of others, and all else as the API has made it.
func (w *podWorker) reported(wrote, stored *corev1.PodStatus) {
	own := *stored
	own.Conditions = ownConditions(wrote.Conditions, stored.Conditions)
	w.p.reported = &own
}

// reconcile reports the Pod's status again if the API has another one and the time for that has come; else the view
// says when it comes. again: the Pod has changed by it.
func (w *podWorker) reconcile(v *view) (again bool, err error) {
	if w.stored == &w.o.Status {
		w.p.reconcile = time.Time{}
		return false, nil
	}
	now := w.k.clock.Now()
	if w.p.reconcile.IsZero() {
		w.p.reconcile = w.n.reconciles(now)
	}
	if now.Before(w.p.reconcile) {
		v.wake(w.p.reconcile)
		return false, nil
	}
	w.p.reconcile = time.Time{}
	return w.send(&w.o.Status)
}

// reconciles returns when the node's kubelet compares the next time. Kubelets have not begun at the same time.
func (n *node) reconciles(now time.Time) time.Time {
	offset := time.Duration(hash(n.name) % uint64(reconcilePeriod))
	return now.Add(-offset).Truncate(reconcilePeriod).Add(reconcilePeriod + offset)
}

// resume finds the conditions of a Pod that this program did not begin with out from its containers, as a kubelet does
// that was restarted. again: they were others.
func (w *podWorker) resume() (again bool, err error) {
	s := &w.o.Status
	if w.p.reported != nil || s.StartTime == nil || s.ContainerStatuses == nil || terminal(s.Phase) ||
		w.o.DeletionTimestamp != nil {
		return false, nil
	}
	tree, err := stage.Tree(w.o)
	if err != nil {
		return false, err
	}
	// All else is as the kubelet, or a Stage, has said it.
	given, _ := tree["status"].(map[string]any)
	given = maps.Clone(given)
	delete(given, "conditions")
	return w.write(s.DeepCopy(), given)
}

// beside returns a kubelet's status with what the API has in fields that are not the kubelet's.
func beside(own, stored *corev1.PodStatus) corev1.PodStatus {
	s := *own
	s.Conditions = ownConditions(own.Conditions, stored.Conditions)
	s.ResourceClaimStatuses = stored.ResourceClaimStatuses
	s.ExtendedResourceClaimStatus = stored.ExtendedResourceClaimStatus
	s.NodeAllocatableResourceClaimStatuses = stored.NodeAllocatableResourceClaimStatuses
	return s
}

// ownConditions returns the conditions of others that a Pod has, and behind them the kubelet's as it has them.
func ownConditions(own, stored []corev1.PodCondition) []corev1.PodCondition {
	others := slices.DeleteFunc(slices.Clone(stored), func(c corev1.PodCondition) bool {
		return kubeletsCondition(c.Type)
	})
	for _, c := range own {
		if kubeletsCondition(c.Type) {
			others = append(others, c)
		}
	}
	return others
}

// sameReport reports whether the API has what a kubelet has reported. Times of conditions do not count.
func sameReport(own, stored *corev1.PodStatus) bool {
	count := 0
	for i := range own.Conditions {
		if kubeletsCondition(own.Conditions[i].Type) {
			count++
		}
	}
	for i := range stored.Conditions {
		c := &stored.Conditions[i]
		if !kubeletsCondition(c.Type) {
			continue
		}
		count--
		was := podCondition(own.Conditions, c.Type)
		if was == nil || was.Status != c.Status || was.Reason != c.Reason || was.Message != c.Message {
			return false
		}
	}
	if count != 0 {
		return false
	}
	s := beside(own, stored)
	s.Conditions = stored.Conditions
	return equality.Semantic.DeepEqual(&s, stored)
}
