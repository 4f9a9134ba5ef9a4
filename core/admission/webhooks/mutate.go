package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// mutate calls webhooks in their order; in the second pass those that have to see the object again.
func (w *Plugin) mutate(ctx context.Context, a *admission.Attributes, hooks []*hook) error {
	r, repeats := w.source().Request(a), a.Repeats(w)
	repeats.Begin(a)
	defer repeats.End(a)
	for _, h := range hooks {
		if repeats.Skips(a, h) {
			continue
		}
		m, err := w.meet(ctx, r, h)
		if err != nil {
			return err
		}
		if m == nil {
			continue
		}
		changed, err := w.mutateWith(ctx, m, a)
		if changed {
			repeats.Changed(a)
		}
		if h.reinvoke {
			repeats.Ran(h)
		}
		if err = h.failing(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

// mutateWith calls one webhook for a write, and applies the patch in its answer.
func (w *Plugin) mutateWith(ctx context.Context, m *meeting, a *admission.Attributes) (changed bool, err error) {
	said, err := w.callHook(ctx, m.hook, a, m.form, true)
	for _, text := range said.warnings {
		a.Warn(text)
	}
	if err != nil || len(said.patch) == 0 {
		return false, err
	}
	var given object.Given
	obj, err := patched(ctx, m, said, &given)
	if err != nil || obj == nil {
		return false, err
	}
	changed = !object.Equal(obj, m.form.Object)
	given.Put(obj)
	kinds.For(m.form.Kind.Group, m.form.Kind.Kind).Fill(obj)
	given.Take(obj)
	if changed {
		err = m.form.Replace(ctx, a, obj)
	}
	if a.Given != nil {
		*a.Given = given
	}
	return changed && err == nil, err
}

// patched returns the object that a webhook saw with a patch applied; nil if the patch has no operations.
func patched(ctx context.Context, m *meeting, said verdict, given *object.Given) (map[string]any, error) {
	f, h, change := m.form, m.hook, said.patch
	var operations []map[string]json.RawMessage
	switch undecodable := json.Unmarshal(change, &operations) != nil; {
	case undecodable: // which patch.JSON says
	case len(operations) == 0:
		return nil, nil
	case f.Object == nil:
		return nil, status.NewInternal(fmt.Errorf("admission webhook %q attempted to modify the object, "+
			"which is not supported for this operation", h.name))
	case said.patchType != "" && said.patchType != "JSONPatch":
		return nil, &callError{h.name, fmt.Sprintf("unsupported patch type %q", said.patchType)}
	}
	document, _, err := patch.JSON(encode(f.Object, f.Schema), change, false)
	if wrong := new(patch.Error); errors.As(err, &wrong) && wrong.Reason == patch.BadRequest {
		return nil, &callError{h.name, "received undecodable patch in webhook response: " + wrong.Message}
	}
	if err != nil {
		return nil, status.NewInternal(err)
	}
	obj, err := decodeSaid(ctx, document, f, given)
	if err != nil {
		return nil, err
	}
	object.SetTypeMeta(obj, f.Kind.APIVersion(), f.Kind.Kind)
	return obj, nil
}

// decodeSaid decodes a patched object, which is read as what it says that it is: another version of the kind is
// converted, another kind cannot be. What it does not say is as before.
func decodeSaid(ctx context.Context, document []byte, f *match.Form, given *object.Given) (map[string]any, error) {
	t, form, was := f.Schema, (*schema.Resource)(nil), f.Kind
	if t == nil {
		was = match.Kind{} // a custom resource says what it is
	}
	var is match.Kind
	var err error
	is.Group, is.Version, is.Kind, err = object.TypeOr(document, was.Group, was.Version, was.Kind)
	switch {
	case err != nil:
		return nil, status.NewInternal(err)
	case is.Kind == "":
		return nil, status.NewInternal(object.NoKind(document))
	case t == nil || is == was:
	case is.Version == "":
		return nil, status.NewInternal(object.NoVersion(document))
	default:
		if t = schema.TypeOf(is.Group, is.Version, is.Kind); t == nil {
			return nil, status.NewInternal(object.Unregistered(is.Kind, is.APIVersion()))
		}
		if is.Kind == f.Row.Kind && is.Kind == was.Kind {
			form = f.Row.Form(is.APIVersion())
		}
	}
	obj, _, err := object.DecodeGiven(document, t, given)
	switch {
	case err != nil:
		return nil, status.NewInternal(err)
	case form != nil:
		err = kinds.Convert(ctx, obj, form, f.Row)
	case t != f.Schema:
		err = fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", is.Version, is.Kind,
			schema.InternalPackage(f.Kind.Group), f.Kind.Kind)
	}
	return obj, err
}
