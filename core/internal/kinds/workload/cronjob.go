package workload

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// CronJob is the strategy of CronJobs.
var CronJob = strategy.Strategy{
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		tree.Default(spec, "concurrencyPolicy", "Allow")
		tree.Default(spec, "suspend", false)
		tree.Default(spec, "successfulJobsHistoryLimit", int64(3))
		tree.Default(spec, "failedJobsHistoryLimit", int64(1))
		pod.DefaultTemplate(tree.Make(tree.Make(tree.Make(spec, "jobTemplate"), "spec"), "template"))
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		warnName(c, obj)
		warnJob(c, tree.At(obj, "spec.jobTemplate.spec"), "spec.jobTemplate.spec")
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnJob(c, tree.At(obj, "spec.jobTemplate.spec"), "spec.jobTemplate.spec")
		}
		if strings.Contains(tree.Text(tree.Object(obj, "spec"), "schedule"), "TZ") {
			c.Warn("cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, " +
				"see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details")
		}
	},
	Validate: func(obj map[string]any) field.ErrorList {
		errs := validateCronJob(tree.Object(obj, "spec"), nil)
		if len(object.Name(obj)) > 52 { // the names of Jobs get a suffix of 11 characters
			errs.Add(field.Invalid("metadata.name", object.Name(obj), "must be no more than 52 characters"))
		}
		return errs
	},
	ValidateUpdate: func(obj, old map[string]any) field.ErrorList {
		return validateCronJob(tree.Object(obj, "spec"), tree.Object(old, "spec"))
	},
}

func validateCronJob(spec, was map[string]any) field.ErrorList {
	var errs field.ErrorList
	p := field.Path("spec")
	schedule := tree.Text(spec, "schedule")
	if schedule == "" {
		errs.Add(field.Required(p.Child("schedule"), ""))
	} else {
		if err := checkSchedule(schedule); err != nil {
			errs.Add(field.Invalid(p.Child("schedule"), schedule, err.Error()))
		}
		switch zoned := strings.Contains(schedule, "TZ"); {
		case zoned && strings.Contains(tree.Text(was, "schedule"), "TZ"):
			if spec["timeZone"] != nil {
				errs.Add(field.Invalid(p.Child("schedule"), schedule,
					"cannot use both timeZone field and TZ or CRON_TZ in schedule"))
			}
		case zoned:
			errs.Add(field.Invalid(p.Child("schedule"), schedule,
				"cannot use TZ or CRON_TZ in schedule, use timeZone field instead"))
		}
	}
	errs.Add(rule.NotNegative(spec, p, "startingDeadlineSeconds")...)
	if spec["timeZone"] != nil && (was == nil || was["timeZone"] != spec["timeZone"]) {
		errs.Add(validateTimeZone(tree.Text(spec, "timeZone"), p.Child("timeZone"))...)
	}
	errs.Add(rule.RequireOneOf(spec, p, "concurrencyPolicy", "Allow", "Forbid", "Replace")...)
	template := tree.At(spec, "jobTemplate.spec")
	at := p.Child("jobTemplate", "spec")
	errs.Add(validateJobSpec(template, at)...)
	if template["selector"] != nil {
		shown := valid.PrintSelector(tree.Object(template, "selector"))
		errs.Add(field.Invalid(at.Child("selector"), shown, "`selector` will be auto-generated"))
	}
	if tree.Bool(template, "manualSelector") {
		errs.Add(field.NotSupported(at.Child("manualSelector"), true, "nil", "false"))
	}
	return append(errs, rule.NotNegative(spec, p, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")...)
}

// zoneAreas are the areas in the names of time zones. The zones themselves are not checked: the
// tables would add half a megabyte to the page.
var zoneAreas = []string{"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Brazil",
	"Canada", "Chile", "Etc", "Europe", "Indian", "Mexico", "Pacific", "US"}

// zonesWithoutArea are the names of time zones without an area.
const zonesWithoutArea = " UTC GMT GMT+0 GMT-0 GMT0 Greenwich UCT Universal Zulu CET CST6CDT Cuba EET EST EST5EDT " +
	"Egypt Eire GB GB-Eire HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT " +
	"Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey W-SU WET "

func validateTimeZone(zone string, at field.Path) field.ErrorList {
	if zone == "" {
		return field.ErrorList{field.Invalid(at, zone, "timeZone must be nil or non-empty string")}
	}
	if strings.EqualFold(zone, "Local") {
		errs := field.ErrorList{field.Invalid(at, zone,
			"timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones")}
		if zone != "Local" {
			errs.Add(field.Invalid(at, zone, "unknown time zone "+zone))
		}
		return errs
	}
	if isZone(zone) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, zone, "unknown time zone "+zone)}
}

// isZone reports whether a text has the form of the name of a time zone.
func isZone(zone string) bool {
	area, name, qualified := strings.Cut(zone, "/")
	if !qualified {
		return strings.Contains(zonesWithoutArea, " "+zone+" ")
	}
	return slices.Contains(zoneAreas, area) && !slices.Contains(strings.Split(name, "/"), "") &&
		strings.Trim(name, valid.Alphanumeric+"+-_/") == ""
}

// scheduleFields are the five fields of a cron schedule: their bounds, and the names of their
// values.
var scheduleFields = []struct {
	min, max uint64
	names    string
}{
	{0, 59, ""}, {0, 23, ""}, {1, 31, ""},
	{1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"},
	{0, 6, "sun mon tue wed thu fri sat"},
}

// checkSchedule returns the error of an invalid cron schedule, with the text of the library that
// the real server uses.
func checkSchedule(schedule string) error {
	if key, rest, _ := strings.Cut(schedule, "="); key == "TZ" || key == "CRON_TZ" {
		zone, without, found := strings.Cut(rest, " ")
		switch {
		case !found: // the library's index of the space
			return errors.New("invalid schedule format: runtime error: slice bounds out of range [:-1]")
		case zone != "" && zone[0] == '/' || slices.Contains(strings.Split(zone, "/"), ".."):
			return errors.New("provided bad location " + zone + ": time: invalid location name")
		case zone != "" && zone != "Local" && !isZone(zone):
			return errors.New("provided bad location " + zone + ": unknown time zone " + zone)
		}
		schedule = strings.TrimSpace(without)
	}
	if strings.HasPrefix(schedule, "@") {
		switch schedule {
		case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
			return nil
		}
		if every, ok := strings.CutPrefix(schedule, "@every "); ok {
			if _, err := time.ParseDuration(every); err != nil {
				return fmt.Errorf("failed to parse duration %s: %s", schedule, err)
			}
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

// checkRange returns the error of an invalid range in a field of a schedule.
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
		switch end = start; {
		case strings.Contains(to, "-"):
			return fmt.Errorf("too many hyphens: %s", text)
		case ranged:
			if end, err = number(to); err != nil {
				return err
			}
		case stepped:
			end = high
		}
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
