package policies

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The resources of policies and bindings.
const (
	validatingPolicies = "validatingadmissionpolicies"
	validatingBindings = "validatingadmissionpolicybindings"
	mutatingPolicies   = "mutatingadmissionpolicies"
	mutatingBindings   = "mutatingadmissionpolicybindings"
)

// A configuration is all policies that have bindings, by name.
type configuration struct {
	mutating, validating []*policy
	// kinds are the types of their parameters.
	kinds map[string]*paramKind
}

// A policy is decoded, with its bindings.
type policy struct {
	name     string
	criteria *match.Criteria
	// ignore is failurePolicy Ignore, and reinvoke reinvocationPolicy IfNeeded.
	ignore, reinvoke bool
	// params is paramKind, or nil.
	params   *paramKind
	bindings []*binding

	// unit is all expressions: of conditions, validations, messages, annotations and mutations. Those that are not
	// there have the index -1.
	unit        expression.Unit
	conditions  []int
	validations []validation
	annotations []annotation
	mutations   []mutation

	mu       sync.Mutex // held while it is compiled
	compiled expression.Compiled
}

// A paramKind is one for all policies that name it, as long as there are any.
type paramKind struct {
	apiVersion, kind string
	// known is the type once it has been found. It stays when its definition is deleted: then there are no parameters.
	known atomic.Pointer[schema.Resource]
}

type validation struct {
	expression, message, messageExpression, reason string
	at, messageAt                                  int
}

type annotation struct {
	key, expression string
	at              int
}

type mutation struct {
	expression string
	at         int
	// key is the field that has the expression: none for a patchType that there is not.
	key string
}

// A binding is decoded.
type binding struct {
	name     string
	criteria *match.Criteria // nil: everything
	ref      *paramRef
	actions  []string
}

// A paramRef says which parameters a binding uses.
type paramRef struct {
	namespace, name string
	selector        selector.Labels
	selects         bool
	invalid         error
	deny            bool // without params
}

// bucketOf is what the buckets of the types begin with.
const bucketOf = group + "/v1/"

// Committed notes that an object in a bucket of the store was written.
func (p *Plugin) Committed(bucket string) {
	if plural, ok := strings.CutPrefix(bucket, bucketOf); ok {
		switch plural {
		case validatingPolicies, validatingBindings, mutatingPolicies, mutatingBindings:
			p.known.Changed()
		}
	}
}

// read reads the policies. before is the configuration until now.
func (p *Plugin) read(before *configuration) (*configuration, error) {
	c := &configuration{kinds: map[string]*paramKind{}}
	var err error
	if c.mutating, err = p.bound(mutatingPolicies, mutatingBindings); err != nil {
		return nil, err
	}
	if c.validating, err = p.bound(validatingPolicies, validatingBindings); err != nil {
		return nil, err
	}
	for _, list := range [][]*policy{c.mutating, c.validating} {
		for _, one := range list {
			one.params = c.share(one.params, before)
			_, _ = p.paramType(one.params) // a type that is not there yet is looked for again
		}
	}
	return c, nil
}

// share returns the paramKind that stands for all of its name, in this configuration and the one before it.
func (c *configuration) share(k *paramKind, before *configuration) *paramKind {
	if k == nil {
		return nil
	}
	name := k.apiVersion + "/" + k.kind
	if known := c.kinds[name]; known != nil {
		return known
	}
	if before != nil && before.kinds[name] != nil {
		k = before.kinds[name]
	}
	c.kinds[name] = k
	return k
}

// bound reads the policies of a kind that have bindings. The store returns them by name.
func (p *Plugin) bound(policies, bindings string) (all []*policy, err error) {
	bound := map[string][]*binding{}
	err = p.each(bindings, func(obj map[string]any) error {
		name := object.GetString(obj, "spec", "policyName")
		bound[name] = append(bound[name], newBinding(obj))
		return nil
	})
	if err != nil || len(bound) == 0 {
		return nil, err
	}
	err = p.each(policies, func(obj map[string]any) error {
		if bindings := bound[object.Name(obj)]; len(bindings) > 0 {
			made := newPolicy(obj)
			made.bindings = bindings
			all = append(all, made)
		}
		return nil
	})
	return all, err
}

func (p *Plugin) each(plural string, f func(map[string]any) error) error {
	return admission.EachStored(p.Store, p.Table.Resource(group, "v1", plural), mvcc.Query{}, f)
}

func newBinding(obj map[string]any) *binding {
	b := &binding{name: object.Name(obj), actions: object.GetStrings(obj, "spec", "validationActions")}
	if tree := object.GetMap(obj, "spec", "matchResources"); tree != nil {
		b.criteria = match.OfResources(tree)
	}
	if tree := object.GetMap(obj, "spec", "paramRef"); tree != nil {
		b.ref = &paramRef{
			namespace: object.GetString(tree, "namespace"), name: object.GetString(tree, "name"),
			deny: object.GetString(tree, "parameterNotFoundAction") == "Deny",
		}
		if labels := object.GetMap(tree, "selector"); labels != nil {
			b.ref.selects = true
			b.ref.selector, _, b.ref.invalid = selector.FromLabelSelector(labels)
		}
	}
	return b
}

func newPolicy(obj map[string]any) *policy {
	spec := object.GetMap(obj, "spec")
	p := &policy{
		name: object.Name(obj), criteria: match.OfResources(object.GetMap(spec, "matchConstraints")),
		ignore:   object.GetString(spec, "failurePolicy") == "Ignore",
		reinvoke: object.GetString(spec, "reinvocationPolicy") == "IfNeeded",
		unit:     expression.Unit{Authorizer: true, Composed: true},
	}
	if kind := object.GetMap(spec, "paramKind"); kind != nil {
		p.params = &paramKind{apiVersion: object.GetString(kind, "apiVersion"), kind: object.GetString(kind, "kind")}
		p.unit.Params = true
	}
	for _, v := range trees(spec, "variables") {
		p.unit.Variables = append(p.unit.Variables,
			expression.Variable{Name: object.GetString(v, "name"), Expression: object.GetString(v, "expression")})
	}
	for _, c := range match.Conditions(spec) {
		p.conditions = append(p.conditions, p.add(c.Text, c.Returns))
	}
	for _, v := range trees(spec, "validations") {
		made := validation{
			expression: object.GetString(v, "expression"), message: object.GetString(v, "message"),
			messageExpression: object.GetString(v, "messageExpression"), reason: object.GetString(v, "reason"),
			messageAt: -1,
		}
		made.at = p.add(made.expression, expression.Bool)
		if made.messageExpression != "" {
			made.messageAt = p.add(made.messageExpression, expression.String)
			p.unit.Expressions[made.messageAt].NoAuthorizer = true
		}
		p.validations = append(p.validations, made)
	}
	for _, v := range trees(spec, "auditAnnotations") {
		text := object.GetString(v, "valueExpression")
		p.annotations = append(p.annotations,
			annotation{object.GetString(v, "key"), text, p.add(text, expression.StringOrNull)})
	}
	for _, v := range trees(spec, "mutations") {
		p.unit.Patches = true
		made, returns := mutation{}, expression.JSONPatches
		switch object.GetString(v, "patchType") {
		case "JSONPatch":
			made.key = "jsonPatch"
		case "ApplyConfiguration":
			made.key, returns = "applyConfiguration", expression.ApplyConfiguration
		}
		made.expression = object.GetString(v, made.key, "expression")
		made.at = p.add(made.expression, returns)
		p.mutations = append(p.mutations, made)
	}
	return p
}

func trees(obj map[string]any, key string) (all []map[string]any) {
	for _, entry := range object.GetList(obj, key) {
		if tree, ok := entry.(map[string]any); ok {
			all = append(all, tree)
		}
	}
	return all
}

// add adds an expression to the unit, and returns its place.
func (p *policy) add(text string, returns expression.Type) int {
	p.unit.Expressions = append(p.unit.Expressions, expression.Expression{Text: text, Returns: returns})
	return len(p.unit.Expressions) - 1
}

// compile compiles a policy when it is first needed.
func (p *policy) compile(ctx context.Context, evaluator expression.Evaluator) (expression.Compiled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.compiled == nil {
		compiled, _, err := evaluator.CompileUnit(ctx, &p.unit)
		if err != nil {
			return nil, err
		}
		p.compiled = compiled
	}
	return p.compiled, nil
}
