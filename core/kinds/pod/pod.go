// Package pod has the strategies of Pods and PodTemplates, and what workloads need of
// them: defaults, validation and warnings of templates of pods; further the subresources of
// pods (binding, ephemeralcontainers, resize) and what LimitRanges say of them.
//
// A pod is checked without making paths first, and once more with paths if something is
// wrong: one that is right costs few allocations.
package pod

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

var Pod = strategy.Strategy{
	Subresources: map[string]func(c *strategy.Context, obj, old map[string]any) field.ErrorList{
		// A binding changes what an update may not; BindPod has checked it.
		"binding":             func(*strategy.Context, map[string]any, map[string]any) field.ErrorList { return nil },
		"ephemeralcontainers": updateEphemeral,
		"resize":              updateResize,
	},
	Default:     defaultPod,
	Admit:       admitPod,
	AdmitUpdate: admitPodUpdate,
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		obj["status"] = newPodStatus(c, tree.Object(obj, "spec"))
		DropUnknown(tree.Object(obj, "spec"))
		applyMatchKeys(obj)
		syncArmor(c, obj)
		if wrong := syntax.Label(object.Name(obj)); len(wrong) > 0 {
			c.Warn(fmt.Sprintf("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [%s]",
				strings.Join(wrong, " ")))
		}
		WarnTemplate(c, obj, "")
	},
	PrepareUpdate: func(_ *strategy.Context, obj, _ map[string]any) { DropUnknown(tree.Object(obj, "spec")) },
	PrepareStatus: func(_ *strategy.Context, obj, old map[string]any) {
		meta := object.Meta(obj)
		delete(meta, "deletionTimestamp") // the old one comes back
		tree.Keep(meta, object.Meta(old), "ownerReferences")
		status, was := tree.Make(obj, "status"), tree.Object(old, "status")
		delete(status, "nodeAllocatableResourceClaimStatuses") // behind a gate
		for _, name := range []string{"qosClass", "observedGeneration"} {
			if v := status[name]; v == nil || v == "" {
				tree.Keep(status, was, name)
			}
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validatePod(obj)
		spec := tree.Object(obj, "spec")
		if len(tree.List(spec, "ephemeralContainers")) > 0 {
			errs.Add(field.Forbidden("spec.ephemeralContainers", "cannot be set on create"))
		}
		if tree.Text(spec, "nodeName") != "" && len(tree.List(spec, "schedulingGates")) > 0 {
			errs.Add(field.Forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		errs := append(validatePod(obj), annotationsKept(obj, old)...)
		return append(errs, podKept(tree.Object(obj, "spec"), tree.Object(old, "spec"))...)
	},
	ValidateStatus: validatePodStatus,
}

var PodTemplate = strategy.Strategy{
	Default: func(obj map[string]any) { DefaultTemplate(tree.Make(obj, "template")) },
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		DropUnknown(tree.At(obj, "template.spec"))
		WarnTemplate(c, tree.Object(obj, "template"), "template")
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		DropUnknown(tree.At(obj, "template.spec"))
		if !object.Equal(obj["template"], old["template"]) {
			WarnTemplate(c, tree.Object(obj, "template"), "template")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		return ValidateTemplate(tree.Object(obj, "template"), "template")
	},
	ValidateUpdate: func(obj, _ map[string]any) field.ErrorList {
		return ValidateTemplate(tree.Object(obj, "template"), "template")
	},
}

// defaultPod fills in what pods have and pod templates have not.
func defaultPod(obj map[string]any) {
	spec := tree.Make(obj, "spec")
	defaultPodSpec(spec)
	shared := tree.Bool(spec, "hostNetwork")
	for _, name := range containerLists[:2] {
		for _, c := range tree.Objects(spec, name) {
			resources := tree.Object(c, "resources")
			for name, limit := range tree.Object(resources, "limits") {
				tree.Default(tree.Make(resources, "requests"), name, limit)
			}
			if !shared {
				continue
			}
			for _, port := range tree.Objects(c, "ports") {
				if n, _ := tree.Int(port, "hostPort"); n == 0 {
					port["hostPort"] = port["containerPort"]
				}
			}
		}
	}
	defaultWhole(spec)
	tree.Default(spec, "enableServiceLinks", true)
	status := tree.Object(obj, "status")
	if ips := tree.Objects(status, "podIPs"); len(ips) > 0 {
		tree.Default(status, "podIP", ips[0]["ip"])
	}
	if ip := tree.Text(status, "podIP"); ip != "" && (len(tree.List(status, "podIPs")) == 0 || tree.Objects(status, "podIPs")[0]["ip"] != ip) {
		status["podIPs"] = []any{map[string]any{"ip": ip}}
	}
}

func newPodStatus(c *strategy.Context, spec map[string]any) map[string]any {
	status := map[string]any{"phase": "Pending", "qosClass": qosClass(spec)}
	if len(tree.List(spec, "schedulingGates")) > 0 {
		status["conditions"] = []any{map[string]any{
			"type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
			"message":       "Scheduling is blocked due to non-empty scheduling gates",
			"lastProbeTime": nil, "lastTransitionTime": c.Timestamp(),
		}}
	}
	return status
}

// qosClass sorts a pod by what its containers ask for: nothing, exactly what
// they are limited to, or anything else.
func qosClass(spec map[string]any) string {
	lists := []map[string]any{tree.Object(spec, "resources")}
	if lists[0] == nil {
		lists = nil
		for _, c := range slices.Concat(tree.Objects(spec, "containers"), tree.Objects(spec, "initContainers")) {
			lists = append(lists, tree.Object(c, "resources"))
		}
	}
	asked, guaranteed := false, true
	for _, resources := range lists {
		for _, name := range []string{"cpu", "memory"} {
			request, limit := tree.Object(resources, "requests")[name], tree.Object(resources, "limits")[name]
			asked = asked || valid.Positive(request) || valid.Positive(limit)
			guaranteed = guaranteed && valid.Positive(limit) && !valid.MoreThan(request, limit) && !valid.MoreThan(limit, request)
		}
	}
	switch {
	case !asked:
		return "BestEffort"
	case guaranteed:
		return "Guaranteed"
	}
	return "Burstable"
}

// admitPod is what the plugins Priority and DefaultTolerationSeconds do.
func admitPod(c *strategy.Context, obj map[string]any) field.ErrorList {
	spec := tree.Make(obj, "spec")
	value, policy, err := priorityOf(c, tree.Text(spec, "priorityClassName"))
	if err == nil && spec["priority"] != nil && spec["priority"] != value {
		err = fmt.Errorf("the integer value of priority (%v) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", spec["priority"], value)
	}
	if err == nil && spec["preemptionPolicy"] != nil && spec["preemptionPolicy"] != policy {
		err = fmt.Errorf("the string value of PreemptionPolicy (%v) must not be provided in pod spec; priority admission controller computed %v from the given PriorityClass name", spec["preemptionPolicy"], policy)
	}
	if err != nil {
		return c.Refuse(err)
	}
	spec["priority"], spec["preemptionPolicy"] = value, policy
	tolerateNodes(spec)
	if err := admitRuntime(c, spec); err != nil {
		return c.Refuse(err)
	}
	return nil
}

func admitPodUpdate(_ *strategy.Context, obj, old map[string]any) {
	spec, was := tree.Make(obj, "spec"), tree.Object(old, "spec")
	for _, name := range []string{"priority", "preemptionPolicy"} {
		if spec[name] == nil {
			tree.Keep(spec, was, name)
		}
	}
	tolerateNodes(spec)
}

// priorityOf finds what a class stands for. No name is the default class, or
// none at all.
func priorityOf(c *strategy.Context, name string) (value int64, policy string, err error) {
	if c.PriorityClass != nil {
		if class, ok := c.PriorityClass(name); ok {
			value, _ = tree.Int(class, "value")
			if policy = tree.Text(class, "preemptionPolicy"); policy == "" {
				policy = "PreemptLowerPriority"
			}
			return value, policy, nil
		}
	}
	if name == "" {
		return 0, "PreemptLowerPriority", nil
	}
	return 0, "", errors.New("no PriorityClass with name " + name + " was found")
}

// tolerateNodes lets a pod stay for five minutes on a node that is in trouble,
// unless it says otherwise.
func tolerateNodes(spec map[string]any) {
	tolerations := tree.List(spec, "tolerations")
	given := len(tolerations)
	for _, key := range [...]any{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		tolerates := slices.ContainsFunc(tolerations[:given], func(v any) bool {
			t := tree.Map(v)
			k, effect := tree.Text(t, "key"), tree.Text(t, "effect")
			return t != nil && (k == key || k == "") && (effect == "NoExecute" || effect == "")
		})
		if !tolerates {
			tolerations = append(slices.Grow(tolerations, 2), map[string]any{
				"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300),
			})
		}
	}
	if len(tolerations) > given {
		spec["tolerations"] = tolerations
	}
}

const updatable = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
	"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
	"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n"

// podKept checks that a pod changes only in the few ways that it may.
func podKept(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	for _, name := range []string{"containers", "initContainers"} {
		now, before := tree.Objects(spec, name), tree.Objects(was, name)
		if len(now) != len(before) {
			return append(errs, field.Forbidden(p.Child(name), "pod updates may not add or remove containers"))
		}
		for i, c := range now {
			image, at := tree.Text(c, "image"), p.Child(name).Index(i).Child("image")
			if image == "" {
				errs.Add(field.Required(at, ""))
			}
			if strings.TrimSpace(image) != image {
				errs.Add(field.Invalid(at, image, "must not have leading or trailing whitespace"))
			}
		}
	}
	deadline, hasDeadline := tree.Int(spec, "activeDeadlineSeconds")
	before, hadDeadline := tree.Int(was, "activeDeadlineSeconds")
	switch at := p.Child("activeDeadlineSeconds"); {
	case hasDeadline && (deadline < 0 || deadline > math.MaxInt32):
		return append(errs, field.Invalid(at, deadline, "must be between 0 and 2147483647, inclusive"))
	case hasDeadline && hadDeadline && before < deadline:
		return append(errs, field.Invalid(at, deadline, "must be less than or equal to previous value"))
	case hadDeadline && !hasDeadline:
		errs.Add(field.Invalid(at, nil, "must not update from a positive integer to nil value"))
	}
	errs.Add(tolerationsKept(spec, was, p.Child("tolerations"))...)
	gates := map[any]bool{}
	for _, gate := range tree.Objects(was, "schedulingGates") {
		gates[gate["name"]] = true
	}
	for i, gate := range tree.Objects(spec, "schedulingGates") {
		if !gates[gate["name"]] {
			errs.Add(field.Forbidden(p.Child("schedulingGates").Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+tree.Text(gate, "name")+"'"))
		}
	}
	if len(tree.List(was, "schedulingGates")) > 0 {
		errs.Add(onlyNarrowed(spec, was)...)
	}
	if diff := podDifference(spec, was); diff != "" {
		errs.Add(field.Forbidden(p, updatable+diff))
	}
	return errs
}

func tolerationsKept(spec, was map[string]any, at field.Path) field.ErrorList {
	// The seconds may be others; that there are none is said by leaving them out.
	kept := map[string]bool{}
	for _, t := range tree.Objects(spec, "tolerations") {
		kept[object.Key(tree.Without(t, "tolerationSeconds"))] = true
	}
	for _, old := range tree.Objects(was, "tolerations") {
		if !kept[object.Key(tree.Without(old, "tolerationSeconds"))] {
			return field.ErrorList{field.Forbidden(at, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return validateTolerations(spec, "spec") // once more
}

// podDifference names, with both values, the fields of a pod's spec that changed
// and may not.
func podDifference(spec, was map[string]any) string {
	if object.Identical(spec, was) {
		return ""
	}
	spec = object.DeepCopy(spec)
	for _, name := range []string{"activeDeadlineSeconds", "tolerations", "schedulingGates"} {
		tree.Keep(spec, was, name)
	}
	for _, name := range []string{"containers", "initContainers"} {
		for i, c := range tree.Objects(spec, name) {
			tree.Keep(c, tree.Objects(was, name)[i], "image")
		}
	}
	if n, _ := tree.Int(was, "terminationGracePeriodSeconds"); n < 0 && spec["terminationGracePeriodSeconds"] == int64(1) {
		tree.Keep(spec, was, "terminationGracePeriodSeconds")
	}
	if len(tree.List(was, "schedulingGates")) > 0 {
		// A pod that waits may still be told more about where it should go.
		tree.Keep(spec, was, "nodeSelector")
		affinity := tree.Make(spec, "affinity")
		if tree.Keep(affinity, tree.Object(was, "affinity"), "nodeAffinity"); len(affinity) == 0 && was["affinity"] == nil {
			delete(spec, "affinity")
		}
	}
	return difference(spec, was)
}

// onlyNarrowed checks that a pod that waits asks for more of its node and never
// for less.
func onlyNarrowed(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	s := tree.Object(spec, "nodeSelector")
	for key, value := range tree.Object(was, "nodeSelector") {
		if v, ok := s[key]; !ok || v != value {
			errs.Add(field.Invalid("spec.nodeSelector", spec["nodeSelector"], "only additions to spec.nodeSelector are allowed (no mutations or deletions)"))
			break
		}
	}
	required := tree.At(spec, "affinity.nodeAffinity."+valid.RequiredTerms)
	now, before := tree.Objects(required, "nodeSelectorTerms"), tree.Objects(tree.At(was, "affinity.nodeAffinity."+valid.RequiredTerms), "nodeSelectorTerms")
	at := field.NewPath("spec.affinity.nodeAffinity", valid.RequiredTerms, "nodeSelectorTerms")
	if len(before) > 0 && len(now) != len(before) {
		return append(errs, field.Invalid(at, tree.GoStructs(required, "nodeSelectorTerms", printTerm), "no additions/deletions to non-empty NodeSelectorTerms list are allowed"))
	}
	for i, old := range before {
		kept, empty := true, true
		for _, name := range []string{"matchExpressions", "matchFields"} {
			had, has := tree.List(old, name), tree.List(now[i], name)
			empty = empty && len(had) == 0
			kept = kept && len(has) >= len(had) && object.Equal(any(has[:min(len(has), len(had))]), any(had))
		}
		if !kept || empty && !object.Equal(now[i], old) {
			errs.Add(field.Invalid(at.Index(i), printTerm(now[i]), "only additions are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

// printTerm prints a term of a selector of nodes as the real server does.
func printTerm(term map[string]any) field.Raw {
	term = maps.Clone(term)
	for _, name := range []string{"matchExpressions", "matchFields"} {
		term[name] = tree.GoStructs(term, name, func(e map[string]any) field.Raw { return tree.GoStruct(e, `Key=""`, `Operator=""`, "Values") })
	}
	return tree.GoStruct(term, "MatchExpressions", "MatchFields")
}

// difference shows, with both values, the fields in which two objects differ.
func difference(now, was map[string]any) string {
	var b strings.Builder
	names := maps.Clone(now)
	maps.Copy(names, was)
	for _, name := range tree.SortedKeys(names) {
		if before, after := was[name], now[name]; !object.Equal(before, after) {
			fmt.Fprintf(&b, "-%s: %s\n+%s: %s\n", name, tree.JSON(before), name, tree.JSON(after))
		}
	}
	return b.String()
}

// CheckBinding says what is wrong with a binding, which is answered as an internal
// error without a reason.
func CheckBinding(binding map[string]any) (errs field.ErrorList) {
	target := tree.Object(binding, "target")
	if kind := tree.Text(target, "kind"); kind != "" && kind != "Node" {
		errs.Add(field.NotSupported("target.kind", kind, "Node", "<empty>"))
	}
	if tree.Text(target, "name") == "" {
		errs.Add(field.Required("target.name", ""))
	}
	return errs
}

// Bind carries out a binding: it makes pod, a copy of the stored object, one
// that is scheduled. The error is the conflict of a pod that cannot be bound.
func Bind(c *strategy.Context, pod, binding map[string]any) error {
	meta, spec := object.Meta(pod), tree.Make(pod, "spec")
	switch node := tree.Text(spec, "nodeName"); {
	case meta["deletionTimestamp"] != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", tree.Text(meta, "name"))
	case node != "":
		return fmt.Errorf("pod %v is already assigned to node %q", tree.Text(meta, "name"), node)
	case len(tree.List(spec, "schedulingGates")) > 0:
		return fmt.Errorf("pod %v has non-empty .spec.schedulingGates", tree.Text(meta, "name"))
	}
	spec["nodeName"] = tree.Text(tree.Object(binding, "target"), "name")
	for _, name := range []string{"annotations", "labels"} {
		for key, value := range tree.Object(object.Meta(binding), name) {
			tree.Make(meta, name)[key] = value
		}
	}
	status := tree.Make(pod, "status")
	delete(status, "nominatedNodeName")
	conditions := slices.DeleteFunc(slices.Clone(tree.List(status, "conditions")), func(v any) bool {
		return tree.Text(tree.Map(v), "type") == "PodScheduled"
	})
	scheduled := map[string]any{
		"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": c.Timestamp(),
	}
	status["conditions"] = append(conditions, scheduled)
	return nil
}
