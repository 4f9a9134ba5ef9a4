package workload

import (
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// validateJobStatus returns the violations of the status of a Job: of changed fields, of fields
// that contradict each other, and of changes that are not allowed.
func validateJobStatus(obj, old map[string]any) field.ErrorList {
	at, spec := field.Path("status"), tree.Object(obj, "spec")
	status, was := tree.Object(obj, "status"), tree.Object(old, "status")
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
	complete, failed, finished := is(status, "Complete"), is(status, "Failed"), done(status)
	target, met := is(status, "FailureTarget"), is(status, "SuccessCriteriaMet")
	newComplete, newFailed := complete != is(was, "Complete"), failed != is(was, "Failed")
	newFinished := finished != done(was)
	changed := func(name string) bool { return !object.Equal(status[name], was[name]) }
	invalid := func(wrong bool, name string, value any, text string) {
		if wrong {
			errs.Add(field.Invalid(at.Child(name), value, text))
		}
	}
	cannot := func(wrong bool, text string) { invalid(wrong, "conditions", field.Omitted, "cannot "+text) }
	active, _ := tree.Int(status, "active")
	ready, _ := tree.Int(status, "ready")
	terminating, _ := tree.Int(status, "terminating")
	completions, some := tree.Int(spec, "completions")
	start, end := tree.Text(status, "startTime"), tree.Text(status, "completionTime")
	cannot((newComplete || newFailed) && complete && failed, "set Complete=True and Failed=true conditions")
	cannot((newComplete || target != is(was, "FailureTarget")) && complete && target,
		"set Complete=True and FailureTarget=true conditions")
	if newComplete || changed("completionTime") {
		invalid(end != "" && !complete, "completionTime", end,
			"cannot set completionTime when there is no Complete=True condition")
		if end == "" && complete {
			errs.Add(field.Required(at.Child("completionTime"), "completionTime is required for Complete jobs"))
		}
	}
	invalid((changed("startTime") || changed("completionTime")) && before(end, start), "completionTime", end,
		"must be equal to or after `startTime`")
	cannot((newFailed || changed("failedIndexes")) && failed && !target,
		"set Failed=True condition without the FailureTarget=true condition")
	cannot((newComplete || met != is(was, "SuccessCriteriaMet")) && complete && !met,
		"set Complete=True condition without the SuccessCriteriaMet=true condition")
	invalid((newFinished || changed("active")) && active > 0 && finished, "active", active,
		"active>0 is invalid for finished job")
	idle := tree.Bool(spec, "suspend") && some && completions == 0
	if (newFinished || changed("startTime")) && !idle && start == "" && finished {
		errs.Add(field.Required(at.Child("startTime"), "startTime is required for finished job"))
	}
	uncounted := len(tree.List(pods, "succeeded")) + len(tree.List(pods, "failed"))
	invalid((newFinished || changed("uncountedTerminatedPods")) && finished && uncounted > 0,
		"uncountedTerminatedPods", shape.UncountedTerminatedPods.Print(pods), "must be empty for finished job")
	indexed := tree.Text(spec, "completionMode") == "Indexed"
	good, fails := tree.Text(status, "completedIndexes"), tree.Text(status, "failedIndexes")
	limit := spec["backoffLimitPerIndex"] != nil
	succeeded, wrongGood := indexRanges(good, completions)
	failing, wrongFails := indexRanges(fails, completions)
	if wrongGood != nil && some && changed("completedIndexes") {
		invalid(true, "completedIndexes", good, "error parsing completedIndexes: "+wrongGood.Error())
	}
	if wrongFails != nil && some && limit && changed("failedIndexes") {
		invalid(true, "failedIndexes", fails, "error parsing failedIndexes: "+wrongFails.Error())
	}
	invalid(changed("completedIndexes") && good != "" && !indexed, "completedIndexes", good,
		"cannot set non-empty completedIndexes when non-indexed completion mode")
	invalid(changed("failedIndexes") && !limit && status["failedIndexes"] != nil, "failedIndexes", fails,
		"cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	if some && (changed("failedIndexes") || changed("completedIndexes")) {
		errs.Add(validateOverlap(succeeded, failing, fails, at)...)
	}
	invalid((newFinished || changed("terminating")) && terminating > 0 && finished, "terminating", terminating,
		"terminating>0 is invalid for finished job")
	invalid((changed("ready") || changed("active")) && status["ready"] != nil && ready > active, "ready", ready,
		"cannot set more ready pods than active")
	cannot(met && failed, "set SuccessCriteriaMet=True and Failed=true conditions")
	cannot(met && target, "set SuccessCriteriaMet=True and FailureTarget=true conditions")
	cannot(spec["successPolicy"] != nil && !met && complete,
		"set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
	for _, kind := range []string{"Failed", "Complete", "FailureTarget"} {
		cannot(is(was, kind) && !is(status, kind), "disable the terminal "+kind+"=True condition")
	}
	for _, name := range []string{"failed", "succeeded"} {
		n, _ := tree.Int(status, name)
		had, _ := tree.Int(was, name)
		elastic := name == "succeeded" && indexed && spec["completions"] == spec["parallelism"]
		invalid(n < had && !elastic, name, n, "cannot decrease the "+name+" counter")
	}
	invalid(end != "" && was["completionTime"] != nil && changed("completionTime"), "completionTime", end,
		rule.FieldImmutable)
	resumes := is(was, "Suspended") && conditionIs(status, "Suspended", "False")
	invalid(was["startTime"] != nil && changed("startTime") && !resumes && !tree.Bool(spec, "suspend"),
		"startTime", status["startTime"], "field is immutable for unsuspended job once set")
	cannot(is(was, "SuccessCriteriaMet") && !met, "disable the SuccessCriteriaMet=True condition")
	cannot(is(was, "Complete") && !is(was, "SuccessCriteriaMet") && met,
		"set SuccessCriteriaMet=True for Job already has Complete=true conditions")
	return errs
}

// conditionIs reports whether a status has a condition of a type with a value.
func conditionIs(status map[string]any, kind, value string) bool {
	return slices.ContainsFunc(tree.Objects(status, "conditions"), func(c map[string]any) bool {
		return tree.Text(c, "type") == kind && tree.Text(c, "status") == value
	})
}

// before reports whether a time is before another, both given.
func before(a, b string) bool {
	x, errX := time.Parse(time.RFC3339, a)
	y, errY := time.Parse(time.RFC3339, b)
	return errX == nil && errY == nil && x.Before(y)
}
