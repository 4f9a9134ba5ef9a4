package admission

import "github.com/tabernetes/tabernetes/core/object"

// passes are the passes of one mutating phase: a plugin of which parts are to see the object again asks for a second.
type passes struct {
	asked, second bool
	repeats       map[Plugin]*Repeats
}

// Repeats is which parts of a plugin, such as webhooks, see an object again in the second pass: those that want it if
// the object was changed after them. They are known by any key.
type Repeats struct {
	// ran are those that want it, since the last change; again those that get it.
	ran, again map[any]bool
	// left is the object as the plugin left it, if any of them wants it.
	left map[string]any
}

// Repeats returns those of a plugin, for the present mutating phase.
func (a *Attributes) Repeats(plugin Plugin) *Repeats {
	r := a.passes.repeats[plugin]
	if r == nil {
		r = &Repeats{ran: map[any]bool{}, again: map[any]bool{}}
		if a.passes.repeats == nil {
			a.passes.repeats = map[Plugin]*Repeats{}
		}
		a.passes.repeats[plugin] = r
	}
	return r
}

// Begin begins a pass.
func (r *Repeats) Begin(a *Attributes) {
	if a.passes.second && r.left != nil && !object.Equal(r.left, a.Object) {
		r.require()
	}
}

// End ends it.
func (r *Repeats) End(a *Attributes) {
	if len(r.ran) > 0 && a.Object != nil && !a.passes.second {
		r.left = object.DeepCopy(a.Object)
	}
}

// Skips reports whether a part has nothing to do in this pass.
func (r *Repeats) Skips(a *Attributes, part any) bool { return a.passes.second && !r.again[part] }

// Ran notes that a part has seen the object and wants to see later changes.
func (r *Repeats) Ran(part any) { r.ran[part] = true }

// Changed notes that the object was changed.
func (r *Repeats) Changed(a *Attributes) {
	a.passes.asked = true
	r.require()
}

func (r *Repeats) require() {
	for part := range r.ran {
		r.again[part] = true
	}
	clear(r.ran)
}
