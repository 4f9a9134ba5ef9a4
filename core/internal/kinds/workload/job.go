package workload

import (
	"fmt"
	"math"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/enum"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/rule"
	"github.com/tabernetes/tabernetes/core/internal/kinds/shape"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
)

// Job is the strategy of Jobs.
var Job = strategy.Strategy{
	OrphanWarning: "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background " +
		"to remove them or set propagationPolicy=Orphan to suppress this warning",
	Default: func(obj map[string]any) {
		spec := tree.Make(obj, "spec")
		template := tree.Make(spec, "template")
		pod.DefaultTemplate(template)
		if spec["completions"] == nil && spec["parallelism"] == nil {
			spec["completions"] = int64(1)
		}
		tree.Default(spec, "parallelism", int64(1))
		if spec["backoffLimitPerIndex"] != nil {
			tree.Default(spec, "backoffLimit", int64(math.MaxInt32))
		}
		tree.Default(spec, "backoffLimit", int64(6))
		labels := tree.Object(tree.Object(template, "metadata"), "labels")
		if len(labels) > 0 && len(tree.Object(object.Meta(obj), "labels")) == 0 {
			object.Meta(obj)["labels"] = labels // the labels for the Job are added to both
		}
		tree.DefaultNil(spec, "completionMode", "NonIndexed")
		tree.Default(spec, "suspend", false)
		tree.Default(spec, "manualSelector", false)
		replace := "TerminatingOrFailed"
		if policy := tree.Object(spec, "podFailurePolicy"); policy != nil {
			replace = "Failed"
			for _, rule := range tree.Objects(policy, "rules") {
				for _, condition := range tree.Objects(rule, "onPodConditions") {
					tree.Default(condition, "status", "True")
				}
			}
		}
		tree.DefaultNil(spec, "podReplacementPolicy", replace)
	},
	PrepareCreate: func(c *strategy.Context, obj map[string]any) {
		spec := tree.Object(obj, "spec")
		if !tree.Bool(spec, "manualSelector") {
			selectOwnPods(obj, spec)
		}
		warnName(c, obj)
		warnJob(c, spec, "spec")
	},
	PrepareUpdate: func(c *strategy.Context, obj, old map[string]any) {
		if !object.Equal(obj["spec"], old["spec"]) {
			warnJob(c, tree.Object(obj, "spec"), "spec")
		}
	},
	Updates:        []strategy.Check{strategy.CheckNew, strategy.CheckMeta, strategy.CheckChange},
	Validate:       validateJob,
	ValidateUpdate: validateJobUpdate,
	ValidateStatus: validateJobStatus,
}

// The labels of the pods of a Job, and their old names.
var (
	jobNameLabels       = []string{"batch.kubernetes.io/job-name", "job-name"}
	controllerUIDLabels = []string{"batch.kubernetes.io/controller-uid", "controller-uid"}
)

// selectOwnPods sets labels on the pods of a Job that no others have, and selects by them.
func selectOwnPods(obj, spec map[string]any) {
	labels := tree.Make(tree.Make(tree.Make(spec, "template"), "metadata"), "labels")
	for _, name := range jobNameLabels {
		tree.Default(labels, name, object.Name(obj))
	}
	for _, name := range controllerUIDLabels {
		tree.Default(labels, name, object.UID(obj))
	}
	tree.Default(tree.Make(tree.Make(spec, "selector"), "matchLabels"), controllerUIDLabels[0], object.UID(obj))
}

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

// validateOwnSelector returns the violations of a Job that does not select by the labels that only
// its pods have.
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
				errs.Add(field.Invalid(at, tree.Value(spec, "template.metadata.labels"), "must be '"+l[1]+"'"))
			}
		}
	}
	if s, _, err := selector.FromLabelSelector(tree.Object(spec, "selector")); err == nil && !s.MatchesTree(own) {
		shown := valid.PrintSelector(tree.Object(spec, "selector"))
		errs.Add(field.Invalid("spec.selector", shown, "`selector` not auto-generated"))
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
	selects, _ := validateSelects(spec)
	return append(errs, selects...)
}

// validateJobSpec returns the violations of the spec of a Job, by itself or in a CronJob.
func validateJobSpec(spec map[string]any, p field.Path) field.ErrorList {
	errs := rule.NotNegative(spec, p, "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
		"ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes")
	perIndex, failed := spec["backoffLimitPerIndex"], spec["maxFailedIndexes"]
	if failed != nil && perIndex == nil {
		errs.Add(field.Required(p.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified"))
	}
	if manager, ok := spec["managedBy"].(string); ok {
		errs.Add(syntax.PrefixedPath(manager, p.Child("managedBy"))...)
		if len(manager) > 63 {
			errs.Add(field.TooLong(p.Child("managedBy"), 63))
		}
	}
	mode := tree.Text(spec, "completionMode")
	errs.Add(jobRules.Check(spec, p)...)
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
	replace := replaceAny
	if policy != nil {
		replace = replaceFailed
	}
	errs.Add(rule.Check(spec["podReplacementPolicy"], p.Child("podReplacementPolicy"), replace)...)
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

var jobRules = rule.Fields{
	{Key: "completionMode", Is: rule.All{rule.IfSet{}, rule.OneOf(enum.CompletionMode)}},
}

// replaceFailed is the rule for the podReplacementPolicy of a Job with a podFailurePolicy,
// replaceAny that for others.
var (
	replaceFailed = rule.All{rule.IfSet{}, rule.OneOf{"Failed"}}
	replaceAny    = rule.All{rule.IfSet{}, rule.Enum(enum.PodReplacementPolicy)}
)

// validateIndexed returns the violations of the counts of an indexed Job.
func validateIndexed(spec map[string]any, p field.Path) field.ErrorList {
	var errs field.ErrorList
	const withLimit = " when completions are above 100000 and used with backoff limit per index"
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
		most("parallelism", parallel, 10000, withLimit)
		most("maxFailedIndexes", failed, 10000, withLimit)
	}
	return errs
}

// validateJobUpdate returns the violations of the spec again, as the real server does.
func validateJobUpdate(obj, old map[string]any) field.ErrorList {
	spec, was := tree.Object(obj, "spec"), tree.Object(old, "spec")
	errs := validateJobSpec(spec, "spec")
	errs.Add(validateJobSelector(spec)...)
	completions := spec["completions"]
	if tree.Text(spec, "completionMode") != "Indexed" {
		errs.Add(valid.ImmutableSpec(spec, was, "completions")...)
	} else if completions != nil && completions != was["completions"] && completions != spec["parallelism"] {
		errs.Add(field.Invalid("spec.completions", completions,
			"can only be modified in tandem with spec.parallelism"))
	}
	errs.Add(immutableSelector(obj, old)...)
	errs.Add(immutableTemplate(spec, was, tree.Object(old, "status"))...)
	changed := valid.ImmutableSpec(spec, was, "completionMode", "podFailurePolicy", "backoffLimitPerIndex",
		"managedBy", "successPolicy")
	for _, e := range changed {
		policy := tree.Map(e.BadValue)
		switch {
		case policy == nil:
		case e.Field == "spec.podFailurePolicy":
			e.BadValue = shape.PodFailurePolicy.Print(policy)
		case e.Field == "spec.successPolicy":
			e.BadValue = shape.SuccessPolicy.Print(policy)
		}
	}
	return append(errs, changed...)
}

// immutableTemplate returns the violation of a changed template. While the Job is suspended,
// scheduling fields of its pods may change.
func immutableTemplate(spec, was, status map[string]any) field.ErrorList {
	active, _ := tree.Int(status, "active")
	started := status["startTime"] != nil && !conditionIs(status, "Suspended", "True")
	if !tree.Bool(was, "suspend") || started || active != 0 {
		if object.Equal(spec["template"], was["template"]) {
			return nil
		}
		shown := pod.PrintTemplate(tree.Object(spec, "template"))
		return field.ErrorList{field.Invalid("spec.template", shown, rule.FieldImmutable)}
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
	return field.ErrorList{field.Invalid("spec.template.spec", pod.PrintSpec(now), rule.FieldImmutable)}
}
