package nodes

import (
	"context"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// leaseDuration is how long the Leases of nodes last, unless Options say otherwise. A kubelet renews its Lease four
// times in that time.
const leaseDuration = 40 * time.Second

// lease has the Lease of a node renewed from now on.
func (k *Kubelets) lease(n *node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !n.leased {
		n.leased = true
		k.queue.Add(key{aLease, types.NamespacedName{Name: n.name}})
	}
}

// renew renews the Lease of a node, or makes it.
func (k *Kubelets) renew(ctx context.Context, name string) (next time.Time, err error) {
	n, object := k.nodeOf(name)
	if n == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if n := k.nodes[name]; n != nil {
			n.leased = false
		}
		return next, nil
	}
	ctx = as(ctx, name)
	now := k.clock.Now()
	leases := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	first := n.renewed == nil
	if first {
		found, err := leases.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			found = &coordinationv1.Lease{}
		} else if err != nil {
			return next, err
		}
		n.renewed = found
	}
	lease := n.renewed.DeepCopy()
	lease.Name, lease.Namespace = name, corev1.NamespaceNodeLease
	lease.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: name, UID: object.UID}}
	lease.Spec.HolderIdentity = ptr.To(name)
	lease.Spec.LeaseDurationSeconds = ptr.To(int32(k.options.LeaseDuration / time.Second))
	lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(now))
	if lease.ResourceVersion == "" {
		lease, err = leases.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		lease, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	return n.next(lease, first, now, k.options.LeaseDuration/4, err)
}

// next takes the Lease as a request has returned it, and returns when it is renewed next: after some time.
func (n *node) next(l *coordinationv1.Lease, first bool, now time.Time, after time.Duration,
	err error) (time.Time, error) {
	if n.renewed = nil; err != nil {
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
			return now, nil // somebody else has written it: again, with what is there
		}
		return time.Time{}, err
	}
	l.ManagedFields = nil
	n.renewed = l
	if first {
		// From then on, nodes renew at different times.
		return now.Add(time.Duration(hash(n.name)%uint64(after)) + 1), nil
	}
	return now.Add(after), nil
}
