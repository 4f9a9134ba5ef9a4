package pod

import (
	"fmt"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// aggregated returns the total requests or limits of a pod's containers: those that run at the same
// time, or the maximum of those that run before.
func aggregated(spec map[string]any, kind string) map[string]any {
	total := map[string]any{}
	for _, c := range tree.Objects(spec, "containers") {
		addAmounts(total, tree.At(c, "resources."+kind))
	}
	beside, first := map[string]any{}, map[string]any{}
	for _, c := range tree.Objects(spec, "initContainers") {
		amounts := tree.At(c, "resources."+kind)
		if tree.Text(c, "restartPolicy") == "Always" { // it keeps running
			addAmounts(total, amounts)
			addAmounts(beside, amounts)
			amounts = beside
		} else {
			own := map[string]any{}
			addAmounts(own, amounts)
			addAmounts(own, beside)
			amounts = own
		}
		raise(first, amounts)
	}
	raise(total, first)
	return total
}

// raise raises each amount that is less than another to it.
func raise(total, amounts map[string]any) {
	for name, value := range amounts {
		if total[name] == nil || valid.MoreThan(value, total[name]) {
			total[name] = value
		}
	}
}

func addAmounts(total, amounts map[string]any) {
	for name, value := range amounts {
		if total[name] == nil {
			total[name] = value
		} else if sum, err := object.SumQuantities(tree.Text(total, name), tree.Text(amounts, name)); err == nil {
			total[name] = sum
		}
	}
}

// defaultPodResources sets the pod-level requests from those of its containers and from its limits.
func defaultPodResources(spec map[string]any) {
	whole := tree.Object(spec, "resources")
	if len(tree.Object(whole, "limits"))+len(tree.Object(whole, "requests")) == 0 {
		return
	}
	isHuge := func(name string) bool { return strings.HasPrefix(name, "hugepages-") }
	for name, value := range aggregated(spec, "limits") {
		if isHuge(name) && tree.Object(whole, "requests")[name] == nil {
			tree.Default(tree.Make(whole, "limits"), name, value)
		}
	}
	if len(tree.Object(whole, "limits")) == 0 {
		return
	}
	for name, value := range aggregated(spec, "requests") {
		if name == "cpu" || name == "memory" {
			tree.Default(tree.Make(whole, "requests"), name, value)
		}
	}
	for name, value := range tree.Object(whole, "limits") {
		if name == "cpu" || name == "memory" || isHuge(name) {
			tree.Default(tree.Make(whole, "requests"), name, value)
		}
	}
}

// aggregates returns the violations of pod-level resources that are less than the total of the
// containers.
func (c *specCheck) aggregates(whole map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, amounts := range []string{"requests", "limits"} {
		total := aggregated(c.spec, amounts)
		for _, name := range tree.SortedKeys(total) {
			value := tree.Object(whole, amounts)[name]
			if valid.MoreThan(total[name], value) && (amounts == "requests" || strings.HasPrefix(name, "hugepages-")) {
				errs.Add(field.Invalid(at.Child(amounts).Key(name), value, fmt.Sprintf(
					"must be greater than or equal to aggregate container %s of %v", amounts, total[name])))
			}
		}
	}
	return errs
}
