package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
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
	obj, err := patched(m, said.patch)
	if err != nil || obj == nil {
		return false, err
	}
	changed = !object.Equal(obj, m.form.Object)
	kinds.For(m.form.Kind.Group, m.form.Kind.Kind).Fill(obj)
	if changed {
		err = m.form.Replace(ctx, a, obj)
	}
	return changed && err == nil, err
}

// patched returns the object that a webhook saw with a patch applied; nil if the patch has no operations.
func patched(m *meeting, change []byte) (map[string]any, error) {
	f, h := m.form, m.hook
	if none := []json.RawMessage(nil); json.Unmarshal(change, &none) == nil && len(none) == 0 {
		return nil, nil
	}
	if f.Object == nil {
		return nil, status.NewInternal(fmt.Errorf("admission webhook %q attempted to modify the object, "+
			"which is not supported for this operation", h.name))
	}
	document, _, err := patch.JSON(encode(f.Object, f.Schema), change, false)
	if wrong := new(patch.Error); errors.As(err, &wrong) && wrong.Reason == patch.BadRequest {
		return nil, &callError{h.name, "received undecodable patch in webhook response: " + wrong.Message}
	}
	if err != nil {
		return nil, status.NewInternal(err)
	}
	obj, err := decode(document, f.Schema)
	if err != nil {
		return nil, status.NewInternal(err)
	}
	object.SetTypeMeta(obj, f.Kind.APIVersion(), f.Kind.Kind)
	return obj, nil
}
