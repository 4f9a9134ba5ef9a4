package cluster

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// Node is the strategy of Nodes.
var Node = strategy.Strategy{
	KeepsStatus: true,
	Default: func(obj map[string]any) {
		tree.Mirror(tree.Object(obj, "spec"), "podCIDR", "podCIDRs")
		status := tree.Object(obj, "status")
		if capacity := tree.Object(status, "capacity"); capacity != nil && status["allocatable"] == nil {
			status["allocatable"] = object.DeepCopy(capacity)
		}
		tree.RoundUp(status, "capacity", "allocatable")
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		delete(tree.Object(obj, "spec"), "configSource")
		delete(tree.Object(obj, "status"), "config")
		warnNode(c, obj)
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if tree.Object(tree.Object(old, "spec"), "configSource") == nil {
			delete(tree.Object(obj, "spec"), "configSource")
		}
		warnNode(c, obj)
	},
	PrepareStatus: func(_ *strategy.Context, obj, old map[string]any) {
		if tree.Object(old, "status")["config"] == nil {
			delete(tree.Object(obj, "status"), "config")
		}
	},
	Updates:        []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate:       validateNode,
	ValidateUpdate: nodeUpdate,
	ValidateStatus: nodeUpdate,
}

func validateNode(obj map[string]any) field.ErrorList {
	errs := append(validateTaints(obj), validateNodeStatus(tree.Object(obj, "status"))...)
	if n, ok := tree.Int(tree.At(obj, "status.nodeInfo.swap"), "capacity"); ok && n <= 0 {
		errs.Add(field.Invalid("metadata.nodeSwapStatus.capacity", n, "must be greater than 0"))
	}
	ranges, at := tree.Texts(tree.Object(obj, "spec"), "podCIDRs"), field.Path("spec.podCIDRs")
	families, dual := map[int]bool{}, len(ranges) < 2
	for i, text := range ranges {
		errs.Add(valid.CIDR(text, at.Index(i), false)...)
		if p, ok := valid.ParseCIDR(text); ok {
			families[p.Addr().Unmap().BitLen()] = true
		}
	}
	if i := slices.IndexFunc(ranges, notCIDR); i >= 0 && !dual {
		errs.Add(field.Internal(at, fmt.Errorf("invalid PodCIDRs. failed to check with dual stack with error:"+
			"invalid CIDR[%d]: <nil> (invalid CIDR address: %s)", i, ranges[i])))
	} else {
		dual = dual || len(families) == 2
	}
	if !dual || len(ranges) > 2 {
		errs.Add(field.Invalid(at, ranges, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

func notCIDR(text string) bool { _, ok := valid.ParseCIDR(text); return !ok }

// validateNodeStatus checks the capacity and features of a node.
func validateNodeStatus(status map[string]any) field.ErrorList {
	var errs field.ErrorList
	for _, key := range []string{"capacity", "allocatable"} {
		for name, v := range tree.Object(status, key) {
			errs.Add(valid.Amount(name, v, field.Path("status").Child(key, name))...)
		}
	}
	features, at := tree.Texts(status, "declaredFeatures"), field.Path("status.declaredFeatures")
	for i, name := range features {
		wrong := ""
		camel := name != "" && name[0] >= 'A' && name[0] <= 'Z'
		for _, part := range strings.Split(name, "/") {
			camel = camel && part != "" && !valid.Digits(part[:1]) && strings.Trim(part, valid.Alphanumeric) == ""
		}
		switch {
		case len(name) > 253:
			wrong = "must be no more than 253 characters"
		case !camel:
			wrong = "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or " +
				"MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
		}
		if wrong != "" {
			errs.Add(field.Invalid(at.Index(i), name, "invalid feature name "+strconv.Quote(name)+": "+wrong))
		}
		if i+1 == len(features) {
			break
		}
		if next := features[i+1]; name == next {
			errs.Add(field.Duplicate(at.Index(i+1), next))
		} else if name > next {
			errs.Add(field.Invalid(at.Index(i+1), next, "list must be sorted alphabetically"))
		}
	}
	return errs
}

func validateTaints(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	seen := map[[2]string]bool{}
	for i, t := range tree.Objects(tree.Object(obj, "spec"), "taints") {
		at := field.Path("metadata.taints").Index(i)
		key, value, effect := tree.Text(t, "key"), tree.Text(t, "value"), tree.Text(t, "effect")
		for _, wrong := range syntax.LabelKey(key) {
			errs.Add(field.Invalid(at.Child("key"), key, wrong))
		}
		if wrong := syntax.LabelValue(value); wrong != nil {
			errs.Add(field.Invalid(at.Child("value"), value, strings.Join(wrong, ";")))
		}
		switch effect {
		case "":
			errs.Add(field.Required(at.Child("effect"), ""))
		case "NoSchedule", "PreferNoSchedule", "NoExecute":
		default:
			errs.Add(field.NotSupported(at.Child("effect"), effect, "NoSchedule", "PreferNoSchedule", "NoExecute"))
		}
		if seen[[2]string{key, effect}] {
			twice := field.Duplicate(at, shape.Taint.Print(t))
			twice.Detail = "taints must be unique by key and effect pair"
			errs.Add(twice)
		}
		seen[[2]string{key, effect}] = true
	}
	return errs
}

func nodeUpdate(obj, old map[string]any) field.ErrorList {
	errs := validateNodeStatus(tree.Object(obj, "status"))
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	addresses := tree.Objects(tree.Object(obj, "status"), "addresses")
	var before rule.Seen[string]
	for i, a := range addresses {
		if before.Again(object.Key(a)) {
			errs.Add(field.Duplicate(field.Path("status.addresses").Index(i), shape.NodeAddress.Print(a)))
		}
	}
	ranges, now := tree.List(was, "podCIDRs"), tree.List(spec, "podCIDRs")
	for i, cidr := range ranges {
		if len(ranges) == len(now) && cidr == now[i] {
			continue
		}
		errs.Add(field.Forbidden("spec.podCIDRs", `node updates may not change podCIDR except from "" to valid`))
		if len(ranges) != len(now) {
			break
		}
	}
	if id := tree.Text(was, "providerID"); id != "" && id != tree.Text(spec, "providerID") {
		errs.Add(field.Forbidden("spec.providerID", `node updates may not change providerID except from "" to valid`))
	}
	errs.Add(validateTaints(obj)...)
	if tree.Text(spec, "externalID") != tree.Text(was, "externalID") {
		errs.Add(field.Forbidden("spec.externalID", "may not be updated"))
	}
	return errs
}

func warnNode(c *strategy.Context, obj map[string]any) {
	spec := tree.Object(obj, "spec")
	if spec["configSource"] != nil {
		c.Warn("spec.configSource: the feature is removed")
	}
	if tree.Text(spec, "externalID") != "" {
		c.Warn("spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range tree.Texts(spec, "podCIDRs") {
		valid.Warner{Context: c}.CIDR(cidr, field.Path("spec.podCIDRs").Index(i))
	}
}
