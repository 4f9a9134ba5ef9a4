package plugins

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

const priorityGroup, priorityClasses = "scheduling.k8s.io", "priorityclasses"

// preemptLower is the preemption policy of pods without a class.
const preemptLower = "PreemptLowerPriority"

// Priority is the admission plugin Priority: new pods get the priority and the preemption
// policy of their PriorityClass or of the default one, changed pods keep them, and only one class is
// the default.
//
// A new pod with a class costs a lookup and the decoding of the class. The default class is looked for
// and decoded once for each change of any class.
//
// Set its fields before use.
type Priority struct {
	// Store has the PriorityClasses, and Table their type.
	Store *mvcc.Store
	Table *schema.Table

	known atomic.Pointer[defaultClass]
}

// defaultClass is the default class, nil for none, as of the revision at which any class last changed.
type defaultClass struct {
	changed int64
	class   map[string]any
}

var (
	_ admission.Mutator   = (*Priority)(nil)
	_ admission.Validator = (*Priority)(nil)
)

// Mutate sets the priority of a new pod, or refuses the pod if it has another one or an unknown class.
// A changed pod that has none keeps the old one.
func (p *Priority) Mutate(_ context.Context, a *admission.Attributes) error {
	if !a.Is("", "pods") {
		return nil
	}
	switch a.Operation {
	case admission.Create:
		return p.resolve(a, tree.Make(a.Object, "spec"))
	case admission.Update:
		spec, was := tree.Make(a.Object, "spec"), tree.Object(a.Old, "spec")
		for _, name := range []string{"priority", "preemptionPolicy"} {
			if spec[name] == nil {
				tree.Keep(spec, was, name)
			}
		}
	}
	return nil
}

// resolve fills in what follows from the class of a new pod.
func (p *Priority) resolve(a *admission.Attributes, spec map[string]any) error {
	var class map[string]any
	var err error
	if name := tree.Text(spec, "priorityClassName"); name == "" {
		class, err = p.byDefault()
	} else if class, err = p.class(name); err == nil && class == nil {
		return a.Forbidden("no PriorityClass with name " + name + " was found")
	}
	if err != nil {
		return err
	}
	value, policy := valueOf(class), cmp.Or(tree.Text(class, "preemptionPolicy"), preemptLower)
	if given := spec["priority"]; given != nil && given != value {
		return a.Forbidden(fmt.Sprintf("the integer value of priority (%v) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", given, value))
	}
	if given := spec["preemptionPolicy"]; given != nil && given != policy {
		return a.Forbidden(fmt.Sprintf("the string value of PreemptionPolicy (%v) must not be provided in pod spec; "+
			"priority admission controller computed %v from the given PriorityClass name", given, policy))
	}
	if class != nil {
		spec["priorityClassName"] = object.Name(class)
	}
	spec["priority"], spec["preemptionPolicy"] = value, policy
	return nil
}

// Validate refuses a PriorityClass that would be the second default.
func (p *Priority) Validate(_ context.Context, a *admission.Attributes) error {
	if !a.Is(priorityGroup, priorityClasses) || !tree.Bool(a.Object, "globalDefault") {
		return nil
	}
	class, err := p.byDefault()
	if err != nil || class == nil {
		return err
	}
	if name := object.Name(class); a.Operation == admission.Create || name != object.Name(a.Object) {
		return a.Forbidden(fmt.Sprintf("PriorityClass %v is already marked as default. Only one default can exist", name))
	}
	return nil
}

// class returns the class of a name, or nil. It must not be changed.
func (p *Priority) class(name string) (map[string]any, error) {
	return admission.Stored(p.Store, p.Table.Resource(priorityGroup, "v1", priorityClasses), name)
}

// byDefault returns the default class, that of the lowest value if there are several, or nil.
// It must not be changed.
func (p *Priority) byDefault() (map[string]any, error) {
	t := p.Table.Resource(priorityGroup, "v1", priorityClasses)
	changed := p.Store.Changed(t.Bucket())
	if known := p.known.Load(); known != nil && known.changed == changed {
		return known.class, nil
	}
	known := &defaultClass{changed: changed}
	err := admission.EachStored(p.Store, t, mvcc.Query{Match: func(_ string, v *mvcc.Version) bool {
		return bytes.Contains(v.Value, []byte(`"globalDefault":true`))
	}}, func(class map[string]any) error {
		if known.class == nil || valueOf(class) < valueOf(known.class) {
			known.class = class
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.known.Store(known)
	return known.class, nil
}

// valueOf returns the value of a class, 0 for none.
func valueOf(class map[string]any) int64 { n, _ := tree.Int(class, "value"); return n }
