package tables

import "fmt"

// batch are the kinds of the group batch.
var batch = []kind{
	{"batch", "CronJob", "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last " +
		"Schedule|Age|Containers*|Images*|Selector*", func(v view) []any {
		last, suspend := none, unset
		if v.has("status", "lastScheduleTime") {
			last = v.since("status", "lastScheduleTime")
		}
		switch {
		case v.is("spec", "suspend"):
			suspend = "True"
		case v.has("spec", "suspend"):
			suspend = "False"
		}
		cells := []any{v.name(), v.text("spec", "schedule"), v.value(none, "spec", "timeZone"), suspend,
			len(v.list("status", "active")), last, v.age()}
		return append(append(cells, v.containers("spec", "jobTemplate", "spec", "template", "spec")...),
			v.selector("spec", "jobTemplate", "spec", "selector"))
	}},
	{"batch", "Job", "Name|Status|Completions|Duration|Age|Containers*|Images*|Selector*", func(v view) []any {
		cells := []any{v.name(), jobStatus(v), completions(v), jobDuration(v), v.age()}
		return append(append(cells, v.containers("spec", "template", "spec")...), v.selector("spec", "selector"))
	}},
}

func jobStatus(v view) string {
	switch {
	case v.isTrue("Complete"):
		return "Complete"
	case v.isTrue("Failed"):
		return "Failed"
	case v.deleted():
		return "Terminating"
	}
	for _, condition := range []string{"Suspended", "FailureTarget", "SuccessCriteriaMet"} {
		if v.isTrue(condition) {
			return condition
		}
	}
	return "Running"
}

// completions returns the cell of a job: succeeded and desired completions. A work queue has one,
// with the number of pods that work on it.
func completions(v view) string {
	succeeded := v.number("status", "succeeded")
	if v.has("spec", "completions") {
		return fmt.Sprintf("%d/%d", succeeded, v.number("spec", "completions"))
	}
	if parallelism := v.number("spec", "parallelism"); parallelism > 1 {
		return fmt.Sprintf("%d/1 of %d", succeeded, parallelism)
	}
	return fmt.Sprintf("%d/1", succeeded)
}

// jobDuration returns how long a job has taken so far.
func jobDuration(v view) string {
	start, end := v.time("status", "startTime"), v.time("status", "completionTime")
	switch {
	case !v.has("status", "startTime"):
		return ""
	case !v.has("status", "completionTime"):
		end = v.now
	}
	return duration(end.Sub(start))
}
