package workload

import (
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/pod"
	"github.com/tabernetes/tabernetes/core/internal/kinds/strategy"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/kinds/valid"
	"github.com/tabernetes/tabernetes/core/object"
)

// warnName warns about the name of an object that creates pods.
func warnName(c *strategy.Context, obj map[string]any) {
	if wrong := syntax.Label(object.Name(obj)); len(wrong) > 0 {
		c.Warn("metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; " +
			"a DNS label is recommended: [" + strings.Join(wrong, " ") + "]")
	}
}

// warnNewWorkload warns about a new object with a template in its spec.
func warnNewWorkload(c *strategy.Context, obj map[string]any) {
	warnName(c, obj)
	warnTemplate(c, obj)
}

// warnTemplate warns about the template of an object. It also drops the fields of disabled features
// from it.
func warnTemplate(c *strategy.Context, obj map[string]any) {
	pod.DropDisabledFields(tree.At(obj, "spec.template.spec"))
	pod.WarnTemplate(c, tree.Object(tree.Object(obj, "spec"), "template"), "spec.template")
}

// warnChangedWorkload warns about an object whose spec has changed.
func warnChangedWorkload(c *strategy.Context, obj, old map[string]any) {
	pod.DropDisabledFields(tree.At(obj, "spec.template.spec"))
	if !object.Equal(obj["spec"], old["spec"]) {
		warnTemplate(c, obj)
	}
}

// warnClaims warns about the claims that a StatefulSet makes.
func warnClaims(c *strategy.Context, obj map[string]any, child ...string) {
	spec := tree.Object(obj, "spec")
	for i, claim := range tree.Objects(spec, "volumeClaimTemplates") {
		at := field.Path("spec.volumeClaimTemplates").Index(i)
		for _, name := range child {
			at = at.Child(name)
		}
		valid.Warner{Context: c}.Claim(tree.Object(claim, "spec"), at)
	}
	if n, ok := tree.Int(spec, "revisionHistoryLimit"); ok && n < 0 {
		c.Warn("spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended")
	}
}

// warnJob warns about the spec of a Job, by itself or in a CronJob.
func warnJob(c *strategy.Context, spec map[string]any, at field.Path) {
	if tree.Text(spec, "completionMode") == "Indexed" {
		completions, _ := tree.Int(spec, "completions")
		parallel, _ := tree.Int(spec, "parallelism")
		if completions > 100_000 && parallel > 10_000 {
			c.Warn(at.String() + ": In Indexed Jobs with a number of completions higher than 10^5 " +
				"and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes " +
				"when a big number of indexes fail")
		}
	}
	pod.DropDisabledFields(tree.At(spec, "template.spec"))
	pod.WarnTemplate(c, tree.Object(spec, "template"), at.Child("template"))
}
