package pod

import (
	"fmt"
	"maps"
	"math"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// limitedBy is the annotation with the requests and limits that LimitRanges have set.
const limitedBy = "kubernetes.io/limit-ranger"

// Limit sets the default requests and limits of a LimitRange on the containers of a pod, and
// records it in an annotation.
func Limit(limitRange, pod map[string]any) {
	requests, limits := map[string]any{}, map[string]any{}
	for _, item := range tree.Objects(tree.Object(limitRange, "spec"), "limits") {
		if tree.Text(item, "type") == "Container" {
			maps.Copy(requests, tree.Object(item, "defaultRequest"))
			maps.Copy(limits, tree.Object(item, "default"))
		}
	}
	var given []string
	for _, list := range [][2]string{{"containers", "container"}, {"initContainers", "init container"}} {
		for _, c := range tree.Objects(tree.Object(pod, "spec"), list[0]) {
			for _, part := range []struct {
				name, called string
				amounts      map[string]any
			}{{"requests", "request", requests}, {"limits", "limit", limits}} {
				var names []string
				for _, name := range tree.SortedKeys(part.amounts) {
					if _, ok := tree.Object(tree.Object(c, "resources"), part.name)[name]; !ok {
						tree.Make(tree.Make(c, "resources"), part.name)[name] = part.amounts[name]
						names = append(names, name)
					}
				}
				if len(names) > 0 {
					given = append(given,
						strings.Join(names, ", ")+" "+part.called+" for "+list[1]+" "+tree.Text(c, "name"))
				}
			}
		}
	}
	if len(given) > 0 {
		tree.Make(object.Meta(pod), "annotations")[limitedBy] = "LimitRanger plugin set: " + strings.Join(given, "; ")
	}
}

// Beyond returns the violations of a LimitRange by a pod or a PersistentVolumeClaim, given by its
// plural, or "".
func Beyond(limitRange map[string]any, plural string, obj map[string]any) string {
	spec := tree.Object(obj, "spec")
	var wrong []string
	add := func(text string) {
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	for _, item := range tree.Objects(tree.Object(limitRange, "spec"), "limits") {
		switch kind := tree.Text(item, "type"); {
		case kind == "PersistentVolumeClaim" && plural == "persistentvolumeclaims":
			a := requested{kind, tree.At(spec, "resources.requests"), nil}
			a.each(item, "min", a.min, add)
			a.each(item, "max", a.maxRequest, add)
		case plural != "pods":
		case kind == "Container":
			for _, name := range []string{"containers", "initContainers"} {
				for _, c := range tree.Objects(spec, name) {
					requested{kind, tree.At(c, "resources.requests"), tree.At(c, "resources.limits")}.check(item, add)
				}
			}
		case kind == "Pod":
			requested{kind, wholeAmounts(spec, "requests"), wholeAmounts(spec, "limits")}.check(item, add)
		}
	}
	if len(wrong) == 0 {
		return ""
	}
	return field.Aggregate(wrong)
}

// wholeAmounts returns the requests or limits of a pod as a whole: its own take precedence over
// those of its containers.
func wholeAmounts(spec map[string]any, amounts string) map[string]any {
	total := aggregated(spec, amounts)
	for name, v := range tree.Object(tree.Object(spec, "resources"), amounts) {
		if name == "cpu" || name == "memory" {
			total[name] = v
		}
	}
	return total
}

// requested has the requests and limits of an object of a type in a LimitRange.
type requested struct {
	kind             string
	requests, limits map[string]any
}

// check adds the violations of an item of a LimitRange.
func (a requested) check(item map[string]any, add func(string)) {
	a.each(item, "min", a.min, add)
	a.each(item, "max", a.max, add)
	a.each(item, "maxLimitRequestRatio", a.ratio, add)
}

func (a requested) each(item map[string]any, list string, check func(name string, bound any) string, add func(string)) {
	amounts := tree.Object(item, list)
	for _, name := range tree.SortedKeys(amounts) {
		add(check(name, amounts[name]))
	}
}

func (a requested) min(name string, bound any) string {
	request, limit := a.requests[name], a.limits[name]
	usage := fmt.Sprintf("minimum %s usage per %s is %v", name, a.kind, bound)
	switch {
	case request == nil:
		return usage + ".  No request is specified"
	case valid.MoreThan(bound, request):
		return fmt.Sprintf("%s, but request is %v", usage, request)
	case valid.MoreThan(bound, limit):
		return fmt.Sprintf("%s, but limit is %v", usage, limit)
	}
	return ""
}

func (a requested) max(name string, bound any) string {
	limit := a.limits[name]
	usage := fmt.Sprintf("maximum %s usage per %s is %v", name, a.kind, bound)
	switch {
	case limit == nil:
		return usage + ".  No limit is specified"
	case valid.MoreThan(limit, bound):
		return fmt.Sprintf("%s, but limit is %v", usage, limit)
	case valid.MoreThan(a.requests[name], bound):
		return fmt.Sprintf("%s, but request is %v", usage, a.requests[name])
	}
	return ""
}

// maxRequest is max for objects without limits.
func (a requested) maxRequest(name string, bound any) string {
	request := a.requests[name]
	usage := fmt.Sprintf("maximum %s usage per %s is %v", name, a.kind, bound)
	switch {
	case request == nil:
		return usage + ".  No request is specified"
	case valid.MoreThan(request, bound):
		return fmt.Sprintf("%s, but request is %v", usage, request)
	}
	return ""
}

func (a requested) ratio(name string, bound any) string {
	milli := func(v any) float64 {
		q, _ := valid.Quantity(v)
		return math.Ceil(math.Round(q.Float()*1e6) / 1e3)
	}
	request, limit := milli(a.requests[name]), milli(a.limits[name])
	most := fmt.Sprintf("%s max limit to request ratio per %s is %v, but ", name, a.kind, bound)
	switch {
	case request == 0:
		return most + "no request is specified or request is 0"
	case limit == 0:
		return most + "no limit is specified or limit is 0"
	case limit/request*1000 > milli(bound):
		return fmt.Sprintf("%sprovided ratio is %f", most, limit/request)
	}
	return ""
}
