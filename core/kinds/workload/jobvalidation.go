package workload

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/field/syntax"
	"github.com/tabernetes/tabernetes/core/kinds/pod"
	"github.com/tabernetes/tabernetes/core/kinds/rule"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
	"github.com/tabernetes/tabernetes/core/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/selector"
)

func validateJob(obj map[string]any) field.ErrorList {
	spec := tree.Object(obj, "spec")
	errs := validateOwnSelector(obj)
	errs.Add(validateJobSpec(spec, "spec")...)
	errs.Add(validateJobSelector(spec)...)
	if n, _ := tree.Int(spec, "completions"); tree.Text(spec, "completionMode") == "Indexed" && n > 0 {
		name := object.Name(obj)
		if host := fmt.Sprintf("%s-%d", name, n-1); syntax.Label(host) != nil {
			errs.Add(field.Invalid("metadata.name", name, "will not able to create pod with invalid DNS label: "+host))
		}
	}
	return errs
}

// validateOwnSelector checks that a Job selects by the labels that only its pods
// have.
func validateOwnSelector(obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	spec := tree.Object(obj, "spec")
	if tree.Bool(spec, "manualSelector") || spec["selector"] == nil {
		return nil
	}
	labels, own := tree.At(spec, "template.metadata.labels"), map[string]any{}
	for i := len(jobNameLabels) - 1; i >= 0; i-- {
		for _, l := range [][2]string{{controllerUIDLabels[i], object.UID(obj)}, {jobNameLabels[i], object.Name(obj)}} {
			own[l[0]] = l[1]
			at := field.Path("spec.template.metadata.labels").Key(l[0])
			switch value, ok := labels[l[0]]; {
			case !ok:
				errs.Add(field.Required(at, "must be '"+l[1]+"'"))
			case value != l[1]:
				errs.Add(field.Invalid(at, labels, "must be '"+l[1]+"'"))
			}
		}
	}
	if s, _, err := selector.FromLabelSelector(tree.Object(spec, "selector")); err == nil && !s.MatchesTree(own) {
		errs.Add(field.Invalid("spec.selector", valid.PrintSelector(tree.Object(spec, "selector")), "`selector` not auto-generated"))
	}
	return errs
}

func validateJobSelector(spec map[string]any) field.ErrorList {
	var errs field.ErrorList
	if spec["selector"] == nil {
		errs.Add(field.Required("spec.selector", ""))
	} else {
		errs.Add(valid.LabelSelector(tree.Object(spec, "selector"), "spec.selector")...)
	}
	finds, _ := validateSelects(spec)
	return append(errs, finds...)
}

func validateJobSpec(spec map[string]any, p field.Path) field.ErrorList {
	errs := rule.NotNegative(spec, p, "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished",
		"backoffLimitPerIndex", "maxFailedIndexes")
	perIndex, failed := spec["backoffLimitPerIndex"], spec["maxFailedIndexes"]
	if failed != nil && perIndex == nil {
		errs.Add(field.Required(p.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if by, ok := spec["managedBy"].(string); ok {
		errs.Add(validatePrefixedPath(by, p.Child("managedBy"))...)
		if len(by) > 63 {
			errs.Add(field.TooLong(p.Child("managedBy"), 63))
		}
	}
	mode := tree.Text(spec, "completionMode")
	errs.Add(jobSpecRules.Check(spec, p)...)
	if mode == "Indexed" {
		errs.Add(validateIndexed(spec, p)...)
	}
	if spec["completionMode"] == nil || mode == "NonIndexed" {
		for _, name := range []string{"backoffLimitPerIndex", "maxFailedIndexes"} {
			if v := spec[name]; v != nil {
				errs.Add(field.Invalid(p.Child(name), v, "requires indexed completion mode"))
			}
		}
	}
	policy := tree.Object(spec, "podFailurePolicy")
	if policy != nil {
		errs.Add(validateFailurePolicy(spec, policy, p.Child("podFailurePolicy", "rules"))...)
	}
	if success := tree.Object(spec, "successPolicy"); success != nil {
		errs.Add(validateSuccessPolicy(spec, success, p.Child("successPolicy"))...)
	}
	if policy != nil {
		errs.Add(jobSpecPodReplacementPolicyRules.Check(spec, p)...)
	} else {
		errs.Add(jobSpecPodReplacementPolicy2Rules.Check(spec, p)...)
	}
	template := tree.Object(spec, "template")
	errs.Add(pod.ValidateTemplate(template, p.Child("template"))...)
	at := p.Child("template", "spec", "restartPolicy")
	switch restart := tree.Text(tree.Object(template, "spec"), "restartPolicy"); restart {
	case "OnFailure":
		if policy != nil {
			errs.Add(field.Invalid(at, restart, "only \"Never\" is supported when podFailurePolicy is specified"))
		}
	case "Never":
	case "", "Always":
		errs.Add(field.Required(at, "valid values: \"OnFailure\", \"Never\""))
	default:
		errs.Add(field.NotSupported(at, restart, "OnFailure", "Never"))
	}
	return errs
}

var jobSpecRules = rule.Fields{
	{Key: "completionMode", Is: rule.All{rule.IfSet{}, rule.OneOf{"NonIndexed", "Indexed"}}},
}

var jobSpecPodReplacementPolicyRules = rule.Fields{
	{Key: "podReplacementPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Failed"}}},
}

var jobSpecPodReplacementPolicy2Rules = rule.Fields{
	{Key: "podReplacementPolicy", Is: rule.All{rule.IfSet{}, rule.OneOf{"Failed", "TerminatingOrFailed"}}},
}

// validatePrefixedPath checks the name of a controller: a domain, a slash and a
// path.
func validatePrefixedPath(text string, at field.Path) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	domain, path, ok := strings.Cut(text, "/")
	if !ok || domain == "" || path == "" {
		return field.ErrorList{field.Invalid(at, text, `must be a domain-prefixed path (such as "acme.io/foo")`)}
	}
	errs := rule.Invalid(at, domain, syntax.Subdomain(domain))
	if strings.Trim(path, valid.Alphanumeric+"/-._~%!$&'()*+,;=:") != "" {
		errs.Add(field.Invalid(at, path, syntax.Pattern("Invalid path", `[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`)))
	}
	return errs
}

// validateIndexed checks the numbers of a Job whose pods have indexes.
func validateIndexed(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	completions, some := tree.Int(spec, "completions")
	parallel, _ := tree.Int(spec, "parallelism")
	failed, limited := tree.Int(spec, "maxFailedIndexes")
	most := func(name string, n, most int64, text string) {
		if n > most {
			errs.Add(field.Invalid(p.Child(name), n, fmt.Sprintf("must be less than or equal to %d", most)+text))
		}
	}
	if !some {
		errs.Add(field.Required(p.Child("completions"), "when completion mode is Indexed"))
	}
	most("parallelism", parallel, 100000, " when completion mode is Indexed")
	if some && limited && failed > completions {
		errs.Add(field.Invalid(p.Child("maxFailedIndexes"), failed, "must be less than or equal to completions"))
	}
	most("maxFailedIndexes", failed, 100000, "")
	if completions > 100000 && spec["backoffLimitPerIndex"] != nil {
		if !limited {
			errs.Add(field.Required(p.Child("maxFailedIndexes"), "must be specified when completions is above 100000"))
		}
		most("parallelism", parallel, 10000, " when completions are above 100000 and used with backoff limit per index")
		most("maxFailedIndexes", failed, 10000, " when completions are above 100000 and used with backoff limit per index")
	}
	return errs
}

// oneOfValid is oneOf with the values in the text of a missing one.
func oneOfValid(m map[string]any, at field.Path, key string, values ...string) field.ErrorList {
	if tree.Text(m, key) == "" {
		return field.ErrorList{field.Required(at.Child(key), fmt.Sprintf("valid values: %q", values))}
	}
	return rule.RequireOneOf(m, at, key, values...)
}

func validateFailurePolicy(spec, policy map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := tree.Objects(policy, "rules")
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	pod := tree.At(spec, "template.spec")
	for i, rule := range rules {
		at := at.Index(i)
		errs.Add(oneOfValid(rule, at, "action", "Count", "FailIndex", "FailJob", "Ignore")...)
		if action := tree.Text(rule, "action"); action == "FailIndex" && spec["backoffLimitPerIndex"] == nil {
			errs.Add(field.Invalid(at.Child("action"), action, "requires the backoffLimitPerIndex to be set"))
		}
		codes, conditions := tree.Object(rule, "onExitCodes"), tree.Objects(rule, "onPodConditions")
		if codes != nil {
			errs.Add(validateExitCodes(codes, at.Child("onExitCodes"), pod)...)
		}
		if len(conditions) > 20 {
			errs.Add(field.TooMany(at.Child("onPodConditions"), len(conditions), 20))
		}
		for j, condition := range conditions {
			at := at.Child("onPodConditions").Index(j)
			errs.Add(failurePolicyRules.Check(condition, at)...)
			errs.Add(oneOfValid(condition, at, "status", "False", "True", "Unknown")...)
		}
		if codes != nil && len(conditions) > 0 {
			errs.Add(field.Invalid(at, field.Omitted, "specifying both OnExitCodes and OnPodConditions is not supported"))
		}
		if codes == nil && len(conditions) == 0 {
			errs.Add(field.Invalid(at, field.Omitted, "specifying one of OnExitCodes and OnPodConditions is required"))
		}
	}
	return errs
}

var failurePolicyRules = rule.Fields{
	{Key: "type", Is: rule.Form(syntax.LabelKey)},
}

func validateExitCodes(codes map[string]any, at field.Path, pod map[string]any) field.ErrorList {
	errs := oneOfValid(codes, at, "operator", "In", "NotIn")
	if name, ok := codes["containerName"].(string); ok && !tree.Has(tree.Objects(pod, "containers"), "name", name) && !tree.Has(tree.Objects(pod, "initContainers"), "name", name) {
		errs.Add(field.Invalid(at.Child("containerName"), name, "must be one of the container or initContainer names in the pod template"))
	}
	values, in := tree.List(codes, "values"), tree.Text(codes, "operator") == "In"
	at = at.Child("values")
	if len(values) == 0 {
		errs.Add(field.Invalid(at, codes["values"], "at least one value is required"))
	} else if len(values) > 255 {
		errs.Add(field.TooMany(at, len(values), 255))
	}
	ordered := true
	var before rule.Seen[any]
	for i, v := range values {
		n, _ := v.(int64)
		if in && n == 0 {
			errs.Add(field.Invalid(at.Index(i), n, "must not be 0 for the In operator"))
		}
		if before.Again(v) {
			errs.Add(field.Duplicate(at.Index(i), n))
		}
		if i > 0 {
			previous, _ := values[i-1].(int64)
			ordered = ordered && previous <= n
		}
	}
	if !ordered {
		errs.Add(field.Invalid(at, values, "must be ordered"))
	}
	return errs
}

func validateSuccessPolicy(spec, policy map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	rules := tree.Objects(policy, "rules")
	if tree.Text(spec, "completionMode") != "Indexed" {
		return field.ErrorList{field.Invalid(at, printRules(policy), "requires indexed completion mode")}
	}
	at = at.Child("rules")
	if len(rules) == 0 {
		errs.Add(field.Required(at, "at least one rules must be specified when the successPolicy is specified"))
	}
	if len(rules) > 20 {
		errs.Add(field.TooMany(at, len(rules), 20))
	}
	completions, _ := tree.Int(spec, "completions")
	for i, one := range rules {
		at := at.Index(i)
		count, counted := tree.Int(one, "succeededCount")
		indexes, indexed := one["succeededIndexes"].(string)
		if !counted && !indexed {
			errs.Add(field.Required(at, "at least one of succeededCount or succeededIndexes must be specified"))
		}
		if len(indexes) > 64<<10 {
			errs.Add(field.TooLong(at.Child("succeededIndexes"), 64<<10))
		}
		total, err := countIndexes(indexes, completions)
		if err != nil {
			errs.Add(field.Invalid(at.Child("succeededIndexes"), indexes, "error parsing succeededIndexes: "+err.Error()))
		}
		errs.Add(rule.NotNegative(one, at, "succeededCount")...)
		if counted && count > completions {
			errs.Add(field.Invalid(at.Child("succeededCount"), count, fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", completions)))
		}
		if counted && indexed && count > total {
			errs.Add(field.Invalid(at.Child("succeededCount"), count, fmt.Sprintf("must be less than or equal to %d (the number of indexes in the specified succeededIndexes field)", total)))
		}
	}
	return errs
}

// printRules prints a policy as the real server does.
func printRules(policy map[string]any) any {
	if policy == nil {
		return nil
	}
	return tree.GoStruct(map[string]any{"rules": tree.GoStructs(policy, "rules", func(r map[string]any) field.Raw {
		if r["action"] == nil {
			return tree.GoStruct(r, "SucceededIndexes", "SucceededCount")
		}
		r = maps.Clone(r)
		if codes := tree.Object(r, "onExitCodes"); codes != nil {
			r["onExitCodes"] = tree.GoStruct(codes, "ContainerName", `Operator=""`, "Values")
		}
		r["onPodConditions"] = tree.GoStructs(r, "onPodConditions", func(c map[string]any) field.Raw { return tree.GoStruct(c, `Type=""`, `Status=""`) })
		return tree.GoStruct(r, `Action=""`, "OnExitCodes", "OnPodConditions")
	})}, "Rules")
}

// indexRanges are the ranges that a text such as "1,3-5" stands for.
func indexRanges(text string, completions int64) (ranges [][2]int64, err error) {
	if text == "" {
		return nil, nil
	}
	last := int64(-1)
	for _, part := range strings.Split(text, ",") {
		limits := strings.Split(part, "-")
		if len(limits) > 2 {
			return nil, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", part)
		}
		var r [2]int64
		for i, limit := range limits {
			n, err := strconv.Atoi(limit)
			if err != nil {
				return nil, fmt.Errorf("cannot convert string to integer for index: %q", limit)
			}
			if int64(n) >= completions {
				return nil, fmt.Errorf("too large index: %q", limit)
			}
			if r[i] = int64(n); i == 0 {
				r[1] = r[0]
			} else if r[0] >= r[1] {
				return nil, fmt.Errorf("non-increasing order, previous: %d, current: %d", r[0], r[1])
			}
		}
		if len(ranges) > 0 && last >= r[0] {
			return nil, fmt.Errorf("non-increasing order, previous: %d, current: %d", last, r[0])
		}
		last = r[1]
		ranges = append(ranges, r)
	}
	return ranges, nil
}

func countIndexes(text string, completions int64) (total int64, err error) {
	ranges, err := indexRanges(text, completions)
	for _, r := range ranges {
		total += r[1] - r[0] + 1
	}
	return total, err
}

// validateJobUpdate says what is wrong with the spec twice, as the real server
// does.
func validateJobUpdate(obj, old map[string]any) field.ErrorList {
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	errs := append(validateJob(obj), validateJobSpec(spec, "spec")...)
	errs.Add(validateJobSelector(spec)...)
	completions := spec["completions"]
	if tree.Text(spec, "completionMode") != "Indexed" {
		errs.Add(valid.ImmutableSpec(spec, was, "completions")...)
	} else if completions != nil && completions != was["completions"] && completions != spec["parallelism"] {
		errs.Add(field.Invalid("spec.completions", completions, "can only be modified in tandem with spec.parallelism"))
	}
	errs.Add(selectorKept(obj, old)...)
	errs.Add(jobTemplateKept(spec, was, tree.Object(old, "status"))...)
	kept := valid.ImmutableSpec(spec, was, "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
	for _, e := range kept {
		if strings.HasSuffix(e.Field, "Policy") {
			e.BadValue = printRules(tree.Map(e.BadValue))
		}
	}
	return append(errs, kept...)
}

// jobTemplateKept checks that the template of a Job stays as it is. While the Job
// waits, its pods may still be told where to go and what they need.
func jobTemplateKept(spec, was, status map[string]any) field.ErrorList {
	active, _ := tree.Int(status, "active")
	if !tree.Bool(was, "suspend") || status["startTime"] != nil && !conditionIs(status, "Suspended", "True") || active != 0 {
		return valid.ImmutableSpec(spec, was, "template")
	}
	now, before := tree.Object(tree.Object(spec, "template"), "spec"), object.DeepCopy(tree.At(was, "template.spec"))
	for _, name := range []string{"nodeSelector", "tolerations", "schedulingGates"} {
		tree.Keep(before, now, name)
	}
	affinity := tree.Make(before, "affinity")
	if tree.Keep(affinity, tree.Object(now, "affinity"), "nodeAffinity"); len(affinity) == 0 && now["affinity"] == nil {
		delete(before, "affinity")
	}
	for _, list := range pod.Resizable {
		containers, olds := tree.Objects(now, list), tree.Objects(before, list)
		for i, c := range olds {
			if len(containers) == len(olds) && containers[i]["name"] == c["name"] {
				tree.Keep(c, containers[i], "resources")
			}
		}
	}
	if object.Equal(now, before) {
		return nil
	}
	return field.ErrorList{field.Invalid("spec.template.spec", now, rule.FieldImmutable)}
}

func conditionIs(status map[string]any, kind, value string) bool {
	return slices.ContainsFunc(tree.Objects(status, "conditions"), func(c map[string]any) bool {
		return tree.Text(c, "type") == kind && tree.Text(c, "status") == value
	})
}

// validateJobStatus checks the status of a Job against itself, where it has
// changed, and against the old one.
func validateJobStatus(obj, old map[string]any) field.ErrorList {
	spec, status, was, at := tree.Object(obj, "spec"), tree.Object(obj, "status"), tree.Object(old, "status"), field.Path("status")
	errs := rule.NotNegative(status, at, "active", "succeeded", "failed", "ready", "terminating")
	pods := tree.Object(status, "uncountedTerminatedPods")
	var uids rule.Seen[string]
	for _, name := range []string{"succeeded", "failed"} {
		for i, uid := range tree.Texts(pods, name) {
			at := at.Child("uncountedTerminatedPods", name).Index(i)
			if uid == "" {
				errs.Add(field.Invalid(at, uid, "must not be empty"))
			} else if uids.Again(uid) {
				errs.Add(field.Duplicate(at, uid))
			}
		}
	}
	is := func(status map[string]any, kind string) bool { return conditionIs(status, kind, "True") }
	done := func(status map[string]any) bool { return is(status, "Complete") || is(status, "Failed") }
	complete, failed, target, met, finished := is(status, "Complete"), is(status, "Failed"), is(status, "FailureTarget"), is(status, "SuccessCriteriaMet"), done(status)
	finishedNow, completeNow := finished != done(was), complete != is(was, "Complete")
	changed := func(name string) bool { return !object.Equal(status[name], was[name]) }
	bad := func(wrong bool, name string, value any, text string) {
		if wrong {
			errs.Add(field.Invalid(at.Child(name), value, text))
		}
	}
	no := func(wrong bool, text string) { bad(wrong, "conditions", field.Omitted, "cannot "+text) }
	active, _ := tree.Int(status, "active")
	ready, _ := tree.Int(status, "ready")
	terminating, _ := tree.Int(status, "terminating")
	completions, some := tree.Int(spec, "completions")
	start, end := tree.Text(status, "startTime"), tree.Text(status, "completionTime")
	no((completeNow || failed != is(was, "Failed")) && complete && failed, "set Complete=True and Failed=true conditions")
	no((completeNow || target != is(was, "FailureTarget")) && complete && target, "set Complete=True and FailureTarget=true conditions")
	if completeNow || changed("completionTime") {
		bad(end != "" && !complete, "completionTime", end, "cannot set completionTime when there is no Complete=True condition")
		if end == "" && complete {
			errs.Add(field.Required(at.Child("completionTime"), "completionTime is required for Complete jobs"))
		}
	}
	bad((changed("startTime") || changed("completionTime")) && before(end, start), "completionTime", end, "must be equal to or after `startTime`")
	no((failed != is(was, "Failed") || changed("failedIndexes")) && failed && !target, "set Failed=True condition without the FailureTarget=true condition")
	no((completeNow || met != is(was, "SuccessCriteriaMet")) && complete && !met, "set Complete=True condition without the SuccessCriteriaMet=true condition")
	bad((finishedNow || changed("active")) && active > 0 && finished, "active", active, "active>0 is invalid for finished job")
	if (finishedNow || changed("startTime")) && !(tree.Bool(spec, "suspend") && some && completions == 0) && start == "" && finished {
		errs.Add(field.Required(at.Child("startTime"), "startTime is required for finished job"))
	}
	bad((finishedNow || changed("uncountedTerminatedPods")) && finished && len(tree.List(pods, "succeeded"))+len(tree.List(pods, "failed")) > 0,
		"uncountedTerminatedPods", tree.GoStruct(pods, "Succeeded", "Failed"), "must be empty for finished job")
	good, fails := tree.Text(status, "completedIndexes"), tree.Text(status, "failedIndexes")
	limit := spec["backoffLimitPerIndex"] != nil
	succeeded, wrongGood := indexRanges(good, completions)
	failing, wrongFails := indexRanges(fails, completions)
	if wrongGood != nil && some && changed("completedIndexes") {
		bad(true, "completedIndexes", good, "error parsing completedIndexes: "+wrongGood.Error())
	}
	if wrongFails != nil && some && limit && changed("failedIndexes") {
		bad(true, "failedIndexes", fails, "error parsing failedIndexes: "+wrongFails.Error())
	}
	bad(changed("completedIndexes") && good != "" && tree.Text(spec, "completionMode") != "Indexed", "completedIndexes", good, "cannot set non-empty completedIndexes when non-indexed completion mode")
	bad(changed("failedIndexes") && !limit && status["failedIndexes"] != nil, "failedIndexes", fails, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	if some && (changed("failedIndexes") || changed("completedIndexes")) {
		errs.Add(overlap(succeeded, failing, fails, at)...)
	}
	bad((finishedNow || changed("terminating")) && terminating > 0 && finished, "terminating", terminating, "terminating>0 is invalid for finished job")
	bad((changed("ready") || changed("active")) && status["ready"] != nil && ready > active, "ready", ready, "cannot set more ready pods than active")
	no(met && failed, "set SuccessCriteriaMet=True and Failed=true conditions")
	no(met && target, "set SuccessCriteriaMet=True and FailureTarget=true conditions")
	no(spec["successPolicy"] != nil && !met && complete, "set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
	for _, kind := range []string{"Failed", "Complete", "FailureTarget"} {
		no(is(was, kind) && !is(status, kind), "disable the terminal "+kind+"=True condition")
	}
	for _, name := range []string{"failed", "succeeded"} {
		n, _ := tree.Int(status, name)
		had, _ := tree.Int(was, name)
		elastic := name == "succeeded" && tree.Text(spec, "completionMode") == "Indexed" && spec["completions"] == spec["parallelism"]
		bad(n < had && !elastic, name, n, "cannot decrease the "+name+" counter")
	}
	bad(end != "" && was["completionTime"] != nil && changed("completionTime"), "completionTime", end, rule.FieldImmutable)
	resumes := is(was, "Suspended") && conditionIs(status, "Suspended", "False")
	bad(was["startTime"] != nil && changed("startTime") && !resumes && !tree.Bool(spec, "suspend"), "startTime", status["startTime"], "field is immutable for unsuspended job once set")
	no(is(was, "SuccessCriteriaMet") && !met, "disable the SuccessCriteriaMet=True condition")
	no(is(was, "Complete") && !is(was, "SuccessCriteriaMet") && met, "set SuccessCriteriaMet=True for Job already has Complete=true conditions")
	return errs
}

// before reports whether a time is before another, both given.
func before(a, b string) bool {
	x, errX := time.Parse(time.RFC3339, a)
	y, errY := time.Parse(time.RFC3339, b)
	return errX == nil && errY == nil && x.Before(y)
}

// overlap finds the first index that has both succeeded and failed.
func overlap(succeeded, failed [][2]int64, text string, at field.Path) field.ErrorList {
	for _, a := range succeeded {
		for _, b := range failed {
			if a[0] <= b[1] && b[0] <= a[1] {
				return field.ErrorList{field.Invalid(at.Child("failedIndexes"), text, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", max(a[0], b[0])))}
			}
		}
	}
	return nil
}
