package evaluator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// Check compiles the rules of a schema, and reports what is wrong with them and which could cost too much. A step gets
// what they could cost.
func (Evaluator) Check(ctx context.Context, s *structural.Schema, at field.Path, step *traces.Step) field.ErrorList {
	root, err := compile(ctx, s, watching{estimated: step != nil})
	if err != nil {
		return field.ErrorList{&field.Error{Type: field.TypeInternal, Field: string(at),
			Detail: "internal error: the rules were not compiled: " + err.Error()}}
	}
	if step != nil {
		return inspect(root, at, step)
	}
	return field.Lazily(at, func(at field.Path) field.ErrorList { return inspect(root, at, nil) })
}

func inspect(root *node, at field.Path, step *traces.Step) field.ErrorList {
	c := inspection{budget: structural.NewBudget(), step: step}
	c.node(root, at, 1, "")
	if c.budget.Spent() {
		return structural.TooMuch(at)
	}
	if step != nil {
		step.Estimate, step.Limit = shownCost(c.total), totalEstimate
	}
	if c.total > totalEstimate {
		for _, e := range c.expensive {
			c.errs.Add(field.Forbidden(e.at,
				"contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
		}
		c.errs.Add(field.Forbidden(at,
			tooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.total,
				totalEstimate)))
	}
	return c.errs
}

type inspection struct {
	errs      field.ErrorList
	budget    *structural.Budget // for paths
	total     uint64
	expensive []costlyRule
	step      *traces.Step // or nil
}

// A costlyRule is a rule that takes much of what all rules may cost.
type costlyRule struct {
	at   field.Path
	cost uint64
}

// unbounded is the cardinality of values whose number no schema limits.
const unbounded = 0

// node checks a part of a schema. cardinality is how often its value can be in an
// object; lost is where the first list is in which items have no old value, if there is
// one.
func (c *inspection) node(n *node, at field.Path, cardinality uint64, lost field.Path) {
	if n == nil || !c.budget.Visit(at) {
		return
	}
	inner := func(most *int64) uint64 {
		if most == nil {
			return unbounded
		}
		return product(cardinality, uint64(max(0, *most)))
	}
	c.node(n.additional, at.Child("additionalProperties"), inner(n.schema.MaxProperties), lost)
	for _, name := range slices.Sorted(maps.Keys(n.properties)) {
		if c.budget.Spent() {
			return
		}
		c.node(n.properties[name], at.Child("properties").Key(name), cardinality, lost)
	}
	lostInItems := lost
	if n.schema.ListType != "map" && lost == "" {
		lostInItems = at
	}
	c.node(n.items, at.Child("items"), inner(n.schema.MaxItems), lostInItems)
	if len(n.rules) > 0 && n.rules[0].undeclared {
		c.errs.Add(&field.Error{Type: field.TypeInternal, Field: string(at.Child("x-kubernetes-validations")),
			Detail: "internal error: failed to construct type information for " +
				"x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"})
		return
	}
	for i := range n.rules {
		if !c.budget.Visit(at) {
			return
		}
		c.rule(&n.rules[i], at.Child("x-kubernetes-validations").Index(i), cardinality, lost)
	}
}

func (c *inspection) rule(r *rule, at field.Path, cardinality uint64, lost field.Path) {
	where, message := at.Child("rule"), at.Child("messageExpression")
	if cardinality == unbounded {
		cardinality = r.cardinality
	}
	c.spend(where, product(r.cost, cardinality), "estimated rule cost")
	r.estimates(c.step, at, cardinality)
	if r.problem != "" {
		c.errs.Add(field.Invalid(where, r.Raw(), r.problem))
	}
	if r.messageProblem != "" {
		c.errs.Add(field.Invalid(message, r.Raw(), r.messageProblem))
	}
	c.spend(message, r.messageCost, "estimated messageExpression cost")
	switch {
	case r.usesOld && lost != "":
		c.errs.Add(field.Invalid(where, r.Rule.Rule,
			fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", lost)))
	case !r.usesOld && r.OptionalOldSelf != nil:
		c.errs.Add(field.Invalid(at.Child("optionalOldSelf"), *r.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
}

// spend adds what an expression can cost.
func (c *inspection) spend(at field.Path, cost uint64, what string) {
	if cost > ruleEstimate {
		c.errs.Add(field.Forbidden(at, tooExpensive(what, cost, ruleEstimate)))
	}
	if c.total += cost; c.total < cost {
		c.total = math.MaxUint64
	}
	if cost >= totalEstimate/100 {
		c.expensive = append(c.expensive, costlyRule{at, cost})
		slices.SortFunc(c.expensive, func(a, b costlyRule) int { return cmp.Compare(b.cost, a.cost) })
		c.expensive = c.expensive[:min(4, len(c.expensive))]
	}
}

func tooExpensive(what string, cost, limit uint64) string {
	times := float64(cost) / float64(limit)
	factor := fmt.Sprintf("%.1fx", times)
	switch {
	case times > 100:
		factor = "more than 100x"
	case times < 1.5:
		factor = fmt.Sprintf("%fx", times)
	}
	return what + " exceeds budget by factor of " + factor +
		" (try simplifying the rule, " +
		"or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
}
