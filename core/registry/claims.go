package registry

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/status"
)

// An IPAddress claims an address of the cluster's range for its Service. It is written before the Service, and removed
// after it, each at its own revision. An address is free once it has no IPAddress.

// managedBy is the label of the claims.
const (
	managedBy = "ipaddress.kubernetes.io/managed-by"
	allocator = "ipallocator.k8s.io"
)

// addressesOf returns the addresses that an object of the target's type claims. Without a range it returns nil.
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
		if err := r.writeClaim(ctx, t, obj, ip, o); err != nil {
			r.unclaim(ctx, claimed, o)
			return nil, err
		}
		claimed, c.ClusterIPs = append(claimed, ip), nil
	}
	return claimed, nil
}

// claimLabels are the labels of a claim. They are not changed.
var claimLabels = Labels(map[string]string{"ipaddress.kubernetes.io/ip-family": "IPv4", managedBy: allocator})

// claimText is a claim as Place wants it. Names and addresses need no escapes.
const claimText = `{"kind":"IPAddress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"$ip","uid":"$uid",` +
	`"resourceVersion":"$rev","creationTimestamp":"$now","labels":{"ipaddress.kubernetes.io/ip-family":"IPv4",` +
	`"` + managedBy + `":"` + allocator + `"},"managedFields":[{"manager":"kube-apiserver","operation":"Update",` +
	`"apiVersion":"networking.k8s.io/v1","time":"$now","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{` +
	`".":{},"f:ipaddress.kubernetes.io/ip-family":{},"f:` + managedBy + `":{}}},"f:spec":{"f:parentRef":{".":{},` +
	`"f:name":{},"f:namespace":{},"f:resource":{}}}}}]},"spec":{"parentRef":{"resource":"$resource",` +
	`"namespace":"$namespace","name":"$name"}}}`

// writeClaim creates the IPAddress of an object, which has taken the address.
func (r *Registry) writeClaim(ctx context.Context, t Target, obj map[string]any, ip string, o WriteOptions) error {
	at, name := r.claims(), object.Name(obj)
	switch holder := r.abandoned(t, ip); holder {
	case Target{}:
	case Target{Resource: t.Resource, Namespace: t.Namespace, Name: name}:
		return nil // it is this one's
	default:
		r.unclaim(ctx, []string{ip}, o)
		_ = r.Kinds.ClusterIPs.Take(ip)
	}
	text := strings.NewReplacer("$ip", ip, "$resource", t.Plural, "$namespace", t.Namespace, "$name", name).
		Replace(claimText)
	if err := r.writable(); err != nil {
		return err
	}
	if err := r.between(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	at.Name = ip
	e, err := r.Place(ctx, &Placed{Target: at, Labels: claimLabels, Text: text})
	var taken *mvcc.ConflictError
	if errors.As(err, &taken) {
		return status.NewInvalid(t.GroupKind(), name, field.ErrorList{field.Invalid("spec.clusterIPs",
			[]string{ip}, "failed to allocate IP "+ip+": provided IP is already allocated")})
	}
	if err != nil {
		return r.refused(err)
	}
	o.note(e)
	return nil
}

// Managed reports whether an IPAddress is a claim that the server has made.
func Managed(claim map[string]any) bool {
	return object.GetString(claim, "metadata", "labels", managedBy) == allocator
}

// abandoned returns whose a claim of the server is, if that object does not have the address, or does not exist: a
// saved cluster may end between the two writes.
func (r *Registry) abandoned(t Target, ip string) Target {
	at := r.claims()
	v := r.Store.Latest(at.bucket(), at.key(ip))
	if v == nil {
		return Target{}
	}
	claim := decodeBuiltin(at.Resource, v.Value)
	t = Target{Resource: t.Resource}
	t.Namespace = object.GetString(claim, "spec", "parentRef", "namespace")
	t.Name = object.GetString(claim, "spec", "parentRef", "name")
	var obj map[string]any
	if v := r.Store.Latest(t.bucket(), t.key(t.Name)); v != nil {
		obj = decodeBuiltin(t.Resource, v.Value)
	}
	if !Managed(claim) || slices.Contains(r.addressesOf(t, obj), ip) {
		return Target{}
	}
	return t
}

// claims returns the collection of IPAddresses.
func (r *Registry) claims() Target {
	return Target{Resource: r.Table.Resource("networking.k8s.io", "v1", "ipaddresses")}
}

// unclaim removes IPAddresses, which frees the addresses, whether or not the client still waits. What is gone already
// is skipped; what cannot be removed, because writes are refused, stays.
func (r *Registry) unclaim(ctx context.Context, ips []string, o WriteOptions) {
	ctx = context.WithoutCancel(ctx)
	for _, ip := range ips {
		at := r.claims()
		_ = r.erase(ctx, mvcc.Location{Bucket: at.bucket(), Key: at.key(ip)},
			WriteOptions{Manager: serverManager, written: o.written})
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
		obj := decodeBuiltin(t.Resource, item.Value)
		owner := t
		owner.Namespace = object.Namespace(obj)
		for _, ip := range r.addressesOf(t, obj) {
			if r.Store.Latest(at.bucket(), at.key(ip)) != nil {
				continue
			}
			if err := r.writeClaim(ctx, owner, obj, ip, WriteOptions{}); err != nil {
				return err
			}
		}
	}
	return nil
}
