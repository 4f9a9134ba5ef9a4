package registry

import (
	"context"
	"slices"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// An IPAddress claims an address of the cluster's range for its Service. It is written before the Service, and removed
// after it, each at a revision of its own. An address is free once it has no IPAddress.

// claimManager is the field manager of the claims, and managedBy their label.
const (
	claimManager = "kube-apiserver"
	managedBy    = "ipaddress.kubernetes.io/managed-by"
	allocator    = "ipallocator.k8s.io"
)

// addressesOf returns the addresses that an object of the target's type claims. Without a range there are none.
func (r *Registry) addressesOf(t Target, obj map[string]any) []string {
	strat := kinds.Of(t.Resource)
	if strat.Addresses == nil || obj == nil || r.Kinds.ClusterIPs == nil {
		return nil
	}
	return strat.Addresses(obj)
}

// claim writes the IPAddresses of the addresses that an object has just been given, which it had not before, and
// returns these. Then they are no longer c's to release.
func (r *Registry) claim(ctx context.Context, t Target, c *strategy.Context, obj, old map[string]any,
	o WriteOptions) ([]string, error) {
	had := r.addressesOf(t, old)
	var claimed []string
	if o.DryRun {
		return nil, nil
	}
	for _, ip := range r.addressesOf(t, obj) {
		if slices.Contains(had, ip) {
			continue
		}
		if err := r.writeClaim(ctx, t, obj, ip); err != nil {
			r.unclaim(ctx, claimed)
			return nil, err
		}
		claimed, c.ClusterIPs = append(claimed, ip), nil
	}
	return claimed, nil
}

// writeClaim creates the IPAddress of an object.
func (r *Registry) writeClaim(ctx context.Context, t Target, obj map[string]any, ip string) error {
	address := map[string]any{
		"apiVersion": "networking.k8s.io/v1", "kind": "IPAddress",
		"metadata": map[string]any{"name": ip, "labels": map[string]any{
			"ipaddress.kubernetes.io/ip-family": "IPv4", managedBy: allocator,
		}},
		"spec": map[string]any{"parentRef": map[string]any{
			"resource": t.Plural, "namespace": t.Namespace, "name": object.Name(obj),
		}},
	}
	o := WriteOptions{Manager: claimManager}
	at := r.claims()
	_, err := r.create(Admitted(ctx), at, newAttributes(at, admission.Create, address, nil, o), o)
	if status.Is(err, status.AlreadyExists) && r.abandoned(t, ip) {
		r.unclaim(ctx, []string{ip})
		_, err = r.create(Admitted(ctx), at, newAttributes(at, admission.Create, address, nil, o), o)
	}
	if status.Is(err, status.AlreadyExists) {
		return status.NewInvalid(t.GroupKind(), object.Name(obj), field.ErrorList{field.Invalid("spec.clusterIPs",
			[]string{ip}, "failed to allocate IP "+ip+": provided IP is already allocated")})
	}
	return err
}

// Managed reports whether an IPAddress is a claim that the server has made.
func Managed(claim map[string]any) bool { return object.Labels(claim)[managedBy] == allocator }

// abandoned reports whether a claim of the server is for an object that does not have the address, or does not exist:
// a saved cluster may end between the two writes.
func (r *Registry) abandoned(t Target, ip string) bool {
	at := r.claims()
	v := r.Store.Latest(at.bucket(), at.key(ip))
	if v == nil {
		return false
	}
	claim := decodeAs(at.Resource, v.Value)
	t.Namespace = object.GetString(claim, "spec", "parentRef", "namespace")
	t.Name = object.GetString(claim, "spec", "parentRef", "name")
	var obj map[string]any
	if v := r.Store.Latest(t.bucket(), t.key(t.Name)); v != nil {
		obj = decodeAs(t.Resource, v.Value)
	}
	return Managed(claim) && !slices.Contains(r.addressesOf(t, obj), ip)
}

// claims returns the collection of IPAddresses.
func (r *Registry) claims() Target {
	return Target{Resource: r.Table.Resource("networking.k8s.io", "v1", "ipaddresses")}
}

// unclaim removes IPAddresses, which frees the addresses. What is gone already is skipped; what cannot be removed,
// because writes are refused, stays.
func (r *Registry) unclaim(ctx context.Context, ips []string) {
	for _, ip := range ips {
		at := r.claims()
		_ = r.erase(ctx, mvcc.Location{Bucket: at.bucket(), Key: at.key(ip)}, WriteOptions{})
	}
}

// MakeClaims writes the IPAddresses that stored objects of a type lack: those from before there were any.
func (r *Registry) MakeClaims(ctx context.Context, t Target) error {
	page, err := r.Store.Range(t.bucket(), mvcc.Query{})
	if err != nil {
		return err
	}
	at := r.claims()
	for _, item := range page.Items {
		obj := decodeAs(t.Resource, item.Value)
		of := t
		of.Namespace = object.Namespace(obj)
		for _, ip := range r.addressesOf(t, obj) {
			if r.Store.Latest(at.bucket(), at.key(ip)) != nil {
				continue
			}
			if err := r.writeClaim(ctx, of, obj, ip); err != nil {
				return err
			}
		}
	}
	return nil
}
