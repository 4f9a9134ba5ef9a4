package apiserver

import (
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
)

// view is the form of an object that a request reads and writes: the object itself, or a
// subresource such as a Scale.
type view struct {
	// expected is the type of the view in bodies and answers.
	expected expected
	// show makes the view of an object.
	show func(obj map[string]any) map[string]any
	// set applies a changed view to the object.
	set func(obj, view map[string]any) (map[string]any, error)
}

// own returns the type of the resource.
func (i *info) own() expected {
	return expected{group: i.Group, version: i.Version, kind: i.Kind, schema: i.Type()}
}

// viewOf returns the view that a request's path names; false if it is not implemented.
func viewOf(i *info) (view, bool) {
	switch i.Subresource {
	case "", "status", "finalize", "approval", "ephemeralcontainers", "resize":
		return view{
			expected: i.own(),
			show:     func(obj map[string]any) map[string]any { return obj },
			set:      func(_, view map[string]any) (map[string]any, error) { return view, nil },
		}, true
	case "scale":
		return view{
			expected: expected{group: i.sub.Group, version: i.sub.Version, kind: i.sub.Kind, schema: i.sub.Type(),
				unnamed: i.Custom != nil},
			show: func(obj map[string]any) map[string]any { return registry.ScaleOf(i.Resource, obj) },
			set: func(obj, scale map[string]any) (map[string]any, error) {
				return registry.SetScale(i.Resource, obj, scale)
			},
		}, true
	}
	return view{}, false
}

// whole reports whether the view is the object itself.
func (i *info) whole() bool { return i.Subresource != "scale" }

// replace returns the change that a PUT of a view makes.
func (v *view) replace(t registry.Target, body map[string]any, o registry.WriteOptions) registry.Change {
	replace := registry.Replace(t, body, o)
	return func(old map[string]any) (map[string]any, error) {
		changed, err := replace(old)
		if err != nil || old == nil {
			return changed, err
		}
		return v.set(old, changed)
	}
}

// view answers with an object in the form that the request reads.
func (a *answer) view(i *info, code int, value []byte) error {
	if i.whole() {
		return a.stored(code, value)
	}
	obj, _, err := object.Decode(value, i.Type())
	if err != nil {
		return err
	}
	shown := i.view.show(obj)
	if err := registry.CheckScale(i.Resource, shown); err != nil {
		return err
	}
	return a.stored(code, object.Encode(nil, shown, i.view.expected.schema))
}
