package nodes

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/tabernetes/tabernetes/wasm/controllers/nodes/stage"
)

// StoppedAnnotation is the annotation of Nodes whose kubelet does nothing, as if the machine had died: it renews no
// Lease, reports no status and touches no Pod, until the annotation is gone. Its value does not matter.
const StoppedAnnotation = "sandbox.tabernetes.dev/kubelet-stopped"

// A Node is a machine to register.
type Node struct {
	Name        string
	Labels      map[string]string
	Annotations map[string]string
	Taints      []corev1.Taint
	// Capacity is what the machine has; nil: 4 CPUs, 16 Gi of memory, 100 Gi of disk, 110 Pods.
	Capacity corev1.ResourceList
	// PodCIDR is the range of its Pods' addresses; empty: a /24 in 10.128.0.0/9 that no other node has.
	PodCIDR string
	// Address is the machine's address; empty: one in 172.18.0.0/16.
	Address string
}

// withDefaults fills in what is not said of the i-th node.
func (n Node) withDefaults(i int) Node {
	if n.Name == "" {
		n.Name = fmt.Sprintf("node-%d", i+1)
	}
	if n.PodCIDR == "" {
		n.PodCIDR = fmt.Sprintf("10.%d.%d.0/24", 128+i>>8&0x7f, i&0xff)
	}
	if n.Address == "" {
		n.Address = fmt.Sprintf("172.18.%d.%d", (i+2)>>8&0xff, (i+2)&0xff)
	}
	return n
}

// node is a Node and its kubelet. player and renewed belong to the workers that have it and its Lease.
type node struct {
	name string
	// spec is how it is registered; nil if others do that.
	spec *Node
	// object is the newest that is known; nil if it does not exist. addresses and images are guarded like it, by
	// Kubelets.mu.
	object    *corev1.Node
	addresses *addresses
	images    map[string]bool

	// registered is whether this program has made it, leased whether the queue has its Lease; they are guarded, too.
	registered, leased bool

	player player
	// renewed is the Lease as it was written last; nil if that is not known.
	renewed *coordinationv1.Lease
}

func nodeKey(name string) key { return key{aNode, types.NamespacedName{Name: name}} }

// runs reports whether a Node has a kubelet, and that runs.
func (k *Kubelets) runs(n *node) bool {
	if n == nil || n.object == nil {
		return false
	}
	if _, stopped := n.object.Annotations[StoppedAnnotation]; stopped {
		return false
	}
	_, managed := n.object.Annotations[ManagedAnnotation]
	return managed || n.spec != nil || k.options.All
}

// sawNode takes a Node as it is now.
func (k *Kubelets) sawNode(o runtime.Object, gone bool) {
	object := o.(*corev1.Node)
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[object.Name]
	if n == nil {
		n = &node{name: object.Name}
		k.nodes[object.Name] = n
	}
	ran := k.runs(n)
	if gone {
		if n.object, n.registered = nil, true; n.spec == nil {
			delete(k.nodes, n.name)
		}
	} else if n.object == nil || newer(object, n.object) {
		n.object = object
	}
	if !k.started() {
		return
	}
	k.queue.Add(nodeKey(n.name))
	if !ran && k.runs(n) {
		for name, p := range k.pods {
			if p.object.Spec.NodeName == n.name {
				k.queue.Add(key{aPod, name})
			}
		}
	}
}

// nodeOf returns a node with its newest object; nil if it has no kubelet that runs.
func (k *Kubelets) nodeOf(name string) (*node, *corev1.Node) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := k.nodes[name]
	if !k.runs(n) {
		return nil, nil
	}
	return n, n.object
}

// syncNode registers a Node, and plays the Stages that it is in.
func (k *Kubelets) syncNode(ctx context.Context, name string) (next time.Time, err error) {
	ctx = as(ctx, name)
	if err := k.register(ctx, name); err != nil {
		return next, err
	}
	for {
		n, object := k.nodeOf(name)
		if n == nil {
			return next, nil
		}
		k.lease(n)
		tree, err := stage.Tree(object)
		if err != nil {
			return next, err
		}
		status := object.Status
		if status.Allocatable = maps.Clone(status.Allocatable); status.Allocatable != nil && extended(&status) {
			updated, err := k.writeNode(ctx, n, object, tree, &stage.Body{Data: []byte(`{"status":{}}`)})
			if err != nil {
				return next, ignoreGone(err)
			}
			if updated != nil {
				k.tookNode(n, updated)
				continue
			}
		}
		play, next, err := n.player.choose(k, k.stages.forNodes(), object, tree, "")
		if play == nil || err != nil {
			return next, err
		}
		if again, err := k.playNode(ctx, n, object, tree, play); !again || err != nil {
			return n.player.played(k, play, object, "", err), err
		}
	}
}

// register makes a Node that does not exist. A kubelet does so once: not if somebody deletes its Node.
func (k *Kubelets) register(ctx context.Context, name string) error {
	k.mu.Lock()
	n := k.nodes[name]
	needed := n != nil && n.object == nil && n.spec != nil && !n.registered
	k.mu.Unlock()
	if !needed {
		return nil
	}
	object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   name,
		Labels: map[string]string{},
		Annotations: map[string]string{
			"volumes.kubernetes.io/controller-managed-attach-detach": "true",
		},
	}, Spec: corev1.NodeSpec{
		PodCIDR: n.spec.PodCIDR, PodCIDRs: []string{n.spec.PodCIDR}, Taints: n.spec.Taints,
	}}
	for _, prefix := range []string{"", "beta."} {
		object.Labels[prefix+"kubernetes.io/arch"], object.Labels[prefix+"kubernetes.io/os"] = "amd64", "linux"
	}
	object.Labels["kubernetes.io/hostname"] = name
	maps.Copy(object.Labels, n.spec.Labels)
	maps.Copy(object.Annotations, n.spec.Annotations)
	machine(&object.Status, n)
	made, err := k.client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		made, err = k.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	}
	if err != nil {
		return err
	}
	k.tookNode(n, made)
	k.event(ctx, nodeReference(made), name, corev1.EventTypeNormal, "Starting", "Starting kubelet.")
	return nil
}

// tookNode takes a Node as a request has returned it.
func (k *Kubelets) tookNode(n *node, o *corev1.Node) {
	o.ManagedFields = nil
	k.mu.Lock()
	defer k.mu.Unlock()
	n.registered = true
	if n.object == nil || newer(o, n.object) {
		n.object = o
	}
}

// machine fills in what a kubelet finds out about its machine, where the status does not say it.
func machine(s *corev1.NodeStatus, n *node) {
	if s.Capacity == nil {
		s.Capacity = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"),
			corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"), corev1.ResourcePods: resource.MustParse("110"),
		}
		if n.spec != nil && n.spec.Capacity != nil {
			s.Capacity = n.spec.Capacity.DeepCopy()
		}
	}
	if s.Allocatable == nil {
		s.Allocatable = s.Capacity.DeepCopy()
	}
	extended(s)
	if s.Addresses == nil {
		address := hostAddress(n)
		s.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address},
			{Type: corev1.NodeHostName, Address: n.name}}
	}
	if s.DaemonEndpoints.KubeletEndpoint.Port == 0 {
		s.DaemonEndpoints.KubeletEndpoint.Port = 10250
	}
	if s.NodeInfo.KubeletVersion == "" {
		s.NodeInfo = corev1.NodeSystemInfo{
			Architecture: "amd64", OperatingSystem: "linux", OSImage: "Tabernetes", KernelVersion: "none",
			ContainerRuntimeVersion: "none://0", KubeletVersion: Version, KubeProxyVersion: Version,
			MachineID: id(n.name)[:32], SystemUUID: id(n.name)[:32], BootID: id(n.name)[:32],
		}
	}
}

// hash returns a number that belongs to a name.
func hash(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])
}

// hostAddress returns the address of a node that has not reported one.
func hostAddress(n *node) string {
	if n.spec != nil {
		return n.spec.Address
	}
	h := hash(n.name)
	return netip.AddrFrom4([4]byte{172, 19, byte(h >> 8), byte(h)}).String()
}

// internalIP returns the address that a Node has.
func internalIP(o *corev1.Node, n *node) string {
	for _, a := range o.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return hostAddress(n)
}

// playNode does what a Stage does to a Node; again: its object has changed.
func (k *Kubelets) playNode(ctx context.Context, n *node, o *corev1.Node, tree map[string]any, s *stage.Stage) (
	again bool, err error) {
	actions, err := s.Play(tree, types.StrategicMergePatchType)
	if err != nil {
		return false, err
	}
	nodes := k.client.CoreV1().Nodes()
	for _, a := range actions {
		var updated *corev1.Node
		switch {
		case a.Event != nil:
			k.event(ctx, nodeReference(o), n.name, a.Event.Type, a.Event.Reason, a.Event.Message)
			continue
		case a.Delete:
			err = nodes.Delete(ctx, n.name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(o.UID))})
			return false, ignoreGone(err)
		case statusOnly(a.Patch):
			updated, err = k.writeNode(ctx, n, o, tree, a.Patch)
		default:
			updated, err = nodes.Patch(ctx, n.name, a.Patch.Type, a.Patch.Data, metav1.PatchOptions{}, subresource(a.Patch)...)
		}
		if err != nil {
			return false, ignoreGone(err)
		}
		if updated != nil && updated.ResourceVersion != o.ResourceVersion {
			k.tookNode(n, updated)
			again = true
		}
	}
	return again, nil
}

// writeNode writes the status that a Node has after a patch, as its kubelet does. It returns nil if nothing changes.
func (k *Kubelets) writeNode(ctx context.Context, n *node, o *corev1.Node, tree map[string]any, patch *stage.Body) (
	*corev1.Node, error) {
	merged, _, err := mergeStatus(tree, patch.Data)
	if err != nil {
		return nil, err
	}
	wanted := &corev1.Node{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"status": merged}, wanted); err != nil {
		return nil, err
	}
	machine(&wanted.Status, n)
	now := metav1.NewTime(k.clock.Now())
	for i := range wanted.Status.Conditions {
		c := &wanted.Status.Conditions[i]
		before := nodeCondition(&o.Status, c.Type)
		if before != nil && before.Status == c.Status {
			c.LastTransitionTime = before.LastTransitionTime
		} else {
			c.LastTransitionTime = now
		}
	}
	data, err := twoWay(&corev1.Node{Status: o.Status}, wanted, corev1.Node{})
	if err != nil || string(data) == "{}" {
		return nil, err
	}
	updated, err := k.client.CoreV1().Nodes().Patch(ctx, n.name, types.StrategicMergePatchType, data,
		metav1.PatchOptions{}, "status")
	if err != nil {
		return nil, err
	}
	for i := range updated.Status.Conditions {
		c := &updated.Status.Conditions[i]
		before := nodeCondition(&o.Status, c.Type)
		reason := nodeReasons[string(c.Type)+string(c.Status)]
		if reason != "" && (before == nil || before.Status != c.Status) {
			k.event(ctx, nodeReference(updated), n.name, corev1.EventTypeNormal, reason,
				fmt.Sprintf("Node %s status is now: %s", n.name, reason))
		}
	}
	return updated, nil
}

// nodeReasons are the reasons of a kubelet's Events by a condition's type and what its status becomes.
var nodeReasons = map[string]string{
	"ReadyTrue": "NodeReady", "ReadyFalse": "NodeNotReady",
	"MemoryPressureFalse": "NodeHasSufficientMemory", "MemoryPressureTrue": "NodeHasInsufficientMemory",
	"DiskPressureFalse": "NodeHasNoDiskPressure", "DiskPressureTrue": "NodeHasDiskPressure",
	"PIDPressureFalse": "NodeHasSufficientPID", "PIDPressureTrue": "NodeHasInsufficientPID",
}

func nodeCondition(s *corev1.NodeStatus, t corev1.NodeConditionType) *corev1.NodeCondition {
	i := slices.IndexFunc(s.Conditions, func(c corev1.NodeCondition) bool { return c.Type == t })
	if i < 0 {
		return nil
	}
	return &s.Conditions[i]
}

// twoWay returns the strategic merge patch that makes one object of another.
func twoWay(from, to, kind any) ([]byte, error) {
	before, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	after, err := json.Marshal(to)
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(before, after, kind)
}

// cidrOf returns the range of the Pods' addresses of a node whose Node names no range.
func cidrOf(name string) netip.Prefix {
	h := hash(name)
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 64 + byte(h>>8&0x3f), byte(h), 0}), 24)
}

// cidr returns the range of addresses of a Node's Pods.
func cidr(o *corev1.Node) netip.Prefix {
	for _, text := range append(slices.Clone(o.Spec.PodCIDRs), o.Spec.PodCIDR) {
		if p, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
			return p.Masked()
		}
	}
	return netip.Prefix{}
}
