package policies

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// paramType returns the resource of a policy's parameters; nil if it has none. As in the real server, which keeps its
// watch, a type that was found is one for as long as policies name it, also without its definition.
func (p *Plugin) paramType(k *paramKind) (*schema.Resource, error) {
	if k == nil {
		return nil, nil
	}
	group, version := object.SplitGroupVersion(k.apiVersion)
	if row := p.Table.ByKind(group, version, k.kind); row != nil {
		k.known.Store(row)
		return row, nil
	}
	if row := k.known.Load(); row != nil {
		return row, nil
	}
	return nil, fmt.Errorf("failed to find resource referenced by paramKind: '%s/%s, Kind=%s'", group, version, k.kind)
}

// params returns the parameters of a binding for a request. nil is one of them if it is evaluated without.
func (p *Plugin) params(
	ctx context.Context, t *schema.Resource, ref *paramRef, r *match.Request,
) ([]map[string]any, error) {
	if t == nil || ref == nil {
		return []map[string]any{nil}, nil
	}
	namespace := ""
	switch {
	case t.Namespaced && ref.namespace != "":
		namespace = ref.namespace
	case t.Namespaced:
		if namespace = match.NamespaceOf(r.Attributes); namespace == "" {
			return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
		}
	case ref.namespace != "":
		return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	}
	query := mvcc.Query{}
	if namespace != "" {
		query.Group = namespace + "/"
	}
	if ref.name != "" {
		query.Key = query.Group + ref.name
	} else if ref.invalid != nil {
		return nil, ref.invalid
	}
	all, err := p.stored(ctx, t, query, ref)
	if err == nil && len(all) == 0 && ref.deny {
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return all, err
}

// stored returns the stored objects of a query that a reference selects, in the version of a resource.
func (p *Plugin) stored(
	ctx context.Context, t *schema.Resource, query mvcc.Query, ref *paramRef,
) (all []map[string]any, err error) {
	err = admission.EachStored(p.Store, t.Storage(), query, func(obj map[string]any) error {
		if ref.selects && !ref.selector.MatchesTree(object.GetMap(obj, "metadata", "labels")) {
			return nil
		}
		err := kinds.Convert(ctx, obj, t.Storage(), t)
		object.SetTypeMeta(obj, t.APIVersion(), t.Kind)
		all = append(all, obj)
		return err
	})
	return all, err
}
