package kinds

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/object"
)

var job = Rules{
	OrphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		template := sub(spec, "template")
		defaultTemplate(template)
		if spec["completions"] == nil && spec["parallelism"] == nil {
			spec["completions"] = int64(1)
		}
		def(spec, "parallelism", int64(1))
		if spec["backoffLimitPerIndex"] != nil {
			def(spec, "backoffLimit", int64(math.MaxInt32))
		}
		def(spec, "backoffLimit", int64(6))
		if labels := dict(dict(template, "metadata"), "labels"); len(labels) > 0 && len(dict(object.Meta(obj), "labels")) == 0 {
			object.Meta(obj)["labels"] = labels // those that the Job gets are added to both
		}
		def(spec, "completionMode", "NonIndexed")
		def(spec, "suspend", false)
		def(spec, "manualSelector", false)
		replace := "TerminatingOrFailed"
		if policy := dict(spec, "podFailurePolicy"); policy != nil {
			replace = "Failed"
			for _, rule := range entries(policy, "rules") {
				for _, condition := range entries(rule, "onPodConditions") {
					def(condition, "status", "True")
				}
			}
		}
		def(spec, "podReplacementPolicy", replace)
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		spec := dict(obj, "spec")
		if !flag(spec, "manualSelector") {
			selectOwnPods(obj, spec)
		}
		warnName(c, obj)
		warnJob(c, spec, "spec")
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnJob(c, dict(obj, "spec"), "spec")
		}
	},
	Validate:       validateJob,
	ValidateUpdate: validateJobUpdate,
	ValidateStatus: validateJobStatus,
}

// specKept is unchanged for fields of the spec.
func specKept(spec, was map[string]any, names ...string) field.ErrorList {
	errs := unchanged(spec, was, names...)
	for _, e := range errs {
		e.Field = "spec." + e.Field
	}
	return errs
}

// The labels of a Job's pods, in their present and their old spelling.
var (
	jobNameLabels       = []string{"batch.kubernetes.io/job-name", "job-name"}
	controllerUIDLabels = []string{"batch.kubernetes.io/controller-uid", "controller-uid"}
)

// selectOwnPods gives the pods of a Job labels that no others have, and selects
// by them.
func selectOwnPods(obj, spec map[string]any) {
	labels := sub(sub(sub(spec, "template"), "metadata"), "labels")
	for _, name := range jobNameLabels {
		def(labels, name, object.Name(obj))
	}
	for _, name := range controllerUIDLabels {
		def(labels, name, object.UID(obj))
	}
	def(sub(sub(spec, "selector"), "matchLabels"), controllerUIDLabels[0], object.UID(obj))
}

var cronJob = Rules{
	Default: func(obj map[string]any) {
		spec := sub(obj, "spec")
		def(spec, "concurrencyPolicy", "Allow")
		def(spec, "suspend", false)
		def(spec, "successfulJobsHistoryLimit", int64(3))
		def(spec, "failedJobsHistoryLimit", int64(1))
		defaultTemplate(sub(sub(sub(spec, "jobTemplate"), "spec"), "template"))
	},
	PrepareCreate: func(c *Context, obj map[string]any) {
		warnName(c, obj)
		warnJob(c, deep(obj, "spec.jobTemplate.spec"), "spec.jobTemplate.spec")
	},
	PrepareUpdate: func(c *Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnJob(c, deep(obj, "spec.jobTemplate.spec"), "spec.jobTemplate.spec")
		}
		if strings.Contains(str(dict(obj, "spec"), "schedule"), "TZ") {
			c.warn("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validateCronJob(dict(obj, "spec"), nil)
		if len(object.Name(obj)) > 52 { // Jobs get a suffix of 11 characters
			errs.Add(field.Invalid("metadata.name", object.Name(obj), "must be no more than 52 characters"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return validateCronJob(dict(obj, "spec"), dict(old, "spec"))
	},
}

func validateCronJob(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	schedule := str(spec, "schedule")
	if schedule == "" {
		errs.Add(field.Required(p.Child("schedule"), ""))
	} else {
		if err := checkSchedule(schedule); err != nil {
			errs.Add(field.Invalid(p.Child("schedule"), schedule, err.Error()))
		}
		switch zoned := strings.Contains(schedule, "TZ"); {
		case zoned && strings.Contains(str(was, "schedule"), "TZ"):
			if spec["timeZone"] != nil {
				errs.Add(field.Invalid(p.Child("schedule"), schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"))
			}
		case zoned:
			errs.Add(field.Invalid(p.Child("schedule"), schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"))
		}
	}
	errs.Add(notBelowZero(spec, p, "startingDeadlineSeconds")...)
	if spec["timeZone"] != nil && (was == nil || was["timeZone"] != spec["timeZone"]) {
		errs.Add(validateTimeZone(str(spec, "timeZone"), p.Child("timeZone"))...)
	}
	errs.Add(oneOf(spec, p, "concurrencyPolicy", "Allow", "Forbid", "Replace")...)
	template := deep(spec, "jobTemplate.spec")
	at := p.Child("jobTemplate", "spec")
	errs.Add(validateJobSpec(template, at)...)
	if template["selector"] != nil {
		errs.Add(field.Invalid(at.Child("selector"), printSelector(dict(template, "selector")), "`selector` will be auto-generated"))
	}
	if flag(template, "manualSelector") {
		errs.Add(field.NotSupported(at.Child("manualSelector"), true, "nil", "false"))
	}
	return append(errs, notBelowZero(spec, p, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")...)
}

// zoneAreas are what the names of the world's time zones begin with. The zones
// themselves are not known here: the tables would be half a megabyte in a tab.
var zoneAreas = []string{"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil", "Canada", "Chile",
	"Etc", "Europe", "Indian", "Mexico", "Pacific", "US"}

// lonelyZones are those that are in no area.
const lonelyZones = " UTC GMT GMT+0 GMT-0 GMT0 Greenwich UCT Universal Zulu CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey W-SU WET "

func validateTimeZone(zone string, at field.Path) field.ErrorList {
	if zone == "" {
		return field.ErrorList{field.Invalid(at, zone, "timeZone must be nil or non-empty string")}
	}
	if strings.EqualFold(zone, "Local") {
		errs := field.ErrorList{field.Invalid(at, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")}
		if zone != "Local" {
			errs.Add(field.Invalid(at, zone, "unknown time zone "+zone))
		}
		return errs
	}
	area, name, qualified := strings.Cut(zone, "/")
	if qualified && slices.Contains(zoneAreas, area) && name != "" && strings.Trim(name, alphanumeric+"+-_/") == "" ||
		!qualified && strings.Contains(lonelyZones, " "+zone+" ") {
		return nil
	}
	return field.ErrorList{field.Invalid(at, zone, "unknown time zone "+zone)}
}

// scheduleFields are the five fields of a cron schedule with their bounds and
// the names that their values may have.
var scheduleFields = []struct {
	min, max uint64
	names    string
}{
	{0, 59, ""}, {0, 23, ""}, {1, 31, ""},
	{1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
	{0, 6, "sun mon tue wed thu fri sat"},
}

// checkSchedule says what is wrong with a cron schedule, in the words of the
// library that the real server reads it with.
func checkSchedule(schedule string) error {
	if strings.HasPrefix(schedule, "@") {
		switch schedule {
		case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
			return nil
		}
		if strings.HasPrefix(schedule, "@every ") {
			return nil
		}
		return errors.New("unrecognized descriptor: " + schedule)
	}
	parts := strings.Fields(schedule)
	if len(parts) != len(scheduleFields) {
		return fmt.Errorf("expected exactly 5 fields, found %d: %v", len(parts), parts)
	}
	for i, part := range parts {
		for _, r := range strings.FieldsFunc(part, func(c rune) bool { return c == ',' }) {
			f := scheduleFields[i]
			if err := checkRange(r, f.min, f.max, f.names); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkRange(text string, low, high uint64, names string) error {
	number := func(s string) (uint64, error) {
		for i, name := range strings.Fields(names) {
			if strings.EqualFold(name, s) {
				return low + uint64(i), nil
			}
		}
		n, err := strconv.Atoi(s)
		switch {
		case err != nil:
			return 0, fmt.Errorf("failed to parse int from %s: %s", s, err)
		case n < 0:
			return 0, fmt.Errorf("negative number (%d) not allowed: %s", n, s)
		}
		return uint64(n), nil
	}
	span, stepText, stepped := strings.Cut(text, "/")
	from, to, ranged := strings.Cut(span, "-")
	start, end := low, high
	if from != "*" && from != "?" {
		var err error
		if start, err = number(from); err != nil {
			return err
		}
		if end = start; ranged {
			if end, err = number(to); err != nil {
				return err
			}
		} else if stepped {
			end = high
		}
	}
	if strings.Contains(to, "-") {
		return fmt.Errorf("too many hyphens: %s", text)
	}
	step := uint64(1)
	if stepped {
		var err error
		if strings.Contains(stepText, "/") {
			return fmt.Errorf("too many slashes: %s", text)
		}
		if step, err = number(stepText); err != nil {
			return err
		}
	}
	switch {
	case start < low:
		return fmt.Errorf("beginning of range (%d) below minimum (%d): %s", start, low, text)
	case end > high:
		return fmt.Errorf("end of range (%d) above maximum (%d): %s", end, high, text)
	case start > end:
		return fmt.Errorf("beginning of range (%d) beyond end of range (%d): %s", start, end, text)
	case step == 0:
		return fmt.Errorf("step of range should be a positive number: %s", text)
	}
	return nil
}
