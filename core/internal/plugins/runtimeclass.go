package plugins

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// RuntimeClass is the admission plugin RuntimeClass: a new pod gets the overhead and the
// scheduling of its RuntimeClass, and may not contradict them. Without a class it has no overhead.
//
// A new pod with a class costs two lookups and decodings of the class, one in each phase.
//
// Set its fields before use.
type RuntimeClass struct {
	// Store has the RuntimeClasses, and Table their type.
	Store *mvcc.Store
	Table *schema.Table
}

var (
	_ admission.Mutator   = RuntimeClass{}
	_ admission.Validator = RuntimeClass{}
)

// errNoName is what the real server's client answers when it is to get a class that has no name.
var errNoName = errors.New("resource name may not be empty")

// otherOverhead is the refusal of a pod whose overhead is not that of its class.
const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

// Mutate fills in what a new pod's class says.
func (p RuntimeClass) Mutate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || !a.Is("", "pods") {
		return nil
	}
	spec := tree.Make(a.Object, "spec")
	class, err := p.class(a, spec)
	if err != nil {
		return err
	}
	if class["overhead"] != nil {
		fixed := tree.At(class, "overhead.podFixed")
		if len(tree.Object(spec, "overhead")) > 0 && !object.Equal(spec["overhead"], any(fixed)) {
			return a.Forbidden(otherOverhead)
		}
		if delete(spec, "overhead"); fixed != nil {
			spec["overhead"] = fixed
		}
	}
	scheduling := tree.Object(class, "scheduling")
	if scheduling == nil {
		return nil
	}
	selector := tree.Object(scheduling, "nodeSelector")
	for _, key := range tree.SortedKeys(selector) {
		own := tree.Make(spec, "nodeSelector")
		if has, ok := own[key]; ok && has != selector[key] {
			return a.Forbidden(fmt.Sprintf(
				"conflict: runtimeClass.scheduling.nodeSelector[%s] = %v; pod.spec.nodeSelector[%s] = %v",
				key, selector[key], key, has))
		}
		own[key] = selector[key]
	}
	ofClass := tree.Objects(scheduling, "tolerations")
	if merged := mergeTolerations(tree.Objects(spec, "tolerations"), ofClass); len(merged) > 0 {
		spec["tolerations"] = merged
	}
	return nil
}

// Validate refuses a new pod whose overhead is not that of its class.
func (p RuntimeClass) Validate(_ context.Context, a *admission.Attributes) error {
	if a.Operation != admission.Create || !a.Is("", "pods") {
		return nil
	}
	a.Given.Put(a.Object)
	defer a.Given.Take(a.Object)
	spec := tree.Object(a.Object, "spec")
	class, err := p.class(a, spec)
	switch {
	case err != nil:
		return err
	case class["overhead"] == nil && spec["overhead"] != nil:
		return a.Forbidden("pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	case class["overhead"] != nil && !object.Equal(spec["overhead"], any(tree.At(class, "overhead.podFixed"))):
		return a.Forbidden(otherOverhead)
	}
	return nil
}

// class returns a copy of the class of a pod, nil if it names none.
func (p RuntimeClass) class(a *admission.Attributes, spec map[string]any) (map[string]any, error) {
	name, ok := spec["runtimeClassName"].(string)
	if !ok {
		return nil, nil
	}
	if name == "" {
		return nil, errNoName
	}
	if wrong := syntax.PathSegment(name); len(wrong) > 0 { // which that client cannot ask for either
		return nil, fmt.Errorf("invalid resource name %q: %v", name, wrong)
	}
	class, err := admission.Stored(p.Store, p.Table.Resource("node.k8s.io", "v1", "runtimeclasses"), name)
	if err == nil && class == nil {
		err = a.Forbidden(fmt.Sprintf("pod rejected: RuntimeClass %q not found", name))
	}
	return class, err
}
