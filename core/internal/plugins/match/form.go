package match

import (
	"context"
	"maps"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Kind is that of an object in a review.
type Kind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

func (k Kind) tree() map[string]any {
	return map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}
}

// APIVersion returns the apiVersion of objects of the kind.
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// A Resource is that of a request in a review.
type Resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

func (r Resource) tree() map[string]any {
	return map[string]any{"group": r.Group, "version": r.Version, "resource": r.Resource}
}

// A Form is the objects of a request in the version of a match: their own, or an equivalent one.
type Form struct {
	Kind     Kind
	Resource Resource
	// Row is that of the resource, and Schema the type of the objects; nil for custom ones.
	Row         *schema.Resource
	Schema      *schema.Type
	Object, Old map[string]any
}

// FormOf converts a request to the version of a match. The error is a Status.
func FormOf(ctx context.Context, matched *schema.Resource, a *admission.Attributes) (*Form, error) {
	group, version, kind, t := a.ObjectType()
	f := &Form{
		Kind: Kind{group, version, kind}, Row: matched, Schema: t, Object: a.Object, Old: a.Old,
		Resource: Resource{matched.Group, matched.Version, matched.Plural},
	}
	if f.Kind == (Kind{a.Group, a.Version, a.Kind}) && matched != a.Resource {
		f.Kind, f.Schema = Kind{matched.Group, matched.Version, matched.Kind}, matched.Type()
		var err error
		if f.Object, err = converted(ctx, a.Object, a.Resource, matched); err != nil {
			return nil, status.NewInternal(err)
		}
		if f.Old, err = converted(ctx, a.Old, a.Resource, matched); err != nil {
			return nil, status.NewInternal(err)
		}
	}
	return f, nil
}

// converted returns a copy of an object in the form of another resource, or nil.
func converted(ctx context.Context, obj map[string]any, from, to *schema.Resource) (map[string]any, error) {
	if obj == nil {
		return nil, nil
	}
	obj = object.DeepCopy(obj)
	return obj, kinds.Convert(ctx, obj, from, to)
}

// Replace makes obj, in the version of the form, the object of the request. It is changed. The error is a Status, and
// then nothing is replaced.
func (f *Form) Replace(ctx context.Context, a *admission.Attributes, obj map[string]any) error {
	if f.Kind.Kind == f.Row.Kind {
		if err := kinds.Convert(ctx, obj, f.Row, a.Resource); err != nil {
			return status.NewInternal(err)
		}
	}
	clear(a.Object)
	maps.Copy(a.Object, obj)
	return nil
}

// Input returns what expressions see of a request. Who evaluates adds the rest.
func (f *Form) Input(ctx context.Context, a *admission.Attributes) *expression.Input {
	group, version, kind, _ := a.ObjectType()
	user := auth.UserOf(ctx)
	who := map[string]any{"username": user.Name}
	if user.UID != "" {
		who["uid"] = user.UID
	}
	if len(user.Groups) > 0 {
		who["groups"] = object.ListOf(user.Groups)
	}
	if len(user.Extra) > 0 {
		who["extra"] = user.ExtraTree()
	}
	request := map[string]any{
		"kind": f.Kind.tree(), "resource": f.Resource.tree(),
		"requestKind":     Kind{group, version, kind}.tree(),
		"requestResource": Resource{a.Group, a.Version, a.Plural}.tree(),
		"operation":       a.Operation, "userInfo": who, "dryRun": a.DryRun,
		"options": nil,
	}
	if options := a.SentOptions(); options != nil {
		request["options"] = options
	}
	for name, text := range map[string]string{
		"name": a.Name, "namespace": NamespaceOf(a),
		"subResource": a.Subresource, "requestSubResource": a.Subresource,
	} {
		if text != "" {
			request[name] = text
		}
	}
	return &expression.Input{Object: f.Object, OldObject: f.Old, Request: request}
}
