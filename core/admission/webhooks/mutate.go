package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/kinds"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/core/status"
)

// mutate calls webhooks in their order. When one has changed the object, those before it with
// reinvocationPolicy IfNeeded are called again, in one more round.
func (w *Plugin) mutate(ctx context.Context, a *admission.Attributes, hooks []*hook) error {
	m := w.newMatcher(a)
	asked, again := map[*hook]bool{}, map[*hook]bool{}
	for round := range 2 {
		changed := false
		for _, h := range hooks {
			if round > 0 && !again[h] {
				continue
			}
			match, err := m.match(h, a)
			if err != nil {
				return err
			}
			if match == nil {
				continue
			}
			altered, err := w.mutateWith(ctx, match, a)
			if altered {
				changed = true
				maps.Copy(again, asked)
				clear(asked)
			}
			if h.reinvoke {
				asked[h] = true
			}
			if err = h.failing(ctx, err); err != nil {
				return err
			}
		}
		if !changed {
			return nil
		}
	}
	return nil
}

// mutateWith calls one webhook for a write, and applies the patch in its answer.
func (w *Plugin) mutateWith(ctx context.Context, m *match, a *admission.Attributes) (changed bool, err error) {
	f, err := formOf(ctx, m, a)
	if err != nil {
		return false, status.NewInternal(err)
	}
	said, err := w.callHook(ctx, m.hook, a, f, true)
	for _, text := range said.warnings {
		a.Warn(text)
	}
	if err != nil || len(said.patch) == 0 {
		return false, err
	}
	obj, err := f.patched(m.hook, said.patch)
	if err != nil || obj == nil {
		return false, err
	}
	changed = !object.Equal(obj, f.object)
	kinds.For(f.kind.Group, f.kind.Kind).Fill(obj)
	if changed {
		if f.kind.Kind == m.resource.Kind {
			if err := kinds.Convert(ctx, obj, m.resource, a.Resource); err != nil {
				return false, status.NewInternal(err)
			}
		}
		clear(a.Object)
		maps.Copy(a.Object, obj)
	}
	return changed, nil
}

// patched returns the object of a form with a patch applied; nil if the patch has no operations.
func (f *form) patched(h *hook, change []byte) (map[string]any, error) {
	if none := []json.RawMessage(nil); json.Unmarshal(change, &none) == nil && len(none) == 0 {
		return nil, nil
	}
	if f.object == nil {
		return nil, status.NewInternal(fmt.Errorf("admission webhook %q attempted to modify the object, "+
			"which is not supported for this operation", h.name))
	}
	document, _, err := patch.JSON(encode(f.object, f.schema), change, false)
	if wrong := new(patch.Error); errors.As(err, &wrong) && wrong.Reason == patch.BadRequest {
		return nil, &callError{h.name, "received undecodable patch in webhook response: " + wrong.Message}
	}
	if err != nil {
		return nil, status.NewInternal(err)
	}
	obj, err := decode(document, f.schema)
	if err != nil {
		return nil, status.NewInternal(err)
	}
	object.SetTypeMeta(obj, f.apiVersion(), f.kind.Kind)
	return obj, nil
}
