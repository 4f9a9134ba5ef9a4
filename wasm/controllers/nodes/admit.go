package nodes

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
)

// A refusal is why a kubelet does not run a Pod that is bound to its node.
type refusal struct{ reason, message string }

// admit refuses a Pod that does not fit its node, as a kubelet does before it begins with one: who has bound it, the
// scheduler or a person by spec.nodeName, may not have known what else is there. again: the Pod has changed by it.
// done: nothing else happens to it.
func (w *podWorker) admit() (again, done bool, err error) {
	r := w.refused(w.node)
	if r == nil {
		return false, false, nil
	}
	// What is known of the node may be older than the Pod is.
	node, err := w.k.client.CoreV1().Nodes().Get(w.ctx, w.n.name, metav1.GetOptions{})
	if err != nil {
		return false, true, err
	}
	if r = w.refused(node); r == nil {
		return false, false, nil
	}
	s := w.stored
	refused := corev1.PodStatus{
		Phase: corev1.PodFailed, Reason: r.reason, Message: "Pod was rejected: " + r.message,
		ObservedGeneration: w.o.Generation, StartTime: &metav1.Time{Time: w.k.clock.Now()}, QOSClass: s.QOSClass,
	}
	for _, c := range s.Conditions {
		if !kubeletsCondition(c.Type) {
			refused.Conditions = append(refused.Conditions, c)
		}
	}
	data, _, err := w.patch(s, &refused)
	if err != nil {
		return false, true, err
	}
	updated, err := w.k.client.CoreV1().Pods(w.o.Namespace).Patch(w.ctx, w.o.Name, types.StrategicMergePatchType, data,
		metav1.PatchOptions{}, "status")
	if err != nil {
		return false, true, err
	}
	w.took(updated)
	w.k.event(w.ctx, podReference(w.o, ""), w.n.name, corev1.EventTypeWarning, r.reason, r.message)
	return true, true, nil
}

// kubeletsCondition reports whether a condition is a kubelet's, though others may have written it before.
func kubeletsCondition(c corev1.PodConditionType) bool {
	switch c {
	case corev1.PodScheduled, corev1.PodReady, corev1.PodInitialized, corev1.ContainersReady,
		corev1.PodReadyToStartContainers, corev1.PodResizeInProgress, corev1.PodResizePending,
		corev1.AllContainersRestarting:
		return true
	}
	return false
}

// refused returns why a Pod is not run; nil: it is, and from now on it takes room.
func (w *podWorker) refused(node *corev1.Node) *refusal {
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	all := w.k.admitted[w.n.name]
	if _, is := all[w.p]; is || w.o.DeletionTimestamp != nil || terminal(w.o.Status.Phase) {
		return nil
	}
	var others []*corev1.Pod
	for p := range all {
		others = append(others, p.object)
	}
	if r := misfit(w.o, node, others); r != nil {
		return r
	}
	w.k.admit(w.p)
	return nil
}

// admit notes that a Pod takes room on its node. Callers hold the lock.
func (k *Kubelets) admit(p *pod) {
	name := p.object.Spec.NodeName
	if k.admitted[name] == nil {
		k.admitted[name] = map[*pod]struct{}{}
	}
	k.admitted[name][p] = struct{}{}
}

// leaves notes that a Pod takes no more room. Callers hold the lock.
func (k *Kubelets) leaves(p *pod) {
	k.freeAddress(p)
	name := p.object.Spec.NodeName
	if delete(k.admitted[name], p); len(k.admitted[name]) == 0 {
		delete(k.admitted, name)
	}
}

// misfit returns why a Pod does not fit a node on which others are; nil: it does.
func misfit(o *corev1.Pod, node *corev1.Node, others []*corev1.Pod) *refusal {
	system := node.Labels[corev1.LabelOSStable]
	if wants := o.Labels[corev1.LabelOSStable]; wants != "" && system != "" && wants != system {
		return &refusal{"PodOSSelectorNodeLabelDoesNotMatch",
			"Failed to admit pod as the `kubernetes.io/os` label doesn't match node label"}
	}
	if o.Spec.OS != nil && system != "" && string(o.Spec.OS.Name) != system {
		return &refusal{"PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"}
	}
	if node.Status.Allocatable == nil {
		return nil // nobody has said yet what it has
	}
	info := framework.NewNodeInfo(others...)
	info.SetNode(node)
	for _, r := range scheduler.AdmissionCheck(ofNode(o, node), info, true) {
		if lack := r.InsufficientResource; lack != nil {
			return &refusal{"OutOf" + string(lack.ResourceName), fmt.Sprintf(
				"Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d", lack.ResourceName,
				lack.Requested, lack.Used, lack.Capacity)}
		}
		return unfit(r.Name, r.Reason)
	}
	drives := func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }
	if _, untolerated := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints,
		o.Spec.Tolerations, drives, false); untolerated {
		return unfit(tainttoleration.Name, tainttoleration.ErrReasonNotMatch)
	}
	return nil
}

// unfit is the refusal of a rule that the scheduler has, too.
func unfit(rule, reason string) *refusal {
	return &refusal{rule, fmt.Sprintf("Predicate %s failed: %s", rule, reason)}
}

// ofNode returns a Pod without its requests of extended resources that the node does not count.
func ofNode(o *corev1.Pod, node *corev1.Node) *corev1.Pod {
	o = o.DeepCopy()
	for _, containers := range [][]corev1.Container{o.Spec.InitContainers, o.Spec.Containers} {
		for _, c := range containers {
			for name := range c.Resources.Requests {
				if _, counts := node.Status.Allocatable[name]; !counts && v1helper.IsExtendedResourceName(name) {
					delete(c.Resources.Requests, name)
				}
			}
		}
	}
	return o
}
