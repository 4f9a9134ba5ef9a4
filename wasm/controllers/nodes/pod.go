package nodes

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

// pod is a Pod that is bound to a Node. Fields below changed belong to the worker that has it.
type pod struct {
	// object is the newest that is known; it, address and changed are guarded by Kubelets.mu.
	object  *corev1.Pod
	address netip.Addr
	// changed is closed when object changes; nil if nobody waits for that.
	changed chan struct{}

	player player
	// restarts and pulls are what a kubelet remembers of containers that have ended, and of images that it has tried to
	// pull or is pulling.
	restarts map[string]restart
	pulls    map[string]*pull
	// reported is the status as the kubelet has it; nil: this program has reported none. reconcile is when it is reported
	// again, as the API has another one; zero: it has not.
	reported  *corev1.PodStatus
	reconcile time.Time
	killing   bool
	deleted   bool
}

// restart is when a container that has ended may start again.
type restart struct {
	// ended is the id of the container that has ended.
	ended string
	at    time.Time
	// backOff is whether at is the end of a back-off, in which the container waits.
	backOff bool
}

// pull is a pull of an image.
type pull struct {
	begun, failed, retry time.Time
}

// sawPod takes a Pod as it is now.
func (k *Kubelets) sawPod(o runtime.Object, gone bool) {
	object := o.(*corev1.Pod)
	name := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.pods[name]
	if p != nil && (p.object.UID != object.UID || gone) {
		k.forget(p)
		delete(k.pods, name)
		p = nil
	}
	if gone {
		return
	}
	if p == nil {
		p = &pod{object: object}
		k.pods[name] = p
		if object.Status.StartTime != nil && !terminal(object.Status.Phase) {
			k.admit(p) // its kubelet has begun with it
		}
	} else {
		k.set(p, object)
	}
	if k.started() {
		k.queue.Add(key{aPod, name})
	}
}

// set takes a newer object of a Pod. Callers hold the lock.
func (k *Kubelets) set(p *pod, o *corev1.Pod) {
	if p.object.UID != o.UID || !newer(o, p.object) {
		return
	}
	p.object = o
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
	if terminal(o.Status.Phase) {
		k.leaves(p)
	}
}

// forget gives back what a Pod had that is gone. Callers hold the lock.
func (k *Kubelets) forget(p *pod) {
	k.leaves(p)
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
	for _, c := range append(p.object.Spec.InitContainers, p.object.Spec.Containers...) {
		k.crashed.DeleteEntry(backOffKey(p.object, c.Name))
		k.unpulled.DeleteEntry(backOffKey(p.object, c.Image))
	}
}

func (k *Kubelets) freeAddress(p *pod) {
	if n := k.nodes[p.object.Spec.NodeName]; p.address.IsValid() && n != nil && n.addresses != nil {
		n.addresses.free(p.address)
	}
	p.address = netip.Addr{}
}

func backOffKey(o *corev1.Pod, name string) string { return string(o.UID) + "/" + name }

// podOf returns a Pod with its newest object; nil if it is gone.
func (k *Kubelets) podOf(name types.NamespacedName) (*pod, *corev1.Pod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.pods[name]
	if p == nil {
		return nil, nil
	}
	return p, p.object
}

// syncPod does what is due for a Pod, and returns when there is more to do.
func (k *Kubelets) syncPod(ctx context.Context, name types.NamespacedName) (next time.Time, err error) {
	for {
		p, object := k.podOf(name)
		if p == nil || p.deleted {
			return time.Time{}, nil
		}
		n, node := k.nodeOf(object.Spec.NodeName)
		if n == nil {
			return time.Time{}, nil
		}
		w := &podWorker{k: k, ctx: as(ctx, n.name), p: p, n: n, node: node}
		w.has(object)
		again, next, err := w.step()
		if !again || err != nil {
			return next, ignoreGone(err)
		}
	}
}

// podWorker is the work on one version of a Pod.
type podWorker struct {
	k   *Kubelets
	ctx context.Context
	p   *pod
	// o is the Pod as its kubelet knows it, stored the status that the API has; it is that of o, if they are the same.
	o      *corev1.Pod
	stored *corev1.PodStatus
	n      *node
	node   *corev1.Node
}

// step does one thing; again: the Pod has changed by it, so that there may be more to do.
func (w *podWorker) step() (again bool, next time.Time, err error) {
	if again, done, err := w.admit(); done {
		return again, next, err
	}
	w.keepAddress()
	if again, err := w.resume(); again || err != nil {
		return again, next, err
	}
	w.kill()
	v := w.look()
	if v.status != nil {
		again, err := w.write(v.status, v.given)
		return again, v.next, err
	}
	if again, err := w.reconcile(v); again || err != nil {
		return again, v.next, err
	}
	tree, err := stage.Tree(w.o)
	if err != nil {
		return false, next, err
	}
	facts := v.facts()
	tree["kubelet"] = facts
	signature := fmt.Sprint(facts)
	play, due, err := w.p.player.choose(w.k, w.k.stages.forPods(), w.o, tree, signature)
	if err != nil {
		return false, next, err
	}
	next = earliest(v.next, due)
	if play == nil {
		w.pulling(v)
		return false, next, nil
	}
	again, err = w.play(tree, play)
	if !again {
		next = earliest(v.next, w.p.player.played(w.k, play, w.o, signature, err))
	}
	return again, next, err
}

// play does what a Stage does to the Pod.
func (w *podWorker) play(tree map[string]any, s *stage.Stage) (again bool, err error) {
	actions, err := s.Play(tree, types.StrategicMergePatchType)
	if err != nil {
		return false, err
	}
	pods := w.k.client.CoreV1().Pods(w.o.Namespace)
	for _, a := range actions {
		switch {
		case a.Event != nil:
			w.k.event(w.ctx, podReference(w.o, ""), w.n.name, a.Event.Type, a.Event.Reason, a.Event.Message)
		case a.Delete:
			none := int64(0)
			w.p.deleted = true
			return false, pods.Delete(w.ctx, w.o.Name, metav1.DeleteOptions{
				GracePeriodSeconds: &none, Preconditions: metav1.NewUIDPreconditions(string(w.o.UID)),
			})
		case statusOnly(a.Patch):
			merged, given, err := mergeStatus(tree, a.Patch.Data)
			if err != nil {
				return again, err
			}
			status := &corev1.PodStatus{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(merged, status); err != nil {
				return again, err
			}
			changed, err := w.write(status, given)
			if err != nil {
				return again, err
			}
			again = again || changed
		default:
			ofStatus := a.Patch.Subresource == "status"
			if ofStatus && w.stored != &w.o.Status {
				// The patch is of what the kubelet knows.
				if _, err := w.send(&w.o.Status); err != nil {
					return again, err
				}
			}
			updated, err := pods.Patch(w.ctx, w.o.Name, a.Patch.Type, a.Patch.Data, metav1.PatchOptions{},
				subresource(a.Patch)...)
			if err != nil {
				return again, err
			}
			again = again || updated.ResourceVersion != w.o.ResourceVersion
			if ofStatus {
				w.reported(&updated.Status, &updated.Status)
			}
			w.took(updated)
		}
	}
	return again, nil
}

// write completes a status and writes it, with the Events of what has changed; false: nothing has.
func (w *podWorker) write(s *corev1.PodStatus, given map[string]any) (bool, error) {
	w.report(given).complete(s)
	if w.stored != &w.o.Status {
		// What is as the kubelet has it already is left to reconcile.
		if _, changes, err := w.patch(&w.o.Status, s); !changes || err != nil {
			return false, err
		}
	}
	return w.send(s)
}

// send writes a status that is complete.
func (w *podWorker) send(s *corev1.PodStatus) (bool, error) {
	data, changes, err := w.patch(w.stored, s)
	if err != nil {
		return false, err
	}
	if !changes {
		w.reported(s, w.stored)
		return false, nil
	}
	updated, err := w.k.client.CoreV1().Pods(w.o.Namespace).Patch(w.ctx, w.o.Name, types.StrategicMergePatchType, data,
		metav1.PatchOptions{}, "status")
	if err != nil {
		return false, err
	}
	before := w.o
	w.reported(s, &updated.Status)
	w.took(updated)
	w.happened(before, &updated.Status)
	return updated.ResourceVersion != before.ResourceVersion, nil
}

// patch returns the patch of the Pod that makes one status of another, and whether it changes anything. The uid keeps
// it from another Pod of this name.
func (w *podWorker) patch(from, to *corev1.PodStatus) (data []byte, changes bool, err error) {
	uid := metav1.ObjectMeta{UID: w.o.UID}
	data, err = twoWay(&corev1.Pod{Status: *from}, &corev1.Pod{ObjectMeta: uid, Status: *to}, corev1.Pod{})
	return data, string(data) != fmt.Sprintf(`{"metadata":{"uid":%q}}`, w.o.UID), err
}

// report returns what the kubelet knows besides the Pod.
func (w *podWorker) report(given map[string]any) *report {
	return &report{pod: w.o, now: metav1.NewTime(w.k.clock.Now()), hostIP: internalIP(w.node, w.n), podIP: w.address,
		given: given}
}

// took takes the Pod as a request has returned it.
func (w *podWorker) took(o *corev1.Pod) {
	o.ManagedFields = nil
	w.has(o)
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	w.k.set(w.p, o)
}

// address gives the Pod an address of its node.
func (w *podWorker) address() string {
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	if !w.p.address.IsValid() {
		w.p.address, _ = w.pool().take()
	}
	if !w.p.address.IsValid() {
		return ""
	}
	return w.p.address.String()
}

// keepAddress notes the address that the Pod has already, if this program does not know it.
func (w *podWorker) keepAddress() {
	ip := w.o.Status.PodIP
	if ip == "" || w.o.Spec.HostNetwork || terminal(w.o.Status.Phase) {
		return
	}
	w.k.mu.Lock()
	defer w.k.mu.Unlock()
	if !w.p.address.IsValid() {
		w.p.address, _ = w.pool().use(ip)
	}
}

// pool returns the addresses of the Pod's node. Callers hold the lock.
func (w *podWorker) pool() *addresses {
	within := cidr(w.node)
	if !within.IsValid() {
		within = cidrOf(w.n.name)
	}
	if w.n.addresses == nil || w.n.addresses.within != within {
		w.n.addresses = newAddresses(within)
	}
	return w.n.addresses
}

// kill announces that the containers are stopped, once the Pod is being deleted.
func (w *podWorker) kill() {
	if w.o.DeletionTimestamp == nil || w.p.killing {
		return
	}
	w.p.killing = true
	for _, s := range append(append([]corev1.ContainerStatus(nil), w.o.Status.InitContainerStatuses...),
		w.o.Status.ContainerStatuses...) {
		if s.State.Running != nil {
			w.containerEvent(s.Name, corev1.EventTypeNormal, "Killing", "Stopping container "+s.Name)
		}
	}
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// format returns how a kubelet's messages name a Pod.
func format(o *corev1.Pod) string {
	return strings.Join([]string{o.Name, o.Namespace}, "_") + "(" + string(o.UID) + ")"
}
